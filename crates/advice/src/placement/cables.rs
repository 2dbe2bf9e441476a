//! Cables in the ports of switches: which end is plugged into which port.
//!
//! The ports of an ASIC are equal, as are the ASICs of a switch. Who may communicate is what zones
//! say; without them every machine with every array. Switches that no conversation and no wire
//! joins are units of their own; where all of these are equal, one is placed and stands for all.
//! Left out: wires that end at a switch as a whole, of which no port is known, and wires between
//! switches.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::placeable::Listing;
use iopath_study::unindexed;
use iopath_study::{Class, PartId, System};

use super::colours::of_text;
use super::seats::{Group, List, Occupant, Place, Seat, Seats, Talk};
use super::{Form, Kind, Unit};

/// One end of a wire and the port that it is in.
struct Cable {
    list: usize,
    position: usize,
    end: PartId,
    port: PartId,
}

/// Everything about the cables of a system.
struct Cabling<'a> {
    system: &'a System,
    lists: Vec<List>,
    cables: Vec<Cable>,
    /// Ports that other wires take.
    taken: BTreeSet<PartId>,
}

pub(super) fn units(listings: &[Listing], system: &System) -> Vec<Unit> {
    let cabling = Cabling::of(listings, system);
    let talks = cabling.talks();
    let islands: Vec<Seats> =
        cabling.islands(&talks).iter().map(|island| cabling.seats(island, &talks)).collect();
    let unit = |seats: Seats| Unit { kind: Kind::Cables, form: Form::Seats(seats) };
    folded(islands).into_iter().map(unit).collect()
}

/// The switch that a part is in, the outermost.
fn switch(system: &System, id: PartId) -> Option<PartId> {
    let is_switch = |id: &PartId| system.class(*id).is_passed();
    std::iter::once(id).chain(system.ancestors(id)).filter(is_switch).last()
}

fn is_port_of_switch(system: &System, id: PartId) -> bool {
    system.kind(id) == "port" && switch(system, id).is_some()
}

impl<'a> Cabling<'a> {
    fn of(listings: &[Listing], system: &'a System) -> Self {
        let (lists, cables, taken) = Default::default();
        let mut cabling = Self { system, lists, cables, taken };
        let wires = listings.iter().filter(|row| row.kind == "wire" && row.property == "from");
        for (row, wire) in wires.zip(&system.wires) {
            cabling.add(row, &wire.pairs);
        }
        cabling
    }

    /// Adds the cables of a declaration, where exactly one side of them is in ports of switches.
    fn add(&mut self, row: &Listing, pairs: &[(PartId, PartId)]) {
        let all = |of: fn(&(PartId, PartId)) -> PartId| {
            pairs.iter().all(|pair| is_port_of_switch(self.system, of(pair)))
        };
        let none = |of: fn(&(PartId, PartId)) -> PartId| {
            pairs.iter().all(|pair| switch(self.system, of(pair)).is_none())
        };
        let (first, second) = (|pair: &(PartId, PartId)| pair.0, |pair: &(PartId, PartId)| pair.1);
        let property = if all(second) && none(first) {
            "to"
        } else if all(first) && none(second) {
            "from"
        } else {
            self.taken.extend(pairs.iter().flat_map(|(from, to)| [*from, *to]));
            return;
        };
        let list = self.lists.len();
        self.lists.push(List { spot: row.spot.clone(), property });
        for (position, (from, to)) in pairs.iter().enumerate() {
            let (end, port) = if property == "to" { (*from, *to) } else { (*to, *from) };
            self.cables.push(Cable { list, position, end, port });
        }
    }

    /// Who talks to whom, by position among the cables.
    fn talks(&self) -> Vec<Talk> {
        let within = |container: PartId| -> Vec<usize> {
            let is_in = |end: PartId| end == container || self.system.is_inside(end, container);
            let cables = self.cables.iter().enumerate();
            cables.filter(|(_, cable)| is_in(cable.end)).map(|(at, _)| at).collect()
        };
        let pairs: Vec<(Vec<usize>, Vec<usize>)> = if self.system.zones.is_empty() {
            let (machines, others) = (0..self.cables.len()).partition(|at| self.is_machine(*at));
            vec![(machines, others)]
        } else {
            let mut known: BTreeMap<PartId, Vec<usize>> = BTreeMap::new();
            let zones = self.system.zones.iter().flat_map(|zone| &zone.pairs);
            let mut of = |id: PartId| known.entry(id).or_insert_with(|| within(id)).clone();
            zones.map(|(one, other)| (of(*one), of(*other))).collect()
        };
        let talks = pairs.iter().flat_map(|(some, others)| {
            some.iter().flat_map(|one| others.iter().map(|other| Talk { one: *one, other: *other }))
        });
        talks.collect()
    }

    fn is_machine(&self, cable: usize) -> bool {
        let end = self.cables[cable].end;
        self.system.ancestors(end).any(|up| self.system.class(up) == Class::Host)
    }

    /// The cables of switches that have to do with one another.
    fn islands(&self, talks: &[Talk]) -> Vec<Vec<usize>> {
        let own = |id: PartId| switch(self.system, id);
        let mut joined: BTreeMap<PartId, PartId> = BTreeMap::new();
        for cable in &self.cables {
            joined.extend(own(cable.port).map(|switch| (switch, switch)));
        }
        let talking = talks.iter().map(|talk| (talk.one, talk.other));
        let talking = talking.map(|(one, other)| (self.cables[one].port, self.cables[other].port));
        let wires = self.system.wires.iter().flat_map(|wire| wire.pairs.iter().copied());
        for (one, other) in talking.chain(wires) {
            let (Some(one), Some(other)) = (own(one), own(other)) else { continue };
            let (Some(&from), Some(&to)) = (joined.get(&one), joined.get(&other)) else { continue };
            joined.values_mut().filter(|of| **of == from).for_each(|of| *of = to);
        }
        let mut islands: BTreeMap<PartId, Vec<usize>> = BTreeMap::new();
        for (at, cable) in self.cables.iter().enumerate() {
            let island = own(cable.port).and_then(|switch| joined.get(&switch));
            if let Some(island) = island {
                islands.entry(*island).or_default().push(at);
            }
        }
        islands.into_values().collect()
    }

    /// One island, everything in it counted from 0.
    fn seats(&self, island: &[usize], talks: &[Talk]) -> Seats {
        let ports = self.ports(island);
        let mut groups: Vec<Group> = Vec::new();
        let mut hubs: Vec<PartId> = Vec::new();
        let mut seats: BTreeMap<PartId, (usize, usize)> = BTreeMap::new();
        let mut parents: Vec<Option<PartId>> = Vec::new();
        for port in ports {
            let (parent, hub) = (self.system.part(port).parent, switch(self.system, port));
            let hub = position(&mut hubs, hub.unwrap_or(port));
            let group = position(&mut parents, parent);
            if group == groups.len() {
                let class = of_text(&parent.map(|parent| self.around(parent)).unwrap_or_default());
                groups.push(Group { seats: Vec::new(), is_shared: false, hub, class });
            }
            seats.insert(port, (group, groups[group].seats.len()));
            groups[group].seats.push(Seat { names: vec![self.system.part(port).name.clone()] });
        }
        let mut containers: Vec<PartId> = Vec::new();
        let occupant = |at: &usize| self.occupant(*at, &seats, &mut containers);
        let occupants: Vec<Occupant> = island.iter().map(occupant).collect();
        let own: BTreeMap<usize, usize> =
            island.iter().enumerate().map(|(own, at)| (*at, own)).collect();
        let talks = talks.iter().filter_map(|talk| {
            Some(Talk { one: *own.get(&talk.one)?, other: *own.get(&talk.other)? })
        });
        Seats { lists: self.lists.clone(), occupants, groups, talks: talks.collect(), copies: 1 }
    }

    /// An ASIC and what else is plugged into it: one with a wire to another switch is no equal of
    /// one without.
    fn around(&self, asic: PartId) -> String {
        let name = |id: PartId| unindexed(&self.system.part(id).name);
        let is_own = |id: PartId| self.taken.contains(&id) && self.system.is_inside(id, asic);
        let pairs = self.system.wires.iter().flat_map(|wire| wire.pairs.iter().copied());
        let both = pairs.flat_map(|(from, to)| [(from, to), (to, from)]);
        let wired = both.filter(|(own, _)| is_own(*own));
        let mut wired: Vec<String> =
            wired.map(|(own, far)| format!("{} {}", name(own), name(far))).collect();
        wired.sort_unstable();
        std::iter::once(name(asic)).chain(wired).collect::<Vec<_>>().join(", ")
    }

    /// All ports of the switches of an island that a cable may be in: like those that have one.
    fn ports(&self, island: &[usize]) -> Vec<PartId> {
        let used: BTreeSet<PartId> = island.iter().map(|at| self.cables[*at].port).collect();
        let declared: BTreeSet<usize> =
            used.iter().map(|port| self.system.part(*port).declared).collect();
        let switches: BTreeSet<PartId> =
            used.iter().filter_map(|port| switch(self.system, *port)).collect();
        let is_one = |id: &PartId| {
            declared.contains(&self.system.part(*id).declared)
                && switch(self.system, *id).is_some_and(|of| switches.contains(&of))
                && !self.taken.contains(id)
        };
        self.system.ids().filter(is_one).collect()
    }

    fn occupant(
        &self,
        at: usize,
        seats: &BTreeMap<PartId, (usize, usize)>,
        containers: &mut Vec<PartId>,
    ) -> Occupant {
        let Cable { list, position: of_list, end, port } = self.cables[at];
        let (group, seat) = seats.get(&port).copied().unwrap_or_default();
        let name = self.system.part(end).name.clone();
        let class = of_text(&unindexed(&name));
        let around = self.system.ancestors(end).map(|up| position(containers, up)).collect();
        let places = vec![Place { list, position: of_list, name }];
        Occupant { places, class, containers: around, group, seat }
    }
}

/// The position of something among others; it is added where it is not there.
fn position<T: PartialEq>(all: &mut Vec<T>, one: T) -> usize {
    all.iter().position(|other| *other == one).unwrap_or_else(|| {
        all.push(one);
        all.len() - 1
    })
}

/// Equal islands as one with copies; all of them where they are not equal.
fn folded(islands: Vec<Seats>) -> Vec<Seats> {
    let Some(first) = islands.first() else { return islands };
    if !islands.iter().all(|island| shape(island) == shape(first)) {
        return islands;
    }
    let mut one = first.clone();
    for other in &islands[1..] {
        one.copies += 1;
        for (own, other) in one.occupants.iter_mut().zip(&other.occupants) {
            own.places.extend(other.places.iter().cloned());
        }
        for (own, other) in one.groups.iter_mut().zip(&other.groups) {
            for (own, other) in own.seats.iter_mut().zip(&other.seats) {
                own.names.extend(other.names.iter().cloned());
            }
        }
    }
    vec![one]
}

/// An island without names and positions: equal for those that are alike.
fn shape(island: &Seats) -> Seats {
    let mut shape = island.clone();
    for occupant in &mut shape.occupants {
        for place in &mut occupant.places {
            (place.position, place.name) = (0, String::new());
        }
    }
    for seat in shape.groups.iter_mut().flat_map(|group| &mut group.seats) {
        seat.names.clear();
    }
    shape
}
