//! Arrays of md.

use iopath_layout::Tool::Mdadm;

use crate::{built, case_of, command, refused, remarks, study, unmarked};

const LUN: &str = r#"over="box.controller.lun[0-3]""#;

/// What is created of a volume.
fn created(layout: &str) -> String {
    let command = command(layout, Mdadm);
    let front = "mdadm --create /dev/md/v --run --metadata=1.2 --name=v ";
    command.strip_prefix(front).unwrap_or_else(|| panic!("{command}")).to_owned()
}

#[test]
fn every_level_has_its_chunk_size_and_members() {
    let rows = [
        (format!(r#"stripe "v" unit="96 KiB" {LUN}"#), "0 --raid-devices=4 --chunk=96K"),
        (format!(r#"raid "v" level=0 segment="64 KiB" {LUN}"#), "0 --raid-devices=4 --chunk=64K"),
        (format!(r#"stripe "v" {LUN}"#), "0 --raid-devices=4 --chunk=64K"),
        (format!(r#"concat "v" {LUN}"#), "linear --raid-devices=4"),
        (format!(r#"raid "v" level=1 {LUN}"#), "1 --raid-devices=4 --bitmap=none"),
        (
            format!(r#"raid "v" level=4 segment="32 KiB" {LUN}"#),
            "4 --raid-devices=4 --chunk=32K --bitmap=none --force",
        ),
        (
            format!(r#"raid "v" level=5 segment="64 KiB" size="300 MiB" {LUN}"#),
            "5 --raid-devices=4 --chunk=64K --size=102400K --bitmap=none --force",
        ),
        (
            format!(r#"raid "v" level=6 segment="1 MiB" size="101 MiB" {LUN}"#),
            "6 --raid-devices=4 --chunk=1024K --size=51200K --bitmap=none",
        ),
        (format!(r#"raid "v" level=10 {LUN}"#), "10 --raid-devices=4 --chunk=64K --bitmap=none"),
    ];
    for (layout, expected) in rows {
        assert_eq!(created(&layout), format!("--level={expected} 0 1 2 3"), "{layout}");
    }
}

/// mdadm takes one member for a slip else.
#[test]
fn a_single_member_is_forced() {
    let layout = r#"stripe "v" over="box.controller.lun[0]""#;
    assert_eq!(created(layout), "--level=0 --force --raid-devices=1 --chunk=64K 0");
}

#[test]
fn spares_are_the_last_members() {
    let layout = r#"raid "v" level=5 spares=2 over="box.controller.lun""#;
    let expected = "--level=5 --raid-devices=4 --chunk=64K --bitmap=none --force \
                    --spare-devices=2 0 1 2 3 4 5";
    assert_eq!(created(layout), expected);
}

#[test]
fn volumes_of_volumes_are_arrays_of_arrays_those_below_first() {
    let layout = r#"
        mirror "m" { side of="box.controller.lun[0-1]"; side of="box.controller.lun[2-3]" }
        stripe "v" unit="128 KiB" over="m""#;
    let build = built(layout, Mdadm);
    let commands: Vec<String> =
        build.steps.iter().map(|step| unmarked(&step.commands[0])).collect();
    let of = |name| format!("mdadm --create /dev/md/{name} --run --metadata=1.2 --name={name}");
    let expected = [
        format!("{} --level=1 --raid-devices=2 --bitmap=none 0 2", of("m-0")),
        format!("{} --level=1 --raid-devices=2 --bitmap=none 1 3", of("m-1")),
        format!("{} --level=0 --raid-devices=2 --chunk=128K /dev/md/m-0 /dev/md/m-1", of("v")),
    ];
    assert_eq!(commands, expected);
    assert!(!build.steps[2].needs[0].at_first, "an array is looked at when it is made");
}

#[test]
fn level_50_is_a_stripe_over_arrays() {
    let layout = r#"raid "v" level=50 segment="64 KiB" over="box.controller.lun""#;
    let build = built(layout, Mdadm);
    let level = |at: usize| {
        let command = unmarked(&build.steps[at].commands[0]);
        command.split_once("--level=").unwrap().1.to_owned()
    };
    assert_eq!(level(0), "5 --raid-devices=3 --chunk=64K --bitmap=none --force 0 1 2");
    assert_eq!(level(1), "5 --raid-devices=3 --chunk=64K --bitmap=none --force 3 4 5");
    assert_eq!(level(2), "0 --raid-devices=2 --chunk=128K /dev/md/v-g0 /dev/md/v-g1");
}

#[test]
fn what_md_cannot_build_is_refused() {
    let rows = [
        (
            format!(r#"raid "v" level=5 segment="96 KiB" {LUN}"#),
            "v: md's chunk of RAID 5 is a power of two, not 96 KiB (mdadm(8), --chunk)",
        ),
        (
            format!(r#"stripe "v" unit="6 KiB" {LUN}"#),
            "v: md's chunks are multiples of 4 KiB, not 6 KiB (mdadm(8))",
        ),
        (format!(r#"raid "v" level=3 {LUN}"#), "v: md has no level 3 (mdadm(8))"),
        (
            r#"raid "v" level=6 parity=3 over="box.controller.lun""#.to_owned(),
            "v: md has no triple parity (mdadm(8))",
        ),
        (
            format!("stripe \"v\" {LUN}\n    concat \"w\" over=\"box.controller.lun[3-4]\""),
            "box.controller.lun[3] is in two volumes",
        ),
    ];
    for (layout, expected) in rows {
        let found = refused(&layout, Mdadm);
        assert_eq!(found.lines().next(), Some(expected), "{layout}");
    }
}

/// A row of a group has the data of all but its parity.
#[test]
fn the_stripe_of_level_60_takes_whole_rows_of_data() {
    let layout = r#"raid "v" level=60 segment="64 KiB" over="box.controller.lun""#;
    let case = case_of(&study(layout).replace("lun count=6", "lun count=8"));
    let build = iopath_layout::build(&case, &crate::asked(Mdadm)).unwrap();
    let commands = build.steps.iter().map(|step| unmarked(&step.commands[0]));
    let chunks: Vec<String> = commands.filter_map(|one| word(&one, "--chunk=")).collect();
    assert_eq!(chunks, ["64K", "64K", "128K"]);
}

/// What follows a front in a command.
fn word(command: &str, front: &str) -> Option<String> {
    command.split(' ').find_map(|word| word.strip_prefix(front)).map(str::to_owned)
}

/// Whether there is a bitmap would else depend on the version of mdadm.
#[test]
fn copies_and_parity_have_no_bitmap() {
    for level in [1, 4, 5, 6, 10] {
        let step = &built(&format!(r#"raid "v" level={level} {LUN}"#), Mdadm).steps[0];
        assert!(step.commands[0].contains(" --bitmap=none "), "{:?}", step.commands);
        assert!(remarks(step).contains("no bitmap"), "{}", remarks(step));
    }
    let step = &built(&format!(r#"stripe "v" {LUN}"#), Mdadm).steps[0];
    assert!(!step.commands[0].contains("bitmap"), "{:?}", step.commands);
}

#[test]
fn groups_have_names_of_their_own() {
    let layout = r#"stripe "v-g0" over="box.controller.lun[0-1]"
        raid "v" level=50 over="box.controller.lun[2-7]""#;
    let case = case_of(&study(layout).replace("lun count=6", "lun count=8"));
    let build = iopath_layout::build(&case, &crate::asked(Mdadm)).unwrap();
    let commands = build.steps.iter().map(|step| step.commands[0].clone());
    let names: Vec<String> = commands.filter_map(|one| word(&one, "--name=")).collect();
    assert_eq!(names, ["v-g0", "v-2-g0", "v-2-g1", "v-2"]);
}

/// Of alternatives over the same devices the one that the streams of the case use is built.
#[test]
fn a_case_chooses_among_layouts_over_the_same_devices() {
    let layout = format!("stripe \"s\" {LUN}\n    raid \"v\" level=5 {LUN}");
    let mut case = crate::case(&layout);
    let of = |name: &str| case.system.parts.iter().position(|part| part.name == name).unwrap();
    let (stripe, raid) = (of("s"), of("v"));
    for (used, expected) in [(stripe, "s"), (raid, "v")] {
        case.targets.truncate(1);
        case.targets[0].part = iopath_study::PartId(used);
        let build = iopath_layout::build(&case, &crate::asked(Mdadm)).unwrap();
        let parts: Vec<&str> = build.steps.iter().map(|step| step.part.as_str()).collect();
        assert_eq!(parts, [expected]);
    }
}

#[test]
fn what_differs_is_remarked() {
    let layout = format!(r#"stripe "v" size="1 GiB" largest-request="256 KiB" {LUN}"#);
    let step = &built(&layout, Mdadm).steps[0];
    assert!(remarks(step).contains("size is not set"), "{}", remarks(step));
    assert_eq!(step.commands[2], "largest_request /dev/md/v 256");
    let step = &built(&format!(r#"concat "v" {LUN}"#), Mdadm).steps[0];
    assert!(remarks(step).contains("6.8"), "{}", remarks(step));
}
