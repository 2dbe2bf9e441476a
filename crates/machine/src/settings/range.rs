//! What a setting can be for what lies at some places: what it is today, what the devices take, and
//! whether this process may change it. Leaves out what is worth choosing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::{Setting, SettingError, Wanted, current, wanted};
use crate::devices::Devices;
use crate::error::ReadError;
use crate::root::Root;

/// What a setting can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// Something at the places has no such setting.
    Absent,
    /// The devices are set differently today, or do not take the same.
    Differing,
    /// This process may not change it.
    Forbidden,
    /// It is this now on each device, and each takes these.
    Choosable {
        /// What the kernel's files say.
        today: String,
        /// What they take.
        takes: Takes,
    },
}

/// What a device takes as a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Any of these words.
    Words(Vec<String>),
    /// Numbers up to this; none where the kernel states no bound.
    UpTo(Option<u64>),
}

/// What a setting can be for all that lies at these places.
///
/// # Errors
/// Something could not be read.
pub fn range(
    root: &Root,
    devices: &Devices,
    places: impl IntoIterator<Item = impl AsRef<Path>>,
    setting: Setting,
) -> Result<Range, SettingError> {
    // Only the files matter: none is written.
    let files = match wanted(root, devices, places, setting, "") {
        Ok(all) => all.into_iter().map(|Wanted { file, .. }| file).collect(),
        Err(SettingError::None { .. }) => return Ok(Range::Absent),
        Err(error) => return Err(error),
    };
    of_files(root, &files, setting)
}

fn of_files(
    root: &Root,
    files: &BTreeSet<PathBuf>,
    setting: Setting,
) -> Result<Range, SettingError> {
    let mut today: BTreeSet<String> = BTreeSet::new();
    let mut taken: Option<Takes> = None;
    for file in files {
        today.insert(current(root, file)?);
        let takes = takes(root, file, setting)?;
        taken = match taken.map(|before| before.and(&takes)) {
            None => Some(takes),
            Some(Some(both)) => Some(both),
            Some(None) => return Ok(Range::Differing),
        };
    }
    let may_write = |file: &PathBuf| access(root.path(file), Access::WRITE_OK).is_ok();
    Ok(match (today.pop_first(), taken) {
        (Some(_), _) if !today.is_empty() => Range::Differing,
        (Some(_), _) if !files.iter().all(may_write) => Range::Forbidden,
        (Some(today), Some(takes)) => Range::Choosable { today, takes },
        _ => Range::Absent,
    })
}

fn takes(root: &Root, file: &Path, setting: Setting) -> Result<Takes, SettingError> {
    Ok(match setting {
        Setting::Scheduler => Takes::Words(schedulers(root, file)?),
        Setting::MaxRequest => Takes::UpTo(most_request_kib(root, file)),
        // Where the drive's own queue is not known, today's number is taken.
        Setting::Requests => Takes::UpTo(match tags(root, file) {
            None => current(root, file)?.parse().ok(),
            tags => tags,
        }),
        Setting::Readahead => Takes::UpTo(None),
    })
}

/// The schedulers that a drive can have.
pub(super) fn schedulers(root: &Root, file: &Path) -> Result<Vec<String>, ReadError> {
    let text = root.read(file)?.replace(['[', ']'], "");
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// The largest request that a drive takes, as far as the kernel says.
pub(super) fn most_request_kib(root: &Root, file: &Path) -> Option<u64> {
    root.attribute(file.with_file_name("max_hw_sectors_kb"))?.parse().ok()
}

/// Requests that a drive's own queue holds, `mq/0/nr_tags`: as many as `nr_requests` takes under
/// every scheduler (`blk_mq_update_nr_requests`), as `none` has no queue of its own.
fn tags(root: &Root, file: &Path) -> Option<u64> {
    let disk = file.parent()?.parent()?;
    root.attribute(disk.join("mq/0/nr_tags"))?.parse().ok()
}

impl Takes {
    /// What both take; none where one is offered what the other is not.
    fn and(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Words(one), Self::Words(other)) if one == other => Some(self.clone()),
            (Self::UpTo(one), Self::UpTo(other)) => {
                Some(Self::UpTo(one.iter().chain(other).min().copied()))
            }
            _ => None,
        }
    }
}
