//! How often one address may ask: so many requests a second, and far fewer new games and analyses. Whoever asks more often is
//! told so and waits; nobody else notices.

use crate::problem::Problem;
use governor::{Quota, RateLimiter, clock::DefaultClock, state::keyed::DashMapStateStore};
use std::{net::IpAddr, num::NonZeroU32};

type Buckets = RateLimiter<IpAddr, DashMapStateStore<IpAddr>, DefaultClock>;

/// The rate limit that a request counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    Read,
    Act,
    /// Creating a game, or a computation.
    Heavy,
}

/// Rate limits per client address.
#[derive(Debug)]
pub struct Limits {
    buckets: Option<[Buckets; 3]>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::a_second([200, 50, 5])
    }
}

impl Limits {
    /// So many reads, deeds and heavy requests a second, and ten times as many at once.
    pub fn a_second(rates: [u32; 3]) -> Limits {
        let bucket = |rate: u32| {
            let rate = NonZeroU32::new(rate).unwrap_or(NonZeroU32::MIN);
            let burst = rate.saturating_mul(const { NonZeroU32::new(10).expect("ten is not zero") });
            Buckets::keyed(Quota::per_second(rate).allow_burst(burst))
        };
        Limits { buckets: Some(rates.map(bucket)) }
    }

    /// No limits, for private servers.
    pub fn none() -> Limits {
        Limits { buckets: None }
    }

    pub fn admit(&self, address: IpAddr, price: Price) -> Result<(), Problem> {
        let Some(buckets) = &self.buckets else { return Ok(()) };
        buckets[price as usize].check_key(&prefix(address)).map_err(|_| Problem::TooOften)
    }

    /// Forgets addresses that have not asked for a while.
    pub fn tidy(&self) {
        self.buckets.iter().flatten().for_each(Buckets::retain_recent);
    }
}

/// Reduces an IPv6 address to its /64 network: one client usually controls all of it.
pub fn prefix(address: IpAddr) -> IpAddr {
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
    fn whoever_asks_too_often_waits_and_nobody_else_does() {
        let limits = Limits::a_second([1, 1, 1]);
        let (one, other) = (IpAddr::from([1, 2, 3, 4]), IpAddr::from([1, 2, 3, 5]));
        for _ in 0..10 {
            assert_eq!(limits.admit(one, Price::Heavy), Ok(()));
        }
        assert_eq!(limits.admit(one, Price::Heavy), Err(Problem::TooOften));
        assert_eq!(limits.admit(one, Price::Read), Ok(()), "another bucket");
        assert_eq!(limits.admit(other, Price::Heavy), Ok(()), "another address");
    }

    #[test]
    fn a_net_of_the_newer_kind_counts_as_one() {
        let one: IpAddr = "2001:db8:1:2:3::4".parse().expect("an address");
        let two: IpAddr = "2001:db8:1:2:9::9".parse().expect("an address");
        assert_eq!(prefix(one), prefix(two));
    }
}
