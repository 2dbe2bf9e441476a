//! Devices and the processors that are far from them.
//!
//! The kernel's distances are those of the firmware (ACPI's SLIT: 10 is near). Volumes over several
//! nodes are remote in part from every processor.
//! Leaves out: what remoteness costs, which differs between machines and needs a measurement.

use std::collections::{BTreeMap, BTreeSet};

use super::members::groups;
use crate::facts::Facts;
use crate::model::{Finding, Weight};

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    if facts.hardware.nodes.len() < 2 {
        return Vec::new();
    }
    let mut found = spread(facts, names);
    found.extend(remote(facts, names));
    found
}

/// Volumes whose members are next to several nodes.
fn spread(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut found = Vec::new();
    for group in groups(facts, names) {
        let mut nodes: BTreeMap<u32, usize> = BTreeMap::new();
        for member in &group.members {
            let near: BTreeSet<u32> = facts
                .devices
                .leaves(member)
                .iter()
                .filter_map(|disk| facts.hardware.node_of(disk))
                .collect();
            near.into_iter().for_each(|node| *nodes.entry(node).or_default() += 1);
        }
        if nodes.len() < 2 {
            continue;
        }
        let shares = nodes.iter().map(|(node, count)| format!("{count} next to node {node}"));
        let shares = shares.collect::<Vec<_>>().join(", ");
        let far = nodes.keys().filter_map(|node| farthest(facts, *node, &nodes)).max();
        let far = far.map(|far| format!(" (distance {far}, 10 is near)")).unwrap_or_default();
        found.push(Finding {
            rule: "numa-split",
            weight: Weight::Advice,
            parts: vec![group.volume.clone()],
            text: format!(
                "members of {} ({}) are next to different processors: {shares}; every user is \
                 far from some of them{far}",
                group.volume, group.noun
            ),
            hint: "use members next to one node per volume, and run its users there (numactl \
                --cpunodebind)"
                .to_owned(),
        });
    }
    found
}

fn farthest(facts: &Facts, from: u32, nodes: &BTreeMap<u32, usize>) -> Option<u32> {
    let all = &facts.hardware.nodes;
    let place = |number: u32| all.iter().position(|node| node.number == number);
    let distances = &all.get(place(from)?)?.distances;
    nodes.keys().filter_map(|node| distances.get(place(*node)?).copied()).max()
}

/// Devices next to a node none of whose processors may be used.
fn remote(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut behind: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for name in names {
        if let Some(node) = facts.hardware.node_of(name) {
            behind.entry(node).or_default().push(name.clone());
        }
    }
    behind.into_iter().filter_map(|(node, parts)| far_from(facts, node, parts)).collect()
}

fn far_from(facts: &Facts, number: u32, parts: Vec<String>) -> Option<Finding> {
    let nodes = &facts.hardware.nodes;
    let node = nodes.iter().find(|known| known.number == number)?;
    let count = parts.len();
    let noun = if count == 1 { "device is" } else { "devices are" };
    let next_to = format!("{count} {noun} next to node {number}");
    let usable = facts.hardware.usable_cpus.as_deref();
    let (text, hint) = match usable.filter(|usable| !node.has_any_of(usable)) {
        _ if node.cpu_count == 0 => (
            format!("{next_to}, which has no online processor"),
            "bring its processors online, or move the adapter to a slot of another".to_owned(),
        ),
        Some(usable) => {
            let used = nodes.iter().enumerate().filter(|(_, other)| other.has_any_of(usable));
            let distance = used.filter_map(|(place, _)| node.distances.get(place)).min();
            let distance = distance
                .map(|distance| format!(", at a distance of {distance} (10 is near)"))
                .unwrap_or_default();
            let cpus = &node.cpus;
            let may = format!("this process may run on {usable} only{distance}");
            (
                format!("{next_to} (processors {cpus}), and {may}"),
                format!("run it there (numactl --cpunodebind={number}), or widen its cpuset"),
            )
        }
        None => return None,
    };
    Some(Finding { rule: "numa-remote", weight: Weight::Warning, parts, text, hint })
}
