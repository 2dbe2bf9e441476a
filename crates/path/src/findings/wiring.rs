//! Rules about wires and zones: what has no wire, what no route leads to, how many routes there
//! are, and whether each half of a fabric has everything.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, PartId};

use super::Remarks;
use super::networks::Networks;
use super::reach::{Steps, Way, ports};
use super::rule::Rule;
use super::view::{About, View};
use crate::network::ComponentId;
use crate::routes::{Place, Routes};

/// More occurrences of a virtual disk in a host do not help and cost time (SVC).
const MOST_PATHS: usize = 4;

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    if view.system.wires.is_empty() {
        return;
    }
    unwired(view, remarks);
    unreachable(view, remarks);
    let networks = Networks::new(view);
    for (step, way) in steps.with_ways().filter(|(_, way)| !networks.carry(view, way)) {
        many_paths(view, (step.to, way), remarks);
    }
    for way in steps.ways.iter().filter(|way| !networks.carry(view, way)) {
        wide_zone(view, way, remarks);
    }
    halves(view, &networks, remarks);
}

/// All wired parts.
fn wired(view: &View<'_>) -> BTreeSet<PartId> {
    view.system
        .wires
        .iter()
        .flat_map(|link| &link.pairs)
        .flat_map(|(one, to)| [*one, *to])
        .collect()
}

/// An adapter or port without a wire, while others of its declaration have one. Free ports of a
/// switch are no mistake.
fn unwired(view: &View<'_>, remarks: &mut Remarks) {
    let wired = wired(view);
    let used: BTreeSet<usize> = wired.iter().map(|part| view.system.part(*part).declared).collect();
    for id in view.system.ids() {
        let takes_wire = matches!(view.kind(id), "hba" | "nic" | "port");
        let in_switch = view.system.ancestors(id).any(|up| view.class(up).is_passed());
        if !takes_wire || in_switch || wired.contains(&id) {
            continue;
        }
        let declared = view.system.part(id).declared;
        if !used.contains(&declared) {
            continue;
        }
        let about = About::warning(Rule::UnwiredPort, view.declared(id));
        let says = "no wire, although others of its declaration have one".to_owned();
        about.say(remarks, &[id], says, "add it to a wire, or reduce count");
    }
}

/// A volume or medium of the path that no host has a route to. Targets of streams are told where
/// the network is built.
fn unreachable(view: &View<'_>, remarks: &mut Remarks) {
    if view.network.components.len() != view.system.parts.len() {
        return;
    }
    let mut hosts: Vec<PartId> = view.of_class(Class::Host).collect();
    if hosts.is_empty() {
        return;
    }
    // What only nodes reach is reached through them.
    let nodes: BTreeSet<PartId> = view.system.parts.iter().filter_map(|part| part.place).collect();
    hosts.extend(nodes);
    let mut routes = Routes::new(view.system, view.network);
    for id in view.system.ids() {
        let keeps_data = matches!(view.class(id), Class::Medium | Class::Volume);
        let parent = view.system.part(id).parent;
        let outer = parent.is_some_and(|parent| view.class(parent) != Class::Volume);
        let loaded = !view.arrivals[id.0].is_empty();
        if !keeps_data || !outer || loaded || view.is_removed(id) {
            continue;
        }
        // What arrays keep behind their controllers is reached from there.
        let behind = view.users[id.0].iter().any(|user| view.system.part(*user).parent.is_some());
        let to = ComponentId::from(id);
        let mut places = hosts.iter().map(|host| Place::start(Some((*host).into())));
        if behind || places.any(|place| routes.choices(place, to).is_ok()) {
            continue;
        }
        let about = About::warning(Rule::UnreachableTarget, view.declared(id));
        let says = "no route leads to it from any host".to_owned();
        let hint = match view.system.zones.is_empty() {
            true => "wire a port of its controller to a host",
            false => "wire and zone a port of its controller to a host",
        };
        about.say(remarks, &[id], says, hint);
    }
}

fn many_paths(view: &View<'_>, (to, way): (PartId, &Way), remarks: &mut Remarks) {
    let Some(host) = host_of(view, way) else { return };
    let most = view.system.multipath.most.map_or(usize::MAX, |most| most as usize);
    let paths = way.choices.len().min(most);
    if paths <= MOST_PATHS {
        return;
    }
    let about = About::warning(Rule::TooManyPaths, view.declared(to));
    let says = format!(
        "{paths} paths from each {} to it: more than {MOST_PATHS} do not help, and slow down \
         failover and discovery",
        view.system.declared(host).name
    );
    let hint = "zone each host to fewer ports (one pair of its ports, one on each half of the \
                fabric), or set multipath most=4";
    about.say(remarks, &[to], says, hint);
}

/// The host that a way starts in.
fn host_of(view: &View<'_>, way: &Way) -> Option<PartId> {
    let start = PartId::from(way.from.component()?);
    let around = std::iter::once(start).chain(view.system.ancestors(start));
    around.into_iter().find(|up| view.class(*up) == Class::Host)
}

/// One path from each host adapter to one port of a controller.
fn wide_zone(view: &View<'_>, way: &Way, remarks: &mut Remarks) {
    if host_of(view, way).is_none() {
        return;
    }
    let mut entries: BTreeMap<(PartId, PartId), BTreeSet<PartId>> = BTreeMap::new();
    for (leaves, enters) in way.routes().filter_map(|route| ports(view, route)) {
        if let Some(controller) = view.within(enters, &["controller"]) {
            entries.entry((leaves, controller)).or_default().insert(enters);
        }
    }
    for ((leaves, controller), entered) in entries.iter().filter(|(_, entered)| entered.len() > 1) {
        let about = About::advice(Rule::WideZone, view.declared(*leaves));
        let says = format!(
            "each reaches {} ports of one {}",
            entered.len(),
            view.system.declared(*controller).name
        );
        let hint = "zone each host adapter to one port of each controller: two adapters make an A \
                    and a B side, four make two partitions";
        about.say(remarks, &[*leaves], says, hint);
    }
}

/// In a fabric of several switches without wires between them, what is on one half only.
fn halves(view: &View<'_>, networks: &Networks, remarks: &mut Remarks) {
    let fabrics = fabrics(view);
    let mut ends: BTreeMap<PartId, BTreeMap<PartId, u32>> = BTreeMap::new();
    for (one, other) in view.system.wires.iter().flat_map(|link| &link.pairs) {
        for (end, beyond) in [(*one, *other), (*other, *one)] {
            let (Some(switch), None) = (switch_of(view, beyond), switch_of(view, end)) else {
                continue;
            };
            if networks.has(end) {
                continue;
            }
            let fabric = fabrics.get(&switch).copied().unwrap_or(switch);
            *ends.entry(unit(view, end)).or_default().entry(fabric).or_default() += 1;
        }
    }
    let all: BTreeSet<PartId> = ends.values().flat_map(BTreeMap::keys).copied().collect();
    let mut most: BTreeMap<usize, usize> = BTreeMap::new();
    for (unit, on) in &ends {
        let known = most.entry(view.system.part(*unit).declared).or_default();
        *known = on.len().max(*known);
    }
    let dual = all.len() == 2 && ends.values().any(|on| on.len() == 2);
    for (unit, on) in &ends {
        let peers = most.get(&view.system.part(*unit).declared).copied().unwrap_or_default();
        let wanted = if dual { 2 } else { peers };
        if on.len() == 1 && wanted > 1 {
            one_half(view, *unit, wanted, remarks);
        } else if view.kind(*unit) == "controller" {
            uneven_ports(view, *unit, on, remarks);
        }
    }
}

fn one_half(view: &View<'_>, unit: PartId, halves: usize, remarks: &mut Remarks) {
    let about = About::warning(Rule::OneHalf, view.declared(unit));
    let says =
        format!("wired to 1 of {halves} halves of the fabric: without that half it is unreachable");
    about.say(remarks, &[unit], says, "wire a port of it to each half of the fabric");
}

fn uneven_ports(view: &View<'_>, unit: PartId, on: &BTreeMap<PartId, u32>, remarks: &mut Remarks) {
    let (Some(least), Some(most)) = (on.values().min(), on.values().max()) else { return };
    if least == most {
        return;
    }
    let about = About::warning(Rule::UnevenNodePorts, view.declared(unit));
    let counts: Vec<String> = on
        .iter()
        .map(|(fabric, count)| format!("{count} on {}", view.system.part(*fabric).name))
        .collect();
    let says = format!("unequal numbers of ports: {}", counts.join(", "));
    about.say(remarks, &[unit], says, "use the same number of ports on every switch");
}

/// What is wired as a whole: a controller, else the outermost box.
fn unit(view: &View<'_>, end: PartId) -> PartId {
    view.within(end, &["controller", "array", "host"]).unwrap_or_else(|| view.outermost(end))
}

/// The switch that a part belongs to.
pub(super) fn switch_of(view: &View<'_>, id: PartId) -> Option<PartId> {
    let around = std::iter::once(id).chain(view.system.ancestors(id));
    around.into_iter().filter(|up| view.kind(*up) == "switch").last()
}

/// For each switch the first of those that wires join it to.
pub(super) fn fabrics(view: &View<'_>) -> BTreeMap<PartId, PartId> {
    let mut first: BTreeMap<PartId, PartId> = BTreeMap::new();
    for (one, other) in view.system.wires.iter().flat_map(|link| &link.pairs) {
        let (Some(one), Some(other)) = (switch_of(view, *one), switch_of(view, *other)) else {
            continue;
        };
        let (one, other) =
            (first.get(&one).copied().unwrap_or(one), first.get(&other).copied().unwrap_or(other));
        let (low, high) = (one.min(other), one.max(other));
        for known in first.values_mut().filter(|known| **known == high) {
            *known = low;
        }
        first.insert(high, low);
        first.insert(low, low);
    }
    first
}
