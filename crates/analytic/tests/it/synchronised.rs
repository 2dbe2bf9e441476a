//! Waiting for the slowest of several members.

use iopath_record::{BoundKind, Record};

use super::build::Build;
use super::fixed::bound;

/// Members of 100 MB/s, 1 MB each, all hit by each request or some of them.
fn stripe(members: u64, at_once: u64, in_flight: f64, variation: Option<f64>) -> Build {
    let mut build = Build::default();
    let volume = build.part("vol", None);
    let root = build.read(volume, at_once * 1_000_000, &[]);
    let mut legs = Vec::new();
    for index in 0..members {
        let array = build.part(&format!("array[{index}]"), None);
        build.bytes(array, 1e8);
        build.network.components[array.0 as usize].variability = variation;
        legs.push(build.read(array, 1_000_000, &[array]));
    }
    build.stripe(root, &legs, at_once as f64);
    build.stream(root, in_flight);
    build
}

fn share(build: &Build) -> f64 {
    let record = build.evaluate();
    let members = build.network.legs.len() - 1;
    assert_eq!(record.environment["model.bound"], "synchronised");
    bound(&record, BoundKind::Synchronised) as f64 / (members as f64 * 1e8)
}

#[test]
fn one_request_at_a_time_takes_as_long_as_its_slowest_part() {
    // MODELS 6.1 simulated .635 for 24 members of variability 0.25, .718 for 8.
    assert!((share(&stripe(24, 24, 1.0, Some(0.25))) - 0.635).abs() < 0.003);
    assert!((share(&stripe(8, 8, 1.0, Some(0.25))) - 0.718).abs() < 0.003);
    // A third of the members at a time: each third waits for the slowest of 8.
    assert!((share(&stripe(24, 8, 1.0, Some(0.25))) - 0.718 / 3.0).abs() < 0.001);
}

#[test]
fn more_requests_hide_some_of_it() {
    assert!((share(&stripe(24, 24, 4.0, Some(0.25))) - 0.960).abs() < 0.006);
    assert!((share(&stripe(24, 24, 2.0, Some(1.0))) - 0.413).abs() < 0.006);
}

#[test]
fn one_member_at_a_time_waits_for_nobody() {
    let record = stripe(24, 1, 4.0, Some(0.25)).evaluate();
    assert_eq!(record.environment["model.bound"], "closed-loop");
}

fn synchronisation(record: &Record) -> Vec<&str> {
    let all = record.bounds.iter().flat_map(|bound| &bound.leaves_out);
    all.filter_map(|text| text.strip_prefix("synchronisation: ")).collect()
}

#[test]
fn what_is_not_stated_is_left_out_and_told() {
    let record = stripe(24, 24, 1.0, None).evaluate();
    assert!(record.bounds.iter().all(|bound| bound.kind != BoundKind::Synchronised));
    assert_eq!(synchronisation(&record), ["no variability is stated"; 3]);
    assert!(!synchronisation(&stripe(24, 24, 1.0, Some(0.1)).evaluate()).is_empty());
}

#[test]
fn members_within_one_array_are_one_server() {
    let mut build = stripe(24, 24, 1.0, None);
    let array = build.part("box", None);
    build.network.components[array.0 as usize].variability = Some(0.25);
    for route in &mut build.network.routes {
        route.crossed.insert(0, (array, false));
    }
    let record = build.evaluate();
    assert_eq!(record.environment["model.bound"], "closed-loop");
}

/// Parts that every request leads to: a full stripe with its parity, copies.
fn copies(parts: usize, variation: f64) -> Build {
    let mut build = stripe(parts as u64, parts as u64, 1.0, Some(variation));
    build.network.legs[0].next.iter_mut().for_each(|next| next.choice = None);
    build
}

#[test]
fn parts_without_a_choice_are_waited_for_as_well() {
    assert!((share(&copies(24, 0.25)) - share(&stripe(24, 24, 1.0, Some(0.25)))).abs() < 1e-9);
    // A stripe of eight and their parity: the slowest of nine.
    let mut build = copies(9, 0.5);
    build.network.legs[0].next[..8].iter_mut().for_each(|next| next.choice = Some(0));
    assert!((share(&build) - share(&stripe(9, 9, 1.0, Some(0.5)))).abs() < 1e-9);
}

#[test]
fn stated_variability_is_not_called_unstated() {
    let record = stripe(24, 1, 4.0, Some(0.25)).evaluate();
    assert!(!synchronisation(&record).contains(&"no variability is stated"));
}
