//! What happened when: rates of every interval between two samples, and the phases of a pass.
//!
//! A rate is the growth of a counter over the length of its interval. Sums over several entities
//! exist only where each of them has the counter. Intervals that are much shorter than the others
//! (between the last sample and the end of a pass) are joined to their neighbours: a rate of some
//! milliseconds is all noise. It leaves out what lies within an interval.

use iopath_record::{Counter, EntityId, Event, Histogram, Kind, Layer, Phase, Record};

use crate::judges::{failures, layers};
use crate::thresholds::trials::{JOINED_INTERVAL_SHARE, SHORT_DRAIN_SHARE};
use crate::usage::Usage;
use crate::usage::counters::Counters;
use crate::usage::flow::Flow;

/// The timeline of one pass.
pub struct Timeline<'a> {
    record: &'a Record,
    counters: Counters,
    /// Positions of the instants between which rates are told.
    kept: Vec<usize>,
}

/// A span of a pass in which the same streams were at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Which phase.
    pub phase: Phase,
    /// Where it begins on the record's axis.
    pub from_ns: u64,
    /// Where it ends.
    pub to_ns: u64,
}

/// A line over time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineSeries {
    /// Whose.
    pub name: String,
    /// Bytes a second in every interval; none in those in which it was not at work.
    pub bytes_per_sec: Vec<Option<f64>>,
}

/// Everything of one kind at one depth of the path.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineTier {
    /// Where.
    pub layer: Layer,
    /// What it is.
    pub kind: Kind,
    /// Which entities.
    pub members: Vec<EntityId>,
}

impl<'a> Timeline<'a> {
    /// The timeline of a record.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        let kept = without_short(&record.instants_ns);
        Self { record, counters: Counters::of(record), kept }
    }

    /// The same with so many intervals at most, each the sum of equally many.
    #[must_use]
    pub fn in_at_most(mut self, intervals: usize) -> Self {
        let have = self.kept.len().saturating_sub(1);
        let step = have.div_ceil(intervals.max(1)).max(1);
        let last = self.kept.last().copied();
        let mut kept: Vec<usize> = self.kept.into_iter().step_by(step).collect();
        if kept.last().copied() != last {
            kept.extend(last);
        }
        self.kept = kept;
        self
    }

    /// The same without a drain that would stretch it: up to the interval in which the last stream
    /// stopped asking. Requests that come home later are no load.
    #[must_use]
    pub fn under_load(mut self) -> Self {
        let phases = self.record.streams.iter().flat_map(|stream| &stream.phases);
        let asking = phases.filter(|totals| totals.phase != Phase::Drain);
        let Some(stop_ns) = asking.map(|totals| totals.to_ns).max() else { return self };
        let at = |position: &usize| self.record.instants_ns[*position];
        let end_ns = self.kept.last().map_or(0, at);
        if end_ns.saturating_sub(stop_ns) as f64 > SHORT_DRAIN_SHARE * stop_ns as f64 {
            let stop = self.kept.iter().position(|position| at(position) >= stop_ns);
            self.kept.truncate(stop.map_or(self.kept.len(), |stop| stop + 1));
        }
        self
    }

    /// How much of the pass comes after the timeline.
    #[must_use]
    pub fn left_out_ns(&self) -> u64 {
        let at = |position: &usize| self.record.instants_ns[*position];
        let whole_ns = self.record.instants_ns.last().copied().unwrap_or_default();
        whole_ns.saturating_sub(self.kept.last().map_or(whole_ns, at))
    }

    /// The middle of every interval, in seconds since the axis began.
    #[must_use]
    pub fn seconds(&self) -> Vec<f64> {
        self.intervals().map(|(from, to)| (from as f64 + to as f64) / 2e9).collect()
    }

    /// Every interval: from when to when, in ns on the record's axis.
    pub fn intervals(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let at = |position: usize| self.record.instants_ns[position];
        self.kept.windows(2).map(move |pair| (at(pair[0]), at(pair[1])))
    }

    /// Bytes a second of an entity in every interval, either way; none where nothing counts them.
    #[must_use]
    pub fn bytes_per_sec(&self, entity: EntityId) -> Option<Vec<f64>> {
        let ways = [Counter::ReadBytes, Counter::WriteBytes];
        self.sum(entity, &ways).or_else(|| self.rate(entity, Counter::MovedBytes))
    }

    /// From the beginning of the first interval to the end of the last, in seconds.
    #[must_use]
    pub fn span_s(&self) -> Option<(f64, f64)> {
        let at = |position: &usize| self.record.instants_ns[*position] as f64 / 1e9;
        Some((at(self.kept.first()?), at(self.kept.last()?)))
    }

    /// The wall clock at 0 of the axis where counters were only watched, in ns since 1970; none
    /// where it is not known.
    #[must_use]
    pub fn watched_since_unix_ns(&self) -> Option<u64> {
        let clock_ns = self.record.clock.started_unix_ns;
        (self.record.streams.is_empty() && clock_ns > 0).then_some(clock_ns)
    }

    /// What an entity did in every interval.
    #[must_use]
    pub fn usage(&self, entity: EntityId) -> Vec<Usage> {
        let count = self.record.entities.get(entity.0 as usize).map_or(1, |entity| entity.count);
        let of = |(at, (from, to)): (usize, (u64, u64))| {
            let seconds = to.saturating_sub(from) as f64 / 1e9;
            Usage::of(seconds, count, |counter| {
                let values = self.counters.values(entity, counter)?;
                Some(grown(values, self.kept[at], self.kept[at + 1]) as f64)
            })
        };
        self.intervals().enumerate().map(of).collect()
    }

    /// Growth a second of a counter in every interval; none where it was not sampled.
    #[must_use]
    pub fn rate(&self, entity: EntityId, counter: Counter) -> Option<Vec<f64>> {
        let values = self.counters.values(entity, counter)?;
        let grown = self.kept.windows(2).map(|pair| grown(values, pair[0], pair[1]));
        let rate = |((from, to), grown): ((u64, u64), u64)| {
            let seconds = to.saturating_sub(from) as f64 / 1e9;
            if seconds > 0.0 { grown as f64 / seconds } else { 0.0 }
        };
        Some(self.intervals().zip(grown).map(rate).collect())
    }

    fn sum(&self, entity: EntityId, counters: &[Counter]) -> Option<Vec<f64>> {
        let known = counters.iter().filter_map(|counter| self.rate(entity, *counter));
        known.reduce(added)
    }

    /// Each stream whose bytes were sampled, from its first request to its last.
    #[must_use]
    pub fn streams(&self) -> Vec<TimelineSeries> {
        let line = |totals: &iopath_record::StreamTotals| {
            let entity = self.record.entities.get(totals.entity.0 as usize)?;
            let rates = self.bytes_per_sec(totals.entity)?;
            let is_at_work =
                |(from, to): (u64, u64)| to > totals.first_issue_ns && from < totals.last_done_ns;
            let values = self.intervals().zip(rates);
            let values = values.map(|(span, rate)| is_at_work(span).then_some(rate)).collect();
            Some(TimelineSeries { name: entity.name.clone(), bytes_per_sec: values })
        };
        self.record.streams.iter().filter_map(line).collect()
    }

    /// What moves bytes, by kind and depth from the application down.
    #[must_use]
    pub fn tiers(&self) -> Vec<TimelineTier> {
        let flow = Flow::of(self.record);
        let tier = |(layer, kind, members): (Layer, Kind, Vec<EntityId>)| TimelineTier {
            layer,
            kind,
            members,
        };
        let moves = |tier: &TimelineTier| self.of_tier(tier).is_some();
        layers::grouped(&flow).into_iter().map(tier).filter(moves).collect()
    }

    /// Bytes a second of all of a tier in every interval; none where one of it has no counter.
    #[must_use]
    pub fn of_tier(&self, tier: &TimelineTier) -> Option<Vec<f64>> {
        let each: Option<Vec<_>> = tier.members.iter().map(|id| self.bytes_per_sec(*id)).collect();
        each?.into_iter().reduce(added)
    }

    /// Latencies of the requests that completed in every interval; none where none were kept.
    #[must_use]
    pub fn heat(&self) -> Vec<Histogram> {
        if self.record.heat.len() + 1 != self.record.instants_ns.len() {
            return Vec::new();
        }
        let of = |pair: &[usize]| {
            let mut all = Histogram::default();
            self.record.heat[pair[0]..pair[1]].iter().for_each(|one| all.merge(one));
            all
        };
        self.kept.windows(2).map(of).collect()
    }

    /// What a simulation let happen to parts of the path, in order.
    pub fn failures(&self) -> impl Iterator<Item = &'a Event> {
        failures::events(self.record)
    }

    /// The phases of the pass over all streams: each from its first beginning to its last end, as
    /// far as the timeline goes.
    #[must_use]
    pub fn phases(&self) -> Vec<PhaseSpan> {
        let end_ns = self.kept.last().map_or(0, |position| self.record.instants_ns[*position]);
        let of = |phase: Phase| {
            let all = self.record.streams.iter().flat_map(|stream| &stream.phases);
            let all = all.filter(|totals| totals.phase == phase && totals.to_ns > totals.from_ns);
            let spans = all.map(|totals| (totals.from_ns, totals.to_ns));
            let hull = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
            let hull = hull.map(|(from_ns, to_ns)| (from_ns, to_ns.min(end_ns)));
            let hull = hull.filter(|(from_ns, to_ns)| from_ns < to_ns);
            hull.map(|(from_ns, to_ns)| PhaseSpan { phase, from_ns, to_ns })
        };
        Phase::ALL.into_iter().filter_map(of).collect()
    }
}

/// Added up sample by sample: a counter may start again within a joined interval.
fn grown(values: &[u64], from: usize, to: usize) -> u64 {
    values[from..=to].windows(2).map(|step| step[1].saturating_sub(step[0])).sum()
}

fn added(mut sum: Vec<f64>, other: Vec<f64>) -> Vec<f64> {
    sum.iter_mut().zip(other).for_each(|(sum, rate)| *sum += rate);
    sum
}

/// Positions of the instants without those that end a short interval; the first and the last stay.
fn without_short(instants_ns: &[u64]) -> Vec<usize> {
    let mut lengths: Vec<u64> =
        instants_ns.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    lengths.sort_unstable();
    let short =
        lengths.get(lengths.len() / 2).map_or(0.0, |median| *median as f64 * JOINED_INTERVAL_SHARE);
    let mut kept: Vec<usize> = Vec::with_capacity(instants_ns.len());
    for (at, instant) in instants_ns.iter().enumerate() {
        let is_short = |before: usize| (instant.saturating_sub(instants_ns[before]) as f64) < short;
        if kept.last().copied().is_none_or(|before| !is_short(before)) {
            kept.push(at);
        } else if at + 1 == instants_ns.len() && kept.len() > 1 {
            kept.pop();
            kept.push(at);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use iopath_record::Series;

    #[test]
    fn a_rate_is_growth_over_the_length_of_its_interval() {
        let mut record = crate::sample::Sample::new().record();
        record.instants_ns = vec![0, 1_000_000_000, 3_000_000_000];
        let series = |counter, values: &[u64]| Series::from_values(EntityId(0), counter, values);
        record.series = vec![
            series(Counter::ReadBytes, &[5, 105, 505]),
            series(Counter::WriteBytes, &[0, 1, 1]),
        ];
        let timeline = Timeline::of(&record);
        assert_eq!(timeline.seconds(), [0.5, 2.0]);
        assert_eq!(timeline.bytes_per_sec(EntityId(0)), Some(vec![101.0, 200.0]));
        assert_eq!(timeline.bytes_per_sec(EntityId(1)), None);
    }

    #[test]
    fn usage_is_of_each_interval_and_its_latency_of_the_requests_that_completed_in_it() {
        let second = 1_000_000_000;
        let mut record = crate::sample::Sample::new().record();
        record.instants_ns = vec![0, second, 3 * second];
        let id = EntityId(0);
        record.entities[0].count = 1;
        let series = |counter, values: &[u64]| Series::from_values(id, counter, values);
        record.series = vec![
            series(Counter::ReadOperations, &[0, 10, 50]),
            series(Counter::ReadNs, &[0, 20_000_000, 20_000_000 + 40 * 5_000_000]),
            series(Counter::BusyNs, &[0, second / 2, second / 2]),
        ];
        let usage = Timeline::of(&record).usage(id);
        let rate = |at: usize| usage[at].transfers.operations_per_sec;
        assert_eq!([rate(0), rate(1)], [Some(10.0), Some(20.0)]);
        let mean = |at: usize| usage[at].transfers.ns_mean;
        assert_eq!([mean(0), mean(1)], [Some(2e6), Some(5e6)]);
        assert_eq!([usage[0].utilisation, usage[1].utilisation], [Some(0.5), Some(0.0)]);
        assert_eq!(usage[0].flush.operations_per_sec, None, "it is not counted");
    }

    #[test]
    fn short_intervals_are_joined_and_nothing_is_lost() {
        let second = 1_000_000_000;
        let instants = [0, second, 2 * second, 2 * second + 5, 3 * second, 3 * second + 7];
        assert_eq!(without_short(&instants), [0, 1, 2, 5]);
        assert_eq!(without_short(&[0, 9]), [0, 1]);
        let mut record = crate::sample::Sample::new().record();
        record.instants_ns = instants.to_vec();
        let values = [0, 10, 20, 30, 40, 50];
        record.series = vec![Series::from_values(EntityId(0), Counter::ReadBytes, &values)];
        let moved = |timeline: &Timeline<'_>| -> f64 {
            let rates = timeline.bytes_per_sec(EntityId(0)).unwrap();
            let seconds = timeline.intervals().map(|(from, to)| (to - from) as f64 / 1e9);
            rates.iter().zip(seconds).map(|(rate, seconds)| rate * seconds).sum()
        };
        let whole = Timeline::of(&record);
        assert_eq!((whole.seconds().len(), moved(&whole).round()), (3, 50.0));
        let few = Timeline::of(&record).in_at_most(2);
        assert_eq!((few.seconds().len(), moved(&few).round()), (2, 50.0));
    }

    #[test]
    fn a_stream_has_no_rate_where_it_is_not_at_work() {
        let mut record = crate::sample::Sample::new().record();
        record.instants_ns = vec![0, 10, 20, 30];
        let totals = &mut record.streams[0];
        (totals.first_issue_ns, totals.last_done_ns) = (10, 15);
        let of = totals.entity;
        record.series = vec![Series::from_values(of, Counter::WriteBytes, &[0, 0, 20, 20])];
        let streams = Timeline::of(&record).streams();
        assert_eq!(streams.len(), 1, "the other was not sampled");
        assert_eq!(streams[0].bytes_per_sec, [None, Some(2e9), None]);
    }

    #[test]
    fn a_long_drain_does_not_stretch_the_timeline_and_a_short_one_stays() {
        let second = 1_000_000_000;
        let seconds = |window_s: u64, drain: u64| {
            let mut record = crate::sample::Sample::new().record();
            record.instants_ns = (0..=window_s + drain).map(|at| at * second).collect();
            record.heat.clear();
            for stream in &mut record.streams {
                let window = stream.phases.iter().find(|one| one.phase == Phase::Window).unwrap();
                let (from_ns, to_ns) = (window_s * second, (window_s + drain) * second);
                let window = iopath_record::PhaseTotals { to_ns: from_ns, ..window.clone() };
                let phase = Phase::Drain;
                let drain = iopath_record::PhaseTotals { phase, from_ns, to_ns, ..window.clone() };
                stream.phases = vec![window, drain];
            }
            let timeline = Timeline::of(&record).under_load();
            let last = timeline.phases().last().map(|span| (span.phase, span.to_ns / second));
            (timeline.seconds().len(), last.unwrap())
        };
        assert_eq!(seconds(4, 12), (4, (Phase::Window, 4)));
        assert_eq!(seconds(40, 2), (42, (Phase::Drain, 42)));
        let mut record = crate::sample::Sample::new().record();
        record.streams.clear();
        assert_eq!(Timeline::of(&record).under_load().kept, Timeline::of(&record).kept);
    }

    #[test]
    fn heat_follows_the_intervals() {
        let record = crate::sample::Sample::new().record();
        let count = |heat: &[Histogram]| heat.iter().map(Histogram::count).sum::<u64>();
        let all = count(&record.heat);
        assert!(all > 0);
        for timeline in [Timeline::of(&record), Timeline::of(&record).in_at_most(4)] {
            assert_eq!(timeline.heat().len(), timeline.seconds().len());
            assert_eq!(count(&timeline.heat()), all);
        }
    }
}
