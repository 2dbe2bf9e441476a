//! Logical volumes.

use iopath_layout::Tool::Lvm;

use crate::{built, command, refused, unmarked};

const LUN: &str = r#"over="box.controller.lun[0-3]""#;

fn created(layout: &str) -> String {
    let command = command(layout, Lvm);
    // A volume's last line waits for udev.
    let front = "lvcreate --yes --wipesignatures y --zero y --type ";
    command.strip_prefix(front).unwrap_or_else(|| panic!("{command}")).to_owned()
}

#[test]
fn every_level_has_its_stripes_and_members() {
    let all = "--extents 100%PVS --name v iopath 0 1 2 3";
    let rows = [
        (
            format!(r#"stripe "v" unit="64 KiB" {LUN}"#),
            format!("striped --stripes 4 --stripesize 64k {all}"),
        ),
        (format!(r#"raid "v" level=1 {LUN}"#), format!("raid1 --mirrors 3 {all}")),
        (
            format!(r#"raid "v" level=5 segment="128 KiB" {LUN}"#),
            format!("raid5 --stripes 3 --stripesize 128k {all}"),
        ),
        (
            format!(r#"raid "v" level=4 {LUN}"#),
            format!("raid4 --stripes 3 --stripesize 64k {all}"),
        ),
        (
            format!(r#"raid "v" level=10 size="100 MiB" {LUN}"#),
            "raid10 --mirrors 1 --stripes 2 --stripesize 64k --size 104857600b --name v iopath 0 1 \
             2 3"
            .to_owned(),
        ),
        (
            format!(r#"concat "v" {LUN}"#),
            "linear --extents 100%PVS --name v iopath 0".to_owned(),
        ),
    ];
    for (layout, expected) in rows {
        assert_eq!(created(&layout), expected, "{layout}");
    }
}

#[test]
fn a_concatenation_keeps_the_order_of_its_members() {
    let over = [2, 0, 1].map(|at| format!("box.controller.lun[{at}]")).join(", ");
    let build = built(&format!("concat \"v\" over=\"{over}\""), Lvm);
    let commands = build.steps[1].commands[1..3].iter();
    let commands: Vec<String> = commands.map(|command| unmarked(command)).collect();
    let expected =
        ["lvextend --extents +100%PVS iopath/v 0", "lvextend --extents +100%PVS iopath/v 1"];
    assert_eq!(commands, expected);
}

/// Copies of one another stand side by side.
#[test]
fn a_stripe_over_mirrors_is_raid_10() {
    let layout = r#"
        mirror "m" { side of="box.controller.lun[0-1]"; side of="box.controller.lun[2-3]" }
        stripe "v" unit="128 KiB" over="m""#;
    let expected = "raid10 --mirrors 1 --stripes 2 --stripesize 128k --extents 100%PVS --name v \
                    iopath 0 2 1 3";
    assert_eq!(created(layout), expected);
    assert_eq!(built(layout, Lvm).steps.len(), 2, "the group and one volume");
}

#[test]
fn extents_are_as_long_as_the_longest_stripe() {
    let group = |unit| {
        let layout = format!(r#"stripe "v" unit="{unit}" {LUN}"#);
        let command = built(&layout, Lvm).steps[0].commands[0].clone();
        command.split("--physicalextentsize ").nth(1).unwrap().split(' ').next().unwrap().to_owned()
    };
    assert_eq!([group("64 KiB"), group("16 MiB")], ["4096k", "16384k"]);
}

#[test]
fn what_lvm_cannot_build_is_refused() {
    let rows = [
        (
            format!(r#"stripe "v" unit="96 KiB" {LUN}"#),
            "v: LVM's stripe size is a power of two from 4 KiB on, not 96 KiB (lvcreate(8), \
             --stripesize)",
        ),
        (
            format!(r#"raid "v" level=6 {LUN}"#),
            "v: RAID 6 of LVM has 5 devices or more (lvmraid(7))",
        ),
        (
            r#"raid "v" level=50 over="box.controller.lun""#.to_owned(),
            "v: LVM has no RAID 50 like that (lvmraid(7))",
        ),
        (
            format!("raid \"w\" level=5 {LUN}\n    concat \"v\" over=\"w, box.controller.lun[4]\""),
            "v: LVM lays no volumes over its own (lvm.conf(5), scan_lvs)",
        ),
        (
            format!("stripe \"v\" {LUN}\n    concat \"w\" over=\"box.controller.lun[3-4]\""),
            "w: box.controller.lun[3] is a device of v too",
        ),
    ];
    for (layout, expected) in rows {
        assert_eq!(refused(&layout, Lvm), expected, "{layout}");
    }
    let both = format!(
        "stripe \"v\" size=\"1 GiB\" {LUN}\n    stripe \"w\" size=\"1 GiB\" \
         over=\"box.controller.lun[3-4]\""
    );
    assert_eq!(built(&both, Lvm).steps.len(), 3);
    let apart = format!("{both}\n    stripe \"x\" over=\"box.controller.lun[5]\"");
    assert_eq!(built(&apart, Lvm).steps.len(), 4, "what takes all of others is no matter");
}
