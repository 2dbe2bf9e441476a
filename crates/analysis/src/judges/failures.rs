//! What streams got between the failures of a simulation: one span from each instant at which
//! something failed, returned or was routed around to the next, within the measured part.
//!
//! Rates are growth of the streams' counters over the span, latencies of the requests that
//! completed in it: those that were lost complete after the failover, so their whole wait is there.

use iopath_record::{Counter, EntityId, Event, Histogram, Record};
use serde::Serialize;

use crate::usage::counters::{Span, Spans};
use crate::usage::loaded::{carriers, is_watched};
use crate::usage::pass::Pass;

/// What streams got from one event to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailureSpan {
    /// Since the beginning of the pass.
    pub from_ns: u64,
    pub to_ns: u64,
    /// What happened when it began; nothing in front of the first failure.
    pub events: Vec<String>,
    pub throughput_bytes_per_sec: f64,
    pub operations_per_sec: f64,
    pub latency_ns_p50: Option<u64>,
    pub latency_ns_p99: Option<u64>,
    pub latency_ns_max: Option<u64>,
}

/// What a simulation let happen to parts of the path, in order. A measurement has other events; of
/// one that was answered live those of parts are the simulation's.
pub(crate) fn events(record: &Record) -> impl Iterator<Item = &Event> {
    let (is_model, is_live) = (record.technique.is_model(), record.is_answered_live());
    record.events.iter().filter(move |event| is_model || is_live && event.entity.is_some())
}

/// The spans of simulated passes in which something fails: means over passes.
pub(crate) fn failures(passes: &[Pass<'_>]) -> Vec<FailureSpan> {
    let Some(first) = passes.first().filter(|pass| events(pass.record).next().is_some()) else {
        return Vec::new();
    };
    // Passes of an observation follow one another, each with failures of its own.
    if is_watched(first.record) && passes.len() > 1 {
        return Vec::new();
    }
    let edges = edges(first);
    let spans = edges.windows(2).map(|pair| Span { from_ns: pair[0], to_ns: pair[1] });
    spans.map(|span| over(passes, span)).collect()
}

/// Where the measured part begins and ends, and everything that happens within it.
fn edges(pass: &Pass<'_>) -> Vec<u64> {
    let whole = pass.measured.hull();
    let events = events(pass.record).map(|event| event.at_ns);
    let within = events.filter(|at| whole.from_ns < *at && *at < whole.to_ns);
    let mut edges: Vec<u64> = within.chain([whole.from_ns, whole.to_ns]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn over(passes: &[Pass<'_>], span: Span) -> FailureSpan {
    let seconds = span.length_ns() as f64 / 1e9 * passes.len() as f64;
    let sum = |counters: &[Counter]| {
        passes.iter().fold(0.0, |sum, pass| sum + grown(pass, counters, span)) / seconds
    };
    let mut latency = Histogram::default();
    passes.iter().for_each(|pass| completed(pass.record, span, &mut latency));
    let began = events(passes[0].record).filter(|event| event.at_ns == span.from_ns);
    FailureSpan {
        from_ns: span.from_ns,
        to_ns: span.to_ns,
        events: began.map(|event| event.what.clone()).collect(),
        throughput_bytes_per_sec: sum(&[Counter::ReadBytes, Counter::WriteBytes]),
        operations_per_sec: sum(&[Counter::ReadOperations, Counter::WriteOperations]),
        latency_ns_p50: latency.quantile_ns(0.5),
        latency_ns_p99: latency.quantile_ns(0.99),
        latency_ns_max: (latency.count() > 0).then_some(latency.max_ns),
    }
}

fn grown(pass: &Pass<'_>, counters: &[Counter], span: Span) -> f64 {
    let spans = Spans::covering(vec![span]);
    let streams: Vec<EntityId> = match is_watched(pass.record) {
        true => carriers(pass.record).into_iter().map(|(id, _)| id).collect(),
        false => pass.record.streams.iter().map(|stream| stream.entity).collect(),
    };
    let each = streams
        .into_iter()
        .flat_map(|entity| counters.iter().map(move |counter| (entity, *counter)));
    each.filter_map(|(entity, counter)| pass.counters.over(entity, counter, &spans)).sum()
}

/// Adds the latencies of the intervals between two samples that lie within a span.
fn completed(record: &Record, span: Span, latency: &mut Histogram) {
    let intervals = record.instants_ns.windows(2).zip(&record.heat);
    let within = intervals.filter(|(at, _)| span.from_ns <= at[0] && at[1] <= span.to_ns);
    within.for_each(|(_, heat)| latency.merge(heat));
}

#[cfg(test)]
mod tests {
    use iopath_record::{Fact, Series, Technique};

    use super::*;
    use crate::sample::Sample;

    fn event(at_s: u64, what: &str) -> Event {
        Event { at_ns: at_s * 1_000_000_000, entity: None, what: what.to_owned() }
    }

    #[test]
    fn spans_lie_between_the_events_of_the_measured_part() {
        let mut record = Sample::new().record();
        record.events = vec![event(5, "a fails"), event(7, "requests avoid a"), event(90, "late")];
        assert_eq!(failures(&[Pass::of(&record)]), [], "a measurement has other events");
        record.technique = Technique::Simulation { events: 1 };
        let bytes: Vec<u64> = (0..record.instants_ns.len() as u64).map(|at| at * 1000).collect();
        let stream = record.streams[0].entity;
        record.series.push(Series::from_values(stream, Counter::ReadBytes, &bytes));
        let spans = failures(&[Pass::of(&record)]);
        let whole = Pass::of(&record).measured.hull();
        let at: Vec<_> = spans.iter().map(|span| (span.from_ns, span.to_ns)).collect();
        let [five, seven] = [5, 7].map(|seconds| seconds * 1_000_000_000);
        assert_eq!(at, [(whole.from_ns, five), (five, seven), (seven, whole.to_ns)]);
        assert_eq!(spans[0].events, Vec::<String>::new());
        assert_eq!(spans[1].events, ["a fails"]);
        // Samples are a second apart.
        assert!(spans.iter().all(|span| span.throughput_bytes_per_sec == 1000.0), "{spans:?}");

        // The same counters, watched inside a system that is up.
        record.technique = Technique::Observation;
        record.environment.extend([Fact::Inside.is("1:1")]);
        record.streams.clear();
        record.heat.clear();
        record.events.iter_mut().for_each(|event| event.entity = Some(stream));
        let spans = failures(&[Pass::of(&record)]);
        let rates: Vec<f64> = spans.iter().map(|span| span.throughput_bytes_per_sec).collect();
        assert_eq!((rates.len(), &rates[..2]), (3, &[1000.0, 1000.0][..]), "{spans:?}");
    }
}
