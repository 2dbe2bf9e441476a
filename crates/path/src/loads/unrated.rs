//! Controllers that nobody rated: nothing limits what goes through them but what is around them.

use std::collections::BTreeSet;

use iopath_study::{Class, System, unindexed};

use crate::network::{ComponentId, Mechanism, Network};

/// One mechanism for each declaration of controllers that requests come to and that have no limit:
/// neither they nor what contains them, nor what stands in them except ports, volumes and media.
pub(super) fn unrated(system: &System, network: &Network) -> BTreeSet<Mechanism> {
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
    let mechanism = |name| Mechanism {
        kind: "controller-rating",
        text: format!("nothing limits {name}, because no rating is stated"),
        decides: false,
    };
    names.map(mechanism).collect()
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
