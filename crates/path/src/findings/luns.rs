//! How many LUNs a host uses, and how many an array or a controller makes, where the study states
//! how many it takes (`most-luns`).
//!
//! A host uses what its streams and volumes send requests to in other boxes: LUNs, disks of
//! shelves, volumes that nodes make. An array makes what stands or is split in it and is no member
//! of another volume there. Left out: what is mapped to a host and not used, and paths to a LUN,
//! which some products count too.

use std::collections::BTreeSet;

use iopath_study::{Class, PartId};

use super::Remarks;
use super::counts::Stated;
use super::reach::{Steps, ports};
use super::rule::Rule;
use super::view::View;

/// The property that states the number.
pub(super) const MOST_LUNS: &str = "most-luns";

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    for id in view.system.ids() {
        let Some(most) = view.most(id, MOST_LUNS) else { continue };
        let is_host = view.class(id) == Class::Host;
        let luns = if is_host { used(view, steps, id) } else { made(view, id) }.len();
        let does = if is_host { "uses" } else { "makes" };
        let says = format!("{does} {luns} LUNs,");
        let hint = "make fewer, larger LUNs";
        let (rule, property) = (Rule::TooManyLuns, MOST_LUNS);
        Stated { rule, property, number: luns, most, says, hint }.judge(view, id, remarks);
    }
}

/// What lies in other boxes and is sent requests by a host.
fn used(view: &View<'_>, steps: &Steps, host: PartId) -> BTreeSet<PartId> {
    let starts_here = |leaves: PartId| leaves == host || view.system.is_inside(leaves, host);
    let sent = steps.with_ways().filter(|(step, way)| {
        let is_device = matches!(view.class(step.to), Class::Volume | Class::Medium);
        let mut leaving = way.routes().filter_map(|route| ports(view, route));
        is_device && leaving.any(|(leaves, _)| starts_here(leaves))
    });
    sent.map(|(step, _)| step.to).collect()
}

/// The volumes of a box on which no other volume of it lies.
fn made(view: &View<'_>, container: PartId) -> BTreeSet<PartId> {
    let is_here = |id: PartId| {
        let place = view.network.component(id.into()).place.map(PartId::from);
        let place = place.into_iter().chain([id]);
        view.class(id) == Class::Volume
            && place.into_iter().any(|at| at == container || view.system.is_inside(at, container))
    };
    let volumes = view.of_class(Class::Volume).filter(|id| is_here(*id));
    volumes.filter(|id| !view.users[id.0].iter().any(|user| is_here(*user))).collect()
}
