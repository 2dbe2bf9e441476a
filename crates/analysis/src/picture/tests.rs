//! Pictures of made paths: folding keeps counts and totals, who differs stands alone.

use std::collections::BTreeSet;

use iopath_record::{
    Counter, Direction, Entity, EntityId, Kind, Layer, Limit, Measure, Origin, Record, Series,
};
use proptest::prelude::*;

use super::*;
use crate::judges::limit::Cause;
use crate::sample::Sample;

const MB: u64 = 1_000_000;

/// What a made device does in a second: bytes, ns in which something was in flight.
type Doing = (u64, u64);

fn entity(name: &str, kind: Kind, layer: Layer, parent: Option<u32>) -> Entity {
    Entity {
        name: name.to_owned(),
        kind,
        layer,
        parent: parent.map(EntityId),
        binding: None,
        count: 1,
        limits: Vec::new(),
    }
}

fn rated(per_sec: u64) -> Limit {
    let (measure, direction) = (Measure::Bytes, Direction::Both);
    Limit { measure, direction, per_sec, origin: Origin::Given, tokens: None }
}

/// A steady load on a volume over devices of 100 MB/s each, behind a host, a switch and an array.
fn record(names: &[String], doing: &[Doing]) -> Record {
    let mut record = Sample::new().record();
    let mut entities = record.entities.clone();
    let first = entities.len() as u32;
    entities.push(entity("server", Kind::Host, Layer::Processor, None));
    entities.push(entity("server.hba", Kind::Hba, Layer::Adapter, Some(first)));
    entities.push(entity("fabric", Kind::Switch, Layer::Switch, None));
    entities.push(entity("box", Kind::Array, Layer::Bus, None));
    let disks = first + 4;
    let total: u64 = doing.iter().map(|(bytes, _)| bytes).sum();
    let mut series = Vec::new();
    for id in first..disks {
        series.push(growing(id, Counter::ReadBytes, total));
    }
    for (at, (name, (bytes, in_flight))) in (disks..).zip(names.iter().zip(doing)) {
        entities.push(Entity {
            limits: vec![rated(100 * MB)],
            ..entity(name, Kind::Disk, Layer::Device, Some(first + 3))
        });
        series.push(growing(at, Counter::ReadBytes, *bytes));
        series.push(growing(at, Counter::ReadOperations, bytes / 1000));
        series.push(growing(at, Counter::InFlightNs, *in_flight));
    }
    record.entities = entities;
    record.series.extend(series);
    let lower = (disks..).map(EntityId).take(names.len()).collect();
    let below = record.relations.iter_mut().find(|one| one.upper == EntityId(0));
    below.expect("the sample has a file").lower = lower;
    record
}

fn growing(entity: u32, counter: Counter, per_second: u64) -> Series {
    let values: Vec<u64> = (0..14u64).map(|at| at.min(12) * per_second).collect();
    Series::from_values(EntityId(entity), counter, &values)
}

fn named(name: &str) -> BoxName {
    BoxName::Named(name.to_owned())
}

fn limited_by(name: &str) -> Limiting {
    let entity = Some(name.to_owned());
    Limiting { cause: Cause::Component, entity, capacity: None, evidence: Vec::new() }
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("box.disk[{at}]")).collect()
}

fn disks(picture: &Picture) -> Vec<&PathBox> {
    picture.boxes.iter().filter(|one| one.kind == "disk" && one.name != named("vda")).collect()
}

#[test]
fn equal_devices_are_one_box_and_the_slow_one_stands_alone() {
    let mut doing = vec![(50 * MB, 2_000_000_000); 300];
    doing[17].1 = 6_000_000_000;
    let picture = picture(&record(&names(300), &doing), &limited_by("nothing"));
    let disks = disks(&picture);
    assert_eq!(disks.len(), 2, "{disks:#?}");
    assert_eq!((disks[0].count, disks[0].members.len()), (299, 299));
    assert_eq!((&disks[1].name, disks[1].count), (&named("box.disk[17]"), 1));
    let share = disks[0].utilisation.unwrap();
    assert!((share.least - 0.5).abs() < 1e-9 && (share.most - 0.5).abs() < 1e-9);
    let time = disks[1].time_ns.unwrap().mean;
    assert!((time - 6e9 / 50_000.0).abs() < 1.0, "{time}");
}

#[test]
fn the_limit_is_marked_and_stands_alone() {
    let picture = picture(&record(&names(8), &[(50 * MB, 0); 8]), &limited_by("box.disk[2-3]"));
    let disks = disks(&picture);
    assert_eq!(disks.len(), 2);
    let marked: Vec<&&PathBox> = disks.iter().filter(|one| one.is_limit).collect();
    assert_eq!((marked.len(), &marked[0].name), (1, &named("box.disk[2-3]")));
    let all = super::picture(&record(&names(8), &[(50 * MB, 0); 8]), &limited_by("box.disk"));
    assert!(self::disks(&all).iter().all(|one| one.is_limit && one.count == 8));
}

#[test]
fn who_did_nothing_is_no_limit_though_the_name_covers_it() {
    let mut doing = [(50 * MB, 0); 8];
    doing[6] = (0, 0);
    doing[7] = (0, 0);
    let record = record(&names(8), &doing);
    let limited = picture(&record, &limited_by("box.disk"));
    let disks = disks(&limited);
    assert!(disks.len() == 1 && disks[0].is_limit && disks[0].count == 6, "{disks:#?}");
    let idle = |picture: &Picture| picture.tiers.iter().map(|tier| tier.idle).collect::<Vec<_>>();
    assert_eq!(idle(&limited), idle(&picture(&record, &limited_by("nothing"))));
}

#[test]
fn tiers_go_from_the_streams_over_the_fabric_to_the_media() {
    let picture = picture(&record(&names(4), &[(MB, 0); 4]), &limited_by("nothing"));
    let kinds = |tier: &Tier| picture.boxes[tier.boxes[0]].kind.clone();
    let tiers: Vec<String> = picture.tiers.iter().map(kinds).collect();
    let wanted = ["stream", "file", "host", "hba", "switch", "array", "disk", "disk"];
    assert_eq!(tiers[..wanted.len()], wanted);
    // Each hands on to the next, the file to the host although no relation says so.
    let ends = |edge: &Edge| {
        let kind = |at: usize| picture.boxes[at].kind.clone();
        (kind(edge.uppers[0]), kind(edge.lowers[0]))
    };
    let edges: Vec<_> = picture.edges.iter().map(ends).collect();
    for pair in ["stream", "file", "host", "hba", "switch", "array", "disk"].windows(2) {
        let pair = (pair[0].to_owned(), pair[1].to_owned());
        assert!(edges.contains(&pair), "{pair:?} in {edges:?}");
    }
}

#[test]
fn disks_of_the_kernel_fold_by_the_stem_of_their_names_where_there_are_many() {
    let disks_named = |count: u8| (0..count).map(|at| format!("sd{}", char::from(b'a' + at)));
    let of = |count: u8| {
        let record = record(&disks_named(count).collect::<Vec<_>>(), &vec![(MB, 0); count.into()]);
        let picture = picture(&record, &limited_by("nothing"));
        disks(&picture).iter().map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(3), ["sda", "sdb", "sdc"].map(named));
    let (first, last) = ("sda".to_owned(), "sdl".to_owned());
    assert_eq!(of(12), [BoxName::Between { first, last }]);
}

#[test]
fn what_did_nothing_is_counted_and_not_drawn() {
    let mut doing = vec![(0, 0); 5];
    doing[0] = (MB, 0);
    let picture = picture(&record(&names(5), &doing), &limited_by("nothing"));
    assert_eq!(disks(&picture).len(), 1);
    let idle: u64 = picture.tiers.iter().filter(|tier| !tier.is_beside).map(|tier| tier.idle).sum();
    // The sample's own disk is busy.
    assert_eq!(idle, 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn folding_keeps_every_thing_and_every_byte(
        doing in proptest::collection::vec((0..100 * MB, 0..9_000_000_000u64), 1..120),
    ) {
        let count = doing.len() as u64;
        let picture = picture(&record(&names(doing.len()), &doing), &limited_by("nothing"));
        prop_assert!(picture.boxes.len() <= 40);
        let path = || picture.tiers.iter().filter(|tier| !tier.is_beside);
        let boxes = || path().flat_map(|tier| &tier.boxes).map(|at| &picture.boxes[*at]);
        let members = || boxes().flat_map(|one| &one.members);
        let members = || members().filter(|one| one.name.starts_with("box.disk"));
        let drawn: u64 = members().map(|one| u64::from(one.count)).sum();
        let idle: u64 = path().map(|tier| tier.idle).sum();
        prop_assert_eq!(drawn + idle, count);
        let total: u64 = doing.iter().map(|(bytes, _)| bytes).sum();
        let found: f64 = members().filter_map(|one| one.bytes_per_sec).sum();
        let off = (found - total as f64).abs();
        prop_assert!(off <= 1e-6 * total as f64 + 1.0, "{} {}", found, total);
        for one in boxes() {
            let sum: u64 = one.members.iter().map(|member| u64::from(member.count)).sum();
            prop_assert_eq!(one.count, sum);
        }
    }
}

/// A node before two arrays of two disks each, with two volumes that it splits; the second disk of
/// each array carries more. Ports of the node count each byte twice.
fn virtualised() -> Record {
    let mut record = Sample::new().record();
    let mut at = record.entities.len() as u32;
    let mut series = Vec::new();
    let mut add = |name: &str, kind, layer, parent, bytes: u64| {
        record.entities.push(entity(name, kind, layer, parent));
        series.push(growing(at, Counter::ReadBytes, bytes));
        at += 1;
        at - 1
    };
    let front = add("pair[0]", Kind::Array, Layer::Bus, None, 0);
    add("pair[0].port[0]", Kind::Port, Layer::Port, Some(front), 8 * MB);
    let cache = add("pair[0].cache", Kind::Cache, Layer::Memory, Some(front), 4 * MB);
    let mirror = add("mirror.cache", Kind::Cache, Layer::Memory, Some(front), MB);
    let volumes =
        ["vdisk[0]", "vdisk[1]"].map(|name| add(name, Kind::Stripe, Layer::Volume, None, 2 * MB));
    let mut lowers = Vec::new();
    for array in 0..2 {
        let name = format!("box[{array}]");
        let own = add(&name, Kind::Array, Layer::Bus, None, 0);
        add(&format!("{name}.port"), Kind::Port, Layer::Port, Some(own), 2 * MB);
        for disk in 0..2 {
            let bytes = MB / 2 + disk * MB;
            lowers.push(add(
                &format!("{name}.disk[{disk}]"),
                Kind::Disk,
                Layer::Device,
                Some(own),
                bytes,
            ));
        }
    }
    record.series.extend(series);
    let mut below = record.relations[0].clone();
    let mut relate = |upper: u32, lower: Vec<u32>| {
        below.upper = EntityId(upper);
        below.lower = lower.into_iter().map(EntityId).collect();
        record.relations.push(below.clone());
    };
    relate(cache, volumes.to_vec());
    relate(cache, vec![mirror]);
    relate(mirror, vec![cache]);
    // Behind the sample's file, too, so one step farther from the streams than the other.
    relate(0, vec![volumes[1]]);
    relate(volumes[0], lowers[..2].to_vec());
    relate(volumes[1], lowers[2..].to_vec());
    record
}

fn tier_of<'a>(picture: &'a Picture, name: &str) -> (usize, &'a PathBox) {
    let holds = |one: &&PathBox| one.members.iter().any(|member| member.name == name);
    let found = picture.boxes.iter().find(holds).unwrap_or_else(|| panic!("{name} is drawn"));
    let is = |tier: &Tier| tier.boxes.iter().any(|at| std::ptr::eq(&picture.boxes[*at], found));
    (picture.tiers.iter().position(is).unwrap(), found)
}

#[test]
fn equal_things_stand_in_one_tier_and_boxes_of_one_pattern_have_names_of_their_own() {
    let picture = picture(&virtualised(), &limited_by("nothing"));
    let tier = |name: &str| tier_of(&picture, name).0;
    assert_eq!(tier("vdisk[0]"), tier("vdisk[1]"));
    assert_eq!(tier("box[0].disk[0]"), tier("box[1].disk[1]"));
    let mut names = BTreeSet::new();
    assert!(picture.boxes.iter().all(|one| names.insert(format!("{:?}", one.name))), "{names:?}");
}

#[test]
fn an_array_without_media_stands_before_those_with_and_its_ports_count_once() {
    let record = virtualised();
    let picture = picture(&record, &limited_by("nothing"));
    let order = ["pair[0].port[0]", "pair[0].cache", "vdisk[0]", "box[0].port", "box[0].disk[0]"];
    let tiers: Vec<usize> = order.iter().map(|name| tier_of(&picture, name).0).collect();
    assert!(tiers.is_sorted_by(|a, b| a < b), "{tiers:?}");
    let port = tier_of(&picture, "pair[0].port[0]").1;
    assert!(port.counts_twice && (port.bytes_per_sec.unwrap() - 4e6).abs() < 1.0, "{port:?}");
    assert!((port.read_bytes_per_sec.unwrap() - 4e6).abs() < 1.0, "{port:?}");
    let at = picture.boxes.iter().position(|one| std::ptr::eq(one, port)).unwrap();
    let over_time = &picture.rates_over_time(&record)[at];
    assert!((over_time[0] - 4e6).abs() < 1.0, "{over_time:?}");
    let end = tier_of(&picture, "box[0].port").1;
    assert!(!end.counts_twice && (end.bytes_per_sec.unwrap() - 4e6).abs() < 1.0, "{end:?}");
}
