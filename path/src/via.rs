//! `via`: a stream counts only if routes that its requests take cross one of some parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use iopath_study::{Case, PartId};

use crate::members::members;
use crate::mistake::{PathMistake, PathMistakeKind};
use crate::network::{ComponentId, Network};
use crate::routes::{Place, Routes};
use crate::running::Running;

/// Keeps the streams that cross what their `via` names, and those without.
///
/// # Errors
/// The first stream of every group of which none is left.
pub(crate) fn keep(
    case: &Case,
    running: Vec<Running>,
    network: &Network,
    routes: &mut Routes,
) -> Result<Vec<Running>, Vec<usize>> {
    let mut asked: BTreeMap<&Arc<[PartId]>, Crossed<'_>> = BTreeMap::new();
    let mut left: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    let mut kept = Vec::new();
    for one in running {
        let stream = &case.streams[one.stream];
        let via = &stream.modelled.via;
        let counts = via.is_empty() || {
            let crossed = asked.entry(via).or_insert_with(|| Crossed::new(case, network, via));
            crossed.by(routes, one.place, case.targets[stream.target].part)
        };
        let group = left.entry(&stream.group).or_insert((one.stream, false));
        group.1 |= counts;
        kept.extend(counts.then_some(one));
    }
    let none = left.values().filter(|(_, counts)| !counts);
    let unused: Vec<usize> = none.map(|(first, _)| *first).collect();
    if unused.is_empty() { Ok(kept) } else { Err(unused) }
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

/// What to tell of a group that counts with none of its streams.
pub(crate) fn mistake(case: &Case, first: usize, is_without: bool) -> PathMistake {
    let stream = &case.streams[first];
    let via = &stream.modelled.via;
    let name = |part: &PartId| case.system.part(*part).name.as_str();
    let shown = via.first().map_or("", name);
    let more = match via.len() {
        0 | 1 => String::new(),
        several => format!(" or {} more", several - 1),
    };
    let group = &stream.group;
    let (kind, text, hint) = if is_without {
        let text =
            format!("nothing is left for {group} to do: no route crosses {shown}{more} any more");
        (PathMistakeKind::Gone, text, None)
    } else {
        let text = format!("no target of {group} is reached through {shown}{more}");
        let hint = "name what its optimised routes cross, or leave via= out";
        (PathMistakeKind::Via, text, Some(hint.to_owned()))
    };
    PathMistake { kind, text, hint, part: via.first().copied(), span: Some(stream.place.0) }
}
