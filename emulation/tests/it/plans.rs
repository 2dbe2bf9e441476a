//! Plans of the shipped studies: devices, groups, and the case that runs on them.

use iopath_emulation::{CannotEmulate, Plan};
use iopath_path::Laid;
use iopath_study::Case;

use super::studies::{network, one, paths, planned};

const P690: &str = include_str!("../../../studies/p690.kdl");
const JFS2: &str = include_str!("../../../studies/jfs2.kdl");
const GPFS: &str = include_str!("../../../studies/gpfs.kdl");
const VERITAS: &str = include_str!("../../../studies/veritas-cfs.kdl");
const SVC: &str = include_str!("../../../studies/svc.kdl");
const STORAGETEK: &str = include_str!("../../../studies/storagetek-2540.kdl");

/// Names of the groups of a device, from the medium to the host.
fn names(plan: &Plan, device: usize) -> Vec<&str> {
    plan.groups_of(device).map(|group| group.name.as_str()).collect()
}

/// What must hold of every plan: positions exist, and the case that runs lies on devices only.
fn check(case: &Case, plan: &Plan) -> Case {
    for device in &plan.rig.devices {
        assert!(device.groups.iter().all(|group| *group < plan.rig.groups.len()));
        assert!(device.bytes > 0 && device.bytes % 4096 == 0, "{device:?}");
    }
    assert!(plan.rig.groups.iter().all(|group| group.per_sec > 0.0 && group.per_sec.is_finite()));
    let bound = plan.bind(case, &paths(plan));
    for target in &bound.targets {
        let laid = Laid::of(&bound.system, target.part, &|part| target.below.contains_key(&part));
        for part in laid.unwrap().real() {
            assert!(!target.below[&part].paths.is_empty());
        }
    }
    for stream in &bound.streams {
        assert!(stream.target < bound.targets.len());
        assert!(stream.modelled.via.is_empty() && stream.modelled.on.is_none());
        assert_eq!(stream.modelled.hit.0, 0);
    }
    bound
}

#[test]
fn each_adapter_of_the_p690_has_its_lun() {
    let case = one(P690, "component profile", &["seven drawers", "read"]);
    let (case, _, plan) = planned(&case, 32);
    let bound = check(&case, &plan);
    assert_eq!(plan.rig.devices.len(), 112);
    assert_eq!((bound.targets.len(), bound.streams.len()), (112, 224));
    let names = names(&plan, 0);
    assert_eq!(plan.rig.devices[0].name, "fastt[0].controller[0].lun");
    let host = names.iter().position(|name| name.ends_with("planar[0].read")).unwrap();
    let link = names.iter().position(|name| name.ends_with("link0.read")).unwrap();
    let hba = names.iter().position(|name| name.contains(".hba")).unwrap();
    let port = names.iter().position(|name| name.starts_with("fastt[0]")).unwrap();
    assert!(port < hba && hba < link && link < host, "{names:?}");
    let planar = |group: &&iopath_emulation::Group| group.name.contains("planar[1].read");
    let planars: Vec<f64> = plan.rig.groups.iter().filter(planar).map(|one| one.per_sec).collect();
    assert_eq!(planars, [1332e6 / 32.0; 7]);
}

#[test]
fn a_part_of_the_profile_has_only_its_luns() {
    let case = one(P690, "component profile", &["adapter", "write"]);
    let (case, _, plan) = planned(&case, 32);
    let bound = check(&case, &plan);
    assert_eq!((plan.rig.devices.len(), bound.streams.len()), (1, 2));
    let (read, write) = plan.alone(0);
    assert_eq!(write.map(|rate| rate.0), Some(195_000_000 / 32));
    assert_eq!(read, None, "nothing is known of what no stream does");
}

#[test]
fn the_worst_cabling_crosses_the_backplane() {
    let worst = "hosts on ports 0-15, storage on 16-31";
    let crosses = |levels: &str| {
        let (case, _, plan) = planned(&one(P690, "cabling", &[levels]), 32);
        check(&case, &plan);
        (0..plan.rig.devices.len()).filter(|at| names(&plan, *at).contains(&"san[0].both")).count()
    };
    assert_eq!(crosses("each pair on one ASIC"), 0);
    assert_eq!(crosses(worst), 16);
}

#[test]
fn files_and_stripes_end_on_arrays() {
    let (case, _, plan) = planned(&one(P690, "striped volumes", &["vol", "106", "read"]), 32);
    let bound = check(&case, &plan);
    assert_eq!((plan.rig.devices.len(), bound.targets.len()), (106, 16));
    // Nine arms are one group, beside the array's own rate.
    let ends = |name: &&&str| name.contains("lun");
    assert_eq!(names(&plan, 0).iter().filter(ends).count(), 1, "{:?}", names(&plan, 0));
    let (case, _, plan) = planned(&one(JFS2, "sixteen files", &[]), 32);
    check(&case, &plan);
    assert_eq!(plan.rig.devices.len(), 106);
    let (case, _, plan) = planned(&one(GPFS, "five steps", &["3b", "read"]), 32);
    check(&case, &plan);
    assert_eq!(plan.rig.devices.len(), 109);
}

#[test]
fn two_nodes_reach_one_volume_by_ways_of_their_own() {
    let (case, _, plan) = planned(&one(VERITAS, "raw volume, two nodes", &["512 KiB"]), 32);
    let bound = check(&case, &plan);
    // 24 LUNs, two nodes, two ways each.
    assert_eq!(plan.rig.devices.len(), 96);
    let targets: Vec<&str> = bound.targets.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(targets, ["vol from node[0]", "vol from node[1]"]);
    let media: std::collections::BTreeSet<_> =
        plan.rig.devices.iter().map(|device| device.medium).collect();
    assert_eq!(media.len(), 24);
    for stream in &bound.streams {
        let expected = usize::from(stream.group == "second");
        assert_eq!((stream.target, stream.region.count), (expected, 64));
    }
    for bind in bound.targets[0].below.values() {
        assert_eq!(bind.paths.len(), 2);
    }
}

#[test]
fn a_mirrored_cache_is_a_device_that_writes_are_copied_to() {
    let text = r#"study "s"
path {
    host "h" { hba count=2 read="800 MB/s" write="800 MB/s" }
    array "a" {
        link "back" both="100 MB/s"
        controller count=2 both="400 MB/s" {
            cache size="1 GiB" write="back" mirror=#true
            raid "lun" level=0 write="200 MB/s" size="1 GB" { disk }
        }
    }
    wire from="h.hba" to="a.controller"
}
workload { streams "w" over="a..lun" op="write" block="128 KiB" }"#;
    let case = super::studies::cases(text, &[]).remove(0);
    let (case, _, plan) = planned(&case, 1);
    let bound = check(&case, &plan);
    let names: Vec<&str> = plan.rig.devices.iter().map(|device| device.name.as_str()).collect();
    let expected = [
        "a.controller[0].lun",
        "a.controller[1].lun",
        "copy to a.controller[0].cache",
        "copy to a.controller[1].cache",
    ];
    assert_eq!(names, expected);
    let copies: Vec<_> =
        bound.targets.iter().map(|target| target.below[&target.part].copy.clone()).collect();
    assert_eq!(copies, [Some("/run/3".to_owned()), Some("/run/2".to_owned())]);
    assert!(self::names(&plan, 2).contains(&"a.controller[0].both"));
}

#[test]
fn what_cannot_be_emulated_is_refused_with_its_reason() {
    let refused = |case: &Case| iopath_emulation::plan(case, &network(case)).unwrap_err();
    let case = one(STORAGETEK, "iozone", &["before", "32 GiB", "64 KiB"]);
    assert!(matches!(refused(&case), CannotEmulate::After { .. }));
    let case = one(SVC, "sequential", &["4", "RAID10", "read"]);
    assert!(matches!(refused(&case), CannotEmulate::TooMany(_)));
    let text = include_str!("../../../studies/scratch.kdl");
    let case = super::studies::cases(text, &[]).remove(0);
    assert_eq!(refused(&case), CannotEmulate::NoPath);
}
