//! Networks of addresses, such as those of a proxy.

use std::net::IpAddr;
use std::str::FromStr;

/// A network such as `10.0.0.0/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Returns true if the network has this address.
    #[must_use]
    pub fn has(&self, address: IpAddr) -> bool {
        let prefix = |bits: u128, width: u8| bits.checked_shr(u32::from(width - self.bits)).unwrap_or(0);
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                prefix(u128::from(own.to_bits()), 32) == prefix(u128::from(other.to_bits()), 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => prefix(own.to_bits(), 128) == prefix(other.to_bits(), 128),
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "not an address or a network such as 10.0.0.0/8";
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address = address.parse::<IpAddr>().map_err(|_| wrong)?.to_canonical();
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| wrong))?;
        if bits <= most { Ok(Self { address, bits }) } else { Err(wrong) }
    }
}

/// Returns the address that stands for a client's network. Whoever has an IPv6 address has 2^64 of them.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
        address @ IpAddr::V4(_) => address,
    }
}

/// Several networks.
#[derive(Clone, Debug, Default)]
pub struct Networks(Vec<Network>);

impl Networks {
    /// Returns true if one of the networks has this address.
    #[must_use]
    pub fn have(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.has(address))
    }
}

impl FromIterator<Network> for Networks {
    fn from_iter<T: IntoIterator<Item = Network>>(networks: T) -> Self {
        Self(networks.into_iter().collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn has(network: &str, address: &str) -> bool {
        network.parse::<Network>().unwrap().has(address.parse().unwrap())
    }

    #[test]
    fn a_network_has_its_addresses_and_no_others() {
        for (network, within, without) in [
            ("10.0.0.0/8", "10.200.3.4", "11.0.0.1"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.2"),
            ("127.0.0.1", "::ffff:127.0.0.1", "::1"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("192.168.1.128/25", "192.168.1.200", "192.168.1.100"),
        ] {
            assert!(has(network, within), "{network} {within}");
            assert!(!has(network, without), "{network} {without}");
        }
        assert!(has("0.0.0.0/0", "8.8.8.8") && !has("0.0.0.0/0", "::1") && has("::/0", "2001::1"));
        for wrong in ["", "10.0.0.0/33", "10.0.0", "host", "10.0.0.0/", "::/129", "10.0.0.0/8/8", "10.0.0.0/-1"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
