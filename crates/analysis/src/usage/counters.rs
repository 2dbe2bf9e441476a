//! Reading cumulative counters over a span of time.
//!
//! Samples lie about a second apart and seldom on the edges of a phase. Between two samples a
//! counter is taken to grow evenly, so a difference is off by at most what happens in one interval.
//! What carries devices has no counters of its own: its traffic is the sum of theirs, each by the
//! share that its relation states.
//! It leaves out what became of a counter that fell: it was reset, which the audit shows.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Counter, EntityId, Record, Relation, Series};

use crate::thresholds::trials::SHORT_INTERVAL_NS;
use crate::usage::related::carriers;

/// A span on a record's axis, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub from_ns: u64,
    pub to_ns: u64,
}

impl Span {
    pub(crate) fn length_ns(self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }

    /// The part of it that lies in another.
    pub(crate) fn within(self, other: Self) -> Self {
        let (from_ns, to_ns) = (self.from_ns.max(other.from_ns), self.to_ns.min(other.to_ns));
        Self { from_ns, to_ns }
    }
}

/// Spans that do not overlap, in the order of time: one for each epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spans(Vec<Span>);

impl Spans {
    /// What these cover together. Those that only touch stay apart.
    pub(crate) fn covering(mut spans: Vec<Span>) -> Self {
        spans.sort_by_key(|span| (span.from_ns, span.to_ns));
        let mut apart: Vec<Span> = Vec::new();
        for span in spans {
            match apart.last_mut() {
                Some(last) if span.from_ns < last.to_ns => last.to_ns = last.to_ns.max(span.to_ns),
                _ => apart.push(span),
            }
        }
        Self(apart)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn length_ns(&self) -> u64 {
        self.iter().map(Span::length_ns).sum()
    }

    pub(crate) fn contains(&self, at_ns: u64) -> bool {
        self.iter().any(|span| (span.from_ns..=span.to_ns).contains(&at_ns))
    }

    /// From the first beginning to the last end.
    pub(crate) fn hull(&self) -> Span {
        let from_ns = self.0.first().map_or(0, |span| span.from_ns);
        Span { from_ns, to_ns: self.0.last().map_or(from_ns, |span| span.to_ns) }
    }
}

impl From<Span> for Spans {
    fn from(span: Span) -> Self {
        Self(vec![span])
    }
}

/// All series of a record as values, by whose and which.
pub(crate) struct Counters {
    instants_ns: Vec<u64>,
    values: Values,
    /// What has the traffic of devices and no counters of its own.
    pub carriers: BTreeSet<EntityId>,
}

impl Counters {
    pub(crate) fn of(record: &Record) -> Self {
        let whole = record.series.iter().filter(|s| s.steps.len() + 1 == record.instants_ns.len());
        let values = whole.map(|s| ((s.entity, s.counter), bridged(s, &record.instants_ns)));
        let mut values: Values = values.collect();
        let carriers = carriers(record);
        let carried = carried(record, &carriers, &values);
        values.extend(carried);
        Self { instants_ns: record.instants_ns.clone(), values, carriers }
    }

    pub(crate) fn values(&self, entity: EntityId, counter: Counter) -> Option<&[u64]> {
        self.values.get(&(entity, counter)).map(Vec::as_slice)
    }

    /// Growth over everything that was sampled.
    pub(crate) fn whole(&self, entity: EntityId, counter: Counter) -> Option<u64> {
        let values = self.values(entity, counter)?;
        Some(values.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).sum())
    }

    /// Growth over `spans`, evenly between samples; only what samples cover counts. A counter that
    /// fell was reset and says nothing about that interval: it is taken to have grown as in the
    /// others. None where it fell in all of them.
    pub(crate) fn over(&self, entity: EntityId, counter: Counter, spans: &Spans) -> Option<f64> {
        let values = self.values(entity, counter)?;
        let (mut grown, mut known_ns, mut covered_ns) = (0.0, 0.0, 0.0);
        for span in spans.iter() {
            for (time, value) in self.instants_ns.windows(2).zip(values.windows(2)) {
                let interval = Span { from_ns: time[0], to_ns: time[1] };
                let within_ns = interval.within(span).length_ns() as f64;
                covered_ns += within_ns;
                if let Some(step) = value[1].checked_sub(value[0]) {
                    grown += step as f64 * share_of(interval, span);
                    known_ns += within_ns;
                }
            }
        }
        match known_ns {
            known_ns if known_ns == covered_ns => Some(grown),
            0.0 => None,
            known_ns => Some(grown * covered_ns / known_ns),
        }
    }

    /// Mean length of the intervals that have a rate; 0 where there is none.
    pub(crate) fn interval_seconds(&self) -> f64 {
        let all = self.instants_ns.windows(2).map(|time| time[1].saturating_sub(time[0]));
        let long: Vec<f64> =
            all.filter(|ns| *ns >= SHORT_INTERVAL_NS).map(|ns| ns as f64 / 1e9).collect();
        long.iter().sum::<f64>() / long.len().max(1) as f64
    }

    /// Rates per second in every interval of at least half a second: short ones are all noise.
    pub(crate) fn rates(&self, entity: EntityId, counter: Counter) -> Vec<f64> {
        let Some(values) = self.values(entity, counter) else { return Vec::new() };
        let intervals = self.instants_ns.windows(2).zip(values.windows(2));
        let long =
            intervals.filter(|(time, _)| time[1].saturating_sub(time[0]) >= SHORT_INTERVAL_NS);
        long.map(|(time, value)| {
            value[1].saturating_sub(value[0]) as f64 * 1e9 / (time[1] - time[0]) as f64
        })
        .collect()
    }

    /// From the first sample to the last.
    pub(crate) fn sampled(&self) -> Span {
        let first = self.instants_ns.first().copied().unwrap_or_default();
        let last = self.instants_ns.last().copied().unwrap_or_default();
        Span { from_ns: first, to_ns: last }
    }
}

type Values = BTreeMap<(EntityId, Counter), Vec<u64>>;

/// What passed the carriers of devices; nothing of one where a device was not counted.
fn carried(record: &Record, carriers: &BTreeSet<EntityId>, values: &Values) -> Values {
    let mut by_upper: BTreeMap<EntityId, Vec<&Relation>> = BTreeMap::new();
    for relation in record.relations.iter().filter(|one| carriers.contains(&one.upper)) {
        by_upper.entry(relation.upper).or_default().push(relation);
    }
    let mut found = Values::new();
    for (upper, relations) in by_upper {
        for (counter, is_read) in CARRIED {
            let sum = sum_of(&relations, (counter, is_read), values);
            found.extend(sum.map(|sum| ((upper, counter), sum)));
        }
    }
    found
}

/// Counters that add up over devices, and whether they count reads.
const CARRIED: [(Counter, bool); 4] = [
    (Counter::ReadBytes, true),
    (Counter::WriteBytes, false),
    (Counter::ReadOperations, true),
    (Counter::WriteOperations, false),
];

fn sum_of(
    relations: &[&Relation],
    (counter, is_read): (Counter, bool),
    values: &Values,
) -> Option<Vec<u64>> {
    let mut sum: Vec<u128> = Vec::new();
    for relation in relations {
        let copies = if is_read { relation.read_copies_ppm } else { relation.write_copies_ppm };
        for lower in &relation.lower {
            let below = values.get(&(*lower, counter))?;
            sum.resize(below.len(), 0);
            if copies > 0 {
                let carried = below.iter().map(|value| u128::from(*value) * 1_000_000);
                sum.iter_mut().zip(carried).for_each(|(sum, one)| *sum += one / u128::from(copies));
            }
        }
    }
    Some(sum.into_iter().map(|value| u64::try_from(value).unwrap_or(u64::MAX)).collect())
}

/// The values of a series; one that is missing between two that are known lies evenly between them,
/// as texts of several tools are sampled at different instants.
fn bridged(series: &Series, instants_ns: &[u64]) -> Vec<u64> {
    let mut values: Vec<u64> = series.values().collect();
    if series.missing.is_empty() {
        return values;
    }
    let missing: BTreeSet<usize> = series.missing.iter().map(|at| *at as usize).collect();
    let known: Vec<usize> = (0..values.len()).filter(|at| !missing.contains(at)).collect();
    for pair in known.windows(2).filter(|pair| pair[1] - pair[0] > 1) {
        let [from, to] = [pair[0], pair[1]];
        let grown = values[to].saturating_sub(values[from]);
        let interval = Span { from_ns: instants_ns[from], to_ns: instants_ns[to] };
        for at in from + 1..to {
            let passed = Span { from_ns: instants_ns[from], to_ns: instants_ns[at] };
            let share = share_of(interval, passed);
            values[at] = values[from] + (grown as f64 * share) as u64;
        }
    }
    values
}

/// Which part of `interval` lies within `span`.
fn share_of(interval: Span, span: Span) -> f64 {
    match interval.length_ns() {
        0 => 0.0,
        length => interval.within(span).length_ns() as f64 / length as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iopath_record::Series;

    #[test]
    fn a_span_takes_its_part_of_each_interval() {
        let entity = EntityId(0);
        let counters = Counters {
            instants_ns: vec![0, 1_000_000_000, 2_000_000_000],
            values: [((entity, Counter::BusyNs), vec![10, 110, 130])].into(),
            carriers: BTreeSet::new(),
        };
        let over = |from_ns, to_ns| {
            counters.over(entity, Counter::BusyNs, &Span { from_ns, to_ns }.into()).unwrap()
        };
        assert_eq!(over(0, 2_000_000_000), 120.0);
        assert_eq!(over(500_000_000, 1_500_000_000), 60.0);
        assert_eq!(over(2_000_000_000, 9_000_000_000), 0.0);
        assert_eq!(counters.whole(entity, Counter::BusyNs), Some(120));
        assert_eq!(counters.rates(entity, Counter::BusyNs), [100.0, 20.0]);
        assert_eq!(counters.whole(entity, Counter::UserNs), None);
    }

    #[test]
    fn spans_that_overlap_are_one_and_those_that_touch_are_not() {
        let span = |from_ns, to_ns| Span { from_ns, to_ns };
        let spans = Spans::covering(vec![span(8, 9), span(0, 3), span(2, 5), span(5, 8)]);
        assert_eq!(spans.iter().collect::<Vec<_>>(), [span(0, 5), span(5, 8), span(8, 9)]);
        assert_eq!((spans.length_ns(), spans.hull()), (9, span(0, 9)));
        let gap = Spans::covering(vec![span(0, 1), span(3, 4)]);
        assert!(gap.contains(1) && !gap.contains(2));
    }

    #[test]
    fn a_series_of_another_length_is_not_read() {
        let mut record = crate::sample::Sample::new().record();
        record.instants_ns = vec![0, 1];
        record.series = vec![Series::from_values(EntityId(0), Counter::BusyNs, &[1, 2, 3])];
        assert!(Counters::of(&record).values(EntityId(0), Counter::BusyNs).is_none());
    }

    #[test]
    fn what_is_missing_between_two_samples_lies_evenly_between_them() {
        let mut record = crate::sample::Sample::new().record();
        record.instants_ns = vec![0, 10, 20, 40, 50];
        let mut series = Series::from_values(EntityId(0), Counter::BusyNs, &[0, 0, 0, 40, 40]);
        series.missing = vec![1, 2, 4];
        record.series = vec![series];
        let counters = Counters::of(&record);
        assert_eq!(counters.values(EntityId(0), Counter::BusyNs).unwrap(), [0, 10, 20, 40, 40]);
    }
}
