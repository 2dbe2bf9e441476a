//! The machines by name.

use crate::{Function, Rate, Tree};

mod cloud;
mod dual;
mod fabrics;
mod jbod;
mod laptop;
mod lvm;
mod md;
mod nfs;
mod nvme_server;
mod san;
mod stacks;
mod zfs;

/// Every machine, in order.
pub const NAMES: [&str; 12] = [
    "laptop",
    "nvme-server",
    "san",
    "md",
    "lvm",
    "zfs",
    "jbod",
    "cloud",
    "nfs",
    "fabrics",
    "stacks",
    "dual",
];

/// The machine of that name.
///
/// # Panics
///
/// For a name that is not in [`NAMES`].
pub fn machine(name: &str) -> Tree {
    match name {
        "laptop" => laptop::tree(),
        "nvme-server" => nvme_server::tree(),
        "san" => san::tree(),
        "md" => md::tree(),
        "lvm" => lvm::tree(),
        "zfs" => zfs::tree(),
        "jbod" => jbod::tree(),
        "cloud" => cloud::tree(),
        "nfs" => nfs::tree(),
        "fabrics" => fabrics::tree(),
        "stacks" => stacks::tree(),
        "dual" => dual::tree(),
        _ => panic!("no imitated machine is called {name}"),
    }
}

/// The slot of an NVMe drive of some model below a port of its own.
fn nvme_slot(tree: &mut Tree, number: u32, id: &'static str) -> String {
    let rate = Rate::full("8.0 GT/s PCIe", 4);
    let port = format!("pci0000:40/0000:40:01.{number}");
    tree.function(&port, Function::port("1022:1483", 0, rate));
    let function = Function { class: "0x010802", id, driver: "nvme", node: 0, rate: Some(rate) };
    tree.function(&format!("{port}/0000:{:02x}:00.0", 0x41 + number), function)
}
