//! Rate limits per client address (token buckets): different rates for reads, for actions, and for new games and analyses. A client
//! over its rate gets 429; other clients are not affected.

use crate::problem::Problem;
use governor::{Quota, RateLimiter, clock::DefaultClock, state::keyed::DashMapStateStore};
use std::{net::IpAddr, num::NonZeroU32};

type Buckets = RateLimiter<IpAddr, DashMapStateStore<IpAddr>, DefaultClock>;

/// The rate limit that a request counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestClass {
    Read,
    Act,
    /// Creating a game, or a computation.
    Heavy,
}

/// Rate limits per client address.
#[derive(Debug)]
pub struct RateLimits {
    buckets: Option<[Buckets; 3]>,
}

impl Default for RateLimits {
    fn default() -> RateLimits {
        RateLimits::per_second([200, 50, 5])
    }
}

impl RateLimits {
    /// Rates of reads, actions and heavy requests per second, with bursts of ten times as many.
    pub fn per_second(rates: [u32; 3]) -> RateLimits {
        let bucket = |rate: u32| {
            let rate = NonZeroU32::new(rate).unwrap_or(NonZeroU32::MIN);
            let burst = rate.saturating_mul(const { NonZeroU32::new(10).expect("ten is not zero") });
            Buckets::keyed(Quota::per_second(rate).allow_burst(burst))
        };
        RateLimits { buckets: Some(rates.map(bucket)) }
    }

    /// No limits, for private servers.
    pub fn none() -> RateLimits {
        RateLimits { buckets: None }
    }

    pub fn admit(&self, address: IpAddr, class: RequestClass) -> Result<(), Problem> {
        let Some(buckets) = &self.buckets else { return Ok(()) };
        buckets[class as usize].check_key(&client_network(address)).map_err(|_| Problem::TooOften)
    }

    /// Removes addresses without recent requests.
    pub fn remove_idle(&self) {
        self.buckets.iter().flatten().for_each(Buckets::retain_recent);
    }
}

/// Reduces an IPv6 address to its /64 network: one client usually controls all of it.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => match six.to_ipv4_mapped() {
            Some(four) => four.into(),
            None => {
                let [a, b, c, d, ..] = six.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_over_its_rate_does_not_affect_others() {
        let limits = RateLimits::per_second([1, 1, 1]);
        let (one, other) = (IpAddr::from([1, 2, 3, 4]), IpAddr::from([1, 2, 3, 5]));
        for _ in 0..10 {
            assert_eq!(limits.admit(one, RequestClass::Heavy), Ok(()));
        }
        assert_eq!(limits.admit(one, RequestClass::Heavy), Err(Problem::TooOften));
        assert_eq!(limits.admit(one, RequestClass::Read), Ok(()), "another bucket");
        assert_eq!(limits.admit(other, RequestClass::Heavy), Ok(()), "another address");
    }

    #[test]
    fn an_ipv6_network_of_64_bits_counts_as_one() {
        let one: IpAddr = "2001:db8:1:2:3::4".parse().expect("an address");
        let two: IpAddr = "2001:db8:1:2:9::9".parse().expect("an address");
        assert_eq!(client_network(one), client_network(two));
    }
}
