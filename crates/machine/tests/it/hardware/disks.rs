//! SATA, SAS, USB and virtual disks, and software RAID.

use iopath_machine::hardware::SasDevice;

use super::*;

#[test]
fn the_rate_of_a_sata_link_is_read() {
    let mut tree = machine("md");
    let link = "/sys/devices/pci0000:00/0000:00:17.0/ata3/link3/ata_link/link3";
    tree.attribute(link, "sata_spd", "1.5 Gbps");
    let hardware = read(&tree);
    let rate = |device: &str| match &scsi(&hardware.attachments[device]).via {
        ScsiVia::Ata(via) => (via.port.clone(), via.megabits_per_sec, via.max_megabits_per_sec),
        other => panic!("{other:?}"),
    };
    assert_eq!(rate("sda"), ("ata1".into(), Some(6000), Some(6000)));
    assert_eq!(rate("sdc"), ("ata3".into(), Some(1500), Some(6000)));
    // A setting of the kernel lowers what the port may do; an empty port knows nothing.
    tree.attribute(link, "sata_spd_limit", "3.0 Gbps");
    tree.attribute(link, "sata_spd", "<unknown>");
    let hardware = read(&tree);
    let ScsiVia::Ata(via) = &scsi(&hardware.attachments["sdc"]).via else { panic!("not ATA") };
    assert_eq!((via.megabits_per_sec, via.max_megabits_per_sec), (None, Some(3000)));
}

#[test]
fn the_way_through_an_expander_has_its_ports_and_lanes() {
    let hardware = read(&machine("jbod"));
    let ScsiVia::Sas(via) = &scsi(&hardware.attachments["sdf"]).via else { panic!("not SAS") };
    let [wide, narrow] = &via.ports[..] else { panic!("{:?}", via.ports) };
    assert_eq!((wide.name.as_str(), wide.lanes.len()), ("port-0:0", 4));
    assert!(wide.lanes.iter().all(|lane| lane.megabits_per_sec == Some(12_000)));
    let expander = SasDevice::Expander {
        name: "expander-0:0".into(),
        vendor: Some("LSI".into()),
        product: Some("SAS3x28".into()),
    };
    assert_eq!(wide.end, expander);
    assert_eq!((narrow.name.as_str(), narrow.lanes.len()), ("port-0:0:5", 1));
    assert_eq!(narrow.lanes[0].megabits_per_sec, Some(6_000));
    assert_eq!(narrow.lanes[0].max_megabits_per_sec, Some(12_000));
    assert_eq!(narrow.end, SasDevice::End { name: "end_device-0:0:5".into() });
}

#[test]
fn a_lane_may_have_no_rate() {
    let mut tree = machine("jbod");
    let host = "/sys/devices/pci0000:80/0000:80:03.0/0000:81:00.0/host0";
    let lane = format!("{host}/phy-0:2/sas_phy/phy-0:2");
    tree.attribute(&lane, "negotiated_linkrate", "Link Rate failed");
    let hardware = read(&tree);
    let ScsiVia::Sas(via) = &scsi(&hardware.attachments["sda"]).via else { panic!("not SAS") };
    assert_eq!(via.ports[0].lanes[2].megabits_per_sec, None);
    assert_eq!(via.ports[0].lanes[3].megabits_per_sec, Some(12_000));
}

#[test]
fn virtual_and_removable_disks_say_what_carries_them() {
    let cloud = read(&machine("cloud"));
    assert_eq!(cloud.attachments["vda"].transport, Transport::Virtio { bus: "pci" });
    assert_eq!(scsi(&cloud.attachments["sda"]).via, ScsiVia::Virtio);
    let fabrics = read(&machine("fabrics"));
    let ScsiVia::Usb(usb) = &scsi(&fabrics.attachments["sdb"]).via else { panic!("not USB") };
    assert_eq!((usb.device.as_str(), usb.megabits_per_sec), ("2-1", Some(5000)));
}

/// Controllers that show volumes of their own, and those of hypervisors, are told by their driver.
#[test]
fn a_controller_without_a_transport_class_is_named_by_its_driver() {
    for (above, driver, expected) in [
        ("pci0000:17/0000:17:02.0/0000:18:00.0", "megaraid_sas", "Other(\"megaraid_sas\")"),
        ("pci0000:00/0000:00:10.0", "vmw_pvscsi", "Hypervisor(\"vmw_pvscsi\")"),
        ("LNXSYSTM:00/VMBUS:01/f8b3781b", "storvsc_host_t", "Hypervisor(\"storvsc_host_t\")"),
        ("platform", "<NULL>", "Other(\"unknown\")"),
    ] {
        let mut tree = Tree::new();
        let host = tree.scsi_host(&format!("/sys/devices/{above}"), 0, driver, 64);
        let disk = (1 << 21, &iopath_imitation::Queue::disk());
        tree.scsi_disk(&host, "0:2:0:0", ("sda", "8:0"), disk);
        let hardware = read(&tree);
        assert_eq!(format!("{:?}", scsi(&hardware.attachments["sda"]).via), expected);
    }
}

#[test]
fn other_disks_are_told_by_their_place() {
    for (folder, expected) in [
        ("vbd-51712/block/xvda", Transport::Xen),
        ("platform/fe320000.mmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0", Transport::Mmc),
        ("LNXSYSTM:00/ACPI0012:00/ndbus0/region0/namespace0.0/block/pmem0", Transport::Pmem),
        ("virtual/block/nbd0", Transport::Network("nbd".into())),
        ("rbd/0/block/rbd0", Transport::Network("rbd".into())),
        ("virtual/block/loop0", Transport::None),
        ("virtual/block/zram0", Transport::None),
        ("platform/strange/block/st0", Transport::Other("strange-driver".into())),
    ] {
        let mut tree = Tree::new();
        let folder = format!("/sys/devices/{folder}");
        tree.disk(&folder, "240:0", 2048, &iopath_imitation::Queue::virtual_device());
        if let Some((device, _)) = folder.split_once("/block/").filter(|(d, _)| !d.contains("virt"))
        {
            tree.link(&format!("{folder}/device"), device);
            tree.link(&format!("{device}/driver"), "/sys/bus/platform/drivers/strange-driver");
            tree.attribute(device, "uevent", "");
        }
        let hardware = read(&tree);
        let name = folder.rsplit('/').next().unwrap();
        assert_eq!(hardware.attachments[name].transport, expected, "{folder}");
    }
}

#[test]
fn arrays_have_level_chunk_and_members_in_order() {
    let mut tree = machine("md");
    let md = "/sys/devices/virtual/block/md0/md";
    let hardware = read(&tree);
    let array = &hardware.arrays["md0"];
    assert_eq!(array.level.as_deref(), Some("raid5"));
    assert_eq!(
        (array.chunk_bytes, array.raid_disks, array.layout),
        (Some(524_288), Some(4), Some(2))
    );
    assert_eq!(array.degraded, Some(0));
    let names: Vec<_> = array.members.iter().map(|member| member.device.as_str()).collect();
    assert_eq!(names, ["sda1", "sdb1", "sdc1", "sdd1"]);
    assert_eq!(array.members[3].slot, Some(3));
    assert_eq!(hardware.arrays["md1"].chunk_bytes, None);

    // A member failed; a spare is being rebuilt; a reshape shows the old number in parentheses.
    tree.attribute(md, "degraded", "1");
    tree.attribute(md, "raid_disks", "5 (4)");
    tree.attribute(md, "sync_action", "recover");
    tree.attribute(&format!("{md}/dev-sdb1"), "slot", "none");
    tree.attribute(&format!("{md}/dev-sdb1"), "state", "faulty,write_error");
    let array = read(&tree).arrays["md0"].clone();
    assert_eq!((array.degraded, array.raid_disks), (Some(1), Some(5)));
    assert_eq!(array.sync_action.as_deref(), Some("recover"));
    let last = array.members.last().unwrap();
    assert_eq!((last.device.as_str(), last.slot), ("sdb1", None));
}
