//! A server with two processors and 24 NVMe drives, six behind each of four PCIe switches: 24 lanes
//! of drives share the 16 lanes of each switch. Drive 7 runs on two of its four lanes. Synthetic.

use crate::{Function, Rate, Tree};

const SPEED: &str = "16.0 GT/s PCIe";

/// Root bus, first bus below it, and NUMA node of each switch.
const SWITCHES: [(&str, u32, i32); 4] =
    [("16", 0x17, 0), ("64", 0x65, 0), ("b2", 0xb3, 1), ("c9", 0xca, 1)];

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-31,64-95", 263_921_856, "10 21");
    tree.node(1, "32-63,96-127", 264_237_312, "21 10");
    for (index, (root, bus, node)) in SWITCHES.into_iter().enumerate() {
        let port = format!("pci0000:{root}/0000:{root}:02.0");
        tree.function(&port, Function::port("8086:347a", node, Rate::full(SPEED, 16)));
        let upstream = format!("{port}/0000:{bus:02x}:00.0");
        let switch = Function::port("1000:c030", node, Rate::full(SPEED, 16));
        tree.function(&upstream, switch);
        for slot in 0..6 {
            add_drive(&mut tree, &upstream, (bus, slot, node), index as u32 * 6 + slot);
        }
    }
    tree.mount("259:0", "/data/0", "xfs", ("/dev/nvme0n1", "rw,attr2,inode64,noquota"));
    tree
}

fn add_drive(tree: &mut Tree, upstream: &str, (bus, slot, node): (u32, u32, i32), number: u32) {
    let rate = Rate { width: if number == 7 { 2 } else { 4 }, ..Rate::full(SPEED, 4) };
    let below = bus + 1;
    let port = format!("{upstream}/0000:{below:02x}:{slot:02x}.0");
    tree.function(&port, Function::port("1000:c030", node, rate));
    let function =
        Function { class: "0x010802", id: "144d:a824", driver: "nvme", node, rate: Some(rate) };
    let place = bus + 2 + slot;
    let drive = tree.function(&format!("{port}/0000:{place:02x}:00.0"), function);
    let slots = format!("/sys/bus/pci/slots/{}", 100 + number);
    tree.attribute(&slots, "address", &format!("0000:{place:02x}:00"));
    let controller = tree.nvme_controller(&drive, number, "SAMSUNG MZWLR3T8HBLS-00007");
    tree.attribute(&controller, "numa_node", &node.to_string());
    tree.namespace(&controller, &format!("259:{number}"), 7_501_476_528);
}
