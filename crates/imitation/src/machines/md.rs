//! A server with six SATA disks on one controller: RAID 5 over partitions of four, RAID 1 over
//! those of the other two. The XFS on the RAID 5 was made for a chunk that it does not have.
//! Synthetic.

use crate::{Function, Partition, Queue, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-7", 32_791_040, "10");
    let ahci =
        Function { class: "0x010601", id: "8086:a102", driver: "ahci", node: -1, rate: None };
    let controller = tree.function("pci0000:00/0000:00:17.0", ahci);
    let mut parts = Vec::new();
    for index in 0..6_u32 {
        let host = tree.ata_port(&controller, index + 1, index, "6.0 Gbps");
        let name = format!("sd{}", char::from(b'a' + index as u8));
        let number = format!("8:{}", 16 * index);
        let address = format!("{index}:0:0:0");
        let disk = (7_814_037_168, &Queue::disk());
        let disk = tree.scsi_disk(&host, &address, (&name, &number), disk);
        let device = format!("8:{}", 16 * index + 1);
        let partition =
            Partition { number: 1, device: &device, start: 2048, sectors: 7_814_033_408 };
        tree.scsi_attributes(&disk, &[("vendor", "ATA"), ("model", "ST4000NM000A-2HZ")]);
        parts.push(tree.partition(&disk, partition));
    }
    let stripe = Queue::virtual_device()
        .with("rotational", "1")
        .with("physical_block_size", "4096")
        .with("minimum_io_size", "524288")
        .with("optimal_io_size", "1572864")
        .with("read_ahead_kb", "3072");
    let array = tree.upper("md0", "9:0", 23_441_704_960, &stripe);
    tree.array(&array, "raid5", 512 << 10, &parts[..4]);
    tree.attribute(&array, "md/stripe_cache_size", "256");
    let mirror =
        Queue::virtual_device().with("rotational", "1").with("physical_block_size", "4096");
    let mirror = tree.upper("md1", "9:1", 7_813_768_192, &mirror);
    tree.array(&mirror, "raid1", 0, &parts[4..]);
    tree.mount("9:0", "/srv", "xfs", ("/dev/md0", "rw,attr2,inode64,sunit=128,swidth=384,noquota"));
    tree.mount("9:1", "/", "ext4", ("/dev/md1", "rw"));
    tree
}
