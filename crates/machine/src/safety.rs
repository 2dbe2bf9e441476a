//! May this target be written? The last line of defence of the user's data.
//!
//! Law: a target is refused unless everything that could hold data on it was looked at and is
//! empty. What cannot be looked at counts as a reason too. Reads are always permitted; nothing here
//! opens anything for writing.
//!
//! Never overridden, because the data is in use: mounted; swap that is on; held by another device
//! or pool; behind a loop device, or perhaps so; opened exclusively or locked by somebody else.
//!
//! Never overridden, because it cannot work or nobody knows what it would do: read-only, immutable
//! or append-only; without capacity; not a file or block device; not to be judged.
//!
//! Overridden by naming the target: it carries a signature (partition table, file system, volume
//! member, encrypted data, swap that is off, disk image); its first or last MiB holds
//! data in no known format; it is a file with data that iopath did not leave there; another device,
//! not in use, looks like the same unit.
//!
//! "In use" counts for everything that shares bytes with the target, down to the disks that it is
//! made of and up again: partitions, device-mapper devices on the same bytes, arrays, loop devices,
//! other loop devices on the same file, and other paths to the same unit (`reach`).
//!
//! The name that overrides is, for a device, its serial number, else WWN, else the first name under
//! /dev/disk/by-id, else the file behind the loop device, else its node (whichever first is unique
//! on this machine; a partition appends `-part` and its number); for a file its canonical path. It
//! must equal what the refusal printed, byte for byte.
//!
//! Between the answer and the first write the world may change. Block devices are opened with
//! O_EXCL as soon as they are permitted, which keeps others away. Before a case opens a target for
//! writing: [`is_still_unused`]; then [`hold`] it, and check it with [`Permission::is_for`]. Leaves
//! out: other hosts that share the disk, and users of a device that neither hold nor claim it.

use std::path::Path;

use crate::error::ReadError;
use crate::location::{self, Object};
use crate::root::Root;

mod backing;
mod bytes;
mod device;
mod down;
mod file;
mod lock;
mod loops;
mod mark;
mod permission;
mod reach;
mod refusal;
mod shared;
mod survey;
mod token;
mod units;

pub use lock::{hold, release};
pub use mark::{is_own_file, mark_own_file};
pub use permission::{Permission, Permitted};
pub use refusal::{Reason, Refusal};
pub use shared::{Shared, shares_bytes};
pub use survey::Survey;

/// Decides whether `target` may be written; `named` are the override names the user gave.
pub fn may_write(
    survey: &Survey<'_>,
    target: &Path,
    named: &[impl AsRef<str>],
) -> Result<Permission, Refusal> {
    look_at(survey, target).decide(survey.root, target, named)
}

/// The name that gives a target up, where its data may be given up at all; `None` where nothing is
/// there, or it cannot be judged.
#[must_use]
pub fn name_of(survey: &Survey<'_>, target: &Path) -> Option<String> {
    let case = look_once(survey, target);
    case.token.filter(|_| case.reasons.iter().all(Reason::can_be_overridden))
}

/// Looks once more at a target that may be written, before it is opened for that: has somebody
/// taken it into use since? What it holds was judged, and is compared by [`Permission::is_for`].
pub fn is_still_unused(survey: &Survey<'_>, permission: &Permission) -> Result<(), Refusal> {
    if permission.is_callers_own {
        return Ok(());
    }
    let mut case = look_at(survey, &permission.target);
    // What did not exist when it was examined is a file that the caller made since.
    let is_new = permission.permitted == Permitted::NewFile;
    let is_hidden = |reason: &Reason| matches!(reason, Reason::Unverifiable { .. });
    let is_settled = |reason: &Reason| reason.can_be_overridden() || is_new && is_hidden(reason);
    case.reasons.retain(|reason| !is_settled(reason));
    case.token = None;
    case.decide(survey.root, &permission.target, &[""; 0]).map(drop)
}

/// How often a target is examined before a doubt is believed; chosen.
const LOOKS_MAX: u32 = 3;

fn look_at(survey: &Survey<'_>, target: &Path) -> Case {
    let mut case = look_once(survey, target);
    // Loop devices of others come and go, and one that changes while it is compared is in doubt.
    for _ in 1..LOOKS_MAX {
        if !case.reasons.iter().any(Reason::is_doubt) {
            break;
        }
        case = look_once(&survey.anew(), target);
    }
    case
}

fn look_once(survey: &Survey<'_>, target: &Path) -> Case {
    let mut case = Case::default();
    if let Err(error) = examine(survey, target, &mut case) {
        case.reasons.push(Reason::Unverifiable { what: error.to_string() });
    }
    case
}

fn examine(survey: &Survey<'_>, target: &Path, case: &mut Case) -> Result<(), ReadError> {
    let found = match location::identify(survey.root, &survey.devices, target) {
        Err(error) if error.is_missing() => return file::examine_missing(survey, target, case),
        found => found?,
    };
    case.reasons.extend(survey.unverifiable());
    match found {
        Object::Block(name) => device::examine(survey, target, &name, case),
        Object::UnknownBlock(number) => {
            let what = format!("/sys/block lists no block device {number}");
            case.reasons.push(Reason::Unverifiable { what });
            Ok(())
        }
        Object::Inode { .. } => file::examine(survey, target, case),
    }
}

/// What has been found out about one target.
#[derive(Debug, Default)]
struct Case {
    reasons: Vec<Reason>,
    would_lose: Vec<String>,
    token: Option<String>,
    permitted: Permitted,
    /// What a file is known again by.
    as_found: Option<String>,
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
            let Self { permitted, reasons, as_found, .. } = self;
            let permission = Permission::new(root, target, permitted, reasons);
            return Ok(permission.found_as(as_found));
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
