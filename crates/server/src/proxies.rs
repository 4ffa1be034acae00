//! Trusted reverse proxies, and the client's address as they report it in `X-Forwarded-For`.

use std::{fmt, net::IpAddr, str::FromStr};

/// A network of addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8`. A single address is a network of one.
///
/// # Examples
///
/// ```
/// use parlor_server::Network;
///
/// let network: Network = "10.0.0.0/8".parse()?;
/// assert!(network.contains("10.1.2.3".parse()?));
/// assert!(!network.contains("192.0.2.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// Leading bits that all addresses of the network share.
    bits: u32,
}

impl Network {
    /// Whether an address belongs to the network. An IPv4 address written as IPv6 counts as the IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                same_bits(own.to_bits().into(), other.to_bits().into(), self.bits, 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => same_bits(own.to_bits(), other.to_bits(), self.bits, 128),
            _ => false,
        }
    }
}

/// Whether two addresses of `width` bits agree in their first `bits`.
fn same_bits(one: u128, other: u128, bits: u32, width: u32) -> bool {
    (one ^ other).checked_shr(width - bits).unwrap_or(0) == 0
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let wrong =
            || "expected an address like 127.0.0.1 or a network like 10.0.0.0/8 or fd00::/8".to_string();
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address = address.parse::<IpAddr>().map_err(|_| wrong())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => width,
            Some(bits) => bits.parse().ok().filter(|bits| *bits <= width).ok_or_else(wrong)?,
        };
        // Only a whole IPv4 address may be written as IPv6.
        let address = if bits == width { address.to_canonical() } else { address };
        Ok(Network { address, bits: bits.min(if address.is_ipv4() { 32 } else { 128 }) })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// The reverse proxies whose `X-Forwarded-For` is believed. By default there is none.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<Network>);

impl TrustedProxies {
    /// Whether this is the address of a trusted proxy.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// The client's address. The entries of all `X-Forwarded-For` lines form one list, and each proxy appended the
    /// address of its own peer to it. So the list is read from the right, and the first address that is not a trusted
    /// proxy counts: entries to the left of it can be forged by the client. An entry that is not an address ends the
    /// walk, because its proxy did not say who its peer was.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_server::TrustedProxies;
    ///
    /// let proxies = TrustedProxies(vec!["10.0.0.0/8".parse()?]);
    /// // The client wrote the first entry itself; the proxy appended the second.
    /// let client = proxies.client("10.0.0.1".parse()?, ["198.51.100.7, 192.0.2.1"].into_iter());
    /// assert_eq!(client.to_string(), "192.0.2.1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn client<'a>(&self, peer: IpAddr, lines: impl DoubleEndedIterator<Item = &'a str>) -> IpAddr {
        let mut client = peer.to_canonical();
        let entries = lines.rev().flat_map(|line| line.rsplit(','));
        for entry in entries {
            if !self.contains(client) {
                break;
            }
            match entry_address(entry) {
                Some(address) => client = address.to_canonical(),
                None => break,
            }
        }
        client
    }
}

/// The address of an entry. Some proxies append a port: `192.0.2.1:5000`, `[2001:db8::1]:5000`.
fn entry_address(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let bracketed = || entry.strip_prefix('[')?.split(']').next()?.parse().ok();
    let with_port = || entry.rsplit_once(':')?.0.parse().ok();
    entry.parse().ok().or_else(bracketed).or_else(with_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(networks: &[&str]) -> TrustedProxies {
        TrustedProxies(networks.iter().map(|text| text.parse().expect("a network")).collect())
    }

    fn client(networks: &[&str], peer: &str, lines: &[&str]) -> String {
        let peer = peer.parse().expect("an address");
        proxies(networks).client(peer, lines.iter().copied()).to_string()
    }

    #[test]
    fn a_network_contains_the_addresses_with_its_leading_bits() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.1.2", "11.0.0.0"),
            ("192.0.2.128/25", "192.0.2.200", "192.0.2.127"),
            ("127.0.0.1", "::ffff:127.0.0.1", "127.0.0.2"),
            ("::ffff:127.0.0.1", "127.0.0.1", "::1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
            ("::/0", "2001:db8::1", "1.2.3.4"),
        ] {
            let network: Network = network.parse().expect("a network");
            assert!(network.contains(inside.parse().expect("an address")), "{network} {inside}");
            assert!(!network.contains(outside.parse().expect("an address")), "{network} {outside}");
        }
    }

    #[test]
    fn an_invalid_network_is_refused_with_an_example() {
        for text in ["", "nginx", "10.0.0.0/33", "10.0.0.0/", "::/129", "10.0.0/8", "1.2.3.4/-1"] {
            let error = text.parse::<Network>().expect_err(text);
            assert!(error.contains("10.0.0.0/8"), "{error}");
        }
    }

    #[test]
    fn the_header_of_a_peer_that_is_not_trusted_is_ignored() {
        assert_eq!(client(&[], "192.0.2.1", &["1.1.1.1"]), "192.0.2.1");
        assert_eq!(client(&["10.0.0.0/8"], "192.0.2.1", &["1.1.1.1"]), "192.0.2.1");
    }

    #[test]
    fn the_right_most_address_that_is_not_a_trusted_proxy_counts() {
        let trusted = &["127.0.0.1", "10.0.0.0/8"][..];
        assert_eq!(client(trusted, "127.0.0.1", &["1.1.1.1, 2.2.2.2, 10.0.0.7"]), "2.2.2.2");
        assert_eq!(client(trusted, "127.0.0.1", &["1.1.1.1"]), "1.1.1.1");
        assert_eq!(client(trusted, "127.0.0.1", &[]), "127.0.0.1", "the proxy itself asks");
        assert_eq!(client(trusted, "127.0.0.1", &["10.0.0.9"]), "10.0.0.9", "a client in its network");
    }

    #[test]
    fn all_lines_of_the_header_are_one_list() {
        let lines = &["6.6.6.6", "7.7.7.7, 2.2.2.2"][..];
        assert_eq!(client(&["127.0.0.1"], "127.0.0.1", lines), "2.2.2.2");
        assert_eq!(client(&["127.0.0.1"], "127.0.0.1", &["2.2.2.2", "127.0.0.1"]), "2.2.2.2");
    }

    #[test]
    fn an_entry_that_is_no_address_counts_as_its_proxy() {
        assert_eq!(client(&["127.0.0.1"], "127.0.0.1", &["2.2.2.2, unknown"]), "127.0.0.1");
        assert_eq!(client(&["127.0.0.1"], "127.0.0.1", &["2.2.2.2:5000"]), "2.2.2.2");
        assert_eq!(client(&["127.0.0.1"], "127.0.0.1", &["[2001:db8::1]:5000"]), "2001:db8::1");
    }
}
