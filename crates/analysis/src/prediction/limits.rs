//! Limits of entities: one as people read it, how much of it is used, and equal ones together.

use std::collections::BTreeMap;

use iopath_record::{
    Counter, Direction, Entity, EntityId, Kind, Limit, LimitId, Measure, Origin, Record,
};
use serde::Serialize;

use super::names::{Label, Names, Pattern};
use crate::usage::counters::Spans;
use crate::usage::pass::Pass;

/// What one thing can do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LimitFinding {
    /// What it counts.
    pub measure: Measure,
    /// Of which requests.
    pub direction: Direction,
    /// How much of it per second.
    pub per_sec: u64,
    /// How many may be held; none for a rate.
    pub tokens: Option<u64>,
    /// Where the value comes from.
    pub origin: Origin,
}

/// Equal limits of equally named things.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitClass {
    /// Their common name.
    pub name: String,
    /// What they are.
    pub kind: Kind,
    /// How many.
    pub count: u64,
    /// How many things are called so in all.
    pub of: u64,
    /// The limit that each has.
    pub limit: LimitFinding,
}

/// A limit and how much of it is used, by one thing of a class: the one that uses most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitUse {
    /// The limit.
    pub limit: LimitFinding,
    /// How much of its measure is used, a second; requests held on average for `requests`.
    pub used_per_sec: f64,
    /// The share of it that is used.
    pub utilisation: f64,
}

impl LimitFinding {
    pub(crate) fn of(limit: &Limit) -> Self {
        let Limit { measure, direction, per_sec, origin, tokens } = limit.clone();
        Self { measure, direction, per_sec, tokens, origin }
    }
}

/// Limits put together that have equal values and belong to equally named things; in the order
/// in which each is met first.
pub(crate) fn fold<T>(
    record: &Record,
    names: &Names<'_>,
    items: &[T],
    limit_of: impl Fn(&T) -> LimitId,
) -> Vec<(LimitClass, Vec<usize>)> {
    let mut classes: BTreeMap<(Pattern<'_>, u32, LimitFinding), Vec<usize>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let id = limit_of(item);
        let limit = &record.entities[id.entity.0 as usize].limits[id.limit as usize];
        let key = (names.pattern(id.entity), id.limit, LimitFinding::of(limit));
        classes.entry(key).or_default().push(index);
    }
    let mut all: Vec<_> = classes
        .into_iter()
        .map(|((_, _, limit), indices)| {
            let members: Vec<EntityId> =
                indices.iter().map(|index| limit_of(&items[*index]).entity).collect();
            let kind = record.entities[members[0].0 as usize].kind.clone();
            let Label { name, count, of } = names.label(&members);
            (LimitClass { name, kind, count, of, limit }, indices)
        })
        .collect();
    all.sort_by_key(|(_, indices)| indices[0]);
    all
}

/// How much of a limit is used; none where the counter was not kept or no time passed.
pub(crate) fn used(pass: &Pass<'_>, id: EntityId, limit: &Limit) -> Option<LimitUse> {
    used_in(pass, pass.best(), id, limit)
}

/// How much of it is used in the epoch that uses most: what is full in one is not emptier because
/// nobody uses it in another.
pub(crate) fn most_used(pass: &Pass<'_>, id: EntityId, limit: &Limit) -> Option<f64> {
    let epochs = pass.best().iter();
    let each = epochs.filter_map(|epoch| used_in(pass, &epoch.into(), id, limit));
    each.map(|used| used.utilisation).reduce(f64::max)
}

fn used_in(pass: &Pass<'_>, spans: &Spans, id: EntityId, limit: &Limit) -> Option<LimitUse> {
    let seconds = spans.length_ns() as f64 / 1e9;
    let entity: &Entity = &pass.record.entities[id.0 as usize];
    let grown: Vec<f64> = counters(limit)
        .iter()
        .filter_map(|counter| pass.counters.over(id, *counter, spans))
        .collect();
    if grown.is_empty() || seconds <= 0.0 {
        return None;
    }
    let used_per_sec = grown.iter().sum::<f64>() / seconds;
    let (used_per_sec, most) = match limit.tokens {
        // Time in flight over time is the mean number in flight.
        Some(tokens) => (used_per_sec / 1e9, tokens as f64),
        None => (used_per_sec, limit.per_sec as f64),
    };
    let each = used_per_sec / f64::from(entity.count);
    let utilisation = if most > 0.0 { each / most } else { 0.0 };
    Some(LimitUse { limit: LimitFinding::of(limit), used_per_sec: each, utilisation })
}

/// The counters that use a limit up.
fn counters(limit: &Limit) -> &'static [Counter] {
    use Counter::{
        BusyNs, InFlightNs, ReadBytes, ReadNs, ReadOperations, WriteBytes, WriteNs, WriteOperations,
    };
    match (limit.measure, limit.direction) {
        // Those of one direction are in flight as long as they take.
        (_, Direction::Read) if limit.tokens.is_some() => &[ReadNs],
        (_, Direction::Write) if limit.tokens.is_some() => &[WriteNs],
        _ if limit.tokens.is_some() => &[InFlightNs],
        (Measure::Bytes, Direction::Read) => &[ReadBytes],
        (Measure::Bytes, Direction::Write) => &[WriteBytes],
        (Measure::Bytes, Direction::Both) => &[ReadBytes, WriteBytes],
        (Measure::Operations, Direction::Read) => &[ReadOperations],
        (Measure::Operations, Direction::Write) => &[WriteOperations],
        (Measure::Operations, Direction::Both) => &[ReadOperations, WriteOperations],
        (Measure::BusyNs, Direction::Read) => &[ReadNs],
        (Measure::BusyNs, Direction::Write) => &[WriteNs],
        (Measure::BusyNs, Direction::Both) => &[BusyNs],
        // A stream has no counter of it.
        (Measure::FlushNs, _) => &[],
        (Measure::Requests, _) => &[InFlightNs],
    }
}
