//! Controllers and media without a rating: nothing limits them but what is around them.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, System, unindexed};
use iopath_units::Op;

use crate::network::{ComponentId, Leg, Mechanism, Network};

/// One mechanism for each declaration of controllers that requests come to and that have no limit:
/// neither they nor what contains them, nor what stands in them except ports, volumes and media.
pub(super) fn controllers(system: &System, network: &Network) -> BTreeSet<Mechanism> {
    let is_controller = |id: &ComponentId| is(system, *id, Class::Controller);
    let ends = network.legs.iter().map(|leg| leg.to).collect::<BTreeSet<_>>();
    let around = ends.into_iter().flat_map(|end| outwards(system, end));
    let controllers: BTreeSet<ComponentId> = around.filter(is_controller).collect();
    let is_rated = |id: &ComponentId| {
        let inside = system.children((*id).into()).map(ComponentId::from);
        let inside = inside.filter(|part| limits_all(system, *part));
        let mut all = inside.chain([*id]).chain(outwards(system, *id));
        all.any(|part| !network.component(part).rows.is_empty())
    };
    let unrated = controllers.into_iter().filter(|id| !is_rated(id));
    let names = unrated.map(|id| unindexed(&network.component(id).name));
    let mechanism = |name: String| Mechanism {
        kind: "controller-rating",
        text: unlimited(&name),
        decides: false,
    };
    names.map(mechanism).collect()
}

/// One mechanism for each declaration of media of which reads or writes have no limit: neither
/// they, nor what they stand in if that is an array or a controller, nor a volume over them.
pub(super) fn media(system: &System, network: &Network) -> BTreeSet<Mechanism> {
    let is_rated =
        |leg: &Leg| leg.charges.iter().any(|one| network.row(one.row).component == leg.to);
    let is_around =
        |id: ComponentId| is(system, id, Class::Controller) || system.kind(id.into()) == "array";
    let mut is_covered = vec![false; network.legs.len()];
    let mut unrated: BTreeMap<ComponentId, BTreeSet<Op>> = BTreeMap::new();
    // Legs stand before those that they lead to.
    for (at, leg) in network.legs.iter().enumerate() {
        let covers = is_covered[at] || is(system, leg.to, Class::Volume) && is_rated(leg);
        leg.next.iter().for_each(|next| is_covered[next.leg.0 as usize] |= covers);
        let mut around = outwards(system, leg.to).filter(|part| is_around(*part));
        let is_free = is(system, leg.to, Class::Medium)
            && !covers
            && !is_rated(leg)
            && network.component(leg.to).latency_s <= 0.0
            && around.all(|part| network.component(part).rows.is_empty());
        if is_free {
            unrated.entry(leg.to).or_default().insert(leg.op);
        }
    }
    unrated.into_iter().map(|(medium, ops)| medium_of(network, medium, &ops)).collect()
}

fn medium_of(network: &Network, medium: ComponentId, ops: &BTreeSet<Op>) -> Mechanism {
    let component = network.component(medium);
    let name = unindexed(&component.name);
    let text = match ops.first() {
        Some(op) if !component.rows.is_empty() => {
            format!("nothing limits {op}s of {name}, because no rating of them is stated")
        }
        _ => unlimited(&name),
    };
    Mechanism { kind: "medium-rating", text, decides: false }
}

fn unlimited(name: &str) -> String {
    format!("nothing limits {name}, because no rating is stated")
}

fn is(system: &System, id: ComponentId, class: Class) -> bool {
    system.class(id.into()) == class
}

fn outwards(system: &System, id: ComponentId) -> impl Iterator<Item = ComponentId> + use<'_> {
    system.ancestors(id.into()).map(ComponentId::from)
}

/// Whether all that goes through a controller meets a part in it: its cache, a bridge.
fn limits_all(system: &System, id: ComponentId) -> bool {
    matches!(system.kind(id.into()), "cache" | "bridge" | "link")
}
