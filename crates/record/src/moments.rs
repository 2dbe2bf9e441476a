//! A system that counts by itself and is asked for its counters now and then, each time as a record
//! of one instant: what happened between two moments, and all of them as one record of what was
//! watched.
//!
//! Names make things the same in two moments. What is counted by itself only later had done nothing
//! before: it begins at 0. Idle time does not: it has passed since the system began. What a later
//! moment no longer has is left out, as are streams' totals: what was watched is no pass.

use std::collections::BTreeMap;

use crate::sample::is_long;
use crate::{
    CaseText, ClockNote, Counter, EntityId, Event, Reading, Record, Sample, Series, Technique,
};

/// Moments of one system in their order, one at least.
#[derive(Clone, Debug)]
pub struct Moments {
    last: Record,
    /// Of every name that was ever there, how its readings are numbered here.
    numbers: BTreeMap<String, EntityId>,
    /// By these numbers.
    samples: Vec<Sample>,
}

impl Moments {
    /// The first one.
    #[must_use]
    pub fn new(first: Record) -> Self {
        let mut moments =
            Self { last: first.clone(), numbers: BTreeMap::new(), samples: Vec::new() };
        moments.add(first);
        moments
    }

    /// A later one.
    pub fn add(&mut self, moment: Record) {
        for entity in &moment.entities {
            let next = EntityId(self.numbers.len() as u32);
            self.numbers.entry(entity.name.clone()).or_insert(next);
        }
        let numbered = numbers(&moment, &self.numbers);
        let reading = |series: &Series| {
            let entity = numbered[series.entity.0 as usize];
            Reading { entity, counter: series.counter, value: series.first }
        };
        let mut readings: Vec<Reading> = moment.series.iter().map(reading).collect();
        readings.sort_by_key(key);
        let at_ns = moment.instants_ns.first().copied().unwrap_or_default();
        self.samples.push(Sample { at_ns, readings });
        self.last = moment;
    }

    /// The last one.
    #[must_use]
    pub fn last(&self) -> &Record {
        &self.last
    }

    /// Whether they are as much as one record should hold.
    #[must_use]
    pub fn are_long(&self) -> bool {
        let values = self.samples.iter().map(|sample| sample.readings.len()).sum();
        is_long(self.samples.len(), values)
    }

    /// Leaves only the last one.
    pub fn forget(&mut self) {
        self.samples.drain(..self.samples.len() - 1);
    }

    /// The counters at the last two moments, of the entities of the last.
    #[must_use]
    pub fn interval(&self) -> [Sample; 2] {
        let from = self.samples.len().saturating_sub(2);
        let numbered = numbers(&self.last, &self.numbers);
        let sample = |sample: &Sample| Sample { at_ns: sample.at_ns, readings: Vec::new() };
        let [mut before, mut now] =
            [sample(&self.samples[from]), sample(&self.samples[self.samples.len() - 1])];
        for (entity, counter, values) in self.columns(from, &numbered) {
            before.readings.extend(values[0].map(|value| Reading { entity, counter, value }));
            let last = values.last().copied().flatten();
            now.readings.extend(last.map(|value| Reading { entity, counter, value }));
        }
        [before, now]
    }

    /// All of them as one record, under these words; none where less than two are left. The last
    /// one is the first of the next record.
    #[must_use]
    pub fn take(&mut self, case: CaseText) -> Option<Record> {
        let begin_ns = self.samples.first()?.at_ns;
        if self.samples.len() < 2 {
            return None;
        }
        let numbered = numbers(&self.last, &self.numbers);
        let all = self.columns(0, &numbered);
        let series = all.filter_map(|(entity, counter, values)| {
            // What was once unknown tells nothing of an interval.
            let values: Vec<u64> = values.into_iter().collect::<Option<_>>()?;
            Some(Series::from_values(entity, counter, &values))
        });
        let series = series.collect();
        let new = self.last.events.iter().filter(|event| event.at_ns > begin_ns);
        let record = Record {
            case,
            technique: Technique::Observation,
            clock: ClockNote {
                started_unix_ns: self.last.clock.started_unix_ns + begin_ns,
                error_ns: 0,
            },
            instants_ns: self.samples.iter().map(|sample| sample.at_ns - begin_ns).collect(),
            series,
            streams: Vec::new(),
            heat: Vec::new(),
            events: new
                .map(|event| Event { at_ns: event.at_ns - begin_ns, ..event.clone() })
                .collect(),
            ..self.last.clone()
        };
        self.forget();
        Some(record)
    }

    /// Each counter of the last moment, with its value at each from `from` on; none where it is not
    /// known.
    fn columns<'a>(
        &'a self,
        from: usize,
        numbered: &'a [EntityId],
    ) -> impl Iterator<Item = (EntityId, Counter, Vec<Option<u64>>)> + 'a {
        let samples = &self.samples[from..];
        let mut series: Vec<&Series> = self.last.series.iter().collect();
        series.sort_by_key(|one| (one.entity, one.counter));
        series.into_iter().map(move |one| {
            let wanted = (numbered[one.entity.0 as usize], one.counter);
            let value = |sample: &Sample| {
                let at = sample.readings.binary_search_by_key(&wanted, key);
                let value = at.ok().map(|at| sample.readings[at].value);
                value.or((one.counter != Counter::IdleNs).then_some(0))
            };
            (one.entity, one.counter, samples.iter().map(value).collect())
        })
    }
}

fn key(reading: &Reading) -> (EntityId, Counter) {
    (reading.entity, reading.counter)
}

/// The number of each entity of a record.
fn numbers(record: &Record, numbers: &BTreeMap<String, EntityId>) -> Vec<EntityId> {
    record.entities.iter().map(|entity| numbers[&entity.name]).collect()
}
