//! Volumes of the kernel: which member is named, or that it is none of them.

use iopath_record::{
    Counter, Direction, Entity, EntityId, Kind, Layer, Limit, Measure, Origin, Record, Relation,
    Series,
};

use super::{Cause, EvidenceLaw, Fact, Limiting, MemberFact, judge};
use crate::judges::audit::audit;
use crate::judges::balance::BalanceVerdict;
use crate::judges::metrics::TrialMetrics;
use crate::sample::{BLOCK, Sample};
use crate::usage::pass::Pass;

/// What a member does: share of the volume's requests, busy share, ms a request takes.
type Member = (f64, f64, f64);

/// A file on a volume over members; the volume is what the sample calls its disk.
fn over(sample: &Sample, kind: Kind, members: &[Member]) -> Record {
    let mut record = sample.record();
    let volume = record.entities.iter().position(|one| one.kind == Kind::Disk).unwrap();
    let disk = record.entities[volume].clone();
    let of_volume = &mut record.entities[volume];
    (of_volume.name, of_volume.kind) = ("md0".to_owned(), kind);
    (of_volume.layer, of_volume.binding) = (Layer::Volume, Some("/dev/md0".to_owned()));
    let rate = 2_000.0;
    let mut lower = Vec::new();
    for (index, (share, busy, ms)) in members.iter().enumerate() {
        let (name, binding) = (format!("sd{}", char::from(b'a' + index as u8)), None);
        record.entities.push(Entity { name, binding, ..disk.clone() });
        let id = EntityId(record.entities.len() as u32 - 1);
        lower.push(id);
        let requests = rate * share;
        for (counter, per_second) in [
            (Counter::ReadBytes, requests * BLOCK as f64),
            (Counter::WriteBytes, 0.0),
            (Counter::ReadOperations, requests),
            (Counter::WriteOperations, 0.0),
            (Counter::ReadNs, requests * ms * 1e6),
            (Counter::BusyNs, busy * 1e9),
            (Counter::InFlightNs, requests * ms * 1e6),
        ] {
            let values: Vec<u64> =
                (0..14).map(|at| (f64::from(at.min(12)) * per_second) as u64).collect();
            record.series.push(Series::from_values(id, counter, &values));
        }
    }
    let (read_copies_ppm, write_copies_ppm) = (1_000_000, 1_000_000);
    let upper = EntityId(volume as u32);
    record.relations.push(Relation { upper, lower, read_copies_ppm, write_copies_ppm });
    record
}

fn limit(record: &Record) -> Limiting {
    judge(&TrialMetrics::of(&[Pass::of(record)]))
}

/// 8 requests in flight, as good as all of them at the volume.
fn busy() -> Sample {
    Sample { device_busy: 1.0, device_in_flight: 7.9, ..Sample::new() }
}

fn named(found: &Limiting) -> (Cause, Option<&str>) {
    (found.cause, found.entity.as_deref())
}

#[test]
fn the_slow_member_of_a_stripe_is_named_and_not_the_stripe() {
    let fast = (0.25, 0.25, 1.26);
    let record = over(&busy(), Kind::Array, &[fast, fast, (0.25, 0.995, 15.0), fast]);
    let found = limit(&record);
    assert_eq!(named(&found), (Cause::Device, Some("sdc")));
    let line = found.evidence.iter().find(|line| line.law() == EvidenceLaw::Member).unwrap();
    let Fact::Member(MemberFact::Odd { volume, others: 3, busy, times_ns }) = &line.fact else {
        unreachable!("{line:?}")
    };
    let (own, theirs) = times_ns.unwrap();
    assert_eq!((line.entity.as_str(), volume.as_str()), ("sdc", "md0"));
    for (found, expected) in [
        (line.value, 0.995),
        (busy.least, 0.25),
        (busy.most, 0.25),
        (own, 15e6),
        (theirs.most, 1.26e6),
    ] {
        assert!((found / expected - 1.0).abs() < 1e-3, "{line:?}");
    }
    let carried = found.capacity.and_then(|found| found.bytes_per_sec).unwrap();
    assert!((carried - 500.0 * BLOCK as f64).abs() < 1e3, "its own rate: {carried}");
    assert_eq!(crate::judges::balance::balance(&record)[0].verdict, BalanceVerdict::SlowMembers);
}

#[test]
fn the_slow_way_of_a_multipath_device_is_named() {
    let record = over(&busy(), Kind::Multipath, &[(0.8, 0.4, 1.0), (0.2, 1.0, 18.0)]);
    assert_eq!(named(&limit(&record)), (Cause::Device, Some("sdb")));
}

#[test]
fn of_even_members_the_volume_is_named() {
    let each = (0.25, 0.99, 3.9);
    let record = over(&busy(), Kind::Volume, &[each; 4]);
    let found = limit(&record);
    assert_eq!(named(&found), (Cause::Device, Some("md0")));
    let line = found.evidence.iter().find(|line| line.law() == EvidenceLaw::Member).unwrap();
    let is_even = |fact: &Fact| {
        matches!(fact, Fact::Member(MemberFact::Even { members: 4, is_balanced: true, .. }))
    };
    assert!(line.entity == "md0" && is_even(&line.fact), "{line:?}");
    let carried = found.capacity.and_then(|found| found.bytes_per_sec).unwrap();
    assert!((carried - 2_000.0 * BLOCK as f64).abs() < 1e3, "{carried}");
}

#[test]
fn a_standby_path_is_no_fault() {
    let record = over(&busy(), Kind::Multipath, &[(1.0, 0.99, 3.9), (0.0, 0.0, 0.0)]);
    let found = limit(&record);
    assert_eq!(named(&found), (Cause::Device, Some("md0")));
    let line = found.evidence.iter().find(|line| line.law() == EvidenceLaw::Member).unwrap();
    let Fact::Member(MemberFact::Alone { member, .. }) = &line.fact else { unreachable!() };
    assert_eq!((line.entity.as_str(), member.as_str()), ("md0", "sda"));
}

#[test]
fn a_volume_that_is_busy_over_members_that_rest_is_the_limit_itself() {
    let record = over(&busy(), Kind::Volume, &[(0.5, 0.2, 0.2), (0.5, 0.2, 0.2)]);
    let found = limit(&record);
    assert_eq!(named(&found), (Cause::Device, Some("md0")));
    assert!(found.evidence.iter().any(|line| line.entity.starts_with("sd")), "{found:?}");
}

/// A mirror writes twice what it is given: neither others nor wrong counters.
#[test]
fn what_a_mirror_writes_twice_is_no_other_s_traffic() {
    let mut record = over(&busy(), Kind::Array, &[(1.0, 0.5, 1.0), (1.0, 0.5, 1.0)]);
    let of_volume = record.relations.last_mut().unwrap();
    of_volume.write_copies_ppm = 2_000_000;
    let findings = crate::findings::analyse::analyse(&[record.clone()]).unwrap();
    let kinds: Vec<&str> = findings.warnings.iter().map(crate::Warning::kind).collect();
    assert_eq!(kinds, [""; 0]);
    assert!(audit(&record).iter().all(|law| law.holds));
}

/// Its requests are half of their time in it, though each is in two members.
#[test]
fn a_write_is_in_a_mirror_once() {
    let sample = Sample { device_busy: 0.9, device_in_flight: 4.0, ..Sample::new() };
    let record = over(&sample, Kind::Array, &[(1.0, 0.9, 2.0), (1.0, 0.9, 2.0)]);
    let found = limit(&record);
    assert_ne!(found.cause, Cause::Device, "{found:?}");
}

#[test]
fn a_control_group_s_limit_on_a_member_is_found() {
    let mut record = over(&busy(), Kind::Array, &[(0.5, 0.5, 1.0), (0.5, 0.5, 1.0)]);
    let member = record.entities.iter_mut().find(|one| one.name == "sdb").unwrap();
    let per_sec = 1_000 * BLOCK;
    let (measure, direction) = (Measure::Bytes, Direction::Read);
    let origin = Origin::of_control_group("io.max", "8:16");
    member.limits.push(Limit { measure, direction, per_sec, origin, tokens: None });
    assert_eq!(named(&limit(&record)), (Cause::Throttle, Some("sdb")));
}
