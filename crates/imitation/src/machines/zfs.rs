//! A file server with a ZFS pool over four SATA disks. What ZFS tells under /proc/spl has the form
//! of OpenZFS 2.2; the values are synthetic.

use crate::{Function, Partition, Queue, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-15", 65_670_204, "10");
    let ahci =
        Function { class: "0x010601", id: "1022:7901", driver: "ahci", node: -1, rate: None };
    let controller = tree.function("pci0000:00/0000:00:1f.2", ahci);
    for index in 0..4_u32 {
        let host = tree.ata_port(&controller, index + 1, index, "6.0 Gbps");
        let name = format!("sd{}", char::from(b'a' + index as u8));
        let numbers = [0, 1, 9].map(|minor| format!("8:{}", 16 * index + minor));
        let address = format!("{index}:0:0:0");
        let disk = (15_628_053_168, &Queue::disk());
        let disk = tree.scsi_disk(&host, &address, (&name, &numbers[0]), disk);
        tree.scsi_attributes(&disk, &[("vendor", "ATA"), ("model", "WDC WD80EFAX-68K")]);
        let data =
            Partition { number: 1, device: &numbers[1], start: 2048, sectors: 15_628_034_048 };
        let rest =
            Partition { number: 9, device: &numbers[2], start: 15_628_036_096, sectors: 16_384 };
        tree.partition(&disk, data);
        tree.partition(&disk, rest);
    }
    tree.file("/proc/spl/kstat/zfs/tank/state", "ONLINE\n");
    tree.file("/proc/spl/kstat/zfs/arcstats", ARC);
    tree.file("/proc/spl/kstat/zfs/tank/objset-0x36", OBJSET);
    tree.attribute("/sys/module/zfs", "version", "2.2.7-1");
    tree.attribute("/sys/module/zfs/parameters", "zfs_txg_timeout", "5");
    tree.attribute("/sys/module/zfs/parameters", "zfs_arc_max", "0");
    tree.mount("0:45", "/tank", "zfs", ("tank", "rw,xattr,noacl"));
    tree.mount("0:46", "/tank/data", "zfs", ("tank/data", "rw,xattr,noacl"));
    tree
}

const ARC: &str = "\
13 1 0x01 147 39984 4287462113 3601724203152
name                            type data
hits                            4    123456789
misses                          4    2345678
c                               4    33623144448
c_min                           4    2101446528
c_max                           4    33623144448
size                            4    33561234567
";

const OBJSET: &str = "\
41 1 0x01 20 5440 4287462113 3601724203152
name                            type data
dataset_name                    7    tank/data
writes                          4    1048576
nwritten                        4    137438953472
reads                           4    2097152
nread                           4    274877906944
";
