//! Counters that start at 0 and grow by what each interval moved.

use std::collections::BTreeMap;

use iopath_record::{Record, Series};

use super::entities::Places;
use crate::imported::Imported;

pub(super) fn all(all: &[Imported], axis: &[u64], places: &Places, record: &mut Record) {
    let position: BTreeMap<u64, usize> =
        record.instants_ns.iter().enumerate().map(|(index, at)| (*at, index)).collect();
    for ((one, begin), own) in all.iter().zip(axis).zip(places) {
        let edges = one.edges_after(*begin);
        let edges: Vec<usize> = edges.filter_map(|at| position.get(&at).copied()).collect();
        for (thing, place) in one.things.iter().zip(own).filter(|(_, place)| place.is_kept) {
            for (counter, grown) in &thing.grown {
                let (values, missing) = cumulative(grown, &edges, position.len());
                let mut series = Series::from_values(place.entity, *counter, &values);
                series.missing = missing;
                record.series.push(series);
            }
        }
    }
}

/// Values at all instants, and those at which the text tells none.
fn cumulative(grown: &[Option<f64>], edges: &[usize], instants: usize) -> (Vec<u64>, Vec<u32>) {
    let mut told: Vec<Option<f64>> = vec![None; instants];
    let mut sum = 0.0;
    if let (Some(first), Some(Some(_))) = (edges.first(), grown.first()) {
        told[*first] = Some(0.0);
    }
    for (pair, amount) in edges.windows(2).zip(grown) {
        if let Some(amount) = amount {
            // What is told of an interval begins somewhere, too.
            told[pair[0]] = told[pair[0]].or(Some(sum));
            sum += amount;
            told[pair[1]] = Some(sum);
        }
    }
    let mut value = 0;
    let (mut values, mut missing) = (Vec::new(), Vec::new());
    for (index, one) in (0u32..).zip(told) {
        match one {
            // Conversion of floats saturates.
            Some(sum) => value = sum.round() as u64,
            None => missing.push(index),
        }
        values.push(value);
    }
    (values, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_does_not_add_up() {
        let grown = vec![Some(0.4); 10];
        let (values, missing) = cumulative(&grown, &(0..11).collect::<Vec<_>>(), 11);
        assert_eq!((values[10], missing.len()), (4, 0));
    }

    #[test]
    fn what_is_not_told_is_missing() {
        let grown = [Some(5.0), None, Some(7.0)];
        // Instants 1 and 4 are those of another text.
        let (values, missing) = cumulative(&grown, &[0, 2, 3, 5], 6);
        assert_eq!(values, [0, 0, 5, 5, 5, 12]);
        assert_eq!(missing, [1, 4]);
        let (_, missing) = cumulative(&[None, Some(1.0)], &[0, 1, 2], 3);
        assert_eq!(missing, [0]);
    }
}
