//! PCI Express links that run below what both their ends can.
//!
//! A link of a device at rest may run slower than under work
//! (<https://github.com/open-mpi/hwloc/issues/653>), so only one behind which data has moved, and
//! neither end of which is suspended, is called degraded. The most of a link is the least of its
//! two ends; where the port is the lesser one, the drive is in a slow slot.
//! Leaves out: switches whose ports below can more together than the one above, which `predict`
//! shows as a bound.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::hardware::{Link, PciLink};
use iopath_units::{ByteRate, Human, System};

use crate::facts::Facts;
use crate::model::{Finding, Weight};
use crate::placement::interfaces;

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let hardware = &facts.hardware;
    let mut behind = Behind::new();
    for name in names {
        let Some(attachment) = hardware.attachments.get(name) else { continue };
        attachment.functions().iter().for_each(|address| add(facts, &mut behind, address, name));
    }
    for name in interfaces(facts, names) {
        let pci = hardware.interfaces.get(&name).and_then(|found| found.pci.as_deref());
        pci.into_iter().for_each(|address| add(facts, &mut behind, address, &name));
    }
    behind.values().flat_map(|(link, users)| judge(facts, link, users)).collect()
}

/// Links, each with the disks and interfaces behind it, by port and by place of the card below:
/// the functions of one card share its link.
type Behind = BTreeMap<(String, String), (PciLink, Vec<String>)>;

fn add(facts: &Facts, behind: &mut Behind, address: &str, user: &str) {
    for link in facts.hardware.links(address) {
        let place = link.below.rsplit_once('.').map_or(&*link.below, |(place, _)| place);
        let key = (link.above.clone(), place.to_owned());
        behind.entry(key).or_insert_with(|| (link, Vec::new())).1.push(user.to_owned());
    }
}

fn judge(facts: &Facts, link: &PciLink, devices: &[String]) -> Vec<Finding> {
    let place = format!("the link from {} to {}", link.above, link.below);
    let mut found = Vec::new();
    if let (Some(current), Some(max)) = (link.current, link.max)
        && current.is_less_than(max)
    {
        let runs = format!("{place} runs at {} of {}", rated(current), rated(max));
        let moved = devices.iter().any(|user| has_moved(facts, user));
        found.push(if moved && !link.is_suspended {
            degraded(facts, link, devices, &runs)
        } else {
            at_rest(facts, link, devices, &runs)
        });
    }
    if let (Some(above), Some(below)) = (link.max_above, link.max_below)
        && above.bytes_per_sec() < below.bytes_per_sec()
    {
        found.push(Finding {
            rule: "slow-slot",
            weight: Weight::Advice,
            parts: devices.to_vec(),
            text: format!(
                "{} can {}, its port {} only {}",
                link.below,
                rated(below),
                link.above,
                rated(above)
            ),
            hint: "move it to a faster slot where there is one".to_owned(),
        });
    }
    found
}

fn has_moved(facts: &Facts, user: &str) -> bool {
    let interface = facts.hardware.interfaces.get(user);
    let bytes = interface.and_then(|interface| interface.moved_bytes).unwrap_or(0);
    facts.moved.contains(user) || bytes > 0
}

fn degraded(facts: &Facts, link: &PciLink, devices: &[String], runs: &str) -> Finding {
    let slot = facts.hardware.functions.get(&link.below).and_then(|f| f.slot.clone());
    let slot = slot.map(|slot| format!(" in slot {slot}")).unwrap_or_default();
    Finding {
        rule: "degraded-link",
        weight: Weight::Warning,
        parts: devices.to_vec(),
        text: format!("{runs}, though data has moved over it"),
        hint: format!(
            "reseat the card or drive{slot} and its cable, look for errors in aer_dev_correctable \
             of both functions, and whether the firmware splits the slot's lanes"
        ),
    }
}

fn at_rest(facts: &Facts, link: &PciLink, devices: &[String], runs: &str) -> Finding {
    let why = match link.is_suspended {
        true => "it is suspended",
        false => "nothing behind it has moved data yet",
    };
    let disk = devices.iter().find(|user| facts.devices.find(user).is_some());
    let hint = match disk {
        Some(disk) => format!(
            "read from it (dd if=/dev/{disk} of=/dev/null bs=1M count=1000 iflag=direct) and \
             discover again"
        ),
        None => "use it and discover again".to_owned(),
    };
    Finding {
        rule: "link-at-rest",
        weight: Weight::Advice,
        parts: devices.to_vec(),
        text: format!("{runs}; {why}, so it may be at rest"),
        hint,
    }
}

/// `16 GT/s x2 (3.938 GB/s)`: what its encoding lets through in one direction.
fn rated(link: Link) -> String {
    format!("{link} ({})", ByteRate(link.bytes_per_sec()).human(System::Decimal))
}
