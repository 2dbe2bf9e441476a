//! Ports below a disk that count its bytes times a factor.

use iopath_record::{Counter, EntityId, Kind, Layer, Record, Series};

use super::*;
use crate::sample::Sample;

/// A record in which ports below the disk moved `factor` times what it did.
fn with_ports(factor: f64, is_said: bool) -> Record {
    let mut record = Sample::new().record();
    let disk = record.entities.iter().position(|one| one.kind == Kind::Disk).unwrap();
    let disk = EntityId(disk as u32);
    let moved: Vec<u64> = {
        let of = |counter| {
            let is = |one: &&Series| (one.entity, one.counter) == (disk, counter);
            record.series.iter().find(is).unwrap().values().collect::<Vec<u64>>()
        };
        let (read, written) = (of(Counter::ReadBytes), of(Counter::WriteBytes));
        read.iter().zip(written).map(|(r, w)| ((r + w) as f64 * factor / 2.0) as u64).collect()
    };
    let mut lower = Vec::new();
    for port in 0..2 {
        let mut entity = record.entities[disk.0 as usize].clone();
        (entity.name, entity.kind) = (format!("port {port}"), Kind::FcPort);
        entity.layer = Layer::Port;
        record.entities.push(entity);
        let id = EntityId(record.entities.len() as u32 - 1);
        record.series.push(Series::from_values(id, Counter::MovedBytes, &moved));
        lower.push(id);
    }
    let copies = 1_000_000;
    record.relations.push(iopath_record::Relation {
        upper: disk,
        lower,
        read_copies_ppm: copies,
        write_copies_ppm: copies,
    });
    if is_said {
        record.environment.insert("import.portperfshow.prefix".to_owned(), "1024".to_owned());
    }
    record
}

fn explained(factor: f64, is_said: bool) -> Vec<(ReasonKind, f64)> {
    let layers = layers(&with_ports(factor, is_said));
    let step = layers.steps.iter().find(|step| step.lower_layer == Layer::Port).unwrap();
    assert!((step.ratio / factor - 1.0).abs() < 1e-3, "{} not {factor}", step.ratio);
    step.explanations.iter().map(|one| (one.kind(), one.factor)).collect()
}

#[test]
fn each_layer_has_its_figures_and_each_step_its_ratio() {
    let layers = layers(&Sample::new().record());
    let tiers: Vec<_> = layers.tiers.iter().map(|tier| (tier.layer, tier.members.len())).collect();
    assert_eq!(tiers, [(Layer::Application, 2), (Layer::Device, 1)]);
    let streams = &layers.tiers[0];
    assert!((streams.request_bytes_mean.unwrap() - 131_072.0).abs() < 1.0);
}

/// The disk is counted at 0, 4 and 12.5 s, and the window is from 2 to 12 s.
#[test]
fn intervals_that_a_load_fills_in_part_are_no_cache() {
    let kinds = |share: f64, counted: &[u32]| {
        let sample = Sample { device_share: share, ..Sample::new() };
        let (_, found) = of_device(&sample, |record| {
            let missing: Vec<u32> = (0..14).filter(|at| !counted.contains(at)).collect();
            record.series.iter_mut().for_each(|series| series.missing.clone_from(&missing));
        });
        found.iter().map(Explanation::kind).collect::<Vec<_>>()
    };
    let cut = [ReasonKind::CutIntervals];
    let either = [ReasonKind::CutIntervals, ReasonKind::ServedAbove];
    let served = [ReasonKind::ServedAbove];
    // 4 s are cut at the beginning, half a second is after the end.
    assert_eq!(kinds(0.85, &[0, 4, 12, 13]), cut);
    assert_eq!(kinds(0.7, &[0, 4, 12, 13]), served, "more than they hide");
    assert_eq!(kinds(0.6, &[0, 4, 13]), either, "8.5 s are cut at the end, too");
    assert_eq!(kinds(0.6, &[0, 13]), either, "one interval is all, and counts once");
    assert_eq!(kinds(0.3, &[0, 13]), served);
    assert_eq!(kinds(0.85, &[0, 2, 12, 13]), served, "none is cut");
}

const MIB: f64 = 1.048_576;
const FC: f64 = 2148.0 / 2112.0;

#[test]
fn known_factors_are_named_and_nothing_else_is() {
    for (factor, kind) in [
        (1.0, ReasonKind::Equal),
        (1.003, ReasonKind::Equal),
        (FC, ReasonKind::Framing),
        (MIB * FC, ReasonKind::ReadMore),
        (8.0, ReasonKind::ReadMore),
        (0.8, ReasonKind::ServedAbove),
        (1.2, ReasonKind::ReadMore),
    ] {
        let found = explained(factor, false);
        assert_eq!(found[0].0, kind, "{factor}: {found:?}");
    }
}

#[test]
fn a_unit_slips_only_where_a_text_leaves_it_open() {
    for factor in [1.024, 1.0 / 1.024, MIB, 1.0 / MIB, 1.073_741_824, 2.0] {
        let found = explained(factor, false);
        let slip = found.iter().find(|(kind, _)| *kind == ReasonKind::UnitSlip);
        assert_eq!(slip, None, "the kernel counts bytes: {factor}");
    }
    assert_eq!(explained(MIB, true), [(ReasonKind::UnitSlip, MIB)]);
    assert_eq!(explained(MIB * FC, true)[0].0, ReasonKind::SlipAndFraming);
    // portperfshow is below: what the devices above it count is known.
    assert_ne!(explained(1.0 / MIB, true)[0].0, ReasonKind::UnitSlip);
}

/// What the device below the streams did, as a share of what they did, and why.
fn of_device(sample: &Sample, change: impl FnOnce(&mut Record)) -> (f64, Vec<Explanation>) {
    let mut record = sample.record();
    // The target is a device's node: nothing is known of its pages.
    record.series.retain(|series| series.counter != Counter::CachedBytes);
    change(&mut record);
    let step = layers(&record).steps.remove(0);
    (step.ratio, step.explanations)
}

/// A quarter is written: 0.75 × 2 and 0.25 × 3 are 2.25.
#[test]
fn reads_and_writes_have_copies_of_their_own() {
    let sample = Sample { write_percent: 25, device_share: 2.25, ..Sample::new() };
    let mut record = sample.record();
    record.series.retain(|series| series.counter != Counter::CachedBytes);
    let below = record.relations.last_mut().unwrap();
    (below.read_copies_ppm, below.write_copies_ppm) = (2_000_000, 3_000_000);
    let step = layers(&record).steps.remove(0);
    assert!((step.copies - 2.25).abs() < 1e-9, "{}", step.copies);
    assert!((step.ratio - 1.0).abs() < 1e-9, "{}", step.ratio);
}

#[test]
fn the_kernel_counts_no_protection_information() {
    let sample = Sample { device_share: 520.0 / 512.0, ..Sample::new() };
    let (_, found) = of_device(&sample, |record| {
        let format = "T10-DIF-TYPE1-CRC".to_owned();
        record.environment.insert("device.vda.integrity".to_owned(), format);
    });
    assert_eq!(found[0].kind(), ReasonKind::ReadMore, "{found:?}");
}

/// 256 requests of 128 KiB are 1.3 % of what is moved in the window.
#[test]
fn what_is_in_flight_at_the_end_is_told_with_its_amount() {
    let slow = |share: f64| Sample { depth: 128, device_share: share, ..Sample::new() };
    let (ratio, found) = of_device(&slow(1.012), |_| {});
    assert!((ratio - 1.012).abs() < 1e-6, "{ratio}");
    let kinds: Vec<_> = found.iter().map(Explanation::kind).collect();
    assert_eq!(kinds, [ReasonKind::InFlight]);
    let Reason::InFlight { held_bytes, moved_bytes } = found[0].reason else { unreachable!() };
    assert_eq!([held_bytes, moved_bytes].map(f64::round), [33_554_432.0, 2_621_440_000.0]);
    let (_, found) = of_device(&slow(1.014), |_| {});
    assert_eq!(found[0].kind(), ReasonKind::ReadMore, "{found:?}");
}

/// A drain of 2 s in which nothing more is issued must not dilute what the window had.
#[test]
fn windows_of_one_length_are_compared() {
    let with_drain = |record: &mut Record| {
        for stream in &mut record.streams {
            let mut drain = stream.phases[1].clone();
            drain.phase = iopath_record::Phase::Drain;
            (drain.from_ns, drain.to_ns) = (12_000_000_000, 14_000_000_000);
            (drain.read_bytes, drain.completed, drain.operations_ppm) = (0, 0, 0);
            drain.in_flight_ns = 0;
            stream.phases.push(drain);
        }
    };
    let (ratio, found) = of_device(&Sample::new(), with_drain);
    assert!((ratio - 1.0).abs() < 1e-6, "{ratio}: {found:?}");
}

/// Streams that were sampled are compared by what was read with the devices' counters.
#[test]
fn streams_are_read_at_the_instants_of_devices() {
    let with_series = |record: &mut Record| {
        let streams: Vec<EntityId> = record.streams.iter().map(|one| one.entity).collect();
        let device: Vec<u64> = record
            .series
            .iter()
            .find(|s| s.counter == Counter::ReadBytes)
            .unwrap()
            .values()
            .collect();
        for id in streams {
            let half: Vec<u64> = device.iter().map(|bytes| bytes / 2).collect();
            record.series.push(Series::from_values(id, Counter::ReadBytes, &half));
        }
    };
    let slow = Sample { device_share: 0.97, ..Sample::new() };
    assert!((of_device(&slow, |_| {}).0 - 0.97).abs() < 1e-6);
    assert!((of_device(&slow, with_series).0 - 1.0).abs() < 1e-6);
}

#[test]
fn a_rest_is_only_left_where_the_unit_was_not_told() {
    // The switch of the study read up to 10 % more than its hosts.
    assert_eq!(explained(1.09, false)[0].0, ReasonKind::ReadMore);
    let found = explained(1.09, true);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(matches!(found[0].0, ReasonKind::SlipAndFraming | ReasonKind::UnitSlip));
}

#[test]
fn ports_of_a_switch_and_of_an_array_are_two_layers_in_the_order_of_the_way() {
    let mut record = with_ports(1.0, false);
    let ports = record.entities.iter().position(|one| one.kind == Kind::FcPort).unwrap();
    for (name, kind, port) in [("a", Kind::Array, ports), ("san", Kind::Switch, ports + 1)] {
        let mut outer = record.entities[port].clone();
        outer.layer = if kind == Kind::Array { Layer::Bus } else { Layer::Switch };
        (outer.name, outer.kind) = (name.to_owned(), kind);
        record.entities.push(outer);
        record.entities[port].parent = Some(EntityId(record.entities.len() as u32 - 1));
    }
    record.relations.retain(|relation| relation.lower.iter().all(|id| id.0 < ports as u32));
    let tiers = layers(&record).tiers;
    let of_ports: Vec<&str> = tiers
        .iter()
        .filter(|tier| tier.kind == Kind::FcPort)
        .flat_map(|tier| tier.members.iter().map(String::as_str))
        .collect();
    assert_eq!(of_ports, ["port 1", "port 0"], "of the switch, then of the array");
    assert_eq!(tiers.iter().filter(|tier| tier.kind == Kind::FcPort).count(), 2);
}
