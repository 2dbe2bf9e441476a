//! Who a file or block device is to other hosts, so that what several of them use is recognised.
//!
//! The law: equal names mean one thing; one thing may have two names. A storage unit is known by
//! its world-wide name, a volume or array by the identifier in its own metadata, a file by its
//! inode on a file system that is known: the export of a server, or the unit that a local or
//! cluster file system lies on. Everything else is known on its kernel alone, by boot and number,
//! which is the same in all namespaces of it.
//!
//! Leaves out: an export that hosts mount at different directories, or from different addresses of
//! one server: these are different names. A way to a unit that has several is its kernel's own.

mod device;
mod file;

use std::path::Path;

use crate::devices::Devices;
use crate::environment::boot;
use crate::error::ReadError;
use crate::location::{Object, identify};
use crate::mounts::Mount;
use crate::root::Root;

/// The name by which a thing is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known {
    /// Without blanks.
    pub name: String,
    pub reach: Reach,
}

/// Where a name means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// On every host.
    World,
    /// On the kernel that gave it, in all its namespaces.
    Kernel,
}

/// Where devices and files are looked for: read once, for many.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    pub root: &'a Root,
    pub devices: &'a Devices,
    pub mounts: &'a [Mount],
}

impl Machine<'_> {
    /// Who a file, directory or device node is; `None` where not even the kernel says who it is.
    pub fn path(self, path: &Path) -> Result<Option<Known>, ReadError> {
        Ok(match identify(self.root, self.devices, path)? {
            Object::Block(name) => self.device(&name),
            Object::UnknownBlock(number) => self.of_kernel(&number.to_string()),
            Object::Inode { device, inode } => file::of(self, path, inode)?
                .or_else(|| self.of_kernel(&file::numbered(device, inode))),
        })
    }

    /// Who the block device of that kernel name is.
    pub fn device(self, name: &str) -> Option<Known> {
        let device = self.devices.find(name)?;
        let known = device::of(self, device).map(|name| Known::in_world(&name));
        known.or_else(|| self.of_kernel(&device.number.to_string()))
    }

    fn of_kernel(self, number: &str) -> Option<Known> {
        let boot = boot(self.root)?;
        Some(Known { name: format!("kernel.{boot}/{number}"), reach: Reach::Kernel })
    }
}

impl Known {
    /// Names of drives may be padded.
    fn in_world(name: &str) -> Self {
        let name = name.split_whitespace().collect::<Vec<_>>().join("_");
        Self { name, reach: Reach::World }
    }
}
