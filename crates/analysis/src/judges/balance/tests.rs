//! Members with given rates, times and sizes.

use iopath_record::{Counter, Entity, EntityId, Kind, Layer, Record, Relation, Series};

use super::*;
use crate::judges::evidence::EvidenceLaw;
use crate::sample::Sample;

/// Rate a second, time of a request in ms, bytes of a request.
type Disk = (f64, f64, f64);

/// Disks over 100 s, below one volume or beside one another.
fn disks(all: &[Disk], is_related: bool) -> Record {
    let mut record = Sample::new().record();
    record.streams.clear();
    record.entities.clear();
    record.relations.clear();
    record.series.clear();
    record.heat.clear();
    record.instants_ns = vec![0, 100_000_000_000];
    let entity = |name: String, kind: Kind, layer| Entity {
        name,
        kind,
        layer,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    };
    record.entities.push(entity("vol".to_owned(), Kind::Volume, Layer::Volume));
    let mut lower = Vec::new();
    for (index, (rate, ms, bytes)) in all.iter().enumerate() {
        let name = format!("sd{}", char::from(b'a' + index as u8));
        record.entities.push(entity(name, Kind::Disk, Layer::Device));
        let id = EntityId(record.entities.len() as u32 - 1);
        lower.push(id);
        for (counter, grown) in [
            (Counter::ReadOperations, rate * 100.0),
            (Counter::ReadBytes, rate * 100.0 * bytes),
            (Counter::ReadNs, rate * 100.0 * ms * 1e6),
        ] {
            record.series.push(Series::from_values(id, counter, &[0, grown as u64]));
        }
    }
    if is_related {
        let upper = EntityId(0);
        let copies = 1_000_000;
        let (read_copies_ppm, write_copies_ppm) = (copies, copies);
        record.relations.push(Relation { upper, lower, read_copies_ppm, write_copies_ppm });
    }
    record
}

fn of(all: &[Disk]) -> Balance {
    balance(&disks(all, true)).remove(0)
}

const KIB32: f64 = 32_768.0;

#[test]
fn equal_rates_with_unequal_times_are_no_balance() {
    let paths: Vec<Disk> = (0..12)
        .map(|path| match path % 4 {
            0 => (494.0, 7.1, KIB32),
            _ => (500.0 + f64::from(path), 1.1, KIB32),
        })
        .collect();
    let found = of(&paths);
    assert_eq!((found.verdict, found.slow.len()), (BalanceVerdict::SlowMembers, 3));
    assert_eq!(found.slow, ["sda", "sde", "sdi"]);
    assert!((found.service_ratio.unwrap() - 7.1 / 1.1).abs() < 0.01);
    let laws: Vec<_> = found.evidence.iter().map(Evidence::law).collect();
    assert_eq!(
        laws,
        [EvidenceLaw::Rate, EvidenceLaw::Service, EvidenceLaw::InFlight, EvidenceLaw::Policy]
    );
    let beside = balance(&disks(&paths, false));
    assert_eq!((beside[0].verdict, beside[0].is_related), (BalanceVerdict::SlowMembers, false));
}

#[test]
fn times_that_differ_little_are_balanced() {
    let found = of(&[(61.0, 28.0, 5e5), (64.0, 34.0, 5e5), (67.0, 40.0, 5e5), (63.0, 31.0, 5e5)]);
    assert_eq!((found.verdict, found.slow.len()), (BalanceVerdict::Balanced, 0));
}

#[test]
fn a_longer_queue_at_one_of_equal_full_members_makes_it_no_slow_one() {
    let busy = |all: &[Disk], share: f64| {
        let mut record = disks(all, true);
        for id in 1..=all.len() as u32 {
            let grown = (share * 1e11) as u64;
            record.series.push(Series::from_values(EntityId(id), Counter::BusyNs, &[0, grown]));
        }
        balance(&record).remove(0).verdict
    };
    let mirror = [(303.0, 14.8, KIB32), (302.0, 26.1, KIB32)];
    assert_eq!(busy(&mirror, 1.0), BalanceVerdict::Balanced);
    assert_eq!(busy(&mirror, 0.9), BalanceVerdict::SlowMembers);
    let slow = [(303.0, 14.8, KIB32), (302.0, 60.0, KIB32)];
    assert_eq!(busy(&slow, 1.0), BalanceVerdict::SlowMembers);
    // Full members that carry less are slow, whatever queues there.
    let uneven = [(303.0, 14.8, KIB32), (150.0, 29.0, KIB32)];
    assert_eq!(busy(&uneven, 1.0), BalanceVerdict::UnevenAndSlow);
}

#[test]
fn each_other_case_has_its_verdict() {
    let verdict = |all: &[Disk]| of(all).verdict;
    assert_eq!(verdict(&[(100.0, 1.0, 4e3), (200.0, 1.0, 4e3)]), BalanceVerdict::UnevenRate);
    assert_eq!(verdict(&[(100.0, 4.0, 4e3), (400.0, 1.0, 4e3)]), BalanceVerdict::UnevenAndSlow);
    assert_eq!(verdict(&[(100.0, 4.0, 4e3), (100.0, 1.0, 1e3)]), BalanceVerdict::Unlike);
    // Four times as large explains four times as long, not eight; smaller explains no longer time.
    assert_eq!(verdict(&[(100.0, 8.0, 4e3), (100.0, 1.0, 1e3)]), BalanceVerdict::SlowMembers);
    assert_eq!(verdict(&[(100.0, 2.0, 1e3), (100.0, 1.0, 4e3)]), BalanceVerdict::SlowMembers);
    // Two requests each are no proof of slowness, nor 30 and 20 of an uneven load; 50 and 100 are.
    assert_eq!(verdict(&[(0.02, 9.0, 4e3), (0.02, 1.0, 4e3)]), BalanceVerdict::Balanced);
    assert_eq!(verdict(&[(0.5, 9.0, 4e3), (0.5, 1.0, 4e3)]), BalanceVerdict::SlowMembers);
    assert_eq!(verdict(&[(0.3, 1.0, 4e3), (0.2, 1.0, 4e3)]), BalanceVerdict::Balanced);
    assert_eq!(verdict(&[(1.0, 1.0, 4e3), (0.5, 1.0, 4e3)]), BalanceVerdict::UnevenRate);
    let idle = of(&[(100.0, 1.0, 4e3), (100.0, 1.0, 4e3), (0.0, 0.0, 4e3)]);
    assert_eq!((idle.verdict, idle.idle.len()), (BalanceVerdict::UnevenRate, 1));
}

#[test]
fn parts_one_behind_the_other_need_not_carry_the_same() {
    let mut record = disks(&[(100.0, 1.0, 4e3), (200.0, 1.0, 4e3)], true);
    assert_eq!(balance(&record)[0].verdict, BalanceVerdict::UnevenRate);
    record.entities[0].kind = Kind::Concat;
    record.entities[0].binding = Some("/dev/mapper/vg-lv".to_owned());
    assert_eq!(balance(&record), []);
}

#[test]
fn uneven_rates_of_disks_that_may_have_nothing_in_common_mean_nothing() {
    assert_eq!(balance(&disks(&[(100.0, 1.0, 4e3), (200.0, 1.0, 4e3)], false)), []);
}
