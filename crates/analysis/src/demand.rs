//! What a run asked of its storage, as a need that other paths can be sized by.
//!
//! Of counters that were watched or imported: the hour, counted from the beginning of the load, in
//! which the 95th percentile of requests a second is highest. A last hour of less than half belongs
//! to the one before. Intervals with less than a hundredth of the most are idle and do not count,
//! so that an hour of short bursts is sized by the bursts. What counts the load:
//! `usage::loaded`; a missing counter adds nothing, as in the figures of such a run. Of streams:
//! what they did in the measured part of all passes that lasted as long as they should.
//!
//! That the 95th percentile stands for an hour is chosen: an interval in twenty may be worse, which
//! queues even out. It leaves out the pattern, which no counter has, and what caches above the
//! devices served.

use std::collections::BTreeMap;

use iopath_record::Record;
use serde::Serialize;
use thiserror::Error;

use crate::findings::analyse::{NoFindings, analyse};
use crate::thresholds::trials::LOADED_SHARE;
use crate::usage::Usage;
use crate::usage::loaded::{carriers, is_watched};
use crate::usage::pass::{Pass, is_full};
use crate::{OpFindings, Timeline};

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Demand {
    /// In the hour with the most requests; of streams in all.
    #[serde(flatten)]
    pub load: Load,
    /// The hour with the most bytes, where that is another one with more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_bytes: Option<Load>,
}

/// What was asked for in an hour, or by streams.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Load {
    /// Requests a second.
    pub operations_per_sec: f64,
    /// Bytes a second, both ways.
    pub bytes_per_sec: f64,
    /// Share of the requests that read; none where directions were not counted.
    pub reads: Option<f64>,
    /// Mean bytes of a request.
    pub request_bytes: f64,
    /// When the hour begins, in s since 1970; none of streams, or without a wall clock.
    pub begins_unix_s: Option<u64>,
    /// How many intervals count of it; none of streams.
    pub intervals: Option<u64>,
}

/// Why a run is no need.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoDemand {
    /// Which of its loads is meant is not known.
    #[error("it has several cases; a run of the one that is meant is needed")]
    SeveralCases,
    /// Every pass ended early.
    #[error("no pass lasted as long as it should")]
    NoFullPass,
    /// Nothing was moved, or requests were not counted.
    #[error("it moved nothing, or its requests were not counted")]
    Nothing,
}

impl Demand {
    /// Of the passes of a run.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn of(records: &[Record]) -> Result<Self, NoDemand> {
        let found = match records.iter().all(is_watched) {
            true => of_counters(records),
            false => Some(Self { load: of_streams(records)?, more_bytes: None }),
        };
        found.filter(|found| found.load.is_something()).ok_or(NoDemand::Nothing)
    }
}

impl Load {
    /// Less than a request in a thousand seconds is nothing to size by.
    fn is_something(&self) -> bool {
        self.operations_per_sec >= 1e-3 && self.bytes_per_sec >= 1.0
    }
}

fn of_streams(records: &[Record]) -> Result<Load, NoDemand> {
    let full: Vec<Record> = records.iter().filter(|record| is_full(record)).cloned().collect();
    if full.is_empty() && !records.is_empty() {
        return Err(NoDemand::NoFullPass);
    }
    let found = analyse(&full).map_err(|why| match why {
        NoFindings::SeveralTrials { .. } => NoDemand::SeveralCases,
        NoFindings::NoPass => NoDemand::Nothing,
    })?;
    let rate = found.headline;
    let requests = |op: &OpFindings| op.requests as f64;
    let reads = match (&found.read, &found.write) {
        (Some(read), Some(write)) => Some(requests(read) / (requests(read) + requests(write))),
        _ => one_way(&full),
    };
    Ok(Load {
        operations_per_sec: rate.operations_per_sec,
        bytes_per_sec: rate.throughput_bytes_per_sec,
        reads,
        request_bytes: rate.throughput_bytes_per_sec / rate.operations_per_sec,
        begins_unix_s: None,
        intervals: None,
    })
}

/// All reads, or none; nothing where no byte was moved in what counts.
fn one_way(records: &[Record]) -> Option<f64> {
    let streams = records.iter().flat_map(|record| &record.streams);
    let counted = streams.flat_map(|one| &one.phases).filter(|totals| totals.phase.is_counted());
    let (read, written) = counted.fold((0, 0), |(read, written), totals| {
        (read + totals.read_bytes, written + totals.write_bytes)
    });
    match (read, written) {
        (1.., 0) => Some(1.0),
        (0, 1..) => Some(0.0),
        _ => None,
    }
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
    /// Of all that counts the load; none where no requests were counted.
    fn of(from_s: f64, seconds: f64, carriers: &[Usage]) -> Option<Self> {
        let known: Vec<&Usage> =
            carriers.iter().filter(|one| one.transfers.operations_per_sec.is_some()).collect();
        let sum = |rate: fn(&Usage) -> Option<f64>| -> f64 {
            known.iter().filter_map(|usage| rate(usage)).sum()
        };
        let is_directed = known.iter().all(|one| one.read.operations_per_sec.is_some());
        (!known.is_empty()).then(|| Self {
            from_s,
            seconds,
            operations_per_sec: sum(|usage| usage.transfers.operations_per_sec),
            reads_per_sec: is_directed.then(|| sum(|usage| usage.read.operations_per_sec)),
            bytes_per_sec: sum(|usage| usage.transfers.bytes_per_sec),
        })
    }

    fn end_s(&self) -> f64 {
        self.from_s + self.seconds
    }
}

const HOUR_S: f64 = 3600.0;
/// Of the intervals of an hour: chosen, see above.
const PERCENTILE: f64 = 0.95;

fn of_counters(records: &[Record]) -> Option<Demand> {
    let all: Vec<Interval> = records.iter().flat_map(under_load).collect();
    let (first, last) = (all.first()?, all.last()?);
    let most = all.iter().map(|one| one.operations_per_sec).fold(0.0, f64::max);
    let hours = ((last.end_s() - first.from_s) / HOUR_S).round().max(1.0);
    let mut by_hour: BTreeMap<u64, Vec<Interval>> = BTreeMap::new();
    for interval in all.iter().filter(|one| one.operations_per_sec >= LOADED_SHARE * most) {
        let hour = ((interval.from_s - first.from_s) / HOUR_S).floor().clamp(0.0, hours - 1.0);
        by_hour.entry(hour as u64).or_default().push(*interval);
    }
    let is_dated = records.iter().all(|record| record.clock.started_unix_ns > 0);
    let loads: Vec<Load> = by_hour
        .iter()
        .map(|(hour, intervals)| {
            let begins_s = first.from_s + *hour as f64 * HOUR_S;
            load_of(intervals, is_dated.then_some(begins_s as u64))
        })
        .collect();
    let most = |rate: fn(&Load) -> f64| {
        loads.iter().copied().max_by(|one, other| rate(one).total_cmp(&rate(other)))
    };
    let load = most(|load| load.operations_per_sec)?;
    let bytes = most(|load| load.bytes_per_sec)?;
    let more_bytes = (bytes.bytes_per_sec > load.bytes_per_sec).then_some(bytes);
    Some(Demand { load, more_bytes })
}

/// What the intervals of an hour come to: rates by their percentiles, the mix by their sums.
fn load_of(intervals: &[Interval], begins_unix_s: Option<u64>) -> Load {
    let rates = |rate: fn(&Interval) -> f64| percentile(intervals.iter().map(rate).collect());
    let total = |rate: fn(&Interval) -> Option<f64>| -> Option<f64> {
        intervals.iter().map(|one| Some(rate(one)? * one.seconds)).sum()
    };
    let requests = total(|one| Some(one.operations_per_sec)).unwrap_or_default();
    let bytes = total(|one| Some(one.bytes_per_sec)).unwrap_or_default();
    Load {
        operations_per_sec: rates(|one| one.operations_per_sec),
        bytes_per_sec: rates(|one| one.bytes_per_sec),
        reads: total(|one| one.reads_per_sec).map(|reads| reads / requests),
        request_bytes: bytes / requests,
        begins_unix_s,
        intervals: Some(intervals.len() as u64),
    }
}

/// Every interval from the beginning of the load to its end.
fn under_load(record: &Record) -> Vec<Interval> {
    let timeline = Timeline::of(record);
    let span = Pass::of(record).measured.hull();
    let usages: Vec<Vec<Usage>> =
        carriers(record).into_iter().map(|(id, _)| timeline.usage(id)).collect();
    let since_s = record.clock.started_unix_ns as f64 / 1e9;
    let intervals = timeline.intervals().enumerate();
    let inside = intervals.filter(|(_, (from, to))| *from >= span.from_ns && *to <= span.to_ns);
    inside
        .filter_map(|(at, (from, to))| {
            let together: Vec<Usage> = usages.iter().map(|of| of[at]).collect();
            let (from_s, seconds) = (since_s + from as f64 / 1e9, (to - from) as f64 / 1e9);
            Interval::of(from_s, seconds, &together)
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
    use iopath_record::{Counter, Entity, EntityId, Kind, Series, Technique};

    use super::*;
    use crate::sample::Sample;

    const SECOND: u64 = 1_000_000_000;

    /// One device, ten seconds an interval, with four times these requests of 8 KiB in each, a
    /// quarter writes.
    fn watched(requests: &[u64]) -> Record {
        let mut record = Sample::new().record();
        record.technique = Technique::Observation;
        (record.streams, record.heat, record.relations) = (Vec::new(), Vec::new(), Vec::new());
        record.entities.retain(|one| one.kind == Kind::Disk);
        record.entities.truncate(1);
        record.clock.started_unix_ns = 7 * 3600 * SECOND;
        record.instants_ns = (0..=requests.len() as u64).map(|at| 10 * at * SECOND).collect();
        let series = |counter, each| {
            let mut total = 0;
            let grown = requests.iter().map(|count| {
                total += count * each;
                total
            });
            let values: Vec<u64> = std::iter::once(0).chain(grown).collect();
            Series::from_values(EntityId(0), counter, &values)
        };
        record.series = vec![
            series(Counter::ReadOperations, 3),
            series(Counter::WriteOperations, 1),
            series(Counter::ReadBytes, 3 * 8192),
            series(Counter::WriteBytes, 8192),
        ];
        record
    }

    fn demand(records: &[Record]) -> Load {
        Demand::of(records).unwrap().load
    }

    /// 360 intervals make an hour: the second one is busy in more than one interval of twenty.
    #[test]
    fn the_busiest_hour_counts_by_its_95th_percentile() {
        let mut requests = vec![100; 720];
        requests[0] = 5_000;
        requests[400..440].fill(1_000);
        let found = demand(&[watched(&requests)]);
        assert_eq!(found.operations_per_sec, 400.0);
        assert_eq!(found.bytes_per_sec, 400.0 * 8192.0);
        assert_eq!((found.reads, found.request_bytes), (Some(0.75), 8192.0));
        assert_eq!((found.begins_unix_s, found.intervals), (Some(8 * 3600), Some(360)));
    }

    /// Three minutes of an hour, the rest all but idle.
    #[test]
    fn short_bursts_are_the_load_of_their_hour() {
        let mut requests = vec![1; 360];
        for at in [0, 120, 240] {
            requests[at..at + 6].fill(1_000);
        }
        let found = demand(&[watched(&requests)]);
        assert_eq!((found.operations_per_sec, found.intervals), (400.0, Some(18)));
    }

    #[test]
    fn a_short_last_hour_belongs_to_the_one_before() {
        let with = |last: usize| {
            let mut requests = vec![100; 360 + last];
            requests[360..].fill(200);
            demand(&[watched(&requests)]).begins_unix_s
        };
        assert_eq!((with(179), with(181)), (Some(7 * 3600), Some(8 * 3600)));
    }

    /// The second hour has half the requests, of eight times the size.
    #[test]
    fn an_hour_with_more_bytes_is_a_load_of_its_own() {
        let mut record = watched(&[vec![100; 360], vec![50; 360]].concat());
        for series in &mut record.series {
            if matches!(series.counter, Counter::ReadBytes | Counter::WriteBytes) {
                let mut values: Vec<u64> = series.values().collect();
                for at in 361..values.len() {
                    values[at] = values[360] + 8 * (values[at] - values[360]);
                }
                *series = Series::from_values(EntityId(0), series.counter, &values);
            }
        }
        let found = Demand::of(&[record]).unwrap();
        assert_eq!((found.load.operations_per_sec, found.load.request_bytes), (40.0, 8192.0));
        let more = found.more_bytes.unwrap();
        assert_eq!((more.operations_per_sec, more.request_bytes), (20.0, 65_536.0));
        assert_eq!(more.begins_unix_s, Some(8 * 3600));
    }

    #[test]
    fn a_device_without_counters_adds_nothing() {
        let mut record = watched(&[100; 30]);
        let gone = Entity { name: "gone".to_owned(), ..record.entities[0].clone() };
        record.entities.push(gone);
        assert_eq!(demand(&[record]).operations_per_sec, 40.0);
    }

    #[test]
    fn of_streams_it_is_what_they_did() {
        let record = Sample::new().record();
        let findings = analyse(std::slice::from_ref(&record)).unwrap();
        let found = demand(&[record]);
        assert_eq!(found.operations_per_sec, findings.headline.operations_per_sec);
        assert_eq!(found.bytes_per_sec, findings.headline.throughput_bytes_per_sec);
        assert_eq!(found.intervals, None);
    }

    #[test]
    fn why_there_is_none_is_said() {
        assert_eq!(Demand::of(&[watched(&[0, 0, 0])]), Err(NoDemand::Nothing));
        assert_eq!(Demand::of(&[]), Err(NoDemand::Nothing));
        let mut other = Sample::new().record();
        other.case.trial += 1;
        let several = Demand::of(&[Sample::new().record(), other]);
        assert_eq!(several, Err(NoDemand::SeveralCases));
    }
}
