//! Rules about who owns volumes, and how evenly routes load controllers and host ports.

use std::collections::BTreeMap;

use iopath_study::{Class, PartId};

use super::Remarks;
use super::reach::{Steps, Way, ports};
use super::rule::Rule;
use super::view::{About, View};
use crate::network::Route;
use crate::routes::Place;
use crate::select::select;

/// Loads that differ by less than this share are even enough; chosen.
const EVEN_ENOUGH: f64 = 0.1;

/// What each port or controller carries, in routes of one volume.
type Carried = BTreeMap<PartId, f64>;

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    let uneven = owners(view, remarks);
    no_owner(view, remarks);
    let unwired = remarks.told(Rule::UnwiredPort);
    for (step, way) in steps.with_ways() {
        let cut_off = |owner: &PartId| unwired.iter().any(|id| view.system.is_inside(*id, *owner));
        let place = view.system.part(step.to).place;
        let owner = place.or_else(|| view.within(step.to, &["controller"]));
        if owner.is_some_and(|owner| !cut_off(&owner)) {
            through_owner(view, (step.to, way), remarks);
        }
    }
    if !uneven && remarks.told(Rule::MirrorSharesPart).is_empty() {
        paths(view, steps, remarks);
    }
}

/// Only routes in reserve lead to a volume.
fn through_owner(view: &View<'_>, (to, way): (PartId, &Way), remarks: &mut Remarks) {
    if way.choices.is_empty() || way.choices.iter().any(|one| one.optimised) {
        return;
    }
    let about = About::warning(Rule::NotThroughOwner, view.declared(to));
    let says = "every route to it goes through a controller that is not its owner, and over the \
        link between them"
        .to_owned();
    about.say(remarks, &[to], says, "wire or zone a port of its owner, or move it");
}

/// The controllers that stand directly in an array.
fn controllers(view: &View<'_>, array: PartId) -> Vec<PartId> {
    let children = view.children[array.0].iter().copied();
    children.filter(|child| view.kind(*child) == "controller").collect()
}

/// Owners split evenly, at least two volumes to a pair; whether any array is uneven.
fn owners(view: &View<'_>, remarks: &mut Remarks) -> bool {
    let mut uneven = false;
    for array in view.system.ids().filter(|id| view.kind(*id) == "array") {
        let controllers = controllers(view, array);
        let owned: Vec<usize> = controllers
            .iter()
            .map(|owner| {
                let inside = view.of_class(Class::Volume);
                inside.filter(|id| view.system.part(*id).parent == Some(*owner)).count()
            })
            .collect();
        let (least, most) = (owned.iter().min().copied(), owned.iter().max().copied());
        let (Some(least), Some(most)) = (least, most) else { continue };
        let idle = least == 0 && most > 0;
        if controllers.len() < 2 || !(idle || most - least > 1) {
            continue;
        }
        uneven = true;
        let counts: Vec<String> = owned.iter().map(usize::to_string).collect();
        let says = format!(
            "its controllers own {} volumes: one is overloaded while another is idle",
            counts.join(" and ")
        );
        let about = About::warning(Rule::UnevenOwners, view.declared(array));
        let hint = "split the volumes evenly, at least one to each controller of a pair";
        about.say(remarks, &[array], says, hint);
    }
    uneven
}

fn no_owner(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.of_class(Class::Volume) {
        let Some(array) = view.within(id, &["array"]) else { continue };
        let owned = view.within(id, &["controller"]).is_some();
        if owned || controllers(view, array).is_empty() {
            continue;
        }
        let about = About::advice(Rule::NoOwner, view.declared(id));
        let says = "is outside the controllers of its array, so none of them owns it".to_owned();
        about.say(remarks, &[id], says, "move it into its owner");
    }
}

/// Active routes spread evenly over the controllers of each array; where they do, over the ports of
/// each machine too.
fn paths(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    let mut leaving: BTreeMap<Place, Carried> = BTreeMap::new();
    let mut entering: BTreeMap<PartId, Carried> = BTreeMap::new();
    let mut count = |way: &Way, route: &Route, share: f64| {
        let Some((leaves, enters)) = ports(view, route) else { return };
        let owner = view.within(enters, &["controller"]).unwrap_or(enters);
        let array = view.outermost(enters);
        *entering.entry(array).or_default().entry(owner).or_default() += share;
        // The ports of a partner are not those of the place itself.
        let at = way.from.component().map(PartId::from);
        if at.is_some_and(|at| view.system.is_inside(leaves, at)) {
            *leaving.entry(way.from).or_default().entry(leaves).or_default() += share;
        }
    };
    for way in &steps.ways {
        way.routes().for_each(|route| count(way, route, 0.0));
        let steps = f64::from(way.steps);
        way.used.iter().for_each(|(route, share)| count(way, route, share * steps));
    }
    let mut told = false;
    for carried in entering.values() {
        told |= uneven(view, carried, remarks);
    }
    for carried in leaving.values().filter(|_| !told) {
        uneven(view, carried, remarks);
    }
}

/// Tells of a port or controller that carries more than its part; whether there is one.
fn uneven(view: &View<'_>, carried: &Carried, remarks: &mut Remarks) -> bool {
    let least = carried.values().copied().fold(f64::INFINITY, f64::min);
    let most = carried.values().copied().fold(0.0, f64::max);
    // One volume more on one side is as even as whole volumes can be.
    if most - least <= 1.0 + 1e-9 || most - least <= EVEN_ENOUGH * most {
        return false;
    }
    let Some((busiest, _)) = carried.iter().find(|(_, load)| **load >= most) else { return false };
    let idle: Vec<PartId> =
        carried.iter().filter(|(_, load)| **load <= least).map(|(part, _)| *part).collect();
    let about = About::warning(Rule::UnevenPaths, view.declared(*busiest));
    let says = format!(
        "active routes of {} volumes go through it, of {} through {}",
        shown(most),
        shown(least),
        select(view.system, &idle)
    );
    let hint = "spread the owners of the volumes, or the zones, evenly over both";
    about.say(remarks, &[*busiest], says, hint);
    true
}

/// A number of volumes; shares of some make it broken.
fn shown(volumes: f64) -> String {
    if (volumes - volumes.round()).abs() < 1e-9 {
        format!("{volumes:.0}")
    } else {
        format!("{volumes:.1}")
    }
}
