//! The machines by name.

use crate::Tree;

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
