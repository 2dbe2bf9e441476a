//! Plans of the shipped studies: devices, groups, and the case that runs on them.

use std::path::PathBuf;

use iopath_emulation::{CannotEmulate, Counts, Plan};
use iopath_path::Laid;
use iopath_study::Case;
use iopath_study::case::Pacing;

use super::studies::{GPFS, JFS2, P690, STORAGETEK, SVC, VERITAS, network, one, paths, planned};

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
    // Of what no stream does only the memory's limit is known, which counts both ways.
    assert_eq!(read.map(|rate| rate.0), Some(370_000_000 / 32));
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
fn streams_that_run_one_after_the_other_use_the_same_devices() {
    let case = one(STORAGETEK, "iozone", &["before", "32 GiB", "128 KiB"]);
    let (case, _, plan) = planned(&case, 4);
    let bound = check(&case, &plan);
    assert_eq!(bound.epochs(), [[0], [1], [2], [3]]);
    let devices = |stream: usize| plan.devices_of(stream);
    assert!(!devices(0).is_empty() && (1..4).all(|stream| devices(stream) == devices(0)));
}

#[test]
fn what_cannot_be_emulated_is_refused_with_its_reason() {
    let refused = |case: &Case| iopath_emulation::plan(case, &network(case)).unwrap_err();
    let case = one(SVC, "sequential", &["4", "RAID10", "read"]);
    assert!(matches!(refused(&case), CannotEmulate::TooMany(_)));
    let text = include_str!("../../../../studies/scratch.kdl");
    let case = super::studies::cases(text, &[]).remove(0);
    assert_eq!(refused(&case), CannotEmulate::NoPath);
}

/// The plan of the only case of a study, as it is.
fn plan_of(text: &str) -> (Case, Plan) {
    let case = super::studies::cases(text, &[]).remove(0);
    let (case, _, plan) = planned(&case, 1);
    let bound = check(&case, &plan);
    (bound, plan)
}

#[test]
fn what_is_used_up_twice_stands_twice() {
    let text = r#"study "s"
path {
    host "h" {
        link "bus" write="100 MB/s" burst="10 MB" burst-rate="300 MB/s" { disk count=4 size="1 GB" }
        raid "m" level=10 over="h.bus.disk[0-1]"
        raid "s" level=0 over="h.bus.disk[2-3]"
    }
}
workload { streams "w" over="h.m, h.s" op="write" block="128 KiB" }"#;
    let (_, plan) = plan_of(text);
    let buses =
        [0, 1].map(|device| plan.groups_of(device).filter(|one| one.name == "h.bus.write").count());
    assert_eq!(buses, [2, 1]);
    let bus = plan.groups_of(0).next().unwrap();
    assert_eq!(bus.per_sec, 100e6);
    let burst = bus.burst.unwrap();
    assert_eq!((burst.tokens, burst.rate), (10e6, 300e6));
    let alone = |device| plan.alone(device).1.map(|rate| rate.0);
    assert_eq!((alone(0), alone(1)), (Some(50_000_000), Some(100_000_000)));
    assert!(plan.notes.is_empty(), "{:?}", plan.notes);
}

#[test]
fn a_plan_says_that_no_write_waits_for_a_flush() {
    let text = |stream: &str| {
        format!(
            "study \"t\"\npath {{ host \"h\" {{ \
             ssd \"d\" write=\"100 MB/s\" flush-time=\"1 ms\" size=\"1 GiB\" }} }}\n\
             workload {{ streams \"w\" over=\"h.d\" op=\"write\" block=\"8 KiB\" {stream} }}"
        )
    };
    let kinds = |stream| plan_of(&text(stream)).1.notes.iter().map(|note| note.kind).collect();
    let told: Vec<&str> = kinds("sync=\"fdatasync\"");
    assert_eq!(told, ["flush"]);
    let told: Vec<&str> = kinds("");
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn delays_of_the_way_and_of_the_end_are_the_delay_of_a_device() {
    let text = r#"study "s"
path {
    host "h" { hba latency="10 us" }
    array "a" {
        controller latency="60 us" {
            cache latency="20 us"
            raid "lun" level=0 latency="3 us" size="1 GB" { disk latency="100 us" }
        }
    }
    wire from="h.hba" to="a.controller" latency="5 us"
}
workload { streams "r" over="a..lun" block="128 KiB" HIT }"#;
    let latency = |hit: &str| plan_of(&text.replace("HIT", hit)).1.rig.devices[0].latency.0;
    assert_eq!(latency(""), 198_000);
    assert_eq!(latency("hit=1.0"), 95_000);
    // Half of the requests wait for what is behind the cache: the mean is each one's delay.
    assert_eq!(latency("hit=0.5"), 95_000 + 103_000 / 2);
}

#[test]
fn operations_become_bytes_where_all_requests_are_alike() {
    let text = r#"study "s"
path { host "h" { nvme read-ops="1000 /s" size="1 GB" } }
workload { streams "a" over="h.nvme" block="8 KiB"; streams "b" over="h.nvme" block="SIZE" }"#;
    let group = |size: &str| plan_of(&text.replace("SIZE", size)).1.rig.groups.remove(0);
    let alike = group("8 KiB");
    assert_eq!((alike.counts, alike.per_sec), (Counts::Bytes, 8_192_000.0));
    let mixed = group("64 KiB");
    assert_eq!((mixed.counts, mixed.per_sec), (Counts::Operations, 1000.0));
}

#[test]
fn members_that_no_request_reaches_are_there() {
    // Streams that interleave in step with the members each meet one of them; only one counts.
    let text = r#"study "s"
path { host "h" { hba read="1 MB/s" { disk count=2 size="1 GB" } } }
layout { stripe "v" unit="64 KiB" over="h.hba.disk" }
workload { streams "r" count=2 over="v" block="64 KiB" pattern="interleaved" region="shared" }"#;
    let mut case = super::studies::cases(text, &[]).remove(0);
    case.streams.truncate(1);
    let (case, _, plan) = planned(&case, 1);
    check(&case, &plan);
    let groups: Vec<usize> = plan.rig.devices.iter().map(|one| one.groups.len()).collect();
    assert_eq!(groups, [1, 0]);
}

#[test]
fn doors_of_a_device_have_its_groups_and_its_data() {
    let (case, plan) = plan_of(
        r#"study "s"
path {
    host "h" {
        hba "a" read=(rated)"10 MB/s" { disk "d" count=2 read=(rated)"4 MB/s" size="1 GiB" }
    }
}
layout { stripe "v" unit="64 KiB" over="h..d" }
workload { streams "r" over="v" op="read" block="64 KiB" }"#,
    );
    let one = plan.clone().with_doors_for(1.0);
    assert_eq!(one, plan);
    let plan = plan.with_doors_for(3.0);
    assert_eq!(plan.rig.devices.len(), 6);
    let paths: Vec<_> = (0..6).map(|at| PathBuf::from(format!("/{at}"))).collect();
    let bound = plan.bind(&case, &paths);
    for (number, bind) in bound.targets[0].below.values().enumerate() {
        let expected = [0, 2, 4].map(|door| format!("/{}", door + number));
        assert_eq!(bind.paths, expected);
    }
    for (at, device) in plan.rig.devices.iter().enumerate() {
        let first = &plan.rig.devices[at % 2];
        assert_eq!((&device.groups, device.medium), (&first.groups, first.medium));
    }
    assert_eq!(plan.with_doors_for(1e9).rig.devices.len(), 30, "five doors of each at most");
}

#[test]
fn streams_that_count_share_the_rate_of_all() {
    let text = r#"study "s"
path { host "h" { hba count=4 read="1 MB/s" { disk size="1 GB" } } }
workload { streams "r" over="h..disk" block="64 KiB" rate="100 /s" via="h.hba[0-1]" }"#;
    let (bound, plan) = plan_of(text);
    assert_eq!((plan.rig.devices.len(), bound.streams.len()), (2, 2));
    for stream in &bound.streams {
        assert!(matches!(stream.pacing, Pacing::Open { streams: 2, .. }), "{:?}", stream.pacing);
    }
}
