//! What holds of the merge of any records.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::hosts::{AxisMap, Host, OfRank, merge};
use iopath_record::{
    CaseText, Counter, EntityId, Layer, PhaseTotals, Record, Series, StreamTotals, Technique,
    decode, encode,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Left, merged};

/// What a rank saw of a counter between two samples.
#[derive(Clone, Debug)]
struct Walk {
    gaps_ns: Vec<u64>,
    steps: Vec<u64>,
    offset_ns: i64,
}

fn walk() -> impl Strategy<Value = Walk> {
    let samples = 1_usize..8;
    samples.prop_flat_map(|samples| {
        let parts = (vec(1..2_000_u64, samples), vec(0..1_000_u64, samples), -50..50_i64);
        parts.prop_map(|(gaps_ns, steps, offset_ns)| Walk { gaps_ns, steps, offset_ns })
    })
}

/// A rank whose device was sampled that way. Ranks share hosts by twos.
fn part((rank, walk): (u32, Walk)) -> OfRank {
    let mut part = Left::on(rank, rank / 2 % 3).part();
    let sum = |items: &[u64]| -> Vec<u64> {
        let all = items.iter().scan(0, |sum, item| {
            *sum += item;
            Some(*sum)
        });
        std::iter::once(0).chain(all).collect()
    };
    let record = &mut part.record;
    record.instants_ns = sum(&walk.gaps_ns);
    let values = sum(&walk.steps);
    for series in &mut record.series {
        *series = Series::from_values(series.entity, series.counter, &values);
    }
    part.axis = AxisMap { offset_ns: walk.offset_ns, rate_ppb: 0 };
    part
}

fn parts() -> impl Strategy<Value = Vec<OfRank>> {
    vec(walk(), 2..6).prop_map(|walks| (0..).zip(walks).map(part).collect())
}

fn values(record: &Record, name: &str, counter: Counter) -> Vec<u64> {
    let id = record.entities.iter().position(|entity| entity.name == name).unwrap() as u32;
    let of = |series: &&Series| series.entity == EntityId(id) && series.counter == counter;
    record.series.iter().find(of).unwrap().values().collect()
}

fn totals(record: &Record) -> Vec<(String, Vec<PhaseTotals>)> {
    let name = |one: &StreamTotals| record.entities[one.entity.0 as usize].name.clone();
    let untimed = |totals: &PhaseTotals| PhaseTotals { from_ns: 0, to_ns: 0, ..totals.clone() };
    let of = |one: &StreamTotals| (name(one), one.phases.iter().map(untimed).collect());
    record.streams.iter().map(of).collect()
}

proptest! {
    #[test]
    fn totals_are_those_of_the_ranks_and_a_reader_gets_them_back(parts in parts()) {
        let all = merged(parts.clone());
        let own: Vec<_> = parts.iter().flat_map(|part| totals(&part.record)).collect();
        prop_assert_eq!(totals(&all), own);
        prop_assert_eq!(decode(&encode(&all)).unwrap(), all);
    }

    #[test]
    fn the_order_of_parts_does_not_matter(
        (parts, turned) in parts().prop_flat_map(|all| {
            (Just(all.clone()), Just(all).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(merged(parts), merged(turned));
    }

    #[test]
    fn a_counter_grows_within_its_samples_and_ends_with_the_last(parts in parts()) {
        let all = merged(parts.clone());
        prop_assert_eq!(all.instants_ns[0], 0);
        for part in &parts {
            let stream = &part.record.entities[0].name;
            let own: Vec<u64> = part.record.series[0].values().collect();
            let found = values(&all, stream, Counter::ReadBytes);
            prop_assert!(found.is_sorted());
            prop_assert_eq!(found.last(), own.last());
            let mapped: Vec<u64> =
                part.record.instants_ns.iter().map(|at| part.axis.map(*at)).collect();
            let inner = all.instants_ns.iter().zip(&found).rev().skip(1);
            for (at, value) in inner {
                let before = mapped.iter().rposition(|sampled| sampled <= at).unwrap_or(0);
                let after = (before + 1).min(own.len() - 1);
                prop_assert!((own[before]..=own[after]).contains(value), "{own:?} {value}");
            }
        }
    }

    /// Ranks of one host first, then hosts: the same as all at once, but for what only the number
    /// of ranks tells.
    #[test]
    fn what_is_counted_is_the_same_however_ranks_are_grouped(parts in parts()) {
        let still = |part: &OfRank| OfRank { axis: AxisMap::default(), ..part.clone() };
        let parts: Vec<OfRank> = parts.iter().map(still).collect();
        let all = merged(parts.clone());
        let mut by_node: BTreeMap<String, Vec<OfRank>> = BTreeMap::new();
        for part in parts {
            by_node.entry(part.host.node.clone()).or_default().push(part);
        }
        let hosts = by_node.into_values().map(|own| {
            let first = own[0].clone();
            OfRank { record: merged(own), ..first }
        });
        let again = merged(hosts.collect());
        let names = |record: &Record| -> BTreeSet<String> {
            record.entities.iter().map(|entity| entity.name.clone()).collect()
        };
        prop_assert_eq!(names(&again), names(&all));
        let sorted = |record: &Record| {
            let mut all = totals(record);
            all.sort_by(|one, other| one.0.cmp(&other.0));
            all
        };
        prop_assert_eq!(sorted(&again), sorted(&all));
        for name in names(&all).iter().filter(|name| name.ends_with("sda")) {
            let end = |record| values(record, name, Counter::ReadBytes).last().copied();
            prop_assert_eq!(end(&again), end(&all));
        }
    }

    /// Records of any shape, as several hosts may leave them: one record, or a reason.
    #[test]
    fn any_records_are_one_or_refused(records in vec(crate::generate::record(), 2..4)) {
        let part = |(rank, mut record): (u32, Record)| {
            record.technique = Technique::Observation;
            record.bounds.clear();
            record.curve.clear();
            for (index, entity) in record.entities.iter_mut().enumerate() {
                entity.name = format!("{index}");
                if record.streams.iter().any(|stream| stream.entity.0 as usize == index) {
                    entity.layer = Layer::Application;
                    entity.name = format!("{rank}.{index}");
                }
            }
            let identities = BTreeMap::from([("0".to_owned(), "x".to_owned())]);
            let (name, node) = (format!("h{rank}"), format!("node[{rank}]"));
            let host = Host { name, node, machine: String::new() };
            OfRank { rank, host, record, identities, axis: AxisMap::default(), bound_ns: 5 }
        };
        let parts: Vec<OfRank> = (0..).zip(records).map(part).collect();
        if let Ok(all) = merge(CaseText::default(), parts) {
            prop_assert!(all.validate().is_empty());
        }
    }
}
