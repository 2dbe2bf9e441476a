//! Where usage comes from: series of a record, totals of a stream, several passes, two samples.

use iopath_record::{
    Counter, Entity, EntityId, PhaseTotals, Reading, Record, Sample, StreamTotals,
};

use super::{Gauges, Usage};
use crate::usage::counters::{Counters, Span, Spans};
use crate::usage::pass::{Pass, grown};

impl Usage {
    /// Of an entity, by its counters.
    pub(crate) fn of_entity(pass: &Pass<'_>, id: EntityId, spans: &Spans) -> Self {
        let count = pass.record.entities.get(id.0 as usize).map_or(1, |entity| entity.count);
        let by = |counter| pass.counters.over(id, counter, spans);
        Self::of(seconds(spans), count, by)
    }

    /// Of a stream, by its totals: they went evenly in each of its phases, which say no more.
    pub(crate) fn of_stream(stream: &StreamTotals, spans: &Spans) -> Self {
        Self::of_totals(seconds(spans), |of| {
            let counted = stream.phases.iter().filter(|totals| totals.phase.is_counted());
            counted.map(|totals| of(totals) as f64 * part(totals, stream, spans)).sum()
        })
    }

    /// Of streams, by whole phases of theirs that lasted `seconds`.
    pub(crate) fn of_phases<'a>(
        seconds: f64,
        phases: &(impl Iterator<Item = &'a PhaseTotals> + Clone),
    ) -> Self {
        Self::of_totals(seconds, |of| phases.clone().map(|totals| of(totals) as f64).sum())
    }

    fn of_totals(seconds: f64, total: impl Fn(fn(&PhaseTotals) -> u64) -> f64) -> Self {
        // A sum of nothing is -0.0.
        let total = |of: fn(&PhaseTotals) -> u64| total(of) + 0.0;
        let [read, written] = [total(|one| one.read_bytes), total(|one| one.write_bytes)];
        let operations = total(|one| one.operations_ppm) / 1e6;
        // Bytes without a request mean that nobody counted requests.
        let is_counted = operations > 0.0 || read + written == 0.0;
        let in_flight = total(|one| one.in_flight_ns);
        Self::of(seconds, 1, |counter| match counter {
            Counter::ReadBytes => Some(read),
            Counter::WriteBytes => Some(written),
            Counter::Completed => is_counted.then_some(operations),
            Counter::InFlightNs => Some(in_flight).filter(|ns| *ns > 0.0),
            _ => None,
        })
    }

    /// Of an entity over the measured parts of several passes, in which it is found by its name.
    pub(crate) fn of_passes(passes: &[Pass<'_>], entity: &Entity) -> Self {
        let length = passes.iter().map(|pass| pass.measured.length_ns()).sum::<u64>();
        Self::of(length as f64 / 1e9, entity.count, |counter| grown(passes, entity, counter))
    }

    fn with_gauges(self, last: impl Fn(Counter) -> Option<u64>) -> Self {
        let gauges = Gauges {
            in_flight: last(Counter::InFlight),
            cached_bytes: last(Counter::CachedBytes),
            dirty_bytes: last(Counter::DirtyBytes),
            writeback_bytes: last(Counter::WritebackBytes),
        };
        Self { gauges, ..self }
    }
}

fn seconds(spans: &Spans) -> f64 {
    spans.length_ns() as f64 / 1e9
}

/// How much of a phase lies within the spans. Nothing went on after the stream's last request.
fn part(totals: &PhaseTotals, stream: &StreamTotals, spans: &Spans) -> f64 {
    let to_ns = totals.to_ns.min(stream.last_done_ns).max(totals.from_ns);
    let whole = Span { from_ns: totals.from_ns, to_ns };
    match whole.length_ns() {
        0 => f64::from(u8::from(spans.contains(totals.from_ns))),
        length => {
            let within = spans.iter().map(|span| whole.within(span).length_ns()).sum::<u64>();
            within as f64 / length as f64
        }
    }
}

/// What each entity did between two samples, in their order. Empty for two samples of one instant.
#[must_use]
pub fn between(entities: &[Entity], earlier: &Sample, later: &Sample) -> Vec<Usage> {
    let seconds = later.at_ns.saturating_sub(earlier.at_ns) as f64 / 1e9;
    if seconds <= 0.0 {
        return Vec::new();
    }
    let mut all = vec![Usage::default(); entities.len()];
    let mut before = earlier.by_entity().peekable();
    for (id, now) in later.by_entity() {
        while before.next_if(|(other, _)| *other < id).is_some() {}
        let then = before.next_if(|(other, _)| *other == id).map_or(&[][..], |(_, then)| then);
        let at = id.0 as usize;
        if let Some(entity) = entities.get(at) {
            let value = |all: &[Reading], counter| {
                Some(all.iter().find(|reading| reading.counter == counter)?.value)
            };
            let last = |counter| value(now, counter);
            // A counter that fell was reset, so it says nothing about its interval.
            let by = |counter| Some(last(counter)?.checked_sub(value(then, counter)?)? as f64);
            all[at] = Usage::of(seconds, entity.count, by).with_gauges(last);
        }
    }
    all
}

/// What each entity of an observation's passes did over all their samples, in the order of the last
/// pass: passes of one observation share their entities, of which later ones may have more.
#[must_use]
pub fn over(passes: &[Record]) -> Vec<Usage> {
    let all: Vec<(Counters, Spans)> = passes
        .iter()
        .map(Counters::of)
        .map(|counters| {
            let sampled = Spans::from(counters.sampled());
            (counters, sampled)
        })
        .collect();
    let seconds = all.iter().map(|(_, sampled)| seconds(sampled)).sum();
    let entities = passes.last().map_or(&[][..], |last| &last.entities);
    let usage = |(id, entity): (EntityId, &Entity)| {
        let by = |counter| {
            let each = all.iter().filter_map(|(counters, spans)| counters.over(id, counter, spans));
            each.reduce(|one, other| one + other)
        };
        let last = |counter| {
            let known = all.iter().rev().find_map(|(counters, _)| counters.values(id, counter));
            known?.last().copied()
        };
        Usage::of(seconds, entity.count, by).with_gauges(last)
    };
    (0u32..).map(EntityId).zip(entities).map(usage).collect()
}
