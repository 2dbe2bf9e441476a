//! Links between switches of a fabric that carry less than what crosses them. Networks are left
//! out: their uplinks are oversubscribed by design. So are links of which an end has no rating.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::PartId;
use iopath_units::{ByteRate, Human, System};

use super::Remarks;
use super::networks::Networks;
use super::reach::{Steps, ports};
use super::rule::Rule;
use super::view::{About, View};
use super::wiring::switch_of;
use crate::network::Route;

/// Two switches, the lower first.
type Pair = (PartId, PartId);

/// Ports that communicate across a pair of switches.
#[derive(Default)]
struct Crossing {
    near: BTreeSet<PartId>,
    far: BTreeSet<PartId>,
}

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    let links = links(view);
    if links.is_empty() {
        return;
    }
    let networks = Networks::new(view);
    let mut crossings: BTreeMap<Pair, Crossing> = BTreeMap::new();
    for way in steps.ways.iter().filter(|way| !networks.carry(view, way)) {
        for (route, _) in &way.used {
            let Some((leaves, enters)) = ports(view, route) else { continue };
            for pair in switches(view, route) {
                let crossing = crossings.entry(pair).or_default();
                crossing.near.insert(leaves);
                crossing.far.insert(enters);
            }
        }
    }
    for (pair, crossing) in &crossings {
        let wires = links.get(pair).map(Vec::as_slice).unwrap_or_default();
        tell(view, *pair, wires, crossing, remarks);
    }
}

/// The wires between each pair of switches.
fn links(view: &View<'_>) -> BTreeMap<Pair, Vec<(PartId, PartId)>> {
    let mut links: BTreeMap<Pair, Vec<(PartId, PartId)>> = BTreeMap::new();
    for (one, other) in view.system.wires.iter().flat_map(|link| &link.pairs) {
        if let (Some(near), Some(far)) = (switch_of(view, *one), switch_of(view, *other))
            && near != far
        {
            links.entry((near.min(far), near.max(far))).or_default().push((*one, *other));
        }
    }
    links
}

/// The pairs of switches that a route passes from one to the other.
fn switches(view: &View<'_>, route: &Route) -> Vec<Pair> {
    let crossed = route.crossed.iter().filter_map(|(id, _)| switch_of(view, PartId::from(*id)));
    let crossed: Vec<PartId> = crossed.collect();
    let passed = crossed.iter().zip(crossed.iter().skip(1)).filter(|(one, other)| one != other);
    passed.map(|(one, other)| (*one.min(other), *one.max(other))).collect()
}

fn tell(
    view: &View<'_>,
    pair: Pair,
    links: &[(PartId, PartId)],
    crossing: &Crossing,
    remarks: &mut Remarks,
) {
    let sum = |ports: &BTreeSet<PartId>| ports.iter().map(|port| rate(view, *port)).sum();
    let (near, far): (Option<u64>, Option<u64>) = (sum(&crossing.near), sum(&crossing.far));
    // The ends themselves carry no more than the fewer of them.
    let Some(wanted) = near.zip(far).map(|(near, far)| near.min(far)) else { return };
    let each = links.iter().map(|(one, other)| {
        let rates = [rate(view, *one), rate(view, *other)];
        rates.into_iter().flatten().min()
    });
    let Some(carried) = each.sum::<Option<u64>>().filter(|carried| *carried < wanted) else {
        return;
    };
    let [one, other] = [pair.0, pair.1].map(|switch| view.system.part(switch).name.as_str());
    let says = format!(
        "{} between {one} and {other} carry {}, the ports that communicate across them {}",
        if links.len() == 1 { "1 link".to_owned() } else { format!("{} links", links.len()) },
        ByteRate(carried).human(System::Decimal),
        ByteRate(wanted).human(System::Decimal),
    );
    let about = About::warning(Rule::InterSwitchLinks, view.declared(pair.0));
    let hint = "add links, or wire hosts and arrays that communicate to one switch";
    about.say_whole(remarks, &[pair.0, pair.1], says, hint);
}

/// What a port carries one way.
fn rate(view: &View<'_>, port: PartId) -> Option<u64> {
    let around = std::iter::once(port).chain(view.system.ancestors(port).take(1));
    let rated = around.filter(|id| matches!(view.kind(*id), "port" | "hba" | "nic"));
    rated.filter_map(|id| view.limit(id, "read")).min()
}
