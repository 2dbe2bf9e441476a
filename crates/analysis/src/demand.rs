//! What a run asked of its storage, as a need that other paths can be sized by.
//!
//! Of counters that were watched or imported: for each hour from the beginning of the load, the
//! 95th percentile of its intervals; the busiest hour counts. A last one of less than half an hour
//! belongs to the one before. Counted is what stands at the bottom of the path, under load, as in
//! the figures of such a run. Of streams: what they did in the measured part of all passes.
//!
//! That an hour's 95th percentile stands for its load is chosen: an interval in twenty may be
//! worse, which queues even out. It leaves out the pattern, which no counter has, and what caches
//! above the devices served.

use std::collections::BTreeMap;

use iopath_record::Record;
use serde::Serialize;

use crate::Timeline;
use crate::findings::analyse::analyse;
use crate::usage::Usage;
use crate::usage::loaded::{bottoms, is_watched};
use crate::usage::pass::Pass;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Demand {
    /// Requests a second.
    pub operations_per_sec: f64,
    /// Bytes a second, both ways.
    pub bytes_per_sec: f64,
    /// Share of the requests that read; none where directions were not counted.
    pub reads: Option<f64>,
    /// Mean bytes of a request.
    pub request_bytes: f64,
    /// When the busiest hour of requests begins, in s since 1970; none of streams, or where the
    /// wall clock is not known.
    pub busiest_hour_unix_s: Option<u64>,
    /// How many intervals that hour has; none of streams.
    pub intervals: Option<u64>,
}

/// What was done in an interval.
#[derive(Clone, Copy)]
struct Interval {
    /// Since 1970, or since 0 of the axis where the wall clock is not known.
    from_s: f64,
    seconds: f64,
    operations_per_sec: f64,
    reads_per_sec: Option<f64>,
    bytes_per_sec: f64,
}

impl Interval {
    /// None where one of the devices was not counted.
    fn of(from_s: f64, seconds: f64, usage: &Usage) -> Option<Self> {
        Some(Self {
            from_s,
            seconds,
            operations_per_sec: usage.transfers.operations_per_sec?,
            reads_per_sec: usage.read.operations_per_sec,
            bytes_per_sec: usage.transfers.bytes_per_sec?,
        })
    }

    fn end_s(&self) -> f64 {
        self.from_s + self.seconds
    }
}

const HOUR_S: f64 = 3600.0;
/// Of the intervals of an hour: chosen, see above.
const PERCENTILE: f64 = 0.95;

impl Demand {
    /// Of the passes of a run; none where nothing was asked for, or requests were not counted.
    #[must_use]
    pub fn of(records: &[Record]) -> Option<Self> {
        let is_counted = records.iter().all(is_watched);
        let demand = if is_counted { of_counters(records) } else { of_streams(records) };
        demand.filter(|one| one.operations_per_sec > 0.0 && one.bytes_per_sec > 0.0)
    }
}

fn of_streams(records: &[Record]) -> Option<Demand> {
    let found = analyse(records).ok()?;
    let rate = found.headline;
    let requests = |op: &crate::OpFindings| op.requests as f64;
    let reads = match (&found.read, &found.write) {
        (Some(read), Some(write)) => requests(read) / (requests(read) + requests(write)),
        _ => {
            let phases = records.iter().flat_map(|one| &one.streams).flat_map(|one| &one.phases);
            f64::from(phases.map(|totals| totals.write_bytes).sum::<u64>() == 0)
        }
    };
    Some(Demand {
        operations_per_sec: rate.operations_per_sec,
        bytes_per_sec: rate.throughput_bytes_per_sec,
        reads: Some(reads),
        request_bytes: rate.throughput_bytes_per_sec / rate.operations_per_sec,
        busiest_hour_unix_s: None,
        intervals: None,
    })
}

fn of_counters(records: &[Record]) -> Option<Demand> {
    let all: Vec<Interval> = records.iter().flat_map(under_load).collect();
    let (first, last) = (all.first()?, all.last()?);
    let hours = ((last.end_s() - first.from_s) / HOUR_S).round().max(1.0);
    let mut by_hour: BTreeMap<u64, Vec<Interval>> = BTreeMap::new();
    for interval in &all {
        let hour = ((interval.from_s - first.from_s) / HOUR_S).floor().clamp(0.0, hours - 1.0);
        by_hour.entry(hour as u64).or_default().push(*interval);
    }
    let busiest = |rate: fn(&Interval) -> f64| {
        let each =
            by_hour.iter().map(|(hour, all)| (percentile(all.iter().map(rate).collect()), hour));
        each.max_by(|(one, _), (other, _)| one.total_cmp(other))
    };
    let (operations_per_sec, hour) = busiest(|interval| interval.operations_per_sec)?;
    let (bytes_per_sec, _) = busiest(|interval| interval.bytes_per_sec)?;
    let total = |rate: fn(&Interval) -> Option<f64>| -> Option<f64> {
        all.iter().map(|interval| Some(rate(interval)? * interval.seconds)).sum()
    };
    let requests = total(|interval| Some(interval.operations_per_sec))?;
    let is_dated = records.iter().all(|record| record.clock.started_unix_ns > 0);
    Some(Demand {
        operations_per_sec,
        bytes_per_sec,
        reads: total(|interval| interval.reads_per_sec).map(|reads| reads / requests),
        request_bytes: total(|interval| Some(interval.bytes_per_sec))? / requests,
        busiest_hour_unix_s: is_dated.then_some((first.from_s + *hour as f64 * HOUR_S) as u64),
        intervals: Some(by_hour[hour].len() as u64),
    })
}

/// Every interval under load in which all that stands at the bottom was counted.
fn under_load(record: &Record) -> Vec<Interval> {
    let timeline = Timeline::of(record);
    let span = Pass::of(record).measured.hull();
    let mut all: Vec<Vec<Usage>> =
        bottoms(record).into_iter().map(|(id, _)| timeline.usage(id)).collect();
    let Some(first) = all.pop() else { return Vec::new() };
    let together = all
        .into_iter()
        .fold(first, |sum, one| sum.into_iter().zip(one).map(|(sum, one)| sum + one).collect());
    let since_s = record.clock.started_unix_ns as f64 / 1e9;
    let intervals = timeline.intervals().zip(together);
    let inside = intervals.filter(|((from, to), _)| *from >= span.from_ns && *to <= span.to_ns);
    inside
        .filter_map(|((from, to), usage)| {
            let (from_s, seconds) = (since_s + from as f64 / 1e9, (to - from) as f64 / 1e9);
            Interval::of(from_s, seconds, &usage)
        })
        .collect()
}

/// By nearest rank.
fn percentile(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    let rank = (PERCENTILE * rates.len() as f64).ceil() as usize;
    rates.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use iopath_record::{Counter, EntityId, Kind, Series, Technique};

    use super::*;
    use crate::sample::Sample;

    const SECOND: u64 = 1_000_000_000;

    /// One device, ten seconds an interval, with these requests of 8 KiB in each, a quarter writes.
    fn watched(requests: &[u64]) -> Record {
        let mut record = Sample::new().record();
        record.technique = Technique::Observation;
        (record.streams, record.heat, record.relations) = (Vec::new(), Vec::new(), Vec::new());
        record.entities.retain(|one| one.kind == Kind::Disk);
        record.entities.truncate(1);
        record.clock.started_unix_ns = 7 * 3600 * SECOND;
        record.instants_ns = (0..=requests.len() as u64).map(|at| 10 * at * SECOND).collect();
        let sum = |each: u64| {
            let mut total = 0;
            let sums = requests.iter().map(|count| {
                total += count * each;
                total
            });
            std::iter::once(0).chain(sums.collect::<Vec<_>>()).collect::<Vec<u64>>()
        };
        let series = |counter, each| Series::from_values(EntityId(0), counter, &sum(each));
        record.series = vec![
            series(Counter::ReadOperations, 3),
            series(Counter::WriteOperations, 1),
            series(Counter::ReadBytes, 3 * 8192),
            series(Counter::WriteBytes, 8192),
        ];
        record
    }

    /// 360 intervals make an hour: the second one is busy in more than one interval of twenty.
    #[test]
    fn the_busiest_hour_counts_by_its_95th_percentile() {
        let mut requests = vec![100; 720];
        requests[0] = 5_000;
        requests[400..440].fill(1_000);
        let demand = Demand::of(&[watched(&requests)]).unwrap();
        assert_eq!(demand.operations_per_sec, 400.0);
        assert_eq!(demand.bytes_per_sec, 400.0 * 8192.0);
        assert_eq!((demand.reads, demand.request_bytes), (Some(0.75), 8192.0));
        assert_eq!(demand.busiest_hour_unix_s, Some(8 * 3600));
        assert_eq!(demand.intervals, Some(360));
    }

    #[test]
    fn of_streams_it_is_what_they_did() {
        let record = Sample::new().record();
        let findings = analyse(std::slice::from_ref(&record)).unwrap();
        let demand = Demand::of(&[record]).unwrap();
        assert_eq!(demand.operations_per_sec, findings.headline.operations_per_sec);
        assert_eq!(demand.bytes_per_sec, findings.headline.throughput_bytes_per_sec);
        assert_eq!(demand.intervals, None);
    }

    #[test]
    fn where_nothing_was_asked_there_is_no_demand() {
        assert_eq!(Demand::of(&[watched(&[0, 0, 0])]), None);
        assert_eq!(Demand::of(&[]), None);
    }
}
