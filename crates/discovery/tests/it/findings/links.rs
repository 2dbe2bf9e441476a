//! Links that run below what they could.

use super::*;

const PORT: &str = "/sys/devices/pci0000:00/0000:00:02.4";
const DRIVE: &str = "/sys/devices/pci0000:00/0000:00:02.4/0000:02:00.0";

/// The laptop with its link at 2.5 GT/s, as a drive at rest or a bad slot has it.
fn slow_laptop() -> Tree {
    let mut tree = machine("laptop");
    for folder in [PORT, DRIVE] {
        tree.attribute(folder, "current_link_speed", "2.5 GT/s PCIe");
    }
    tree
}

#[test]
fn a_slow_link_is_degraded_once_data_has_moved_over_it() {
    let mut found = facts(&slow_laptop());
    let text = "the link from 0000:00:02.4 to 0000:02:00.0 runs at 2.5 GT/s x4 (1.000 GB/s) of \
                16 GT/s x4 (7.877 GB/s)";
    let degraded = format!("{text}, though data has moved over it");
    assert_eq!(texts(&found, "degraded-link"), [degraded]);
    assert_eq!(short(&found), ["degraded-link nvme0n1"]);

    found.moved.clear();
    let at_rest = format!("{text}; nothing behind it has moved data yet, so it may be at rest");
    assert_eq!(texts(&found, "link-at-rest"), [at_rest]);
    assert_eq!(short(&found), ["link-at-rest nvme0n1"]);
}

#[test]
fn a_suspended_drive_is_at_rest_whatever_it_moved_before() {
    for (name, value) in [("power/runtime_status", "suspended"), ("power_state", "D3hot")] {
        let mut tree = slow_laptop();
        tree.attribute(DRIVE, name, value);
        let found = facts(&tree);
        assert!(found.moved.contains("nvme0n1"));
        assert_eq!(short(&found), ["link-at-rest nvme0n1"], "{name}");
    }
}

/// Whoever judges a link by one end calls every fast drive in an older slot degraded.
#[test]
fn a_drive_in_a_slow_slot_is_not_degraded() {
    let mut tree = machine("laptop");
    tree.attribute(PORT, "max_link_speed", "8.0 GT/s PCIe");
    for folder in [PORT, DRIVE] {
        tree.attribute(folder, "current_link_speed", "8.0 GT/s PCIe");
    }
    let found = facts(&tree);
    assert_eq!(short(&found), ["slow-slot nvme0n1"]);
    let text = "0000:02:00.0 can 16 GT/s x4 (7.877 GB/s), its port 0000:00:02.4 only \
                8 GT/s x4 (3.938 GB/s)";
    assert_eq!(texts(&found, "slow-slot"), [text]);
    // Half as fast and twice as wide is as good.
    tree.attribute(PORT, "max_link_width", "16");
    assert_eq!(short(&facts(&tree)), [""; 0]);
}

#[test]
fn a_link_that_tells_nothing_is_left_in_peace() {
    let mut tree = slow_laptop();
    for folder in [PORT, DRIVE] {
        tree.attribute(folder, "current_link_speed", "Unknown");
    }
    assert_eq!(short(&facts(&tree)), [""; 0]);
}

#[test]
fn a_shared_link_is_told_once_with_all_behind_it() {
    let mut tree = machine("nvme-server");
    let upstream = "/sys/devices/pci0000:c9/0000:c9:02.0/0000:ca:00.0";
    tree.attribute(upstream, "current_link_width", "8");
    let found = findings(&facts(&tree));
    let found: Vec<_> = found.iter().filter(|finding| finding.parts.len() > 1).collect();
    assert_eq!(found.len(), 1);
    let drives: Vec<String> = (18..24).map(|number| format!("nvme{number}n1")).collect();
    assert_eq!(found[0].parts, drives);
}

#[test]
fn the_slot_of_a_degraded_drive_is_named() {
    let found = findings(&facts(&machine("nvme-server")));
    assert!(found[0].hint.contains("in slot 107 "), "{}", found[0].hint);
}

#[test]
fn a_sata_drive_that_is_slower_than_its_like_is_degraded() {
    let link = |port: u32| {
        format!("/sys/devices/pci0000:00/0000:00:17.0/ata{port}/link{port}/ata_link/link{port}")
    };
    let mut tree = machine("md");
    tree.attribute(&link(3), "sata_spd", "3.0 Gbps");
    let text = "the link of sdc runs at 3 Gb/s, that of sda of the same model (ST4000NM000A-2HZ) \
                at 6 Gb/s";
    let found = facts(&tree);
    assert_eq!(texts(&found, "degraded-link"), [text]);

    // Alone of its model it may be an old drive.
    let device = "/sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0";
    tree.attribute(device, "model", "ST3500320NS");
    let found = facts(&tree);
    assert_eq!(texts(&found, "degraded-link"), [""; 0]);
    let text = "the link of sdc runs at 3 Gb/s of the 6 Gb/s that its port can";
    assert_eq!(texts(&found, "slow-link"), [text]);

    // A port that can no more is no fault of the drive, nor of its cable.
    tree.attribute(&link(3), "hw_sata_spd_limit", "3.0 Gbps");
    tree.attribute(device, "model", "ST4000NM000A-2HZ");
    let found = facts(&tree);
    assert_eq!((texts(&found, "degraded-link").len(), texts(&found, "slow-link").len()), (0, 0));
}

#[test]
fn lanes_of_one_sas_port_run_alike() {
    let mut tree = machine("jbod");
    let host = "/sys/devices/pci0000:80/0000:80:03.0/0000:81:00.0/host0";
    tree.attribute(&format!("{host}/phy-0:2/sas_phy/phy-0:2"), "negotiated_linkrate", "6.0 Gbit");
    let found = facts(&tree);
    let text = "1 of 4 lanes of port-0:0 to expander-0:0 (phy-0:2) do not run at 12 Gb/s like \
                the others; 12 drives share them";
    assert!(texts(&found, "degraded-link").contains(&text.to_owned()));
    assert!(!texts(&facts(&machine("jbod")), "degraded-link").contains(&text.to_owned()));
}

#[test]
fn a_port_of_fibre_channel_below_its_rate_is_told() {
    let mut tree = machine("san");
    let host = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/host7/fc_host/host7";
    tree.attribute(host, "speed", "8 Gbit");
    let found = facts(&tree);
    assert_eq!(texts(&found, "slow-link"), ["host7 runs at 8 Gb/s of the 16 Gb/s it can"]);
}

/// Both functions of the card share its link, which is told once.
#[test]
fn the_link_of_a_network_card_that_storage_goes_through_is_judged() {
    let mut tree = machine("nfs");
    for function in 0..2 {
        let card = format!("/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.{function}");
        tree.attribute(&card, "current_link_width", "4");
    }
    let mut found = facts(&tree);
    assert_eq!(short(&found), ["degraded-link enp65s0f0np0 enp65s0f1np1"]);
    for interface in found.hardware.interfaces.values_mut() {
        interface.moved_bytes = Some(0);
    }
    assert_eq!(short(&found), ["link-at-rest enp65s0f0np0 enp65s0f1np1"]);
    // Nothing of NFS is mounted: whatever the card is for, storage it is not.
    found.mounts.clear();
    assert_eq!(short(&found), [""; 0]);
}

#[test]
fn the_interface_of_an_iscsi_session_counts() {
    let mut tree = machine("fabrics");
    let card = "/sys/devices/pci0000:00/0000:00:03.0/0000:03:00.0";
    tree.attribute(card, "current_link_speed", "2.5 GT/s PCIe");
    assert_eq!(short(&facts(&tree)), ["degraded-link ens1f0"]);
}
