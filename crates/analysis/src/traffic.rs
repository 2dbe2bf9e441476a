//! What went through each entity over a span, whoever counted it: a sampler or a load's totals.
//!
//! Totals of a load are taken to have gone evenly in each of its phases, which say no more.

use std::collections::BTreeMap;

use iopath_record::{Counter, EntityId, PhaseTotals, Record, StreamTotals};

use crate::counters::{Span, Spans};
use crate::pass::Pass;

/// Amounts over a span; none where nobody counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Traffic {
    pub read_bytes: Option<f64>,
    pub write_bytes: Option<f64>,
    /// Both ways, also where nothing tells which.
    pub bytes: Option<f64>,
    pub requests: Option<f64>,
    /// Time requests spent here, summed over requests.
    pub time_ns: Option<f64>,
    pub busy_ns: Option<f64>,
}

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

    pub(crate) fn over(&self, id: EntityId, span: Span) -> Traffic {
        match self.streams.get(&id) {
            Some(stream) => Self::of_stream(stream, span),
            None => self.of_counters(id, span),
        }
    }

    /// What was sampled of it, as of everything else, so that two meters are read at the same
    /// instants; by totals what was not.
    pub(crate) fn sampled(&self, id: EntityId, span: Span) -> Traffic {
        let totals = self.over(id, span);
        let sampled = self.of_counters(id, span);
        match sampled.bytes {
            Some(_) => Traffic { requests: sampled.requests.or(totals.requests), ..sampled },
            None => totals,
        }
    }

    fn of_stream(stream: &StreamTotals, span: Span) -> Traffic {
        let counted = || stream.phases.iter().filter(|totals| totals.phase.is_counted());
        let sum = |of: fn(&PhaseTotals) -> u64| {
            counted().map(|totals| of(totals) as f64 * part(totals, span)).sum::<f64>()
        };
        let (read, written) = (sum(|p| p.read_bytes), sum(|p| p.write_bytes));
        let requests = sum(|p| p.operations_ppm) / 1e6;
        let time = sum(|p| p.in_flight_ns);
        // Bytes without a request mean that nobody counted requests.
        let is_counted = requests > 0.0 || read + written == 0.0;
        Traffic {
            read_bytes: Some(read),
            write_bytes: Some(written),
            bytes: Some(read + written),
            requests: is_counted.then_some(requests),
            time_ns: (time > 0.0).then_some(time),
            busy_ns: None,
        }
    }

    fn of_counters(&self, id: EntityId, span: Span) -> Traffic {
        let spans = Spans::from(span);
        let of = |counter| self.pass.counters.over(id, counter, &spans);
        let both = |read: Option<f64>, written: Option<f64>| match (read, written) {
            (None, None) => None,
            (read, written) => Some(read.unwrap_or_default() + written.unwrap_or_default()),
        };
        let (read, written) = (of(Counter::ReadBytes), of(Counter::WriteBytes));
        let requests = both(of(Counter::ReadOperations), of(Counter::WriteOperations));
        let time = both(of(Counter::ReadNs), of(Counter::WriteNs));
        Traffic {
            read_bytes: read,
            write_bytes: written,
            bytes: of(Counter::MovedBytes).or_else(|| both(read, written)),
            requests: requests.or_else(|| of(Counter::Completed)),
            time_ns: time.or_else(|| of(Counter::InFlightNs)),
            busy_ns: of(Counter::BusyNs),
        }
    }
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

/// How much of a phase lies within a span.
fn part(totals: &PhaseTotals, span: Span) -> f64 {
    let (from_ns, to_ns) = (totals.from_ns.max(span.from_ns), totals.to_ns.min(span.to_ns));
    match totals.to_ns.saturating_sub(totals.from_ns) {
        0 => f64::from(u8::from(from_ns <= to_ns)),
        whole => Span { from_ns, to_ns }.length_ns() as f64 / whole as f64,
    }
}

impl Traffic {
    /// The sum; what one of them does not know, nobody knows.
    pub(crate) fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let add = |left: Option<f64>, right: Option<f64>| Some(left? + right?);
        let sum = all.into_iter().reduce(|left, right| Self {
            read_bytes: add(left.read_bytes, right.read_bytes),
            write_bytes: add(left.write_bytes, right.write_bytes),
            bytes: add(left.bytes, right.bytes),
            requests: add(left.requests, right.requests),
            time_ns: add(left.time_ns, right.time_ns),
            busy_ns: add(left.busy_ns, right.busy_ns),
        });
        sum.unwrap_or_default()
    }

    /// Mean time of a request.
    pub(crate) fn service_ns(&self) -> Option<f64> {
        self.requests.filter(|requests| *requests > 0.0).and_then(|n| Some(self.time_ns? / n))
    }

    /// Mean bytes in flight over a span; none where requests or their times are not counted.
    pub(crate) fn held_bytes(&self, span: Span) -> Option<f64> {
        Some(self.time_ns? / span.length_ns().max(1) as f64 * self.mean_bytes()?)
    }

    /// Mean bytes of a request.
    pub(crate) fn mean_bytes(&self) -> Option<f64> {
        self.requests.filter(|requests| *requests > 0.0).and_then(|n| Some(self.bytes? / n))
    }
}
