//! Which streams reach what they need, and which count under their `via`.
//!
//! A stream needs a route to its target and, from where that is split, to each member, and so on.
//! As long as nothing is removed, every route that is missing is a mistake, also where redundancy
//! would hide it. When parts are removed, volumes go on without members that are out of reach as
//! far as their redundancy goes; streams that cannot go on are stopped, and it is told why.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Case, Class, PartId};

use crate::members::members;
use crate::mistake::{PathMistake, PathMistakeKind};
use crate::network::{ComponentId, Loss, Network};
use crate::removal;
use crate::routes::{Arrival, Obstruction, Place, Routes, Unreachable};
use crate::running::Running;
use crate::via;

/// The streams that count, and what is wrong with others: every route that is missing, once for
/// all parts of a declaration; `via` that no stream of its group crosses; nothing left to run. What
/// is lost on the way is told in the network.
pub(crate) fn keep(
    case: &Case,
    running: Vec<Running>,
    network: &mut Network,
    routes: &mut Routes,
) -> (Vec<Running>, Vec<PathMistake>) {
    let mut walk = Walk::new(case, network, routes);
    let mut reached = Vec::new();
    let mut stopped: Vec<(usize, String)> = Vec::new();
    for one in running {
        match walk.stream(one) {
            Ok(()) => reached.push(one),
            Err(text) => stopped.push((one.stream, text)),
        }
    }
    let (is_without, mut mistakes) = (walk.is_without, walk.mistakes());
    let (kept, dropped) = via::keep(case, reached, network, routes);
    if !is_without {
        mistakes.extend(unused(case, &stopped, dropped));
        return (kept, mistakes);
    }
    let crosses =
        |stream| (stream, format!("no route crosses {} any more", via::named(case, stream)));
    stopped.extend(dropped.into_iter().map(crosses));
    stopped.sort();
    let mistakes = if kept.is_empty() { nothing_left(case, &stopped) } else { Vec::new() };
    let losses = stopped.into_iter().map(|(stream, text)| Loss::Stopped { stream, text });
    network.losses.extend(losses);
    (kept, mistakes)
}

/// Groups that cross nothing of their `via`. Of one that is not all there that cannot be said.
fn unused(case: &Case, stopped: &[(usize, String)], dropped: Vec<usize>) -> Vec<PathMistake> {
    let group = |stream: usize| &case.streams[stream].group;
    let mut told: BTreeSet<_> = stopped.iter().map(|(stream, _)| group(*stream)).collect();
    let firsts = dropped.into_iter().filter(|stream| told.insert(group(*stream)));
    firsts.map(|stream| via::mistake(case, stream)).collect()
}

/// Ways of one kind that are missing, in the order of the system.
type Missing = BTreeSet<(Option<ComponentId>, ComponentId)>;

/// A walk over everything that streams need.
struct Walk<'a> {
    case: &'a Case,
    network: &'a mut Network,
    routes: &'a mut Routes,
    is_without: bool,
    /// What is known of a volume that is split at a place.
    known: BTreeMap<(Place, PartId), Result<(), String>>,
    /// The routes that are missing, by the declarations of both ends.
    missing: BTreeMap<(Option<usize>, usize, Obstruction), Missing>,
    /// What was told to be reached by routes in reserve.
    in_reserve: BTreeSet<PartId>,
}

impl<'a> Walk<'a> {
    fn new(case: &'a Case, network: &'a mut Network, routes: &'a mut Routes) -> Self {
        let is_without = network.components.iter().any(|component| component.removed);
        let (known, missing) = (BTreeMap::new(), BTreeMap::new());
        let in_reserve = BTreeSet::new();
        Self { case, network, routes, is_without, known, missing, in_reserve }
    }

    fn stream(&mut self, running: Running) -> Result<(), String> {
        if let Some(at) = running.place.component() {
            let host = self.network.component(at);
            if host.removed {
                return Err(format!("{} is removed", host.name));
            }
        }
        let stream = &self.case.streams[running.stream];
        self.part(running.place, self.case.targets[stream.target].part)
    }

    /// Whether requests from a place reach a part and everything that it lies on.
    fn part(&mut self, from: Place, id: PartId) -> Result<(), String> {
        if self.network.component(id.into()).removed {
            return Err(self.gone(id));
        }
        let arrival = match self.routes.ways(from, id.into()) {
            Ok(arrival) => arrival,
            Err(missing) => return Err(self.note(missing)),
        };
        self.note_reserve(id, &arrival);
        if self.case.system.class(id) == Class::Medium {
            return Ok(());
        }
        let key = (arrival.place, id);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.below(arrival.place, id);
        self.known.insert(key, found.clone());
        found
    }

    /// Whether enough of what a volume lies on is reached from where it is split.
    fn below(&mut self, place: Place, id: PartId) -> Result<(), String> {
        let members = members(&self.case.system, id);
        let mut missing = self.network.components[id.0].missing.clone();
        let mut why = None;
        for (position, member) in (0_u32..).zip(&members) {
            if !missing.contains(&position)
                && let Err(text) = self.part(place, *member)
            {
                missing.insert(position);
                why = Some(text);
            }
        }
        let Some(why) = why else { return Ok(()) };
        let system = &self.case.system;
        let lost = removal::lost(system, id, &members, &missing);
        if !removal::survives(system, id, &members, &missing) {
            return Err(format!("{lost}{}; {why}", removal::why(system, id)));
        }
        let text = format!("{lost} and goes on; {why}");
        self.network.losses.push(Loss::Degraded { volume: id.into(), text });
        self.network.components[id.0].missing = missing;
        Ok(())
    }

    /// Tells of a volume that is reached through a partner of its owner only.
    fn note_reserve(&mut self, id: PartId, arrival: &Arrival) {
        let mut routes = arrival.ways.iter().map(|way| self.routes.route(way.route));
        let in_reserve = self.is_without && routes.any(|route| !route.optimised);
        if in_reserve && self.in_reserve.insert(id) {
            let name = &self.case.system.part(id).name;
            let text = format!("{name} is reached through a controller that is not its owner");
            self.network.losses.push(Loss::Reserve { volume: id.into(), text });
        }
    }

    /// What was told already of a part that is gone.
    fn gone(&self, id: PartId) -> String {
        let volume_of = |loss: &Loss| match loss {
            Loss::Gone { volume, text } if PartId::from(*volume) == id => Some(text.clone()),
            Loss::Gone { .. }
            | Loss::Moved { .. }
            | Loss::Reserve { .. }
            | Loss::Degraded { .. }
            | Loss::Spare { .. }
            | Loss::Stopped { .. } => None,
        };
        let told = self.network.losses.iter().find_map(volume_of);
        told.unwrap_or_else(|| format!("{} is removed", self.case.system.part(id).name))
    }

    fn note(&mut self, missing: Unreachable) -> String {
        let declared = |id: ComponentId| self.case.system.part(id.into()).declared;
        let key = (missing.from.map(declared), declared(missing.to), missing.why);
        let alike = self.missing.entry(key).or_default();
        alike.insert((missing.from, missing.to));
        let any_more = if self.is_without { " any more" } else { "" };
        no_route(self.network, &missing) + any_more
    }

    fn mistakes(&self) -> Vec<PathMistake> {
        let first = |((_, _, why), ways): (&(_, _, Obstruction), &Missing)| {
            let (from, to) = *ways.first()?;
            Some((Unreachable { from, to, why: *why }, ways.len() - 1))
        };
        let firsts = self.missing.iter().filter_map(first);
        firsts.map(|(missing, more)| self.mistake(&missing, more)).collect()
    }

    fn mistake(&self, missing: &Unreachable, more: usize) -> PathMistake {
        let mut text = no_route(self.network, missing);
        if more > 0 {
            text += &format!("; {more} more such routes are missing");
        }
        let part = PartId::from(missing.to);
        PathMistake {
            kind: PathMistakeKind::Unreachable,
            text,
            hint: hint(self.network, missing),
            part: Some(part),
            span: Some(self.case.system.declared(part).span),
        }
    }
}

fn no_route(network: &Network, missing: &Unreachable) -> String {
    let to = &network.component(missing.to).name;
    match missing.from {
        Some(from) => {
            format!("no route from {} to {to}: {}", network.component(from).name, missing.why)
        }
        None => format!("no route to {to}: {}", missing.why),
    }
}

fn hint(network: &Network, missing: &Unreachable) -> Option<String> {
    let from = missing.from.map_or("", |from| network.component(from).name.as_str());
    let to = &network.component(missing.to).name;
    match missing.why {
        Obstruction::Removed => None,
        Obstruction::Wire => {
            Some(format!("wire a port of {from} and one of {to} to each other or to one switch"))
        }
        Obstruction::Zone => {
            Some(format!("add a zone from a port of {from} to one of {to}, or remove all zones"))
        }
        Obstruction::Owner => {
            Some("wire a port of the owner, or use a policy other than owner".to_owned())
        }
    }
}

/// Once for each group of streams.
fn nothing_left(case: &Case, stopped: &[(usize, String)]) -> Vec<PathMistake> {
    let mut told = BTreeSet::new();
    let firsts = stopped.iter().filter(|(stream, _)| told.insert(&case.streams[*stream].group));
    let mistake = |(stream, text): &(usize, String)| {
        let stream = &case.streams[*stream];
        let part = case.targets[stream.target].part;
        PathMistake {
            kind: PathMistakeKind::Gone,
            text: format!("{} cannot run: {text}", stream.group),
            hint: None,
            part: Some(part),
            span: Some(stream.place.0),
        }
    };
    firsts.map(mistake).collect()
}
