//! A system that counts by itself and is asked for its counters now and then, each time as a record
//! of one instant: what happened between two moments, and all of them as one record of what was
//! watched.
//!
//! Name and kind make things the same in two moments. A moment has no counter of what it did not
//! count: what is counted only later begins at 0, and a gauge that is not there is 0. Idle time is
//! not: it has passed since the system began. Entities of records that follow one another only
//! become more. What is left out are streams' totals: what was watched is no pass.

use std::collections::{BTreeMap, BTreeSet};

use crate::sample::is_long;
use crate::{
    CaseText, ClockNote, Counter, Entity, EntityId, Event, Kind, Reading, Record, Relation, Sample,
    Series, Technique,
};

/// What a stream that moved anything counts: that it did not read is known, too.
const TRAFFIC: [Counter; 4] =
    [Counter::ReadBytes, Counter::WriteBytes, Counter::ReadOperations, Counter::WriteOperations];

/// Moments of one system in their order, one at least.
#[derive(Clone, Debug)]
pub struct Moments {
    last: Record,
    /// Everything that was ever there.
    entities: Vec<Entity>,
    numbers: BTreeMap<(String, Kind), EntityId>,
    moments: Vec<Moment>,
}

/// Counters at an instant of the system's axis, by numbers of [`Moments::entities`].
#[derive(Clone, Debug)]
struct Moment {
    at_unix_ns: u64,
    sample: Sample,
}

impl Moments {
    /// The first one, and when it was.
    #[must_use]
    pub fn new(first: Record, at_unix_ns: u64) -> Self {
        let (entities, numbers, moments) = Default::default();
        let mut all = Self { last: first.clone(), entities, numbers, moments };
        all.add(first, at_unix_ns);
        all
    }

    /// A later one.
    pub fn add(&mut self, moment: Record, at_unix_ns: u64) {
        let numbered = self.number(&moment.entities);
        let mut values: BTreeMap<(EntityId, Counter), u64> = BTreeMap::new();
        for series in &moment.series {
            let entity = numbered[series.entity.0 as usize];
            if self.entities[entity.0 as usize].kind == Kind::Stream {
                TRAFFIC.iter().for_each(|counter| {
                    values.entry((entity, *counter)).or_default();
                });
            }
            values.insert((entity, series.counter), series.first);
        }
        let readings = values.into_iter();
        let readings =
            readings.map(|((entity, counter), value)| Reading { entity, counter, value });
        let at_ns = moment.instants_ns.first().copied().unwrap_or_default();
        let sample = Sample { at_ns, readings: readings.collect() };
        self.moments.push(Moment { at_unix_ns, sample });
        self.last = moment;
    }

    /// Where each of these is; what is new is added behind all others.
    fn number(&mut self, entities: &[Entity]) -> Vec<EntityId> {
        let known = self.entities.len();
        let each = entities.iter().map(|entity| {
            let next = EntityId(self.entities.len() as u32);
            let number = *self.numbers.entry(key(entity)).or_insert(next);
            if number == next {
                self.entities.push(entity.clone());
            }
            number
        });
        let numbered: Vec<EntityId> = each.collect();
        for entity in &mut self.entities[known..] {
            entity.parent = entity.parent.map(|parent| numbered[parent.0 as usize]);
        }
        numbered
    }

    /// The last one.
    #[must_use]
    pub fn last(&self) -> &Record {
        &self.last
    }

    /// Whether they are as much as one record should hold.
    #[must_use]
    pub fn are_long(&self) -> bool {
        let values = self.moments.iter().map(|moment| moment.sample.readings.len()).sum();
        is_long(self.moments.len(), values)
    }

    /// Leaves only the last one.
    pub fn forget(&mut self) {
        self.moments.drain(..self.moments.len() - 1);
    }

    /// The counters at the last two moments, of the entities of the last.
    #[must_use]
    pub fn interval(&self) -> [Sample; 2] {
        let from = self.moments.len().saturating_sub(2);
        let of_last = (0..).map(EntityId).zip(&self.last.entities);
        let of_last: BTreeMap<EntityId, EntityId> =
            of_last.map(|(id, entity)| (self.numbers[&key(entity)], id)).collect();
        let at = |moment: &Moment| Sample { at_ns: moment.sample.at_ns, readings: Vec::new() };
        let mut both = [&self.moments[from], &self.moments[self.moments.len() - 1]].map(at);
        for ((entity, counter), values) in self.columns(from) {
            let Some(entity) = of_last.get(&entity).copied() else { continue };
            let ends = [values.first(), values.last()];
            for (sample, value) in both.iter_mut().zip(ends) {
                let value = value.copied().flatten();
                sample.readings.extend(value.map(|value| Reading { entity, counter, value }));
            }
        }
        for sample in &mut both {
            sample.readings.sort_by_key(counted);
        }
        both
    }

    /// All of them as one record, under these words; none where less than two are left. The last
    /// one is the first of the next record.
    #[must_use]
    pub fn take(&mut self, case: CaseText) -> Option<Record> {
        let first = self.moments.first().filter(|_| self.moments.len() > 1)?;
        let begin_ns = first.sample.at_ns;
        let series = self.columns(0).into_iter().filter_map(|((entity, counter), values)| {
            // What was once unknown tells nothing of an interval.
            let values: Vec<u64> = values.into_iter().collect::<Option<_>>()?;
            Some(Series::from_values(entity, counter, &values))
        });
        let record = Record {
            case,
            technique: Technique::Observation,
            clock: ClockNote { started_unix_ns: first.at_unix_ns, error_ns: 0 },
            instants_ns: self.moments.iter().map(|one| one.sample.at_ns - begin_ns).collect(),
            series: series.collect(),
            entities: self.entities.clone(),
            relations: self.last.relations.iter().map(|one| self.relation(one)).collect(),
            streams: Vec::new(),
            heat: Vec::new(),
            events: self.events(begin_ns).collect(),
            ..self.last.clone()
        };
        self.forget();
        Some(record)
    }

    /// What happened since an instant, on an axis that begins there.
    fn events(&self, begin_ns: u64) -> impl Iterator<Item = Event> + '_ {
        let new = self.last.events.iter().filter(move |event| event.at_ns > begin_ns);
        new.map(move |event| Event {
            at_ns: event.at_ns - begin_ns,
            entity: event.entity.map(|entity| self.here(entity)),
            ..event.clone()
        })
    }

    fn relation(&self, relation: &Relation) -> Relation {
        let lower = relation.lower.iter().map(|lower| self.here(*lower)).collect();
        Relation { upper: self.here(relation.upper), lower, ..relation.clone() }
    }

    /// The number of an entity of the last moment.
    fn here(&self, entity: EntityId) -> EntityId {
        self.numbers[&key(&self.last.entities[entity.0 as usize])]
    }

    /// Each counter with its value at each moment from `from` on; none where it is not known.
    fn columns(&self, from: usize) -> BTreeMap<(EntityId, Counter), Vec<Option<u64>>> {
        let samples = self.moments[from..].iter().map(|moment| &moment.sample.readings);
        let all: BTreeSet<_> = samples.clone().flatten().map(counted).collect();
        let values = |wanted: (EntityId, Counter)| {
            let value = |readings: &Vec<Reading>| {
                let at = readings.binary_search_by_key(&wanted, counted).ok();
                let value = at.map(|at| readings[at].value);
                value.or((wanted.1 != Counter::IdleNs).then_some(0))
            };
            (wanted, samples.clone().map(value).collect())
        };
        all.into_iter().map(values).collect()
    }
}

/// What a reading is of.
fn counted(reading: &Reading) -> (EntityId, Counter) {
    (reading.entity, reading.counter)
}

/// By what an entity is known again.
fn key(entity: &Entity) -> (String, Kind) {
    (entity.name.clone(), entity.kind.clone())
}
