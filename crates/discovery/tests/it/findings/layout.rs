//! Partitions, file systems and files across what they lie on.

use super::*;

const DISK: &str = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";

#[test]
fn a_partition_across_physical_blocks_is_misaligned() {
    for (start, expected) in [("63", 1), ("2048", 0), ("2056", 0), ("2047", 1)] {
        let mut tree = machine("md");
        tree.attribute(&format!("{DISK}/sda1"), "start", start);
        assert_eq!(texts(&facts(&tree), "misaligned-partition").len(), expected, "{start}");
    }
    let mut tree = machine("md");
    tree.attribute(&format!("{DISK}/sda1"), "start", "63");
    let text =
        "sda1 begins 32256 B into sda, which is 3584 B off from its physical blocks of 4 KiB";
    assert_eq!(texts(&facts(&tree), "misaligned-partition"), [text]);
    // A disk that says that its own beginning is so much off makes it right.
    tree.attribute(DISK, "alignment_offset", "3584");
    assert_eq!(texts(&facts(&tree), "misaligned-partition"), [""; 0]);
}

/// Volumes of RAID controllers show their chunk in the queue.
#[test]
fn a_partition_across_chunks_is_told() {
    let mut tree = machine("md");
    tree.attribute(&format!("{DISK}/queue"), "minimum_io_size", "262144");
    tree.attribute(&format!("{DISK}/queue"), "optimal_io_size", "1048576");
    assert_eq!(texts(&facts(&tree), "misaligned-partition"), [""; 0]);
    tree.attribute(&format!("{DISK}/sda1"), "start", "2056");
    let text = "sda1 begins 1028 KiB into sda, which is 4 KiB off from its chunks of 256 KiB";
    assert_eq!(texts(&facts(&tree), "misaligned-partition"), [text]);
}

#[test]
fn xfs_is_held_against_chunk_and_stripe() {
    let text = "the xfs on /srv was made for chunks of 64 KiB and stripes of 192 KiB, and md0 \
                (raid5) has chunks of 512 KiB and stripes of 1536 KiB";
    let mut found = facts(&machine("md"));
    assert_eq!(texts(&found, "stripe-hint"), [text]);
    let all = findings(&found);
    let finding = all.iter().find(|finding| finding.rule == "stripe-hint").unwrap();
    assert!(finding.hint.contains("sunit=1024,swidth=3072"), "{}", finding.hint);
    for (options, is_found) in [
        (&["rw", "sunit=1024", "swidth=3072"][..], false),
        (&["rw", "sunit=1024", "swidth=2048"], true),
        (&["rw"], true),
    ] {
        for mount in found.mounts.iter_mut().filter(|mount| mount.fs_type == "xfs") {
            mount.options = options.iter().map(|&option| option.to_owned()).collect();
        }
        assert_eq!(!texts(&found, "stripe-hint").is_empty(), is_found, "{options:?}");
    }
}

#[test]
fn ext4_is_held_against_the_stripe_in_blocks() {
    let mut found = facts(&machine("lvm"));
    for (option, is_found) in
        [("stripe=64", false), ("stripe=16", false), ("stripe=32", true), ("discard", true)]
    {
        for mount in found.mounts.iter_mut().filter(|mount| mount.fs_type == "ext4") {
            mount.options = vec!["rw".to_owned(), option.to_owned()];
        }
        assert_eq!(!texts(&found, "stripe-hint").is_empty(), is_found, "{option}");
    }
}

#[test]
fn a_file_in_short_runs_is_fragmented() {
    let (disks, flash) = (facts(&machine("md")), facts(&machine("lvm")));
    for (facts, device, mib, runs, is_found) in [
        (&disks, "md0", 1024, Some(1), false),
        (&disks, "md0", 1024, Some(128), false),
        (&disks, "md0", 1024, Some(129), true),
        (&disks, "md0", 1024, None, false),
        (&flash, "dm-0", 1024, Some(8192), false),
        (&flash, "dm-0", 1024, Some(8193), true),
        // A small file in one piece is whole.
        (&disks, "md0", 1, Some(1), false),
    ] {
        let found = in_pieces(facts, mib << 20, runs, device);
        let is_told = !texts(&found, "fragmented-file").is_empty();
        assert_eq!(is_told, is_found, "{mib} MiB on {device} in {runs:?}");
    }
    let found = in_pieces(&disks, 1 << 30, Some(1024), "md0");
    let text = "/srv/big has 1024 extents of 1.000 MiB on average, less than 8 MiB on disks";
    assert_eq!(texts(&found, "fragmented-file"), [text]);
}
