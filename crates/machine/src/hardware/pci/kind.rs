//! What each PCI function is on the way from the processor.
//!
//! Its PCI Express capability says it: from byte 0x34 of the configuration space a list of
//! capabilities goes on; that with number 0x10 has the type of the port in bits 4 to 7 of its third
//! byte (PCI Express Base Specification, 7.5.3.2). Users other than root read only 64 bytes, which
//! end before it; then: a bridge at the root is a root port, one below a port with a link is the
//! upper side of a switch, one below that a lower side.

use std::collections::BTreeMap;
use std::fs;

use super::{FOLDER, PciFunction, PciKind};
use crate::hardware::attributes::Attributes;

/// Base class and subclass of bridges between PCI buses.
const PCI_BRIDGE: u32 = 0x0604;

/// Sets the kind of every function.
pub(super) fn decide(attributes: &Attributes<'_>, all: &mut BTreeMap<String, PciFunction>) {
    let mut addresses: Vec<(usize, String)> =
        all.keys().map(|address| (depth(all, address), address.clone())).collect();
    // Those above are decided before those below.
    addresses.sort();
    for (_, address) in addresses {
        let told = fs::read(attributes.root.path(format!("{FOLDER}/{address}/config"))).ok();
        let told = told.and_then(|config| from_capability(&config));
        let kind = told.unwrap_or_else(|| from_place(all, &all[&address]));
        if let Some(function) = all.get_mut(&address) {
            function.kind = kind;
        }
    }
}

fn depth(all: &BTreeMap<String, PciFunction>, address: &str) -> usize {
    let parent = |address: &&str| all.get(*address).and_then(|f| f.parent.as_deref());
    let above = std::iter::successors(Some(address), |address| parent(address));
    above.take(all.len() + 1).count()
}

fn from_capability(config: &[u8]) -> Option<PciKind> {
    const HEAD: usize = 0x34;
    const PCI_EXPRESS: u8 = 0x10;
    let mut place = usize::from(*config.get(HEAD)?) & !3;
    // 48 capabilities fill the configuration space.
    for _ in 0..48 {
        if place < 0x40 {
            return None;
        }
        if *config.get(place)? == PCI_EXPRESS {
            return Some(match config.get(place + 2)? >> 4 {
                0x4 => PciKind::RootPort,
                0x5 => PciKind::SwitchUpstream,
                0x6 => PciKind::SwitchDownstream,
                0x7 | 0x8 => PciKind::Bridge,
                _ => PciKind::Endpoint,
            });
        }
        place = usize::from(*config.get(place + 1)?) & !3;
    }
    None
}

fn from_place(all: &BTreeMap<String, PciFunction>, function: &PciFunction) -> PciKind {
    if function.class.map(|class| class >> 8) != Some(PCI_BRIDGE) {
        return PciKind::Endpoint;
    }
    // Conventional bridges have no link.
    if function.max.is_none() && function.current.is_none() {
        return PciKind::Bridge;
    }
    let above = function.parent.as_ref().and_then(|parent| all.get(parent));
    match above.map(|above| above.kind) {
        // Intel VMD is an endpoint with root ports behind it.
        None | Some(PciKind::Endpoint) => PciKind::RootPort,
        Some(PciKind::RootPort | PciKind::SwitchDownstream) => PciKind::SwitchUpstream,
        Some(PciKind::SwitchUpstream) => PciKind::SwitchDownstream,
        Some(PciKind::Bridge) => PciKind::Bridge,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A configuration space whose capability at 0x40 leads to one at 0x70.
    fn config(port_type: u8) -> Vec<u8> {
        let mut config = vec![0; 256];
        config[0x34] = 0x40;
        config[0x40] = 0x01;
        config[0x41] = 0x70;
        config[0x70] = 0x10;
        config[0x72] = port_type << 4 | 2;
        config
    }

    #[test]
    fn the_capability_says_what_a_port_is() {
        for (port_type, kind) in [
            (0x0, PciKind::Endpoint),
            (0x4, PciKind::RootPort),
            (0x5, PciKind::SwitchUpstream),
            (0x6, PciKind::SwitchDownstream),
            (0x7, PciKind::Bridge),
        ] {
            assert_eq!(from_capability(&config(port_type)), Some(kind));
        }
    }

    #[test]
    fn a_short_or_endless_list_of_capabilities_says_nothing() {
        assert_eq!(from_capability(&config(4)[..64]), None);
        assert_eq!(from_capability(&[]), None);
        let mut circle = config(4);
        circle[0x41] = 0x40;
        assert_eq!(from_capability(&circle), None);
    }
}
