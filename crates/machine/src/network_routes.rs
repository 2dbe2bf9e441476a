//! /proc/net/route: which network interface leads to which address.
//!
//! Format: net/ipv4/fib_trie.c, `fib_route_seq_show`: hexadecimal words as they lie in memory, so
//! that 0100000A is 10.0.0.1 on a little-endian machine. The longest mask wins.
//! Leaves out: IPv6, rules, and other tables than the main one.

use std::net::Ipv4Addr;

use crate::root::Root;

/// A route of the main table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkRoute {
    pub interface: String,
    /// Where it leads.
    pub destination: Ipv4Addr,
    /// Which bits of an address must be those of the destination.
    pub mask: Ipv4Addr,
}

/// All routes; none where the file is not there.
pub fn read(root: &Root) -> Vec<NetworkRoute> {
    let text = root.read("/proc/net/route").unwrap_or_default();
    text.lines().skip(1).filter_map(parse).collect()
}

/// The interface towards an address.
pub fn towards(routes: &[NetworkRoute], address: Ipv4Addr) -> Option<&str> {
    let leads = |route: &&NetworkRoute| address & route.mask == route.destination;
    let found = routes.iter().filter(leads).max_by_key(|route| u32::from(route.mask))?;
    Some(&found.interface)
}

fn parse(line: &str) -> Option<NetworkRoute> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let address = |at: usize| {
        let word = u32::from_str_radix(words.get(at)?, 16).ok()?;
        Some(Ipv4Addr::from(word.to_ne_bytes()))
    };
    Some(NetworkRoute {
        interface: (*words.first()?).to_owned(),
        destination: address(1)?,
        mask: address(7)?,
    })
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mask_leads() {
        let text = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\n\
                    eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\n\
                    eth1\t0005A8C0\t00000000\t0001\t0\t0\t101\t00FFFFFF\t0\n";
        let routes: Vec<_> = text.lines().skip(1).filter_map(parse).collect();
        let towards = |text: &str| towards(&routes, text.parse().unwrap());
        assert_eq!(towards("192.168.5.20"), Some("eth1"));
        assert_eq!(towards("8.8.8.8"), Some("eth0"));
        assert_eq!(super::towards(&[], Ipv4Addr::LOCALHOST), None);
    }
}
