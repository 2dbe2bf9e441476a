//! `via`: a stream counts only if routes that its requests take cross one of some parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use iopath_study::{Case, PartId};

use crate::members::members;
use crate::mistake::{PathMistake, PathMistakeKind};
use crate::network::{ComponentId, Network};
use crate::routes::{Place, Routes};
use crate::running::Running;

/// The streams that cross what their `via` names, and those without; and the streams of every group
/// of which none does.
pub(crate) fn keep(
    case: &Case,
    running: Vec<Running>,
    network: &Network,
    routes: &mut Routes,
) -> (Vec<Running>, Vec<usize>) {
    let mut asked: BTreeMap<&Arc<[PartId]>, Crossed<'_>> = BTreeMap::new();
    let (mut kept, mut dropped, mut alive) = (Vec::new(), Vec::new(), BTreeSet::new());
    for one in running {
        let stream = &case.streams[one.stream];
        let via = &stream.modelled.via;
        let counts = via.is_empty() || {
            let crossed = asked.entry(via).or_insert_with(|| Crossed::new(case, network, via));
            crossed.by(routes, one.place, case.targets[stream.target].part)
        };
        if counts {
            alive.insert(&stream.group);
            kept.push(one);
        } else {
            dropped.push(one.stream);
        }
    }
    dropped.retain(|stream| !alive.contains(&case.streams[*stream].group));
    (kept, dropped)
}

/// What requests to a part cross of some parts.
struct Crossed<'a> {
    case: &'a Case,
    network: &'a Network,
    via: BTreeSet<PartId>,
    /// What is known of the members of a volume that is split at a place.
    known: BTreeMap<(Place, PartId), bool>,
}

impl<'a> Crossed<'a> {
    fn new(case: &'a Case, network: &'a Network, via: &[PartId]) -> Self {
        Self { case, network, via: via.iter().copied().collect(), known: BTreeMap::new() }
    }

    /// Whether any request to a part, or to what it lies on, crosses one of them.
    fn by(&mut self, routes: &mut Routes, from: Place, id: PartId) -> bool {
        let component = self.network.component(id.into());
        let Some(arrival) = routes.ways(from, id.into()).ok().filter(|_| !component.removed) else {
            return false;
        };
        let mut ways = arrival.ways.iter().map(|way| routes.route(way.route));
        let is_meant = |crossed: &ComponentId| self.via.contains(&PartId::from(*crossed));
        if ways.any(|route| route.crossed.iter().any(|(crossed, _)| is_meant(crossed))) {
            return true;
        }
        let key = (arrival.place, id);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let members = members(&self.case.system, id);
        let found = members.into_iter().any(|member| self.by(routes, arrival.place, member));
        self.known.insert(key, found);
        found
    }
}

/// What a group crosses with none of its streams.
pub(crate) fn mistake(case: &Case, first: usize) -> PathMistake {
    let stream = &case.streams[first];
    PathMistake {
        kind: PathMistakeKind::Via,
        text: format!("no target of {} is reached through {}", stream.group, named(case, first)),
        hint: Some("name what its optimised routes cross, or remove via=".to_owned()),
        part: stream.modelled.via.first().copied(),
        span: Some(stream.place.0),
    }
}

/// The parts of a stream's `via`: the first and how many more.
pub(crate) fn named(case: &Case, stream: usize) -> String {
    let via = &case.streams[stream].modelled.via;
    let first = via.first().map_or("", |part| case.system.part(*part).name.as_str());
    match via.len() {
        0 | 1 => first.to_owned(),
        several => format!("{first} or {} more", several - 1),
    }
}
