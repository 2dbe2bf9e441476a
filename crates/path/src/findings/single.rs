//! Every part whose loss stops a stream: what all routes of a step share, seen through the copies
//! and the parity of the volumes above.
//!
//! A part that is lost takes what it contains with it, but a controller with a partner hands over
//! what it owns. Only the routes with the fewest wires are looked at, so a detour that a fabric
//! would find is not credited.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, PartId};

use super::Remarks;
use super::reach::{Step, Steps, Way};
use super::rule::Rule;
use super::view::{About, View};
use crate::network::Route;
use crate::select::selectors;
use crate::volume::Volume;

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    let points = single_points(view, steps);
    let Some(first) = points.first() else { return };
    let says = format!("losing any of these stops a stream: {}", names(view, &points).join(", "));
    // At the outermost of them, so that experiments on one path tell it once.
    let about = About::advice(Rule::SinglePoints, view.declared(*first));
    let hint = "add a second one with separate routes, or a copy elsewhere; --without shows the \
        effect of a loss";
    about.say_whole(remarks, &points, says, hint);
}

/// The parts by class: where all of a declaration are meant and nothing else is called so, its name
/// is enough.
fn names(view: &View<'_>, points: &[PartId]) -> Vec<String> {
    let mut classes: BTreeMap<usize, Vec<PartId>> = BTreeMap::new();
    for &part in points {
        classes.entry(view.system.part(part).declared).or_default().push(part);
    }
    let declarations = &view.system.declarations;
    let named = classes.iter().flat_map(|(declared, parts)| {
        let name = &declarations[*declared].name;
        let alone = declarations.iter().filter(|other| other.name == *name).count() == 1;
        match alone && parts.len() == view.peers(parts[0]) {
            true => vec![name.clone()],
            false => selectors(view.system, parts),
        }
    });
    named.collect()
}

/// The parts of the path and media whose loss stops a stream.
pub(super) fn single_points(view: &View<'_>, steps: &Steps) -> Vec<PartId> {
    let mut takes: BTreeMap<PartId, Vec<usize>> = BTreeMap::new();
    let common: Vec<_> = steps.ways.iter().map(|way| common(view, way)).collect();
    for (index, (step, way)) in steps.with_ways().enumerate() {
        for part in shared(view, (step, way), common[step.way].as_ref()) {
            takes.entry(part).or_default().push(index);
        }
    }
    let mut above: Vec<Vec<(usize, u32)>> = vec![Vec::new(); steps.all.len()];
    for (index, step) in steps.all.iter().enumerate() {
        for (member, next) in &step.next {
            above[*next].push((index, *member));
        }
    }
    let mut volumes: Vec<Option<Volume>> =
        steps.all.iter().map(|step| view.volume(step.to)).collect();
    let roots: BTreeSet<usize> = steps.roots.iter().copied().collect();
    let mut stops = |lost: &[usize]| stops(lost, &above, &mut volumes, &roots);
    let points = takes.into_iter().filter(|(_, lost)| stops(lost));
    points.map(|(part, _)| part).collect()
}

/// Whether the loss of some steps reaches the first step of a stream.
fn stops(
    lost: &[usize],
    above: &[Vec<(usize, u32)>],
    volumes: &mut [Option<Volume>],
    roots: &BTreeSet<usize>,
) -> bool {
    let mut gone: BTreeSet<usize> = lost.iter().copied().collect();
    let mut waiting: Vec<usize> = lost.to_vec();
    let mut touched = Vec::new();
    let mut reached = false;
    while let Some(step) = waiting.pop() {
        if roots.contains(&step) {
            reached = true;
            break;
        }
        for (user, member) in &above[step] {
            let whole = volumes[*user].as_mut().is_some_and(|volume| {
                volume.missing.insert(*member);
                volume.is_whole()
            });
            touched.push(*user);
            if !whole && gone.insert(*user) {
                waiting.push(*user);
            }
        }
    }
    for user in touched {
        if let Some(volume) = &mut volumes[user] {
            volume.missing.clear();
        }
    }
    reached
}

/// The parts of which every way of a step needs each. `common` is what all its routes cross.
fn shared(
    view: &View<'_>,
    (step, way): (&Step, &Way),
    common: Option<&BTreeSet<PartId>>,
) -> BTreeSet<PartId> {
    let to = step.to;
    let is_inner = view.system.part(to).parent.is_some_and(|up| view.class(up) == Class::Volume);
    if is_inner {
        return BTreeSet::from([to]);
    }
    let mut end: BTreeSet<PartId> = view.system.ancestors(to).collect();
    if view.class(to) == Class::Medium {
        end.insert(to);
    }
    let start = way.from.component().map(PartId::from);
    end.extend(start.into_iter().flat_map(|at| view.system.ancestors(at).chain([at])));
    end.extend(common.into_iter().flatten());
    // A node that splits a volume hands it over to its partner, as an owner does.
    let node = start.filter(|at| way.from.has_arrived() && view.has_partner(*at));
    let owner = view.system.part(to).place.or_else(|| view.within(to, &["controller"]));
    let owner = owner.filter(|owner| {
        view.has_partner(*owner) && way.routes().any(|route| crosses_partner(view, *owner, route))
    });
    for over in owner.into_iter().chain(node) {
        // Its own way to what it owns is not handed over: a back-end port, an enclosure behind it.
        let is_needed = |part: PartId| part == to || view.system.is_inside(to, part);
        end.retain(|part| {
            *part != over && (!view.system.is_inside(*part, over) || is_needed(*part))
        });
    }
    end
}

/// What every route of a way crosses, or is in what contains it.
fn common(view: &View<'_>, way: &Way) -> Option<BTreeSet<PartId>> {
    way.routes().map(|route| around(view, route)).reduce(|mut one, other| {
        one.retain(|part| other.contains(part));
        one
    })
}

/// What a route crosses, and what contains it.
fn around(view: &View<'_>, route: &Route) -> BTreeSet<PartId> {
    let crossed = route.crossed.iter().map(|(id, _)| PartId::from(*id));
    crossed.flat_map(|id| view.system.ancestors(id).chain([id])).collect()
}

fn crosses_partner(view: &View<'_>, owner: PartId, route: &Route) -> bool {
    let container = view.system.part(owner).parent;
    route.crossed.iter().map(|(id, _)| PartId::from(*id)).any(|id| {
        id != owner && view.kind(id) == "controller" && view.system.part(id).parent == container
    })
}
