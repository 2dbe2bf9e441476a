//! ZFS, btrfs, multipath and VxVM.

use iopath_layout::Tool::{self, Btrfs, Multipath, Vxassist, Zpool};
use iopath_layout::{Asked, FileSystemKind};

use crate::{built, command, refused, remarks, unmarked};

const FS: &str = "\n    filesystem \"f\" on=\"v\"";

#[test]
fn a_pool_is_a_stripe_over_groups() {
    let rows = [
        (r#"stripe "v" over="box.controller.lun[0-1]""#, "0 1"),
        (r#"raid "v" level=1 over="box.controller.lun[0-1]""#, "mirror 0 1"),
        (r#"raid "v" level=10 over="box.controller.lun[0-3]""#, "mirror 0 1 mirror 2 3"),
        (r#"raid "v" level=5 over="box.controller.lun[0-3]""#, "raidz1 0 1 2 3"),
        (r#"raid "v" level=6 parity=3 over="box.controller.lun""#, "raidz3 0 1 2 3 4 5"),
        (r#"raid "v" level=50 over="box.controller.lun""#, "raidz1 0 1 2 raidz1 3 4 5"),
        (r#"raid "v" level=5 spares=1 over="box.controller.lun""#, "raidz1 0 1 2 3 4 spare 5"),
        (
            r#"mirror "m" { side of="box.controller.lun[0-1]"; side of="box.controller.lun[2-3]" }
             stripe "v" over="m""#,
            "mirror 0 2 mirror 1 3",
        ),
    ];
    for (layout, expected) in rows {
        let found = command(layout, Zpool);
        let (_, groups) = found.split_once(" -m none v ").unwrap();
        assert_eq!(groups, expected, "{layout}");
    }
}

#[test]
fn records_are_set_and_units_are_not() {
    let layout = r#"stripe "v" unit="128 KiB" over="box.controller.lun"
        filesystem "f" on="v" record="64 KiB""#;
    let build = built(layout, Zpool);
    assert!(remarks(&build.steps[0]).contains("a pool has no unit: 128 KiB are not set"));
    let expected = "zfs create -o atime=off -o recordsize=65536 -o mountpoint=/mnt/f v/f";
    assert_eq!(build.steps[1].commands[1], expected);
}

#[test]
fn btrfs_takes_profiles_and_deals_out_64_kib() {
    let rows = [
        (r#"stripe "v" unit="1 MiB" over="box.controller.lun[0-1]""#, "-d raid0 -m raid1 0 1"),
        (r#"concat "v" over="box.controller.lun[0-1]""#, "-d single -m raid1 0 1"),
        (r#"raid "v" level=1 over="box.controller.lun[0-2]""#, "-d raid1c3 -m raid1c3 0 1 2"),
        (r#"raid "v" level=10 over="box.controller.lun[0-3]""#, "-d raid10 -m raid10 0 1 2 3"),
        (r#"raid "v" level=6 over="box.controller.lun[0-3]""#, "-d raid6 -m raid1c3 0 1 2 3"),
    ];
    for (layout, expected) in rows {
        let found = command(&format!("{layout}{FS}"), Btrfs);
        assert!(found.ends_with(&format!(" -L f -s 4096 {expected}")), "{found}");
    }
    let build = built(&format!("{}{FS}", rows[0].0), Btrfs);
    assert!(remarks(&build.steps[0]).contains("1024 KiB cannot be built"));
}

#[test]
fn vxvm_has_columns_and_units() {
    let rows = [
        (
            r#"stripe "v" unit="512 KiB" over="box.controller.lun""#,
            "maxsize layout=stripe ncol=6 stripeunit=512k 0 1 2 3 4 5",
        ),
        (
            r#"raid "v" level=10 size="1 GiB" over="box.controller.lun[0-3]""#,
            "1048576k layout=stripe-mirror nmirror=2 ncol=2 stripeunit=64k 0 1 2 3",
        ),
        (
            r#"raid "v" level=5 over="box.controller.lun[0-3]""#,
            "maxsize layout=raid5,nolog ncol=4 stripeunit=64k 0 1 2 3",
        ),
        (r#"concat "v" over="box.controller.lun[0-1]""#, "maxsize layout=concat 0 1"),
    ];
    for (layout, expected) in rows {
        assert_eq!(command(layout, Vxassist), format!("vxassist -g iopath make v {expected}"));
    }
}

/// Nothing tells a disk group of another from one that was made here.
#[test]
fn vxvm_is_not_undone_and_its_programs_are_looked_for() {
    let layout = r#"stripe "v" over="box.controller.lun"
        filesystem "f" on="v" { readahead unit="512 KiB" streams=24 }"#;
    let build = built(layout, Vxassist);
    let script = build.script();
    let (_, undo) = script.split_once("\nundo() {").unwrap();
    for destroys in ["vxdg destroy", "vxdiskunsetup", "remove volume"] {
        assert!(!undo.contains(destroys), "{undo}");
    }
    assert!(undo.contains("left 'the disk group iopath is left"), "{undo}");
    assert!(script.contains("\nPATH=$PATH:/etc/vx/bin\n"), "{script}");
    for program in ["vxdisksetup", "vxdg", "vxassist", "vxtunefs", "mkfs.vxfs", "mount"] {
        assert!(build.programs.contains(&program), "{program}: {:?}", build.programs);
    }
}

#[test]
fn a_study_without_a_policy_has_none_to_build() {
    let text = crate::study("").replace("multipath policy=\"round-robin\"", "");
    let wrong = iopath_layout::build(&crate::case_of(&text), &crate::asked(Multipath)).unwrap_err();
    assert_eq!(wrong[0].text, "the study states no multipath");
}

/// On the command line zpool would take the device as a side of the mirror.
#[test]
fn a_pool_is_not_over_groups_and_bare_devices() {
    let mirror =
        r#"mirror "m" { side of="box.controller.lun[0]"; side of="box.controller.lun[1]" }"#;
    for over in ["m, box.controller.lun[2]", "box.controller.lun[2], m"] {
        let layout = format!("{mirror}\n    stripe \"v\" over=\"{over}\"");
        let expected = "v: a pool is over devices or over groups, not over both (zpoolconcepts(7))";
        assert_eq!(refused(&layout, Zpool), expected);
    }
}

#[test]
fn names_that_zpool_keeps_for_itself_have_a_front() {
    for (name, expected) in [
        ("mirror", "pool-mirror"),
        ("raidz-a", "pool-raidz-a"),
        ("draid1", "pool-draid1"),
        ("spares", "pool-spares"),
        ("log", "pool-log"),
        ("logs", "logs"),
    ] {
        let command = command(&format!(r#"stripe "{name}" over="box.controller.lun""#), Zpool);
        assert!(command.contains(&format!(" -m none {expected} ")), "{command}");
    }
}

/// The readahead of the study that this language has it from.
#[test]
fn vxfs_reads_ahead_as_it_is_told() {
    let layout = r#"stripe "v" over="box.controller.lun"
        filesystem "f" on="v" block="8 KiB" { readahead unit="512 KiB" streams=24 }"#;
    let step = &built(layout, Vxassist).steps[2];
    let mut commands: Vec<String> = step.commands.iter().map(|one| unmarked(one)).collect();
    assert!(commands.remove(1).starts_with("make_directory /mnt/f iopath-"));
    let expected = [
        "mkfs -t vxfs -o bsize=8192 /dev/vx/rdsk/iopath/v",
        "mount -t vxfs -o mincache=direct,convosync=direct /dev/vx/dsk/iopath/v /mnt/f",
        "vxtunefs -o read_pref_io=524288,read_nstream=24 /mnt/f",
    ];
    assert_eq!(commands, expected);
}

#[test]
fn a_policy_is_one_of_multipath() {
    let rows = [
        (
            "round-robin",
            r#"'    path_selector "round-robin 0"' '    path_grouping_policy "multibus"'"#,
        ),
        (
            "queue-length",
            r#"'    path_selector "queue-length 0"' '    path_grouping_policy "multibus"'"#,
        ),
        (
            "service-time",
            r#"'    path_selector "service-time 0"' '    path_grouping_policy "multibus"'"#,
        ),
        ("owner", r#"'    path_grouping_policy "group_by_prio"' '    prio "alua"'"#),
        ("fixed", r#"'    path_grouping_policy "failover"'"#),
    ];
    for (policy, expected) in rows {
        let mut case = crate::case("");
        case.system.multipath.policy = policy.parse().unwrap();
        let build = iopath_layout::build(&case, &crate::asked(Multipath)).unwrap();
        let written = &build.steps[0].commands[2];
        assert!(written.contains(expected), "{written}");
    }
}

#[test]
fn zfs_and_btrfs_leave_no_choice_of_a_file_system() {
    let layout = format!("raid \"v\" level=1 over=\"box.controller.lun[0-1]\"{FS}");
    for tool in [Zpool, Btrfs, Multipath] {
        let chosen = Asked { file_system: Some(FileSystemKind::Xfs), ..crate::asked(tool) };
        let wrong = crate::built_as(&layout, &chosen).unwrap_err();
        let word: &str = tool.into();
        assert_eq!(wrong, format!("--file-system: {word} leaves no choice"));
    }
}

#[test]
fn what_cannot_be_built_is_refused() {
    let concat = r#"concat "v" over="box.controller.lun""#;
    let raid3 = r#"raid "v" level=3 over="box.controller.lun""#;
    let rows: [(Tool, String, &str); 6] = [
        (Zpool, concat.to_owned(), "v: ZFS has no concatenation (zpoolconcepts(7))"),
        (Zpool, raid3.to_owned(), "v: ZFS has no RAID 3 (zpoolconcepts(7))"),
        (Btrfs, format!("{raid3}{FS}"), "v: btrfs has no RAID 3 like that (mkfs.btrfs(8))"),
        (
            Btrfs,
            concat.to_owned(),
            "v: btrfs makes file systems, and none is on it (mkfs.btrfs(8))",
        ),
        (Vxassist, raid3.to_owned(), "v: VxVM has no RAID 3 (vxassist(1M))"),
        (Tool::Mkfs, concat.to_owned(), "the study states nothing that mkfs could build"),
    ];
    for (tool, layout, expected) in rows {
        assert_eq!(refused(&layout, tool), expected, "{layout}");
    }
}
