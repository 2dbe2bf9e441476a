//! May this target be written? The last line of defence of the user's data.
//!
//! Law: a target is refused unless everything that could hold data on it was looked at and is
//! empty. What cannot be looked at counts as a reason too. Reads are always permitted; nothing here
//! opens anything for writing.
//!
//! Never overridden, because the data is in use: mounted; swap that is on; held by another device
//! or pool; behind a loop device, or perhaps so; opened exclusively by somebody else.
//!
//! Never overridden, because it cannot work or nobody knows what it would do: read-only, immutable
//! or append-only; without capacity; not a file or block device; not to be judged.
//!
//! Overridden by naming the target: it carries a signature (partition table, file system, volume
//! member, encrypted data, swap that is off, disk image); its first or last MiB holds
//! data of no known format; it is a file with data that iopath did not leave there.
//!
//! "In use" counts for everything that shares bytes with the target: its partitions, the disk it is
//! a partition of, overlapping partitions, whatever stands on any of these however far up, and for
//! a loop device whatever else uses the file or device behind it.
//!
//! The name that overrides is, for a device, its serial number, else WWN, else the first name under
//! /dev/disk/by-id, else the file behind the loop device, else its node (whichever first is unique
//! on this machine; a partition appends `-part` and its number); for a file its canonical path. It
//! must equal what the refusal printed, byte for byte.
//!
//! Between the answer and the first write the world may change: open the target, check it with
//! [`Permission::is_for`], and open block devices with O_EXCL, which keeps others away.
//! Leaves out: other hosts that share the disk, and users of a device that neither hold nor claim
//! it.

use std::path::Path;

use crate::devices::Devices;
use crate::error::ReadError;
use crate::location::{self, Object};
use crate::mounts::{self, Mount};
use crate::root::Root;
use crate::swaps::{self, Swap};

mod backing;
mod device;
mod file;
mod mark;
mod permission;
mod reach;
mod refusal;
mod token;

pub use mark::{is_own_file, mark_own_file};
pub use permission::{Permission, Permitted};
pub use refusal::{Reason, Refusal};

/// Decides whether `target` may be written; `named` are the override names the user gave.
pub fn may_write(
    root: &Root,
    target: &Path,
    named: &[impl AsRef<str>],
) -> Result<Permission, Refusal> {
    let mut case = Case::default();
    if let Err(error) = examine(root, target, &mut case) {
        case.reasons.push(Reason::Unverifiable { what: error.to_string() });
    }
    case.decide(root, target, named)
}

fn examine(root: &Root, target: &Path, case: &mut Case) -> Result<(), ReadError> {
    let survey = Survey::read(root)?;
    match location::identify(root, &survey.devices, target) {
        Ok(Object::Block(name)) => device::examine(&survey, target, &name, case),
        Ok(Object::UnknownBlock(number)) => {
            let what = format!("/sys/block lists no block device {number}");
            case.reasons.push(Reason::Unverifiable { what });
            Ok(())
        }
        Ok(Object::Inode { .. }) => file::examine(&survey, target, case),
        Err(error) if error.is_missing() => file::examine_missing(&survey, target, case),
        Err(error) => Err(error),
    }
}

/// What has been found out about one target.
#[derive(Debug, Default)]
struct Case {
    reasons: Vec<Reason>,
    would_lose: Vec<String>,
    token: Option<String>,
    permitted: Permitted,
}

impl Case {
    fn decide(
        mut self,
        root: &Root,
        target: &Path,
        named: &[impl AsRef<str>],
    ) -> Result<Permission, Refusal> {
        self.tell_once();
        let is_named = self
            .token
            .as_deref()
            .is_some_and(|token| named.iter().any(|name| name.as_ref() == token));
        let can_override = self.reasons.iter().all(Reason::can_be_overridden);
        if self.reasons.is_empty() || can_override && is_named {
            return Ok(Permission::new(root, target, self.permitted, self.reasons));
        }
        Err(Refusal {
            target: target.to_owned(),
            reasons: self.reasons,
            would_lose: self.would_lose,
            override_token: self.token.filter(|_| can_override),
        })
    }

    /// What was met more than once is told once.
    fn tell_once(&mut self) {
        let mut told = Vec::new();
        self.reasons.retain(|reason| {
            let is_new = !told.contains(reason);
            told.push(reason.clone());
            is_new
        });
    }
}

/// The machine as it was when the question was asked.
struct Survey<'a> {
    root: &'a Root,
    devices: Devices,
    mounts: Vec<Mount>,
    swaps: Vec<Swap>,
}

impl<'a> Survey<'a> {
    fn read(root: &'a Root) -> Result<Self, ReadError> {
        Ok(Self {
            root,
            devices: Devices::read(root)?,
            mounts: mounts::read(root)?,
            swaps: swaps::read(root)?,
        })
    }

    /// What a path leads to; `None` when that cannot be told (deleted, another namespace).
    fn identify(&self, path: &Path) -> Option<Object> {
        location::identify(self.root, &self.devices, path).ok()
    }
}
