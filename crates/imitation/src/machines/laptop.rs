//! A laptop with one NVMe drive: EFI partition, ext4 on `/` and a swap partition.
//!
//! The root port, the drive's function and its controller have the values that Mario Limonciello
//! recorded on a laptop for a test of fwupd (<https://github.com/fwupd/fwupd>, 2024, plugin nvme);
//! block device, partitions, memory and mounts are synthetic.

use crate::{Function, Partition, Rate, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    let link = Rate::full("16.0 GT/s PCIe", 4);
    let port = "pci0000:00/0000:00:02.4";
    tree.function(port, Function::port("1022:14ee", -1, link));
    let function =
        Function { class: "0x010802", id: "15b7:5017", driver: "nvme", node: -1, rate: Some(link) };
    let drive = tree.function(&format!("{port}/0000:02:00.0"), function);
    let controller = tree.nvme_controller(&drive, 0, "WD PC SN740 SDDPNQD-256G");
    tree.attributes(
        &controller,
        &[
            ("cntlid", "0"),
            ("firmware_rev", "73110000"),
            ("numa_node", "-1"),
            ("queue_count", "17"),
            ("serial", "223361440214"),
            ("sqsize", "1023"),
            ("subsysnqn", "nqn.2018-01.com.wdc:guid:E8238FA6BF53-0001-001B444A488DC60A"),
        ],
    );
    let disk = tree.namespace(&controller, "259:0", 500_118_192);
    for (number, device, start, sectors) in [
        (1, "259:1", 2048, 1_048_576),
        (2, "259:2", 1_050_624, 482_290_000),
        (3, "259:3", 483_340_624, 16_777_216),
    ] {
        tree.partition(&disk, Partition { number, device, start, sectors });
    }
    tree.node(0, "0-11", 15_727_616, "10");
    tree.mount("259:2", "/", "ext4", ("/dev/nvme0n1p2", "rw,errors=remount-ro"));
    tree.mount("259:1", "/boot/efi", "vfat", ("/dev/nvme0n1p1", "rw,fmask=0077"));
    tree.append(
        "/proc/swaps",
        "/dev/nvme0n1p3                          partition\t8388604\t\t0\t\t-2\n",
    );
    tree
}
