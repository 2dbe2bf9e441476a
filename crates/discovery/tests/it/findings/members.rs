//! Volumes over several members: copies, chunks, missing members, nodes.

use super::*;

#[test]
fn copies_behind_one_controller_are_told_and_those_behind_two_are_not() {
    let text = "the copies of md1 (raid1) are behind one controller, 0000:00:17.0: sde1 and sdf1";
    let mut found = facts(&machine("md"));
    assert_eq!(texts(&found, "one-controller"), [text]);
    // As if one of them were on another controller.
    found.hardware.attachments.get_mut("sdf").unwrap().pci = Some("0000:01:00.0".to_owned());
    assert_eq!(texts(&found, "one-controller"), [""; 0]);
    // Of what is not known nothing is claimed.
    found.hardware.attachments.get_mut("sdf").unwrap().pci = None;
    assert_eq!(texts(&found, "one-controller"), [""; 0]);
}

#[test]
fn copies_on_one_disk_are_a_warning() {
    let mut found = facts(&machine("md"));
    let array = found.hardware.arrays.get_mut("md1").unwrap();
    array.members[0].device = "sdf1".to_owned();
    let all = findings(&found);
    let finding = all.iter().find(|finding| finding.rule == "one-disk").unwrap();
    assert_eq!(finding.weight, Weight::Warning);
    assert!(finding.text.contains("on one disk, sdf: sdf1 and sdf1"), "{}", finding.text);
}

/// RAID 10 with two near copies: neighbours hold the same.
#[test]
fn pairs_of_raid_10_are_judged_pair_by_pair() {
    let mut found = facts(&machine("md"));
    let array = found.hardware.arrays.get_mut("md0").unwrap();
    (array.level, array.layout) = (Some("raid10".to_owned()), Some(0x102));
    let other = |found: &mut Facts, name: &str| {
        found.hardware.attachments.get_mut(name).unwrap().pci = Some("0000:01:00.0".to_owned());
    };
    other(&mut found, "sdb");
    let text = "the copies of md0 (raid10) are behind one controller, 0000:00:17.0: sdc1 and sdd1";
    assert_eq!(texts(&found, "one-controller")[0], text);
    other(&mut found, "sdd");
    assert_eq!(texts(&found, "one-controller").len(), 1, "md1 stays");
}

#[test]
fn disks_of_virtual_machines_share_no_controller_that_is_known() {
    use iopath_machine::hardware::{Scsi, ScsiVia, Transport};
    let mut found = facts(&machine("md"));
    for attachment in found.hardware.attachments.values_mut() {
        if let Transport::Scsi(scsi) = &attachment.transport {
            let scsi = Scsi { via: ScsiVia::Virtio, ..scsi.as_ref().clone() };
            attachment.transport = Transport::Scsi(Box::new(scsi));
        }
    }
    assert_eq!(texts(&found, "one-controller"), [""; 0]);
}

#[test]
fn missing_members_are_told_with_what_is_done_about_them() {
    let mut tree = machine("md");
    let md = "/sys/devices/virtual/block/md0/md";
    tree.attribute(md, "degraded", "1");
    tree.attribute(md, "sync_action", "recover");
    let found = facts(&tree);
    assert_eq!(texts(&found, "degraded-array"), ["md0 (raid5) is without 1 of 4 members"]);
    assert_eq!(texts(&found, "array-busy"), ["md0 (raid5) is busy: recover"]);
    tree.attribute(md, "sync_action", "frozen");
    assert_eq!(texts(&facts(&tree), "array-busy"), [""; 0]);
    assert_eq!(texts(&facts(&machine("md")), "degraded-array"), [""; 0]);
    let mut tree = machine("zfs");
    tree.attribute("/proc/spl/kstat/zfs/tank", "state", "DEGRADED");
    assert_eq!(texts(&facts(&tree), "degraded-array"), ["the pool tank is DEGRADED"]);
}

#[test]
fn a_chunk_that_no_request_holds_is_told() {
    let mut found = facts(&machine("md"));
    assert_eq!(texts(&found, "cut-requests"), [""; 0]);
    let queue = &mut found.hardware.attachments.get_mut("sdb").unwrap().queue;
    queue.max_request_bytes = Some(128 << 10);
    let all = findings(&found);
    let finding = all.iter().find(|finding| finding.rule == "cut-requests").unwrap();
    let text = "md0 (raid5) has chunks of 512 KiB, but requests of sdb are limited to 128 KiB: \
                each chunk is split into 4";
    assert_eq!(finding.text, text);
    assert!(finding.hint.starts_with("raise max_sectors_kb of sdb to 512"), "{}", finding.hint);

    let queue = &mut found.hardware.attachments.get_mut("sdb").unwrap().queue;
    queue.max_hardware_request_bytes = Some(128 << 10);
    let all = findings(&found);
    let finding = all.iter().find(|finding| finding.rule == "cut-requests").unwrap();
    assert!(finding.hint.starts_with("the controller allows only 128 KiB"));
}

#[test]
fn a_stripe_of_lvm_is_judged_by_its_queue() {
    let mut found = facts(&machine("lvm"));
    assert_eq!(short(&found), [""; 0]);
    for name in ["nvme0n1", "nvme2n1"] {
        let queue = &mut found.hardware.attachments.get_mut(name).unwrap().queue;
        queue.max_request_bytes = Some(32 << 10);
    }
    assert_eq!(short(&found), ["cut-requests nvme0n1 nvme2n1"]);
}

#[test]
fn members_next_to_different_nodes_are_told() {
    let mut found = facts(&machine("lvm"));
    let second = iopath_machine::hardware::NumaNode {
        number: 1,
        cpus: "32-63".to_owned(),
        cpu_count: 32,
        memory_bytes: None,
        distances: vec![32, 10],
    };
    found.hardware.nodes[0].distances = vec![10, 32];
    found.hardware.nodes.push(second);
    assert_eq!(texts(&found, "numa-split"), [""; 0]);
    for name in ["nvme2n1", "nvme3n1"] {
        found.hardware.attachments.get_mut(name).unwrap().node = Some(1);
    }
    let text = "members of dm-0 (LVM volume) are next to different processors: 2 next to node 0, \
                2 next to node 1; every user is far from some of them (distance 32, 10 is near)";
    assert_eq!(texts(&found, "numa-split"), [text]);
}

/// The cpuset of a container, taskset, numactl.
#[test]
fn devices_far_from_the_processors_that_may_be_used_are_told() {
    let mut found = facts(&machine("jbod"));
    for (usable, is_found) in
        [(None, false), (Some("0-23"), false), (Some("8-12"), false), (Some("0-11"), true)]
    {
        found.hardware.usable_cpus = usable.map(str::to_owned);
        assert_eq!(!texts(&found, "numa-remote").is_empty(), is_found, "{usable:?}");
    }
    let all = findings(&found);
    let finding = all.iter().find(|finding| finding.rule == "numa-remote").unwrap();
    let text = "12 devices are next to node 1 (processors 12-23), and this process may run on \
                0-11 only, at a distance of 21 (10 is near)";
    assert_eq!((finding.text.as_str(), finding.weight), (text, Weight::Warning));
    assert!(finding.hint.contains("--cpunodebind=1"), "{}", finding.hint);
}

#[test]
fn devices_next_to_a_node_without_processors_are_told() {
    let mut tree = machine("jbod");
    assert_eq!(texts(&facts(&tree), "numa-remote"), [""; 0]);
    tree.attribute("/sys/devices/system/node/node1", "cpulist", "");
    let found = facts(&tree);
    let text = &texts(&found, "numa-remote")[0];
    assert_eq!(text, "12 devices are next to node 1, which has no online processor");
}
