//! /proc/self/mountinfo: what is mounted where, as this process sees it.
//!
//! Format: proc_pid_mountinfo(5); blanks, tabs, line ends and backslashes in names are octal
//! escapes.
//! Limit: mounts of other namespaces are not seen here; `safety` finds them by an exclusive open.
//! Leaves out: propagation.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::counters::diskstats::DeviceNumber;
use crate::error::ReadError;
use crate::line::{Line, lines};
use crate::root::Root;

const FILE: &str = "/proc/self/mountinfo";

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The mount's own number, as statx gives it.
    pub id: u64,
    /// `st_dev` of its files; a made-up number with major 0 for btrfs, tmpfs, overlay and nfs.
    pub number: DeviceNumber,
    /// The directory of the file system that is mounted (not `/` for a bind mount).
    pub subtree: PathBuf,
    pub mount_point: PathBuf,
    /// Mounted read-only, at this place or as a whole.
    pub read_only: bool,
    /// Such as `ext4`.
    pub fs_type: String,
    /// A device, a server's export, or a word without meaning.
    pub source: PathBuf,
    /// Options of the file system.
    pub options: Vec<String>,
    /// Options of this place, such as `noatime`.
    pub own_options: Vec<String>,
}

impl Mount {
    /// The value of an option of the file system.
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter().filter_map(|option| option.split_once('='));
        options.find(|(found, _)| *found == name).map(|(_, value)| value)
    }
}

/// Reads all mounts, in order of mounting.
pub fn read(root: &Root) -> Result<Vec<Mount>, ReadError> {
    let text = root.read(FILE)?;
    lines(root, FILE, &text).map(|line| parse(&line)).collect()
}

fn parse(line: &Line<'_>) -> Result<Mount, ReadError> {
    let (before, after) = line.text.split_once(" - ").ok_or_else(|| line.malformed("separator"))?;
    let mut own = before.split(' ');
    let id = line.parse("mount id", own.next())?;
    let number = own.nth(1).and_then(DeviceNumber::parse);
    let number = number.ok_or_else(|| line.malformed("device number"))?;
    let mut path = |item| own.next().map(unescape).ok_or_else(|| line.malformed(item));
    let subtree = path("root")?;
    let mount_point = path("mount point")?;
    let own_options = own.next().ok_or_else(|| line.malformed("mount options"))?;
    let mut shared = after.split(' ');
    let fs_type = shared.next().ok_or_else(|| line.malformed("file system type"))?;
    let source = shared.next().map(unescape).ok_or_else(|| line.malformed("source"))?;
    let options: Vec<String> = shared.next().unwrap_or("").split(',').map(str::to_owned).collect();
    let read_only = own_options.split(',').chain(options.iter().map(String::as_str));
    Ok(Mount {
        id,
        number,
        subtree,
        mount_point,
        read_only: read_only.into_iter().any(|option| option == "ro"),
        fs_type: fs_type.to_owned(),
        source,
        options,
        own_options: own_options.split(',').map(str::to_owned).collect(),
    })
}

/// Turns `\040` and its like back into the byte they stand for.
pub(crate) fn unescape(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let octal = bytes.get(index + 1..index + 4).filter(|_| bytes[index] == b'\\');
        let value = octal.and_then(|digits| std::str::from_utf8(digits).ok());
        match value.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                index += 4;
            }
            None => {
                plain.push(bytes[index]);
                index += 1;
            }
        }
    }
    PathBuf::from(OsString::from_vec(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octal_escapes_are_decoded_and_nothing_else() {
        for (text, plain) in [
            ("/mnt/my\\040disk", "/mnt/my disk"),
            ("/a\\011b\\012c\\134d", "/a\tb\nc\\d"),
            ("/no\\escape\\9", "/no\\escape\\9"),
            ("/end\\04", "/end\\04"),
        ] {
            assert_eq!(unescape(text), PathBuf::from(plain), "{text}");
        }
    }
}
