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
                        Counts::EachKernel if !adds_up(counter) => known.lower(column),
                        Counts::EachKernel | Counts::Added | Counts::Once => known.add(column),
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
    /// Instants at which it could not be read, ascending.
    missing: Vec<u32>,
}

impl Column {
    fn of(series: &Series, places: &[Place], stays: bool) -> Self {
        let sampled: Vec<u64> = series.values().collect();
        let is_gauge = series.counter.is_gauge();
        let value = |place: &Place| match is_gauge {
            true => sampled[place.at],
            false => between(&sampled, *place),
        };
        let mut values: Vec<u64> = places.iter().map(value).collect();
        let missing = missing(series, places, stays);
        // The totals of the rank are the last values, read or not.
        let inner = values.len().saturating_sub(1);
        repeat(&mut values[..inner], &missing);
        Self { values, missing }
    }

    fn add(&mut self, other: Self) {
        self.join(other, u64::saturating_add);
    }

    fn lower(&mut self, other: Self) {
        self.join(other, u64::min);
    }

    fn join(&mut self, other: Self, one: fn(u64, u64) -> u64) {
        for (value, also) in self.values.iter_mut().zip(other.values) {
            *value = one(*value, also);
        }
        self.missing.extend(other.missing);
        self.missing.sort_unstable();
        self.missing.dedup();
    }

    fn series(self, entity: EntityId, counter: Counter) -> Series {
        let Self { values, missing } = self;
        Series { missing, ..Series::from_values(entity, counter, &values) }
    }
}

/// The instants that lie at, or between, samples which could not be read, and those after a rank
/// looked for the last time, unless its counters are known to stay.
fn missing(series: &Series, places: &[Place], stays: bool) -> Vec<u32> {
    let is_watched = stays || places.last().is_none_or(|place| !place.is_over);
    if series.missing.is_empty() && is_watched {
        return Vec::new();
    }
    let mut gaps = vec![false; series.steps.len() + 1];
    series.missing.iter().for_each(|at| gaps[*at as usize] = true);
    let is_gauge = series.counter.is_gauge();
    let is_missing = |place: &Place| {
        let is_between = place.share > 0 && !is_gauge;
        let is_gap = gaps[place.at] || is_between && gaps[place.at + 1];
        is_gap || !stays && place.is_over
    };
    (0..).zip(places).filter(|(_, place)| is_missing(place)).map(|(at, _)| at).collect()
}

/// The value at a place of a counter that grows.
fn between(sampled: &[u64], Place { at, share, .. }: Place) -> u64 {
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
fn repeat(values: &mut [u64], missing: &[u32]) {
    let all = missing.iter().map(|at| *at as usize);
    let leading = all.clone().zip(0..).take_while(|(at, nth)| at == nth).count();
    if let Some(first) = values.get(leading).copied() {
        values[..leading].fill(first);
    }
    let length = values.len();
    for at in all.skip(leading).filter(|at| *at < length) {
        values[at] = values[at - 1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(at: usize, share: u64, is_over: bool) -> Place {
        Place { at, share: share << 30, is_over }
    }

    fn column(values: &[u64], missing: &[u32], places: &[Place]) -> (Vec<u64>, Vec<u32>) {
        let series = Series::from_values(EntityId(0), Counter::ReadBytes, values);
        let series = Series { missing: missing.to_vec(), ..series };
        let Column { values, missing } = Column::of(&series, places, false);
        (values, missing)
    }

    #[test]
    fn a_counter_is_on_the_line_between_samples_and_one_that_fell_stays() {
        let places = [place(0, 0, false), place(0, 2, false), place(1, 3, false)];
        assert_eq!(column(&[10, 21, 5], &[], &places), (vec![10, 15, 21], vec![]));
        let gauge = Series::from_values(EntityId(0), Counter::InFlight, &[10, 21, 5]);
        assert_eq!(Column::of(&gauge, &places, false).values, [10, 10, 21]);
    }

    #[test]
    fn what_was_not_read_repeats_what_was_and_totals_stay() {
        let places = [0, 1, 2, 3].map(|at| place(at, 0, false));
        assert_eq!(column(&[7, 7, 7, 9], &[0, 1], &places), (vec![7, 7, 7, 9], vec![0, 1]));
        let between = [place(0, 2, false), place(1, 2, false), place(3, 0, false)];
        let found = column(&[0, 4, 4, 8], &[2], &between);
        assert_eq!(found, (vec![2, 2, 8], vec![1]));
        let over = [place(0, 0, false), place(3, 0, false), place(3, 0, true)];
        assert_eq!(column(&[0, 1, 2, 3], &[], &over), (vec![0, 3, 3], vec![2]));
        let never = [place(0, 0, false), place(1, 0, false)];
        assert_eq!(column(&[3, 3], &[0, 1], &never), (vec![3, 3], vec![0, 1]));
    }
}
