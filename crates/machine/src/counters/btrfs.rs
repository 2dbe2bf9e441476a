//! /sys/fs/btrfs: room and errors of every mounted btrfs.
//!
//! Format: fs/btrfs/sysfs.c; `allocation/{data,metadata,system}` with one value a file, and since
//! Linux 5.14 `devinfo/ID/error_stats` with a name and a value a line. btrfs counts no requests:
//! its traffic is that of its members in /proc/diskstats. Leaves out: quota groups, the commit
//! statistics of Linux 6.0.

use crate::error::ReadError;
use crate::line::{Line, lines};
use crate::root::Root;

const FOLDER: &str = "/sys/fs/btrfs";

/// Room of one kind of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Allocated to chunks, copies counted once.
    pub total_bytes: u64,
    pub used_bytes: u64,
}

/// Errors of one member since they were last set to nothing; they outlive a mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberErrors {
    /// The member's number in the file system.
    pub id: u64,
    /// Writes that failed.
    pub write: u64,
    /// Reads that failed.
    pub read: u64,
    /// Flushes that failed.
    pub flush: u64,
    /// Blocks whose checksum was wrong.
    pub corruption: u64,
    /// Blocks of another generation than expected.
    pub generation: u64,
}

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Btrfs {
    /// Its identity.
    pub uuid: String,
    /// Its members' names, such as `sdb`.
    pub members: Vec<String>,
    /// Room for data.
    pub data: Room,
    /// Room for metadata.
    pub metadata: Room,
    /// Errors by member; empty before Linux 5.14.
    pub errors: Vec<MemberErrors>,
}

/// Reads all mounted file systems; one that is unmounted meanwhile is left out.
pub fn read(root: &Root) -> Result<Vec<Btrfs>, ReadError> {
    let mut all = Vec::new();
    // `features` is no file system.
    for uuid in root.list(FOLDER)?.into_iter().filter(|name| name != "features") {
        match read_one(root, uuid) {
            Ok(found) => all.push(found),
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

fn read_one(root: &Root, uuid: String) -> Result<Btrfs, ReadError> {
    let folder = format!("{FOLDER}/{uuid}");
    let mut errors = Vec::new();
    for id in root.list(format!("{folder}/devinfo"))? {
        let Ok(number) = id.parse() else { continue };
        let file = format!("{folder}/devinfo/{id}/error_stats");
        let Some(text) = root.read_if_present(&file)? else { continue };
        errors.push(member_errors(root, &file, number, &text)?);
    }
    Ok(Btrfs {
        members: root.list(format!("{folder}/devices"))?,
        data: room(root, &format!("{folder}/allocation/data"))?,
        metadata: room(root, &format!("{folder}/allocation/metadata"))?,
        errors,
        uuid,
    })
}

fn room(root: &Root, folder: &str) -> Result<Room, ReadError> {
    let value = |name: &'static str| {
        let file = format!("{folder}/{name}");
        let text = root.read(&file)?;
        let line = Line { root, file: &file, number: 1, text: text.trim_end() };
        line.parse(name, Some(line.text))
    };
    Ok(Room { total_bytes: value("total_bytes")?, used_bytes: value("bytes_used")? })
}

fn member_errors(root: &Root, file: &str, id: u64, text: &str) -> Result<MemberErrors, ReadError> {
    let value = |name: &'static str| {
        let found = lines(root, file, text)
            .find_map(|line| Some((line.text.strip_prefix(name)?.trim(), line)));
        let (value, line) = found.ok_or_else(|| crate::line::absent(root.path(file), name))?;
        line.parse(name, Some(value))
    };
    Ok(MemberErrors {
        id,
        write: value("write_errs")?,
        read: value("read_errs")?,
        flush: value("flush_errs")?,
        corruption: value("corruption_errs")?,
        generation: value("generation_errs")?,
    })
}
