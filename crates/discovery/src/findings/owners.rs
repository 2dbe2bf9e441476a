//! Units of one array that do not share its ports out: most of them are served by few.
//!
//! An array that prefers one controller for a unit (ALUA, ANA) has it served by the ports of its
//! owner. Each unit is judged with those that have the same ports; ports on the way of which
//! nothing is in use, though half of the units could use them, carry nothing.
//! Leaves out: how much each unit is used.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Way, ways_of};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// A port carries too many where it has this many times those of another (chosen).
const TIMES: usize = 3;

/// Units, with the ports that each of them uses now.
#[derive(Default)]
struct Family {
    units: Vec<String>,
    used: BTreeMap<String, usize>,
}

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut families: BTreeMap<BTreeSet<String>, Family> = BTreeMap::new();
    for device in facts.devices.iter().filter(|device| names.contains(&device.name)) {
        let ways = ways_of(facts, device);
        let Some(ports) = ways.iter().map(|way| way.remote.clone()).collect() else { continue };
        // Of a unit whose ways are down the others are used, which says nothing of its owner.
        if ways.iter().any(Way::is_down) {
            continue;
        }
        let used: BTreeSet<&String> =
            ways.iter().filter(|way| way.is_used()).filter_map(|way| way.remote.as_ref()).collect();
        let family = families.entry(ports).or_default();
        family.units.push(device.name.clone());
        for port in used {
            *family.used.entry(port.clone()).or_default() += 1;
        }
    }
    families.into_iter().filter_map(|(ports, family)| judge(&ports, family)).collect()
}

fn judge(ports: &BTreeSet<String>, family: Family) -> Option<Finding> {
    let counts: BTreeMap<&String, usize> =
        ports.iter().map(|port| (port, family.used.get(port).copied().unwrap_or(0))).collect();
    let (most, least) = (counts.values().max()?, counts.values().min()?);
    // Two units on one side may be two that differ; three of three are not.
    if *most < TIMES || *most < TIMES * least {
        return None;
    }
    let shares = counts.iter().map(|(port, count)| format!("{count} through {port}"));
    let shares = shares.collect::<Vec<_>>().join(", ");
    Some(Finding {
        rule: "uneven-owners",
        weight: Weight::Advice,
        text: format!(
            "{} units share {} ports of their array and use them unevenly: {shares}",
            family.units.len(),
            ports.len()
        ),
        parts: family.units,
        hint: "unless the other ports are a replica's or another site's, let their controller own \
               half of the units (on the array: owner, preferred path or node): ports that no unit \
               uses carry nothing, and their controller's cache serves nothing"
            .to_owned(),
    })
}
