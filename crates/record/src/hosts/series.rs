//! The counters of all things at the instants of the merged record.
//!
//! What grows is taken between samples, rounded down: it never exceeds the sample after, and ends
//! with the rank's own last value. A counter that fell keeps its value until the sample at which it
//! was lower. A gauge is that of the sample before. What a rank could not read, or no longer read,
//! is missing; what it counted of its own work stays what it was when it ended.

use std::collections::{BTreeMap, BTreeSet};

use super::instants::{Instants, Place};
use super::parts::Parts;
use super::things::{Counts, Source, Thing, Things, adds_up};
use crate::{Counter, EntityId, Layer, Series};

pub(super) fn of(parts: &Parts, things: &Things, instants: &Instants) -> Vec<Series> {
    let sampled = Sampled::of(parts, instants);
    let each = (0..).map(EntityId).zip(&things.all);
    each.flat_map(|(id, thing)| sampled.series(id, thing, things)).collect()
}

struct Sampled<'a> {
    parts: &'a Parts,
    instants: &'a Instants,
    /// By part and entity.
    own: Vec<BTreeMap<EntityId, Vec<&'a Series>>>,
}

impl<'a> Sampled<'a> {
    fn of(parts: &'a Parts, instants: &'a Instants) -> Self {
        let mut own = vec![BTreeMap::<EntityId, Vec<&Series>>::new(); parts.ranks.len()];
        for (part, series) in parts.each(|record| &record.series) {
            own[part].entry(series.entity).or_default().push(series);
        }
        Self { parts, instants, own }
    }

    fn series(&self, id: EntityId, thing: &Thing, things: &Things) -> Vec<Series> {
        let mut columns: Vec<(Counter, Column)> = Vec::new();
        // A rank of which nothing more is seen did nothing more, but its machine may have.
        let ends = thing.counts == Counts::Added || things.entity(id).layer == Layer::Application;
        for source in self.counting(thing) {
            let own = self.own[source.part].get(&source.entity);
            for series in own.into_iter().flatten() {
                let places = &self.instants.places[source.part];
                let column = Column::of(series, places, ends);
                let counter = series.counter;
                match columns.iter_mut().find(|(known, _)| *known == counter) {
                    None => columns.push((counter, column)),
                    Some((_, known)) => match thing.counts {
                        Counts::EachKernel if !adds_up(counter) => known.lower(&column),
                        Counts::EachKernel | Counts::Added | Counts::Once => known.add(&column),
                    },
                }
            }
        }
        columns.into_iter().map(|(counter, column)| column.series(id, counter)).collect()
    }

    /// The sources whose counters are told.
    fn counting<'t>(&self, thing: &'t Thing) -> Vec<&'t Source> {
        let mut machines = BTreeSet::new();
        let all = thing.sources.iter();
        match thing.counts {
            Counts::Once => all.take(1).collect(),
            Counts::Added => all.collect(),
            Counts::EachKernel => {
                all.filter(|one| machines.insert(self.parts.machine(one.part))).collect()
            }
        }
    }
}

/// Values at the instants.
struct Column {
    values: Vec<u64>,
    /// Whether each could be read.
    known: Vec<bool>,
}

impl Column {
    fn of(series: &Series, places: &[Place], stays: bool) -> Self {
        let sampled: Vec<u64> = series.values().collect();
        let mut gaps = vec![false; sampled.len()];
        series.missing.iter().for_each(|at| gaps[*at as usize] = true);
        let is_gauge = series.counter.is_gauge();
        let known = |place: &Place| {
            let is_between = place.share > 0 && !is_gauge;
            !gaps[place.at] && !(is_between && gaps[place.at + 1]) && (stays || !place.is_over)
        };
        let known: Vec<bool> = places.iter().map(known).collect();
        let share = |place: &Place| if is_gauge { 0 } else { place.share };
        let mut values: Vec<u64> =
            places.iter().map(|place| between(&sampled, place.at, share(place))).collect();
        // The totals of the rank are the last values, read or not.
        let inner = values.len().saturating_sub(1);
        bridge(&mut values[..inner], &known[..inner]);
        Self { values, known }
    }

    fn add(&mut self, other: &Self) {
        self.join(other, u64::saturating_add);
    }

    fn lower(&mut self, other: &Self) {
        self.join(other, u64::min);
    }

    fn join(&mut self, other: &Self, one: fn(u64, u64) -> u64) {
        for (value, also) in self.values.iter_mut().zip(&other.values) {
            *value = one(*value, *also);
        }
        for (known, also) in self.known.iter_mut().zip(&other.known) {
            *known &= *also;
        }
    }

    fn series(self, entity: EntityId, counter: Counter) -> Series {
        let gaps = (0..).zip(&self.known).filter(|(_, known)| !**known);
        let missing = gaps.map(|(at, _)| at).collect();
        Series { missing, ..Series::from_values(entity, counter, &self.values) }
    }
}

/// The value that far after a sample.
fn between(sampled: &[u64], at: usize, share: u64) -> u64 {
    let from = sampled[at];
    match sampled.get(at + 1) {
        Some(to) if share > 0 && *to > from => {
            let grown = (u128::from(to - from) * u128::from(share)) >> 32;
            from + grown as u64
        }
        Some(_) | None => from,
    }
}

/// What could not be read repeats the value before it, at the beginning the first that was read.
fn bridge(values: &mut [u64], known: &[bool]) {
    let Some(first) = known.iter().position(|known| *known) else { return };
    let mut last = values[first];
    for (value, known) in values.iter_mut().zip(known) {
        match known {
            true => last = *value,
            false => *value = last,
        }
    }
}
