//! File systems on one device: blocks, alignment, read-ahead, mounts.

use iopath_layout::Tool::{Btrfs, Lvm, Mdadm, Mkfs, Vxassist};
use iopath_layout::{Asked, Build, FileSystemKind};

use crate::{KINDS, asked, built, built_as, refused, remarks, unmarked};

fn as_kind(layout: &str, kind: FileSystemKind) -> Build {
    built_as(layout, &Asked { file_system: Some(kind), ..asked(Mdadm) }).unwrap()
}

/// What is made of a file system, which is the last step.
fn made(build: &Build) -> String {
    let words = unmarked(&build.steps[build.steps.len() - 1].commands[0]);
    let words: Vec<&str> = words.split(' ').collect();
    let is_uuid = |at: usize| words[at] == "-U" || at > 0 && words[at - 1] == "-U";
    let kept = (0..words.len()).filter(|at| !is_uuid(*at) && words[*at] != "-m");
    kept.map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

#[test]
fn alignment_is_unit_and_columns_of_data() {
    let rows = [
        (r#"raid "v" level=5 segment="64 KiB" over="box.controller.lun""#, "su=65536,sw=5", 16, 80),
        (
            r#"raid "v" level=6 segment="1 MiB" over="box.controller.lun""#,
            "su=1048576,sw=4",
            256,
            1024,
        ),
        (r#"stripe "v" unit="128 KiB" over="box.controller.lun""#, "su=131072,sw=6", 32, 192),
        (r#"raid "v" level=10 over="box.controller.lun""#, "su=65536,sw=3", 16, 48),
    ];
    for (volume, xfs, stride, width) in rows {
        let layout = format!("{volume}\n    filesystem \"f\" on=\"v\"");
        let found = made(&as_kind(&layout, FileSystemKind::Xfs));
        assert_eq!(found, format!("mkfs.xfs -q -L f -b size=4096 -d {xfs} /dev/md/v"));
        let found = made(&as_kind(&layout, FileSystemKind::Ext4));
        let expected = format!("-b 4096 -E stride={stride},stripe_width={width} /dev/md/v");
        assert_eq!(found, format!("mkfs.ext4 -q -L f {expected}"));
    }
}

#[test]
fn a_mirror_or_concatenation_has_no_alignment() {
    for volume in [r#"raid "v" level=1"#, r#"concat "v""#] {
        let layout = format!(
            "{volume} over=\"box.controller.lun\"\n    filesystem \"f\" on=\"v\" block=\"1 KiB\""
        );
        let found = made(&as_kind(&layout, FileSystemKind::Ext4));
        assert_eq!(found, "mkfs.ext4 -q -L f -b 1024 /dev/md/v");
    }
}

#[test]
fn a_block_that_linux_does_not_mount_is_remarked() {
    let layout = r#"filesystem "f" on="box.controller.lun[0]" block="1 MiB""#;
    let step = &built(layout, Mkfs).steps[0];
    assert!(step.commands[0].contains("-b size=4096"), "{:?}", step.commands);
    assert!(remarks(step).contains("the study's block is 1024 KiB"), "{}", remarks(step));
}

#[test]
fn a_kind_is_said_or_in_the_name() {
    let program = |name: &str| {
        let layout = format!(r#"filesystem "{name}" on="box.controller.lun[0]""#);
        let command = built(&layout, Mkfs).steps[0].commands[0].clone();
        command.split(' ').next().unwrap().to_owned()
    };
    assert_eq!(program("data"), "mkfs.xfs");
    assert_eq!(program("the-ext4"), "mkfs.ext4");
    assert_eq!(program("vxfs"), "mkfs");
    for kind in KINDS {
        let layout = r#"stripe "v" over="box.controller.lun"
            filesystem "vxfs" on="v""#;
        let word: &str = kind.into();
        assert!(made(&as_kind(layout, kind)).starts_with(&format!("mkfs.{word} ")));
    }
}

/// A device that was there has its own read-ahead again; that of a volume goes with it.
#[test]
fn read_ahead_is_a_window_of_all_units() {
    let ahead = r#"{ readahead unit="512 KiB" streams=8 }"#;
    let on_device = format!(r#"filesystem "f" on="box.controller.lun[0]" {ahead}"#);
    let step = &built(&on_device, Mkfs).steps[0];
    let note = "/run/iopath-layout.f.read-ahead";
    assert_eq!(step.commands[1], "before=$(blockdev --getra \"$DEV_LUN_0\")");
    assert!(step.commands[2].ends_with(&format!(" $before\" > {note}")), "{:?}", step.commands);
    assert_eq!(step.commands[3], "blockdev --setra 8192 \"$DEV_LUN_0\"");
    assert!(step.undo.iter().any(|line| line.contains("--setra \"$(cut ")), "{:?}", step.undo);
    let on_volume =
        format!("stripe \"v\" over=\"box.controller.lun\"\n    filesystem \"f\" on=\"v\" {ahead}");
    let step = &built(&on_volume, Mdadm).steps[1];
    assert_eq!(step.commands[1], "blockdev --setra 8192 /dev/md/v");
    let step = &built(&on_volume, Lvm).steps[2];
    assert_eq!(step.commands[1], "lvchange --readahead 8192 /dev/iopath/v");
    let off = on_volume.replace("streams=8", "streams=0");
    assert_eq!(built(&off, Lvm).steps[2].commands[1], "lvchange --readahead none /dev/iopath/v");
}

/// A btrfs has a setting of its own; that of its device does nothing to it.
#[test]
fn read_ahead_of_a_btrfs_is_set_when_it_is_mounted() {
    let layout = r#"concat "v" over="box.controller.lun[0-1]"
        filesystem "f-btrfs" on="v" { readahead unit="512 KiB" streams=8 }"#;
    for tool in [Mdadm, Lvm, Btrfs] {
        let build = built(layout, tool);
        let step = build.steps.last().unwrap();
        let [.., mount, ahead] = &step.commands[..] else { panic!("{:?}", step.commands) };
        assert!(mount.starts_with("mount -o noatime "), "{mount}");
        let set = ahead.starts_with("echo 4096 > /sys/fs/btrfs/");
        assert!(set && ahead.ends_with("/bdi/read_ahead_kb"), "{ahead}");
        assert!(!build.script().contains("--setra"));
    }
}

#[test]
fn readahead_without_a_unit_is_remarked() {
    let layout = |name: &str| {
        format!(
            r#"concat "v" over="box.controller.lun[0-1]"
            filesystem "{name}" on="v" {{ readahead streams=8 }}"#
        )
    };
    for (name, tool) in [("f", Mdadm), ("f", Lvm), ("f-btrfs", Mdadm), ("f", Btrfs)] {
        let build = built(&layout(name), tool);
        let found = remarks(build.steps.last().unwrap());
        assert!(found.contains("readahead without unit="), "{found}");
    }
}

#[test]
fn what_is_needed_is_told_without_quotes() {
    let layout = r#"filesystem "f" on="box.controller.lun[0]""#;
    let needs = |tool| built(layout, tool).steps[0].needs[0].text.clone();
    assert_eq!(needs(Mkfs), "$DEV_LUN_0 holds nothing and is not in use");
    let volume = r#"stripe "v" over="box.controller.lun""#;
    let text = &built(volume, Vxassist).steps[0].needs[0].text;
    assert_eq!(text, "/dev/vx/dmp/$DEV_LUN_0 holds nothing and is not in use");
}

#[test]
fn one_device_is_all_that_a_file_system_lies_on() {
    let layout = r#"filesystem "f" on="box.controller.lun""#;
    assert_eq!(refused(layout, Mkfs), "f: xfs is on one device, not on 6");
    let both = r#"filesystem "f" on="box.controller.lun[0]"
        filesystem "g" on="box.controller.lun[0]""#;
    let expected = "g: something else is on box.controller.lun[0] too";
    assert_eq!(refused(both, Mkfs), expected);
    let volume = r#"stripe "v" over="box.controller.lun"
        filesystem "g" on="box.controller.lun[0]""#;
    assert_eq!(refused(volume, Lvm), expected);
}
