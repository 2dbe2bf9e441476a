//! Ways to one unit.

use super::*;

const ADAPTER: &str = "/sys/devices/pci0000:3a/0000:3a:00.0";

/// The folder of a path's SCSI device: function of the adapter, then port of the array.
fn path(function: u32, target: u32) -> String {
    let host = 7 + function;
    format!(
        "{ADAPTER}/0000:3b:00.{function}/host{host}/rport-{host}:0-{target}/\
         target{host}:0:{target}/{host}:0:{target}:1"
    )
}

#[test]
fn paths_on_standby_are_not_down() {
    assert_eq!(texts(&facts(&machine("san")), "paths-down"), [""; 0]);
    assert_eq!(texts(&facts(&machine("fabrics")), "paths-down"), [""; 0]);
}

#[test]
fn half_of_the_paths_down_is_told_with_the_reason_of_each() {
    let mut tree = machine("san");
    tree.attribute(
        &format!("{ADAPTER}/0000:3b:00.1/host8/fc_host/host8"),
        "port_state",
        "Linkdown",
    );
    let found = facts(&tree);
    let text = "half of the paths, 2 of 4 paths to dm-0 (mpatha) are down: sdd (host8 Linkdown), \
                sde (host8 Linkdown)";
    assert_eq!(texts(&found, "paths-down"), [text]);
    // What is uneven because of that is not reported besides.
    assert_eq!(short(&found), ["paths-down dm-0"]);
}

#[test]
fn one_path_is_down_by_any_word_of_device_port_or_array() {
    let remote = format!("{ADAPTER}/0000:3b:00.0/host7/rport-7:0-0/fc_remote_ports/rport-7:0-0");
    for (folder, name, value, why) in [
        (path(0, 0), "state", "transport-offline", "transport-offline"),
        (path(0, 0), "access_state", "unavailable", "unavailable"),
        (remote, "port_state", "Blocked", "rport-7:0-0 Blocked"),
    ] {
        let mut tree = machine("san");
        tree.attribute(&folder, name, value);
        let text = format!("1 of 4 paths to dm-0 (mpatha) are down: sdb ({why})");
        assert_eq!(texts(&facts(&tree), "paths-down"), [text]);
    }
}

#[test]
fn a_controller_of_nvme_that_reconnects_is_a_path_down() {
    let mut tree = machine("fabrics");
    let controller = "/sys/devices/virtual/nvme-fabrics/ctl/nvme0";
    tree.attribute(controller, "state", "connecting");
    let text = "half of the paths, 1 of 2 paths to nvme0n1 are down: nvme0c0n1 (connecting)";
    assert_eq!(texts(&facts(&tree), "paths-down"), [text]);
}

#[test]
fn active_paths_are_shared_out_over_the_ports() {
    let mut tree = machine("san");
    tree.attribute(&path(0, 1), "access_state", "active/optimized");
    let text = "the active paths to dm-0 (mpatha) are uneven: 2 through host7 at 16 Gb/s, \
                1 through host8 at 16 Gb/s";
    assert_eq!(texts(&facts(&tree), "uneven-paths"), [text]);
    // All four are even again.
    tree.attribute(&path(1, 1), "access_state", "active/optimized");
    assert_eq!(texts(&facts(&tree), "uneven-paths"), [""; 0]);
    // As many through a slower port are not the same.
    let host = format!("{ADAPTER}/0000:3b:00.0/host7/fc_host/host7");
    tree.attribute(&host, "speed", "8 Gbit");
    let text = "the active paths to dm-0 (mpatha) are uneven: 2 through host7 at 8 Gb/s, \
                2 through host8 at 16 Gb/s";
    assert_eq!(texts(&facts(&tree), "uneven-paths"), [text]);
}

#[test]
fn a_single_active_path_cannot_be_shared_out() {
    let mut tree = machine("san");
    tree.attribute(&path(1, 0), "access_state", "standby");
    assert_eq!(texts(&facts(&tree), "uneven-paths"), [""; 0]);
}
