//! Closed forms of usage, and the laws that it keeps whatever was counted.

use iopath_record::{Counter, Entity, EntityId, Kind, Layer, Reading, Record, Sample, Series};
use proptest::prelude::*;

use super::{Requests, Usage, between, over};
use crate::usage::counters::{Span, Spans};
use crate::usage::pass::Pass;

const SECOND: u64 = 1_000_000_000;

fn entities(count: usize) -> Vec<Entity> {
    let (name, kind, layer) = ("sda".to_owned(), Kind::Disk, Layer::Device);
    let (parent, binding, limits) = (None, None, Vec::new());
    vec![Entity { name, kind, layer, parent, binding, count: 1, limits }; count]
}

fn sample(at_ns: u64, readings: &[(u32, Counter, u64)]) -> Sample {
    let reading = |&(entity, counter, value): &(u32, Counter, u64)| Reading {
        entity: EntityId(entity),
        counter,
        value,
    };
    Sample { at_ns, readings: readings.iter().map(reading).collect() }
}

/// A device whose counters have these values in each second.
fn record(series: &[(Counter, &[u64])]) -> Record {
    let mut record = crate::sample::Sample::new().record();
    (record.streams, record.heat, record.relations) = (Vec::new(), Vec::new(), Vec::new());
    record.entities = entities(1);
    record.instants_ns = (0..series[0].1.len() as u64).map(|at| at * SECOND).collect();
    let series = series.iter();
    record.series = series.map(|(of, all)| Series::from_values(EntityId(0), *of, all)).collect();
    record
}

fn usage(record: &Record, from_ns: u64, to_ns: u64) -> Usage {
    Usage::of_entity(&Pass::of(record), EntityId(0), &Span { from_ns, to_ns }.into())
}

/// What a device did in a second.
fn second(grown: &[(Counter, f64)]) -> Usage {
    Usage::of(1.0, 1, |counter| Some(grown.iter().find(|(one, _)| *one == counter)?.1))
}

#[test]
fn rates_means_and_shares_are_those_of_the_interval() {
    let earlier = sample(
        SECOND,
        &[
            (1, Counter::ReadBytes, 1_000),
            (1, Counter::ReadOperations, 10),
            (1, Counter::ReadNs, 5_000),
            (1, Counter::BusyNs, 0),
            (1, Counter::InFlightNs, 0),
            (1, Counter::InFlight, 9),
        ],
    );
    let later = sample(
        3 * SECOND,
        &[
            (1, Counter::ReadBytes, 9_000),
            (1, Counter::ReadOperations, 14),
            (1, Counter::ReadNs, 9_000),
            (1, Counter::BusyNs, 1_000_000_000),
            (1, Counter::InFlightNs, 6_000_000_000),
            (1, Counter::InFlight, 2),
        ],
    );
    let all = between(&entities(3), &earlier, &later);
    let disk = all[1];
    assert_eq!((disk.read.bytes_per_sec, disk.read.operations_per_sec), (Some(4e3), Some(2.0)));
    assert_eq!((disk.read.ns_mean, disk.transfers.bytes_mean()), (Some(1e3), Some(2e3)));
    assert_eq!((disk.utilisation, disk.in_flight_mean), (Some(0.5), Some(3.0)));
    assert_eq!(
        (disk.gauges.in_flight, disk.write, all[0]),
        (Some(2), <_>::default(), <_>::default())
    );
    assert!(disk.is_active() && !all[2].is_active());
    assert_eq!(between(&entities(3), &later, &later), []);
}

#[test]
fn a_counter_that_fell_or_was_not_there_tells_nothing() {
    let earlier = sample(0, &[(0, Counter::ReadBytes, 500), (0, Counter::BusyNs, 3)]);
    let later = sample(
        SECOND,
        &[(0, Counter::ReadBytes, 100), (0, Counter::WriteBytes, 7), (0, Counter::BusyNs, 3)],
    );
    let disk = between(&entities(1), &earlier, &later)[0];
    assert_eq!((disk.transfers, disk.utilisation), (Requests::default(), Some(0.0)));
}

#[test]
fn an_interval_in_which_a_counter_was_reset_is_taken_to_be_as_the_others() {
    let counters: [(Counter, &[u64]); 3] = [
        (Counter::ReadOperations, &[500, 600, 50, 150, 250]),
        (Counter::ReadNs, &[500_000, 600_000, 700_000, 800_000, 900_000]),
        (Counter::WriteBytes, &[9, 8, 7, 6, 5]),
    ];
    let disk = usage(&record(&counters), 0, 4 * SECOND);
    assert_eq!(disk.read.operations_per_sec, Some(100.0));
    assert_eq!((disk.read.ns_mean, disk.write.bytes_per_sec), (Some(1_000.0), None));
}

#[test]
fn the_shares_of_a_processor_are_of_the_time_it_accounts_for() {
    let times = |user, idle| {
        let each = [
            (Counter::UserNs, user),
            (Counter::SystemNs, 10),
            (Counter::IdleNs, idle),
            (Counter::IoWaitNs, 1_000 - idle),
        ];
        each.map(|(counter, value)| (0, counter, value))
    };
    let cpu = entities(1);
    let all = between(&cpu, &sample(0, &times(0, 100)), &sample(SECOND, &times(30, 190)));
    let shares = all[0].processor.unwrap();
    assert_eq!((shares.user, shares.idle, shares.io_wait), (0.25, 0.75, 0.0));
    assert_eq!((shares.busy(), shares.accounted), (0.25, 120e-9));
    assert_eq!(second(&[(Counter::SystemNs, 1e9)]).processor, None, "a share of what?");
}

#[test]
fn discards_and_flushes_are_in_flight_and_take_no_time_of_reads_and_writes() {
    let mut grown = vec![
        (Counter::ReadOperations, 100.0),
        (Counter::ReadNs, 1e9),
        (Counter::WriteOperations, 100.0),
        (Counter::WriteNs, 3e9),
        (Counter::DiscardOperations, 10.0),
        (Counter::DiscardNs, 5e8),
        (Counter::FlushOperations, 50.0),
        (Counter::FlushNs, 1.5e9),
    ];
    let without = second(&grown);
    grown.push((Counter::InFlightNs, 6e9));
    let disk = second(&grown);
    assert_eq!((disk.transfers.ns_mean, disk.in_flight_mean), (Some(2e7), Some(6.0)));
    assert_eq!((disk.flush.ns_mean, disk.discard.ns_mean), (Some(3e7), Some(5e7)));
    assert_eq!(without.in_flight_mean, Some(6.0), "the sum of the times is as good");
    grown.push((Counter::ReadBytes, 2e6));
    assert_eq!(second(&grown).transfers.held_bytes(), Some(4e4), "4 of 10 kB each");
}

#[test]
fn a_time_of_all_requests_stands_in_where_that_of_some_is_not_known() {
    let grown = [
        (Counter::ReadOperations, 100.0),
        (Counter::ReadNs, 1e9),
        (Counter::WriteOperations, 50.0),
        (Counter::FlushOperations, 50.0),
        (Counter::InFlightNs, 4e9),
    ];
    assert_eq!(second(&grown).transfers.ns_mean, Some(2e7));
    assert_eq!(second(&grown[..4]).transfers.ns_mean, None);
}

#[test]
fn moved_and_completed_stand_in_where_no_direction_is_counted() {
    let moved = [(Counter::MovedBytes, 1e6), (Counter::Completed, 10.0)];
    assert_eq!(second(&moved).transfers.bytes_mean(), Some(1e5));
    let read = [(Counter::ReadBytes, 1e6), (Counter::ReadOperations, 20.0)];
    assert_eq!(second(&read).transfers.bytes_mean(), Some(5e4));
}

#[test]
fn two_together_know_what_each_of_them_knows() {
    let disk = |operations, ns| {
        second(&[(Counter::ReadOperations, operations), (Counter::ReadNs, operations * ns)])
    };
    let both = disk(300.0, 1e6) + disk(100.0, 5e6);
    assert_eq!(
        (both.transfers.operations_per_sec, both.transfers.ns_mean),
        (Some(400.0), Some(2e6))
    );
    assert_eq!((disk(300.0, 1e6) + disk(0.0, 0.0)).transfers.ns_mean, Some(1e6));
    let bytes = second(&[(Counter::ReadBytes, 1e6)]);
    assert_eq!((both + bytes).transfers, Requests::default());
}

#[test]
fn equal_things_that_are_one_entity_share_their_busy_time() {
    let busy = |count| Usage::of(2.0, count, |_| Some(3e9)).utilisation;
    assert_eq!((busy(1), busy(3)), (Some(1.0), Some(0.5)));
}

#[test]
fn passes_of_one_observation_are_one_time() {
    let passes =
        [[0, 6_000], [6_000, 8_000]].map(|values| record(&[(Counter::ReadBytes, &values)]));
    assert_eq!(over(&passes)[0].read.bytes_per_sec, Some(4e3));
    assert_eq!(over(&[]), []);
}

proptest! {
    #[test]
    fn amounts_of_two_spans_are_those_of_both_together(
        values in proptest::collection::vec(0u64..1 << 40, 9),
        mut cuts in proptest::array::uniform3(0u64..8 * SECOND),
    ) {
        let sums = values.iter().scan(0, |sum, one| { *sum += one; Some(*sum) });
        let record = record(&[(Counter::ReadBytes, &sums.collect::<Vec<u64>>())]);
        cuts.sort_unstable();
        let [from, cut, to] = cuts;
        let amount = |from, to| {
            let rate = usage(&record, from, to).transfers.bytes_per_sec.unwrap_or_default();
            rate * (to - from) as f64 / 1e9
        };
        let (whole, parts) = (amount(from, to), amount(from, cut) + amount(cut, to));
        prop_assert!((whole - parts).abs() <= 1e-9 * whole + 1e-3, "{whole} is not {parts}");
        let apart = Spans::covering(vec![
            Span { from_ns: from, to_ns: cut }, Span { from_ns: cut, to_ns: to },
        ]);
        let apart = Usage::of_entity(&Pass::of(&record), EntityId(0), &apart);
        let rate = apart.transfers.bytes_per_sec.unwrap_or_default();
        prop_assert!((rate * (to - from) as f64 / 1e9 - whole).abs() <= 1e-9 * whole + 1e-3);
    }

    #[test]
    fn in_flight_is_rate_times_time_summed_over_kinds_and_no_device_is_busier_than_always(
        operations in proptest::array::uniform4(0u32..10_000),
        means_ns in proptest::array::uniform4(0u32..100_000_000),
        busy_ns in 0u64..2 * SECOND,
    ) {
        let counters = [
            [Counter::ReadOperations, Counter::ReadNs],
            [Counter::WriteOperations, Counter::WriteNs],
            [Counter::DiscardOperations, Counter::DiscardNs],
            [Counter::FlushOperations, Counter::FlushNs],
        ];
        let spent: Vec<f64> =
            operations.iter().zip(means_ns).map(|(n, ns)| f64::from(*n) * f64::from(ns)).collect();
        let mut grown = vec![(Counter::BusyNs, busy_ns as f64)];
        for (at, [count, ns]) in counters.into_iter().enumerate() {
            grown.extend([(count, f64::from(operations[at])), (ns, spent[at])]);
        }
        let disk = second(&grown);
        let little = [disk.transfers, disk.discard, disk.flush].iter().map(|kind| {
            kind.operations_per_sec.unwrap() * kind.ns_mean.unwrap_or_default() / 1e9
        }).sum::<f64>();
        let in_flight = disk.in_flight_mean.unwrap();
        prop_assert!((little - in_flight).abs() <= 1e-9 * in_flight, "{little} is not {in_flight}");
        prop_assert!(disk.utilisation.unwrap() <= 1.0);
    }
}
