//! The machines by name.

use crate::Tree;

mod cloud;
mod fabrics;
mod jbod;
mod laptop;
mod lvm;
mod md;
mod nfs;
mod nvme_server;
mod san;
mod zfs;

/// Every machine, in order.
pub const NAMES: [&str; 10] =
    ["laptop", "nvme-server", "san", "md", "lvm", "zfs", "jbod", "cloud", "nfs", "fabrics"];

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
        _ => panic!("no imitated machine is called {name}"),
    }
}
