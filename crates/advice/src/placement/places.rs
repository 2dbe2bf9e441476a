//! Lists of parts that could name others of the same declaration, or others of their kind beside
//! them: the volumes that are sides of mirrors, the places of streams, the places that split
//! volumes.
//!
//! Sides are on volumes of which nothing else is a member; the seats of a controller are its
//! volumes. Any number of streams and volumes may have one place. Left out: lists that mean all
//! there are, which leave nothing to choose.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::placeable::Listing;
use iopath_study::selector::Selector;
use iopath_study::{Case, Class, PartId, System};

use super::seats::{Group, List, Occupant, Place, Seat, Seats};
use super::{Form, Kind, Unit};

/// A list of parts of one declaration.
struct Named<'a> {
    row: &'a Listing,
    parts: Vec<PartId>,
}

pub(super) fn units(listings: &[Listing], case: &Case) -> Vec<Unit> {
    let kinds = [Kind::Halves, Kind::Streams, Kind::Nodes];
    kinds.into_iter().flat_map(|kind| of_kind(kind, listings, case)).collect()
}

fn of_kind(kind: Kind, listings: &[Listing], case: &Case) -> Vec<Unit> {
    let system = &case.system;
    let mut pools: BTreeMap<Vec<PartId>, Vec<Named<'_>>> = BTreeMap::new();
    for row in listings.iter().filter(|row| is_of(kind, row)) {
        let parts = in_order(system, &row.parts);
        let pool = pool(system, &parts);
        if parts.iter().all(|id| pool.contains(id)) {
            pools.entry(pool).or_default().push(Named { row, parts });
        }
    }
    let unit = |(all, lists): (Vec<PartId>, Vec<Named<'_>>)| {
        let seats = match kind {
            Kind::Halves => on_volumes(system, all, &lists),
            _ => at_places(system, &all, lists),
        };
        seats.map(|seats| Unit { kind, form: Form::Seats(seats) })
    };
    pools.into_iter().filter_map(unit).collect()
}

fn is_of(kind: Kind, row: &Listing) -> bool {
    match kind {
        Kind::Halves => row.kind == "side",
        Kind::Streams => row.kind == "streams" && row.property == "on",
        Kind::Nodes => Class::of(row.kind) == Class::Volume && row.property == "at",
        Kind::Slots | Kind::Cables | Kind::Owners => false,
    }
}

/// What a list could name: parts of its first one's declaration, and parts of its kind beside it.
fn pool(system: &System, parts: &[PartId]) -> Vec<PartId> {
    let Some(first) = parts.first().map(|id| system.part(*id)) else { return Vec::new() };
    let kind = system.declarations[first.declared].kind;
    let is_one = |id: &PartId| {
        let part = system.part(*id);
        let is_beside = part.parent.is_some() && part.parent == first.parent;
        part.declared == first.declared || (is_beside && system.kind(*id) == kind)
    };
    system.ids().filter(is_one).collect()
}

/// The parts that a selector means, in its order.
fn in_order(system: &System, selector: &Selector) -> Vec<PartId> {
    let paths = selector.paths.iter();
    let parts = paths.flat_map(|path| system.select(&Selector { paths: vec![path.clone()] }));
    parts.collect()
}

/// The sides of mirrors on the volumes of controllers.
fn on_volumes(system: &System, all: Vec<PartId>, lists: &[Named<'_>]) -> Option<Seats> {
    let own: BTreeSet<PartId> = lists.iter().flat_map(|list| list.parts.iter().copied()).collect();
    let mirrors = |id: &PartId| system.kind(*id) == "mirror";
    let others = system.ids().filter(|id| !mirrors(id));
    let others: BTreeSet<PartId> =
        others.flat_map(|id| system.part(id).members.iter().copied()).collect();
    let all = all.into_iter().filter(|id| own.contains(id) || !others.contains(id));
    let mut owners: Vec<PartId> = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut seats: BTreeMap<PartId, (usize, usize)> = BTreeMap::new();
    for id in all {
        let owner = owner(system, id);
        let group = owners.iter().position(|known| *known == owner).unwrap_or(owners.len());
        if group == owners.len() {
            owners.push(owner);
            let class = group as u64;
            groups.push(Group { seats: Vec::new(), is_shared: false, hub: 0, class });
        }
        seats.insert(id, (group, groups[group].seats.len()));
        groups[group].seats.push(Seat { names: vec![system.part(id).name.clone()] });
    }
    let seated = |id: &PartId| seats.get(id).copied();
    (groups.len() > 1).then(|| listed(system, lists, groups, &seated))
}

/// The controller that a volume is in, else what contains it.
fn owner(system: &System, id: PartId) -> PartId {
    let is_owner = |up: &PartId| system.class(*up) == Class::Controller;
    system.ancestors(id).find(is_owner).or(system.part(id).parent).unwrap_or(id)
}

/// Streams or volumes at places, each of which is a group of its own.
fn at_places(system: &System, all: &[PartId], lists: Vec<Named<'_>>) -> Option<Seats> {
    let lists: Vec<Named<'_>> =
        lists.into_iter().filter(|list| list.parts.len() < all.len()).collect();
    let group = |(place, id): (usize, &PartId)| Group {
        seats: vec![Seat { names: vec![system.part(*id).name.clone()] }],
        is_shared: true,
        hub: 0,
        class: place as u64,
    };
    let groups = all.iter().enumerate().map(group).collect();
    let seated = |id: &PartId| Some((all.iter().position(|other| other == id)?, 0));
    (!lists.is_empty()).then(|| listed(system, &lists, groups, &seated))
}

fn listed(
    system: &System,
    lists: &[Named<'_>],
    groups: Vec<Group>,
    seated: &dyn Fn(&PartId) -> Option<(usize, usize)>,
) -> Seats {
    let occupants = lists.iter().enumerate().flat_map(|(list, named)| {
        named.parts.iter().enumerate().filter_map(move |(position, id)| {
            let (group, seat) = seated(id)?;
            let name = occupant_name(system, named, position);
            // Those at one position of the sides of a mirror are one mirror.
            let mirror = if named.row.kind == "side" { vec![position] } else { Vec::new() };
            let places = vec![Place { list, position, name }];
            Some(Occupant { places, class: list as u64, containers: mirror, group, seat })
        })
    });
    let occupants = occupants.collect();
    let lists = lists
        .iter()
        .map(|named| List { spot: named.row.spot.clone(), property: named.row.property });
    Seats { lists: lists.collect(), occupants, groups, talks: Vec::new(), copies: 1 }
}

/// `m[1]`, or `reader` where its list names one place only.
fn occupant_name(system: &System, named: &Named<'_>, position: usize) -> String {
    let several = match named.row.kind {
        "side" => system.ids().any(|id| system.part(id).name == format!("{}[0]", named.row.name)),
        _ => false,
    };
    match several {
        true => format!("{}[{position}]", named.row.name),
        false => named.row.name.clone(),
    }
}
