//! A workstation with four NVMe drives at root ports and one logical volume striped over them,
//! 64 KiB on each, under ext4. Synthetic.

use crate::{Function, Queue, Rate, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-31", 131_746_412, "10");
    let rate = Rate::full("8.0 GT/s PCIe", 4);
    let mut drives = Vec::new();
    for number in 0..4 {
        let port = format!("pci0000:40/0000:40:01.{}", number + 1);
        tree.function(&port, Function::port("1022:1483", 0, rate));
        let function = Function {
            class: "0x010802",
            id: "144d:a808",
            driver: "nvme",
            node: 0,
            rate: Some(rate),
        };
        let drive = tree.function(&format!("{port}/0000:{:02x}:00.0", 0x41 + number), function);
        let controller = tree.nvme_controller(&drive, number, "Samsung SSD 970 PRO 1TB");
        drives.push(tree.namespace(&controller, &format!("259:{number}"), 2_000_409_264));
    }
    let queue = Queue::virtual_device()
        .with("max_sectors_kb", "1280")
        .with("minimum_io_size", "65536")
        .with("optimal_io_size", "262144");
    let volume = tree.upper("dm-0", "253:0", 7_999_999_999 / 2048 * 2048, &queue);
    let uuid = "LVM-sT1pEdVg0000000000000000000000aADaTaLv0000000000000000000000bb";
    tree.mapper(&volume, "fast-scratch", uuid);
    tree.stack(&volume, &drives);
    let line = "0 7999997952 striped 4 128 259:0 2048 259:1 2048 259:2 2048 259:3 2048";
    tree.table("fast-scratch", line);
    let source = ("/dev/mapper/fast-scratch", "rw,stripe=64");
    tree.mount("253:0", "/scratch", "ext4", source);
    tree
}
