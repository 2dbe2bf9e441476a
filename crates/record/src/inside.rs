//! What happened inside a system that answered a load, put into the record of the load.
//!
//! The two were recorded by different processes of one machine, each on an axis of its own; the
//! wall clock at their zeros puts one on the other. Counters are taken at the load's instants, in a
//! straight line between two samples. What both know by the same name is one thing, with the
//! load's own counters where both counted. Streams of the inside are those of the load, which are
//! counted there, and lead to what they lead to inside.

use std::collections::BTreeSet;

use crate::{Counter, EntityId, Event, Layer, Record, Relation, Series};

impl Record {
    /// Adds what happened inside meanwhile.
    #[must_use]
    pub fn with_inside(mut self, inside: &Self) -> Self {
        let places = self.add_entities(inside);
        let axis = Axis::of(&self, inside);
        let counted: BTreeSet<(EntityId, Counter)> =
            self.series.iter().map(|one| (one.entity, one.counter)).collect();
        let is_stream =
            |entity: EntityId| inside.entities[entity.0 as usize].layer == Layer::Application;
        for series in inside.series.iter().filter(|one| !is_stream(one.entity)) {
            let Some(entity) = places[series.entity.0 as usize] else { continue };
            if !counted.contains(&(entity, series.counter)) {
                self.series.push(axis.series(series, entity));
            }
        }
        // Where requests go from the streams is known better inside.
        let of_streams = inside.relations.iter().filter(|one| is_stream(one.upper));
        let led: BTreeSet<EntityId> =
            of_streams.filter_map(|one| places[one.upper.0 as usize]).collect();
        self.relations.retain(|own| !led.contains(&own.upper));
        for relation in &inside.relations {
            self.add_relation(relation, &places);
        }
        let end = self.instants_ns.last().copied().unwrap_or_default();
        for event in &inside.events {
            let at_ns = axis.here(event.at_ns).filter(|at| *at <= end);
            // What was never used has no entity: its event is still one of the inside.
            let entity = event.entity.and_then(|entity| places[entity.0 as usize]);
            let entity = entity.or(places.iter().flatten().next().copied());
            self.events.extend(at_ns.map(|at_ns| Event { at_ns, entity, ..event.clone() }));
        }
        self.events.sort_by_key(|event| event.at_ns);
        self
    }

    /// Where each entity of the inside is here; none for those that stay out.
    fn add_entities(&mut self, inside: &Self) -> Vec<Option<EntityId>> {
        let own = self.entities.len();
        let mut places: Vec<Option<EntityId>> = Vec::with_capacity(inside.entities.len());
        for entity in &inside.entities {
            let known = self.entities[..own].iter().position(|own| own.name == entity.name);
            let stays_out = [Layer::Application, Layer::Generator].contains(&entity.layer);
            places.push(match known {
                Some(known) => {
                    if !stays_out {
                        let own = &mut self.entities[known];
                        (own.kind, own.layer) = (entity.kind.clone(), entity.layer);
                    }
                    Some(EntityId(known as u32))
                }
                None if stays_out => None,
                None => {
                    self.entities.push(entity.clone());
                    Some(EntityId(self.entities.len() as u32 - 1))
                }
            });
        }
        // Parents may stand behind what they enclose.
        for entity in &mut self.entities[own..] {
            entity.parent = entity.parent.and_then(|parent| places[parent.0 as usize]);
        }
        places
    }

    fn add_relation(&mut self, relation: &Relation, places: &[Option<EntityId>]) {
        let Some(upper) = places[relation.upper.0 as usize] else { return };
        let lower = relation.lower.iter().filter_map(|lower| places[lower.0 as usize]);
        let lower: Vec<EntityId> = lower.filter(|lower| *lower != upper).collect();
        let is_known = self.relations.iter().any(|own| own.upper == upper && own.lower == lower);
        if !lower.is_empty() && !is_known {
            self.relations.push(Relation { upper, lower, ..relation.clone() });
        }
    }
}

/// How the axis of the inside is on that of the load.
struct Axis<'a> {
    /// Instants of the load, on the axis of the inside; those before it began are its beginning.
    wanted: Vec<u64>,
    sampled: &'a [u64],
    /// The zero of the load's axis on that of the inside.
    zero: i128,
}

impl<'a> Axis<'a> {
    fn of(load: &Record, inside: &'a Record) -> Self {
        let zero =
            i128::from(load.clock.started_unix_ns) - i128::from(inside.clock.started_unix_ns);
        let there = |at: &u64| u64::try_from(i128::from(*at) + zero).unwrap_or(0);
        let wanted = load.instants_ns.iter().map(there).collect();
        Self { wanted, sampled: &inside.instants_ns, zero }
    }

    fn here(&self, at_ns: u64) -> Option<u64> {
        u64::try_from(i128::from(at_ns) - self.zero).ok()
    }

    fn series(&self, series: &Series, entity: EntityId) -> Series {
        let values: Vec<u64> = series.values().collect();
        let taken: Vec<u64> = self.wanted.iter().map(|at| self.value(&values, *at)).collect();
        Series::from_values(entity, series.counter, &taken)
    }

    /// The value at an instant; beyond the last sample it is that of the last.
    fn value(&self, values: &[u64], at: u64) -> u64 {
        let after = self.sampled.partition_point(|sampled| *sampled < at);
        match (after.checked_sub(1), self.sampled.get(after)) {
            (_, None) => values.last().copied().unwrap_or_default(),
            (None, Some(_)) => values.first().copied().unwrap_or_default(),
            (Some(before), Some(end)) => {
                let (begin, from, to) = (self.sampled[before], values[before], values[after]);
                let share = (at - begin) as f64 / (end - begin).max(1) as f64;
                let grown = (to as f64 - from as f64) * share;
                from.saturating_add_signed(grown.round() as i64)
            }
        }
    }
}
