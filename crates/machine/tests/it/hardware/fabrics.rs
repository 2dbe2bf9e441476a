//! Fibre Channel, NVMe over fabrics, iSCSI, network interfaces; which ways are usable.

use iopath_machine::hardware::{NvmeTransport, ScsiAddress};

use super::*;

#[test]
fn each_path_over_fibre_channel_has_two_ports_and_a_state() {
    let hardware = read(&machine("san"));
    for (device, address, host, remote, state, is_usable) in [
        ("sdb", "7:0:0:1", 7, "0x200300a098a1b2c3", "active/optimized", true),
        ("sdc", "7:0:1:1", 7, "0x201300a098a1b2c3", "standby", false),
        ("sdd", "8:0:0:1", 8, "0x200400a098a1b2c3", "active/optimized", true),
        ("sde", "8:0:1:1", 8, "0x201400a098a1b2c3", "standby", false),
    ] {
        let scsi = scsi(&hardware.attachments[device]);
        assert_eq!(Some(scsi.address), ScsiAddress::parse(address), "{device}");
        assert_eq!(scsi.access_state.as_deref(), Some(state), "{device}");
        assert_eq!(scsi.is_usable(), is_usable, "{device}");
        let ScsiVia::FibreChannel(via) = &scsi.via else { panic!("{:?}", scsi.via) };
        assert_eq!(via.host.number, host, "{device}");
        assert_eq!(via.remote.port_name.as_deref(), Some(remote), "{device}");
        assert_eq!(via.host.megabits_per_sec, Some(16_000));
        assert_eq!(via.host.supported_megabits_per_sec, [4_000, 8_000, 16_000]);
    }
    let pci = |device: &str| hardware.attachments[device].pci.clone().unwrap();
    assert_eq!([pci("sdb"), pci("sdd")], ["0000:3b:00.0", "0000:3b:00.1"]);
}

#[test]
fn a_path_is_usable_while_device_port_and_array_say_so() {
    let adapter = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";
    let device = format!("{adapter}/host7/rport-7:0-0/target7:0:0/7:0:0:1");
    let remote = format!("{adapter}/host7/rport-7:0-0/fc_remote_ports/rport-7:0-0");
    let host = format!("{adapter}/host7/fc_host/host7");
    for (folder, name, value, expected) in [
        (&device, "state", "running", true),
        (&device, "state", "transport-offline", false),
        (&device, "access_state", "active/non-optimized", true),
        (&device, "access_state", "unavailable", false),
        (&remote, "port_state", "Blocked", false),
        (&host, "port_state", "Linkdown", false),
    ] {
        let mut tree = machine("san");
        tree.attribute(folder, name, value);
        let hardware = read(&tree);
        let is_usable = scsi(&hardware.attachments["sdb"]).is_usable();
        assert_eq!(is_usable, expected, "{name} {value}");
    }
}

/// These texts came with kernels and drivers: a port that is down, and one that knows nothing.
#[test]
fn a_port_without_a_rate_has_none() {
    let host = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/host7/fc_host/host7";
    for text in ["Unknown", "unknown", "Not Negotiated", ""] {
        let mut tree = machine("san");
        tree.attribute(host, "speed", text);
        let hardware = read(&tree);
        let ScsiVia::FibreChannel(via) = &scsi(&hardware.attachments["sdb"]).via else { panic!() };
        assert_eq!(via.host.megabits_per_sec, None, "{text}");
    }
}

#[test]
fn a_namespace_has_the_paths_of_its_subsystem() {
    let hardware = read(&machine("fabrics"));
    let Transport::Nvme(nvme) = &hardware.attachments["nvme0n1"].transport else { panic!() };
    assert_eq!(nvme.subsystem.as_deref(), Some("nvme-subsys0"));
    assert_eq!(nvme.path_policy.as_deref(), Some("round-robin"));
    let facts: Vec<_> = nvme
        .paths
        .iter()
        .map(|path| (path.device.as_str(), path.ana_state.as_deref(), path.is_optimised()))
        .collect();
    let expected = [
        ("nvme0c0n1", Some("optimized"), Some(true)),
        ("nvme0c1n1", Some("inaccessible"), Some(false)),
    ];
    assert_eq!(facts, expected);
    let controller = &nvme.paths[1].controller;
    assert_eq!(controller.transport, NvmeTransport::Tcp);
    let address = "traddr=10.0.1.5,trsvcid=4420,src_addr=10.0.1.9";
    assert_eq!(controller.address.as_deref(), Some(address));
    assert_eq!((controller.queue_count, controller.queue_entries), (Some(17), Some(128)));
    assert_eq!(controller.pci, None);
}

#[test]
fn a_namespace_of_one_local_controller_has_one_path() {
    let hardware = read(&machine("laptop"));
    let attachment = &hardware.attachments["nvme0n1"];
    let Transport::Nvme(nvme) = &attachment.transport else { panic!() };
    assert_eq!(nvme.subsystem.as_deref(), Some("nvme-subsys0"));
    assert_eq!((nvme.path_policy.as_deref(), nvme.paths.len()), (None, 1));
    let path = &nvme.paths[0];
    assert_eq!((path.device.as_str(), path.is_live()), ("nvme0n1", true));
    assert_eq!(path.controller.transport, NvmeTransport::Pcie);
    assert_eq!(path.controller.model.as_deref(), Some("WD PC SN740 SDDPNQD-256G"));
    assert_eq!(path.controller.queue_entries, Some(1024));
    assert_eq!(attachment.functions().into_iter().collect::<Vec<_>>(), ["0000:02:00.0"]);
}

/// Drives with two ports lie below their subsystem, and each port below its own function.
#[test]
fn a_drive_with_two_ports_hangs_on_both_functions() {
    let mut tree = Tree::new();
    let mut folders = Vec::new();
    for (number, bus) in [(0, 0x17), (1, 0x65)] {
        let function = Function {
            class: "0x010802",
            id: "1e0f:0007",
            driver: "nvme",
            node: i32::from(number > 0),
            rate: None,
        };
        let path = format!("pci0000:{bus:02x}/0000:{bus:02x}:00.0");
        let above = tree.function(&path, function);
        folders.push(tree.nvme_controller(&above, number, "KCM61VUL3T20"));
    }
    let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    tree.link(&format!("{subsystem}/nvme1"), &folders[1]);
    let head = format!("{subsystem}/nvme0n1");
    tree.disk(&head, "259:0", 1 << 32, &iopath_imitation::Queue::nvme());
    for (number, folder) in folders.iter().enumerate() {
        tree.attribute(&format!("{folder}/nvme0c{number}n1"), "ana_state", "optimized");
        // Other namespaces and other instances are not of this one.
        tree.attribute(&format!("{folder}/nvme0c{number}n2"), "ana_state", "optimized");
        tree.attribute(&format!("{folder}/nvme10c{number}n1"), "ana_state", "optimized");
    }
    let hardware = read(&tree);
    let attachment = &hardware.attachments["nvme0n1"];
    let functions: Vec<_> = attachment.functions().into_iter().collect();
    assert_eq!(functions, ["0000:17:00.0", "0000:65:00.0"]);
    assert_eq!((attachment.pci.as_deref(), hardware.node_of("nvme0n1")), (None, None));
    let Transport::Nvme(nvme) = &attachment.transport else { panic!() };
    let devices: Vec<_> = nvme.paths.iter().map(|path| path.device.as_str()).collect();
    assert_eq!(devices, ["nvme0c0n1", "nvme0c1n1"]);
}

#[test]
fn an_iscsi_disk_has_session_portal_and_interface() {
    let mut tree = machine("fabrics");
    let hardware = read(&tree);
    let ScsiVia::Iscsi(via) = &scsi(&hardware.attachments["sda"]).via else { panic!() };
    assert_eq!(via.session, "session1");
    assert_eq!(via.target.as_deref(), Some("iqn.2003-01.org.example:array2"));
    assert_eq!(via.portal.as_deref(), Some("10.0.0.6:3260"));
    assert_eq!(via.interface.as_deref(), Some("ens1f0"));
    let interface = &hardware.interfaces["ens1f0"];
    assert_eq!(interface.megabits_per_sec, Some(25_000));
    assert_eq!(interface.pci.as_deref(), Some("0000:03:00.0"));

    let session = "/sys/devices/platform/host3/session1";
    let connection = format!("{session}/connection1:0/iscsi_connection/connection1:0");
    tree.attribute(&connection, "address", "fd00::6");
    tree.attribute("/sys/devices/platform/host3/iscsi_host/host3", "netdev", "default");
    let hardware = read(&tree);
    let ScsiVia::Iscsi(via) = &scsi(&hardware.attachments["sda"]).via else { panic!() };
    assert_eq!(via.portal.as_deref(), Some("[fd00::6]:3260"));
    assert_eq!(via.interface, None);
}

#[test]
fn bonds_stand_on_interfaces_and_those_on_functions() {
    let hardware = read(&machine("nfs"));
    let bond = &hardware.interfaces["bond0"];
    assert_eq!(bond.lower, ["enp65s0f0np0", "enp65s0f1np1"]);
    assert_eq!((bond.pci.as_deref(), bond.megabits_per_sec), (None, Some(50_000)));
    let lower = &hardware.interfaces["enp65s0f1np1"];
    assert_eq!(lower.pci.as_deref(), Some("0000:41:00.1"));
    assert_eq!(lower.driver.as_deref(), Some("mlx5_core"));
    assert_eq!(lower.moved_bytes, Some(10_738_991_104 + 5_370_347_520));
}
