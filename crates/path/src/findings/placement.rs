//! Rules for virtual disks that nodes serve (SAN Volume Controller): the pair of host ports that
//! each takes, and the nodes that they prefer.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, PartId};

use super::Remarks;
use super::networks::Networks;
use super::reach::{Steps, Way, ports};
use super::rule::{Rule, Severity};
use super::view::{About, View};
use super::wiring::{fabrics, switch_of};

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    preferred(view, remarks);
    let fabrics = fabrics(view);
    let ends = view.system.wires.iter().flat_map(|link| &link.pairs);
    let networks = Networks::new(view);
    let ends = ends.flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
    let ends = ends.filter(|(end, _)| !networks.has(*end));
    let switches = ends.filter_map(|(_, beyond)| switch_of(view, beyond));
    let halves: BTreeSet<PartId> =
        switches.map(|switch| fabrics.get(&switch).copied().unwrap_or(switch)).collect();
    for (step, way) in steps.with_ways() {
        if view.system.part(step.to).place.is_some() && !networks.carry(view, way) {
            port_pair(view, (step.to, way), (&fabrics, halves.len()), remarks);
        }
    }
}

/// Each virtual disk on one pair of host ports, one for each half of the fabric.
fn port_pair(
    view: &View<'_>,
    (to, way): (PartId, &Way),
    (fabrics, both): (&BTreeMap<PartId, PartId>, usize),
    remarks: &mut Remarks,
) {
    let mut leaving = BTreeSet::new();
    let mut halves = BTreeSet::new();
    for (route, _) in &way.used {
        let Some((leaves, _)) = ports(view, route) else { continue };
        leaving.insert(leaves);
        let crossed = route.crossed.iter().map(|(id, _)| PartId::from(*id));
        let switch = crossed.into_iter().find_map(|id| switch_of(view, id));
        halves.extend(switch.map(|switch| fabrics.get(&switch).copied().unwrap_or(switch)));
    }
    let about = About::advice(Rule::PortPair, view.declared(to));
    if leaving.len() > 2 {
        let says = format!(
            "each host uses {} ports for it; one on each half of the fabric is enough",
            leaving.len()
        );
        let hint = "zone different virtual disks to different pairs of host ports";
        about.say(remarks, &[to], says, hint);
    } else if halves.len() == 1 && both > 1 {
        let about = About { severity: Severity::Warning, ..about };
        let says = format!(
            "a host reaches it over one half of the fabric only, although there are {}",
            both
        );
        about.say(remarks, &[to], says, "wire and zone a host port on the other half");
    }
}

/// Equal numbers of virtual disks prefer each node.
fn preferred(view: &View<'_>, remarks: &mut Remarks) {
    let mut served: BTreeMap<PartId, u64> = BTreeMap::new();
    for id in view.of_class(Class::Volume) {
        if let Some(place) = view.system.part(id).place {
            *served.entry(place).or_default() += 1;
        }
    }
    let declared: BTreeSet<usize> =
        served.keys().map(|place| view.system.part(*place).declared).collect();
    for declared in declared {
        let nodes = view.system.ids().filter(|id| view.system.part(*id).declared == declared);
        let counts: Vec<u64> =
            nodes.map(|node| served.get(&node).copied().unwrap_or_default()).collect();
        let (Some(least), Some(most)) = (counts.iter().min(), counts.iter().max()) else {
            continue;
        };
        if most - least <= 1 {
            continue;
        }
        let busiest: Vec<PartId> = served
            .iter()
            .filter(|(node, count)| *count == most && view.system.part(**node).declared == declared)
            .map(|(node, _)| *node)
            .collect();
        let Some(first) = busiest.first() else { continue };
        let about = About::warning(Rule::UnevenPreferred, view.declared(*first));
        let says = format!("each serves {most} volumes, while another serves {least}");
        about.say(remarks, &busiest, says, "place the volumes evenly over the nodes (at=)");
    }
}
