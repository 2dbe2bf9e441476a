//! /proc/locks: which files are locked, and by whom.
//!
//! Format: proc_locks(5): `1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF`; the device is
//! hexadecimal, and is that of the file system as /proc/self/mountinfo has it. A lock of an open
//! file (OFDLCK) has no process: -1. Locks of processes of other PID namespaces are not listed.
//! Leaves out: which bytes.

use crate::counters::diskstats::DeviceNumber;
use crate::error::ReadError;
use crate::root::Root;

const FILE: &str = "/proc/locks";

/// One lock, or one who waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// The kernel's word: `FLOCK`, `POSIX`, `OFDLCK`, `LEASE`, `DELEG`.
    pub kind: String,
    /// For reading only: others may have it too.
    pub is_shared: bool,
    /// Who has it, where the kernel says.
    pub process: Option<u32>,
    /// The file system.
    pub number: DeviceNumber,
    /// The file.
    pub inode: u64,
}

/// Reads all locks; lines of kinds that name no file are left out.
pub fn read(root: &Root) -> Result<Vec<Lock>, ReadError> {
    Ok(root.read(FILE)?.lines().filter_map(parse).collect())
}

fn parse(line: &str) -> Option<Lock> {
    let mut items = line.split_ascii_whitespace().skip(1).filter(|item| *item != "->");
    let kind = items.next()?.to_owned();
    let is_shared = items.nth(1)? == "READ";
    let process = items.next()?.parse().ok();
    let mut file = items.next()?.split(':');
    let mut part = |base| file.next().map(|text| u64::from_str_radix(text, base).ok());
    let (major, minor, inode) = (part(16)??, part(16)??, part(10)??);
    let number =
        DeviceNumber { major: u32::try_from(major).ok()?, minor: u32::try_from(minor).ok()? };
    Some(Lock { kind, is_shared, process, number, inode })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_linux_6_18_are_understood() {
        let lock = |kind: &str, is_shared, process, minor, inode| Lock {
            kind: kind.to_owned(),
            is_shared,
            process,
            number: DeviceNumber { major: 0xfe, minor },
            inode,
        };
        for (line, expected) in [
            (
                "1: FLOCK  ADVISORY  WRITE 14206 fe:00:6865154 0 EOF",
                lock("FLOCK", false, Some(14206), 0, 6_865_154),
            ),
            ("3: OFDLCK ADVISORY  READ -1 fe:1a:17 100 203", lock("OFDLCK", true, None, 0x1a, 17)),
            ("3: -> POSIX  ADVISORY  WRITE 9 fe:00:7 0 0", lock("POSIX", false, Some(9), 0, 7)),
        ] {
            assert_eq!(parse(line), Some(expected), "{line}");
        }
        assert_eq!(parse("2: LEASE  ACTIVE    READ 5 <none>:0 0 EOF"), None);
    }
}
