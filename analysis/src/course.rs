//! What happened when: rates of every interval between two samples, and the phases of a pass.
//!
//! A rate is the growth of a counter over the length of its interval. Sums over several entities
//! exist only where each of them has the counter. It leaves out what lies within an interval, and
//! gauges that are no rate.

use iopath_record::{Counter, EntityId, Phase, Record};

use crate::counters::Counters;

/// The course of one pass.
pub struct Course<'a> {
    record: &'a Record,
    counters: Counters,
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

impl<'a> Course<'a> {
    /// The course of a record.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        Self { record, counters: Counters::of(record) }
    }

    /// The middle of every interval, in seconds since the axis began.
    #[must_use]
    pub fn seconds(&self) -> Vec<f64> {
        let pairs = self.record.instants_ns.windows(2);
        pairs.map(|pair| (pair[0] as f64 + pair[1] as f64) / 2e9).collect()
    }

    /// Bytes a second of an entity in every interval, either way; none where nothing counts them.
    #[must_use]
    pub fn bytes_per_sec(&self, entity: EntityId) -> Option<Vec<f64>> {
        let ways = [Counter::ReadBytes, Counter::WriteBytes];
        self.sum(entity, &ways).or_else(|| self.rate(entity, Counter::MovedBytes))
    }

    /// Growth a second of a counter in every interval; none where it was not sampled.
    #[must_use]
    pub fn rate(&self, entity: EntityId, counter: Counter) -> Option<Vec<f64>> {
        let values = self.counters.values(entity, counter)?;
        let intervals = self.record.instants_ns.windows(2).zip(values.windows(2));
        let rate = |(time, value): (&[u64], &[u64])| {
            let seconds = time[1].saturating_sub(time[0]) as f64 / 1e9;
            let grown = value[1].saturating_sub(value[0]) as f64;
            if seconds > 0.0 { grown / seconds } else { 0.0 }
        };
        Some(intervals.map(rate).collect())
    }

    fn sum(&self, entity: EntityId, counters: &[Counter]) -> Option<Vec<f64>> {
        let known = counters.iter().filter_map(|counter| self.rate(entity, *counter));
        known.reduce(|mut sum, other| {
            sum.iter_mut().zip(other).for_each(|(sum, rate)| *sum += rate);
            sum
        })
    }

    /// The phases of the pass over all streams: each from its first beginning to its last end.
    #[must_use]
    pub fn phases(&self) -> Vec<PhaseSpan> {
        let of = |phase: Phase| {
            let all = self.record.streams.iter().flat_map(|stream| &stream.phases);
            let all = all.filter(|totals| totals.phase == phase && totals.to_ns > totals.from_ns);
            let spans = all.map(|totals| (totals.from_ns, totals.to_ns));
            let hull = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
            hull.map(|(from_ns, to_ns)| PhaseSpan { phase, from_ns, to_ns })
        };
        Phase::ALL.into_iter().filter_map(of).collect()
    }
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
        let course = Course::of(&record);
        assert_eq!(course.seconds(), [0.5, 2.0]);
        assert_eq!(course.bytes_per_sec(EntityId(0)), Some(vec![101.0, 200.0]));
        assert_eq!(course.bytes_per_sec(EntityId(1)), None);
    }
}
