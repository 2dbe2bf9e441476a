//! What a rig carries: its groups, shared by streams as a slow and obvious model shares them, give
//! the total of the bound with fixed shares.

use std::collections::BTreeMap;

use iopath_emulation::{Counts, Plan};
use iopath_path::{Geometry, Laid, Measure};
use iopath_record::{BoundKind, Layer, Price};
use iopath_study::case::Target;
use iopath_study::{Case, PartId, Scale};
use iopath_units::Op;

use super::studies::{
    GPFS, JFS2, P690, STORAGETEK, SVC, VERITAS, cases, network, one, paths, planned,
};

const SWITCHES: &str = include_str!("../../../../studies/nvme-pcie-switches.kdl");
const LUSTRE: &str = include_str!("../../../../studies/lustre-oss-raid6.kdl");
const ZFS: &str = include_str!("../../../../studies/zfs-sas-expander.kdl");
const CLOUD: &str = include_str!("../../../../studies/cloud-token-bucket.kdl");

/// Bytes of each part for a byte of what lies on it, in full stripes.
fn spread(laid: &Laid, op: Op, times: f64, sums: &mut BTreeMap<PartId, f64>) {
    match laid {
        Laid::Real(part) => *sums.entry(*part).or_insert(0.0) += times,
        Laid::Piece { of, .. } => spread(of, op, times, sums),
        Laid::Volume { volume, members, .. } => {
            let count = members.len() as f64;
            let copies = match (&volume.geometry, op) {
                (Geometry::Mirror, Op::Write) => count,
                (Geometry::StripedMirrors { .. }, Op::Write) => 2.0,
                (Geometry::Parity(parity), Op::Write) => {
                    let width = parity.width(volume.members);
                    f64::from(width) / f64::from(width - parity.parity)
                }
                _ => 1.0,
            };
            members.iter().for_each(|one| spread(one, op, times * copies / count, sums));
        }
    }
}

/// What a byte of a stream uses up of each group.
fn uses(bound: &Case, plan: &Plan, stream: usize) -> BTreeMap<usize, f64> {
    let stream = &bound.streams[stream];
    let target: &Target = &bound.targets[stream.target];
    let laid = Laid::of(&bound.system, target.part, &|part| target.below.contains_key(&part));
    let reads = stream.reads.as_f64();
    let mut uses = BTreeMap::new();
    let mut meet = |path: &str, op: Op, bytes: f64| {
        let device: usize = path.strip_prefix("/run/").unwrap().parse().unwrap();
        for at in &plan.rig.devices[device].groups {
            let group = &plan.rig.groups[*at];
            let amount = match group.counts {
                Counts::Bytes => bytes,
                Counts::Operations => bytes / stream.block.0 as f64,
            };
            if group.direction.carries(op) && amount > 0.0 {
                *uses.entry(*at).or_insert(0.0) += amount;
            }
        }
    };
    for (op, share) in [(Op::Read, reads), (Op::Write, 1.0 - reads)] {
        let mut parts = BTreeMap::new();
        spread(laid.as_ref().unwrap(), op, share, &mut parts);
        for (part, bytes) in parts {
            let bind = &target.below[&part];
            let turns = bind.paths.len() as f64;
            bind.paths.iter().for_each(|path| meet(path, op, bytes / turns));
            let copy = bind.copy.as_deref().filter(|_| op == Op::Write);
            copy.into_iter().for_each(|path| meet(path, op, bytes));
        }
    }
    uses
}

/// Bytes per second of all streams together, when each gets as much as the others until one of its
/// groups is full.
fn shared(case: &Case, plan: &Plan) -> f64 {
    let bound = plan.bind(case, &paths(plan));
    let uses: Vec<_> = (0..bound.streams.len()).map(|at| uses(&bound, plan, at)).collect();
    let mut rates = vec![0.0_f64; uses.len()];
    let mut waiting: Vec<usize> = (0..uses.len()).collect();
    let mut left: Vec<f64> = plan.rig.groups.iter().map(|group| group.per_sec).collect();
    while !waiting.is_empty() {
        let mut wanted = vec![0.0; left.len()];
        waiting.iter().flat_map(|at| &uses[*at]).for_each(|(group, use_)| wanted[*group] += use_);
        let room = |group: usize| left[group] / wanted[group];
        let groups = (0..left.len()).filter(|group| wanted[*group] > 0.0);
        let step = groups.map(room).fold(f64::INFINITY, f64::min);
        assert!(step.is_finite(), "a stream meets no group");
        let is_full = |group: usize| wanted[group] > 0.0 && room(group) <= step * (1.0 + 1e-9);
        let full: Vec<bool> = (0..left.len()).map(is_full).collect();
        waiting.iter().for_each(|at| rates[*at] += step);
        left.iter_mut().zip(&wanted).for_each(|(left, wanted)| *left -= step * wanted);
        waiting.retain(|at| !uses[*at].keys().any(|group| full[*group]));
    }
    rates.iter().sum()
}

/// The total of a case by its groups and by its bound, of the original. What the one thread of a
/// stream prepares is no group: there the bound may be less.
struct Totals {
    groups: f64,
    bound: f64,
    is_by_thread: bool,
}

fn totals(case: &Case, scale: u64) -> Totals {
    let (case, network, plan) = planned(case, scale);
    let record = iopath_analytic::evaluate(&case, &network);
    let bound = record.bounds.iter().find(|bound| bound.kind == BoundKind::FixedSplit).unwrap();
    let layer = |price: &Price| record.entities[price.of.entity.0 as usize].layer;
    Totals {
        groups: shared(&case, &plan) * scale as f64,
        bound: (bound.bytes_per_sec * scale) as f64,
        is_by_thread: bound.binding.iter().any(|price| layer(price) == Layer::Application),
    }
}

/// That of every so many cases of an experiment.
fn agree(text: &str, experiment: &str, (scale, step): (u64, usize)) {
    let all = cases(text, &[]);
    let mut some = all.iter().filter(|case| case.experiment == experiment).step_by(step).peekable();
    assert!(some.peek().is_some(), "{experiment}");
    for case in some {
        let Totals { groups, bound, is_by_thread } = totals(case, scale);
        let ratio = groups / bound;
        // Rates of a scaled case are whole bytes per second.
        let agrees = (ratio - 1.0).abs() < 1e-4 || is_by_thread && ratio > 1.0;
        assert!(agrees, "{:?}: {groups} {bound}", case.levels);
    }
}

#[test]
fn the_p690_carries_what_its_bounds_say() {
    let total = |experiment, levels: &[&str]| totals(&one(P690, experiment, levels), 32).groups;
    let is = |total: f64, expected: f64| (total / expected - 1.0).abs() < 1e-6;
    assert!(is(total("component profile", &["link1", "read"]), 814e6));
    assert!(is(total("component profile", &["seven drawers", "read"]), 14.0 * 1332e6));
    assert!(is(total("cabling", &["hosts on ports 0-15, storage on 16-31"]), 1600e6));
    agree(P690, "component profile", (32, 1));
    agree(P690, "cabling", (32, 1));
    agree(P690, "more adapters", (32, 3));
    agree(P690, "RAID geometry", (32, 1));
    agree(P690, "striped volumes", (32, 5));
}

#[test]
fn files_of_many_arrays_carry_what_their_bounds_say() {
    agree(JFS2, "one file", (32, 5));
    agree(JFS2, "read behind write", (32, 2));
    agree(VERITAS, "raw volume, one node", (16, 1));
    agree(VERITAS, "raw volume, two nodes", (16, 1));
}

#[test]
fn copies_parity_switches_and_buckets_carry_what_their_bounds_say() {
    agree(STORAGETEK, "path balance", (32, 1));
    agree(LUSTRE, "streams", (32, 3));
    agree(ZFS, "ladder", (32, 1));
    agree(SWITCHES, "large requests", (32, 3));
    agree(SWITCHES, "small requests", (1, 1));
    agree(CLOUD, "buckets empty", (2, 3));
    agree(SVC, "hits", (1, 3));
}

/// Full stripes of units and segments that the study leaves out.
const LEFT_OUT: &str = r#"study "s"
path {
    host "h" { hba }
    array "a" { controller; lun "l" level=5 { disk count=5 size="1 GiB" stream="20 MB/s" } }
    wire from="h.hba" to="a.controller"
}
workload op="write" { streams "w" over="a.l" block="256 KiB" depth=4 }"#;

#[test]
fn full_stripes_stay_whole_where_a_study_says_no_segment() {
    for scale in [1, 8] {
        let Totals { groups, bound, .. } = totals(&cases(LEFT_OUT, &[])[0], scale);
        assert!((bound / 80e6 - 1.0).abs() < 1e-4, "1:{scale}: {bound}");
        assert!((groups / bound - 1.0).abs() < 1e-4, "1:{scale}: {groups} {bound}");
    }
}

#[test]
fn half_of_the_requests_in_a_cache_make_what_is_behind_it_twice_as_fast() {
    let levels = ["ds4300..lun", "70/30/50", "RAID10"];
    let case = one(SVC, "4 KiB", &levels);
    let Totals { groups, bound, .. } = totals(&case, 1);
    assert!((groups / bound - 1.0).abs() < 1e-4, "{groups} {bound}");
    let (_, _, plan) = planned(&case, 1);
    assert!(plan.notes.iter().any(|note| note.kind == "cache-hits"));
}

#[test]
fn processors_of_the_host_hold_nothing_back_and_that_is_told() {
    let case = one(GPFS, "five steps", &["2", "read"]);
    let Totals { groups, bound, .. } = totals(&case, 32);
    assert!(groups > 1.5 * bound, "{groups} {bound}");
    let (_, _, plan) = planned(&case, 32);
    let told = plan.notes.iter().find(|note| note.kind == "processors").unwrap();
    assert_eq!(told.text, "processors of p690 are not emulated");
}

#[test]
fn rows_of_a_scaled_case_are_those_of_the_original_divided() {
    for (text, scale, stretch) in [(P690, 32, 1), (STORAGETEK, 8, 4), (CLOUD, 2, 3)] {
        let case = cases(text, &[]).remove(0);
        let small = case.scaled(Scale::new(scale, stretch).unwrap()).unwrap();
        let (whole, small) = (network(&case), network(&small));
        assert_eq!(whole.rows.len(), small.rows.len());
        for (large, small) in whole.rows.iter().zip(&small.rows) {
            let divisor = match large.measure {
                Measure::Bytes => scale * stretch,
                Measure::Operations => stretch,
                Measure::Busy => 1,
            };
            let exact = large.capacity / divisor as f64;
            assert!((small.capacity - exact).abs() <= 0.5, "{small:?} for {exact}");
        }
        for (large, small) in whole.legs.iter().zip(&small.legs) {
            assert_eq!(large.bytes, small.bytes * scale);
            // Seconds of service stay those of the original, but for the stretch.
            for (large, small) in large.charges.iter().zip(&small.charges) {
                let factor = match whole.row(large.row).measure {
                    Measure::Busy => stretch as f64,
                    Measure::Operations => 1.0,
                    Measure::Bytes => 1.0 / scale as f64,
                };
                let exact = large.amount * factor;
                assert!((small.amount / exact - 1.0).abs() < 1e-5, "{small:?} for {exact}");
            }
        }
    }
}
