//! When each entity was counted, by a sampler or by a load's totals, and what it did then.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{EntityId, Record, StreamTotals};

use crate::usage::Usage;
use crate::usage::counters::{Span, Spans};
use crate::usage::pass::Pass;

/// A record's entities, each with what counts it.
pub(crate) struct Flow<'a> {
    pub pass: Pass<'a>,
    streams: BTreeMap<EntityId, &'a StreamTotals>,
    known: BTreeMap<EntityId, Span>,
}

impl<'a> Flow<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let streams: BTreeMap<EntityId, &StreamTotals> =
            record.streams.iter().map(|stream| (stream.entity, stream)).collect();
        let mut known = sampled(record);
        for (id, stream) in &streams {
            let counted = || stream.phases.iter().filter(|totals| totals.phase.is_counted());
            let from_ns = counted().map(|totals| totals.from_ns).min();
            let to_ns = counted().map(|totals| totals.to_ns).max();
            if let (Some(from_ns), Some(to_ns)) = (from_ns, to_ns) {
                known.insert(*id, Span { from_ns, to_ns });
            }
        }
        Self { pass: Pass::of(record), streams, known }
    }

    /// When it was counted.
    pub(crate) fn known(&self, id: EntityId) -> Option<Span> {
        self.known.get(&id).copied().filter(|span| span.length_ns() > 0)
    }

    /// When all of these were counted and all streams were active; none where there was no such
    /// time.
    pub(crate) fn common(&self, all: &[EntityId]) -> Option<Span> {
        let spans = all.iter().map(|id| self.known(*id)).collect::<Option<Vec<_>>>()?;
        let window = self.pass.window.as_ref().map(Spans::hull);
        let all = spans.into_iter().chain(window);
        let common = all.reduce(|left, right| Span {
            from_ns: left.from_ns.max(right.from_ns),
            to_ns: left.to_ns.min(right.to_ns),
        });
        common.filter(|span| span.to_ns > span.from_ns)
    }

    pub(crate) fn over(&self, id: EntityId, span: Span) -> Usage {
        match self.streams.get(&id) {
            Some(stream) => Usage::of_stream(stream, &span.into()),
            None => Usage::of_entity(&self.pass, id, &span.into()),
        }
    }

    /// What all of these did together.
    pub(crate) fn together(&self, all: &[EntityId], span: Span) -> Usage {
        sum(all.iter().map(|id| self.over(*id, span)))
    }

    /// The same by what was sampled of each, as of everything else, so that two meters are read at
    /// the same instants.
    pub(crate) fn sampled_together(&self, all: &[EntityId], span: Span) -> Usage {
        sum(all.iter().map(|id| self.sampled(*id, span)))
    }

    /// Whether all of them have samples, and not only totals.
    pub(crate) fn are_sampled(&self, all: &[EntityId]) -> bool {
        let series = &self.pass.record.series;
        all.iter().all(|id| series.iter().any(|one| one.entity == *id))
    }

    /// How long the intervals are in which a span begins and ends, of the entity whose intervals
    /// are longest; none of one that begins or ends with an interval.
    pub(crate) fn cut_intervals_ns(&self, all: &[EntityId], span: Span) -> u64 {
        let cut = |id: &EntityId| {
            let instants = self.instants(*id);
            let cut: BTreeSet<(u64, u64)> = [span.from_ns, span.to_ns]
                .into_iter()
                .filter_map(|at| around(&instants, at))
                .collect();
            cut.into_iter().map(|(from_ns, to_ns)| to_ns - from_ns).sum()
        };
        all.iter().map(cut).max().unwrap_or_default()
    }

    /// When any counter of an entity is known.
    fn instants(&self, id: EntityId) -> Vec<u64> {
        let record = self.pass.record;
        let own = || record.series.iter().filter(|series| series.entity == id);
        let is_known = |at: &u32| own().any(|series| series.missing.binary_search(at).is_err());
        let known = (0..).zip(&record.instants_ns).filter(|(at, _)| is_known(at));
        known.map(|(_, instant)| *instant).collect()
    }

    /// What was sampled of it; by totals what was not.
    pub(crate) fn sampled(&self, id: EntityId, span: Span) -> Usage {
        let mut sampled = Usage::of_entity(&self.pass, id, &span.into());
        let Some(stream) = self.streams.get(&id) else { return sampled };
        let totals = Usage::of_stream(stream, &span.into());
        if sampled.transfers.bytes_per_sec.is_none() {
            return totals;
        }
        let operations = &mut sampled.transfers.operations_per_sec;
        *operations = operations.or(totals.transfers.operations_per_sec);
        sampled
    }
}

/// The interval that an instant lies in; none where it is an end of one.
fn around(instants: &[u64], at: u64) -> Option<(u64, u64)> {
    let next = instants.partition_point(|instant| *instant < at);
    let (from_ns, to_ns) = (instants[..next].last()?, instants.get(next)?);
    (*to_ns > at).then_some((*from_ns, *to_ns))
}

fn sum(all: impl Iterator<Item = Usage>) -> Usage {
    all.reduce(|one, other| one + other).unwrap_or_default()
}

/// From the first to the last instant at which any counter of each entity is known.
fn sampled(record: &Record) -> BTreeMap<EntityId, Span> {
    let mut known: BTreeMap<EntityId, Span> = BTreeMap::new();
    for series in &record.series {
        let missing = &series.missing;
        let is_known = |index: &u32| missing.binary_search(index).is_err();
        let at = |index: u32| record.instants_ns.get(index as usize).copied();
        let count = u32::try_from(record.instants_ns.len()).unwrap_or(u32::MAX);
        let first = (0..count).find(is_known).and_then(at);
        let last = (0..count).rev().find(is_known).and_then(at);
        if let (Some(from_ns), Some(to_ns)) = (first, last) {
            let span = known.entry(series.entity).or_insert(Span { from_ns, to_ns });
            span.from_ns = span.from_ns.min(from_ns);
            span.to_ns = span.to_ns.max(to_ns);
        }
    }
    known
}
