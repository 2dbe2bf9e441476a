//! What a target is and what it can do: size, file system, alignment for direct I/O.
//!
//! Direct I/O alignment comes from statx (STATX_DIOALIGN, Linux 6.1) where the file system tells;
//! otherwise the logical block size of the device is the best known bound (open(2), O_DIRECT).
//! Type numbers: include/uapi/linux/magic.h. Leaves out: whether it may be written
//! ([`crate::safety`]).

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatVfsMountFlags, StatxFlags};

use crate::devices::Devices;
use crate::error::ReadError;
use crate::location::{self, Object};
use crate::mounts::{self, Mount};
use crate::root::Root;

/// What kind of thing is read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetKind {
    RegularFile,
    /// A directory, in which files can be made.
    Directory,
    /// A block device, by its kernel name.
    BlockDevice(String),
}

/// The file system a file or directory lies on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystem {
    /// Such as `ext4`; from the mount, else from the number.
    pub type_name: String,
    /// Size of all.
    pub total_bytes: u64,
    /// What this user may still fill.
    pub free_bytes: u64,
    /// Mounted read-only.
    pub read_only: bool,
    /// Lives in memory: no device figure can come from it.
    pub in_memory: bool,
}

/// What is known about O_DIRECT on the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectIo {
    /// The kernel states the alignments.
    Aligned {
        /// Of the buffer's address.
        memory_bytes: u64,
        /// Of offset and length.
        offset_bytes: u64,
    },
    /// The kernel states that it refuses.
    Refused,
    /// The kernel does not say; offset and length aligned to this will do if it works at all.
    Unstated {
        /// Logical block size of the device, or 512 where there is none.
        assumed_bytes: u64,
    },
}

/// Facts about one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetFacts {
    pub kind: TargetKind,
    /// Length of the file or size of the device; 0 for a directory.
    pub bytes: u64,
    /// The file system; `None` for a block device.
    pub file_system: Option<FileSystem>,
    /// Smallest unit the device addresses; `None` where no device is known.
    pub logical_block_bytes: Option<u64>,
    /// What is known about O_DIRECT.
    pub direct_io: DirectIo,
}

/// Reads the facts of a file, directory or block device; `None` for a FIFO, socket and the like.
pub fn read(root: &Root, devices: &Devices, path: &Path) -> Result<Option<TargetFacts>, ReadError> {
    if let Object::Block(name) = location::identify(root, devices, path)? {
        return Ok(Some(of_device(root, devices, path, name)));
    }
    read_among(root, devices, &mounts::read(root)?, path)
}

/// The same with mounts that were read before: for many targets at once.
pub fn read_among(
    root: &Root,
    devices: &Devices,
    mounts: &[Mount],
    path: &Path,
) -> Result<Option<TargetFacts>, ReadError> {
    if let Object::Block(name) = location::identify(root, devices, path)? {
        return Ok(Some(of_device(root, devices, path, name)));
    }
    let place = root.path(path);
    let metadata =
        fs::metadata(&place).map_err(|source| ReadError::from_io(place.clone(), source))?;
    let kind = if metadata.is_dir() {
        TargetKind::Directory
    } else if metadata.is_file() {
        TargetKind::RegularFile
    } else {
        return Ok(None);
    };
    let location = location::device_of_file_among(root, devices, mounts, path)?;
    let blocks = location.devices.iter().filter_map(|name| logical_block(root, devices, name));
    let logical_block_bytes = blocks.max();
    let type_name = location.mount.map(|mount| mount.fs_type);
    Ok(Some(TargetFacts {
        bytes: if kind == TargetKind::RegularFile { metadata.len() } else { 0 },
        kind,
        file_system: Some(file_system(&place, type_name)?),
        logical_block_bytes,
        direct_io: direct_io(&place, logical_block_bytes),
    }))
}

fn of_device(root: &Root, devices: &Devices, path: &Path, name: String) -> TargetFacts {
    let logical_block_bytes = logical_block(root, devices, &name);
    TargetFacts {
        bytes: devices.find(&name).map_or(0, |device| device.bytes),
        kind: TargetKind::BlockDevice(name),
        file_system: None,
        logical_block_bytes,
        // Under an imitated root the node is a plain file, which would answer for another device.
        direct_io: match root.is_live() {
            true => direct_io(path, logical_block_bytes),
            false => unstated(logical_block_bytes),
        },
    }
}

/// Whether a device takes discards (BLKDISCARD); not known where the kernel does not say.
#[must_use]
pub fn takes_discards(root: &Root, devices: &Devices, name: &str) -> Option<bool> {
    let disk = devices.whole_of(name);
    let most = root.attribute(format!("/sys/block/{disk}/queue/discard_max_bytes"))?;
    most.parse::<u64>().ok().map(|most| most > 0)
}

fn logical_block(root: &Root, devices: &Devices, name: &str) -> Option<u64> {
    let disk = devices.whole_of(name);
    root.attribute(format!("/sys/block/{disk}/queue/logical_block_size"))?.parse().ok()
}

fn file_system(place: &Path, type_name: Option<String>) -> Result<FileSystem, ReadError> {
    let failed = |errno: rustix::io::Errno| ReadError::from_io(PathBuf::from(place), errno.into());
    let numbers = rustix::fs::statfs(place).map_err(failed)?;
    let shape = rustix::fs::statvfs(place).map_err(failed)?;
    // f_type is a signed word; its low 32 bits are the magic.
    let magic = (numbers.f_type as u64) & 0xFFFF_FFFF;
    let known = TYPES.iter().find(|(number, ..)| *number == magic);
    let name = known.map_or("unknown", |(_, name, _)| name);
    Ok(FileSystem {
        type_name: type_name.unwrap_or_else(|| name.to_owned()),
        total_bytes: shape.f_blocks.saturating_mul(shape.f_frsize),
        free_bytes: shape.f_bavail.saturating_mul(shape.f_frsize),
        read_only: shape.f_flag.contains(StatVfsMountFlags::RDONLY),
        in_memory: known.is_some_and(|(.., lives)| matches!(lives, Lives::InMemory)),
    })
}

#[derive(Clone, Copy)]
enum Lives {
    InMemory,
    Elsewhere,
}

const TYPES: [(u64, &str, Lives); 19] = [
    (0x0102_1994, "tmpfs", Lives::InMemory),
    (0x8584_58F6, "ramfs", Lives::InMemory),
    (0x9584_58F6, "hugetlbfs", Lives::InMemory),
    (0xEF53, "ext4", Lives::Elsewhere),
    (0x5846_5342, "xfs", Lives::Elsewhere),
    (0x9123_683E, "btrfs", Lives::Elsewhere),
    (0xCA45_1A4E, "bcachefs", Lives::Elsewhere),
    (0xF2F5_2010, "f2fs", Lives::Elsewhere),
    (0x2FC1_2FC1, "zfs", Lives::Elsewhere),
    (0x794C_7630, "overlay", Lives::Elsewhere),
    (0x6969, "nfs", Lives::Elsewhere),
    (0xFF53_4D42, "cifs", Lives::Elsewhere),
    (0x6573_5546, "fuse", Lives::Elsewhere),
    (0x0BD0_0BD0, "lustre", Lives::Elsewhere),
    (0x00C3_6400, "ceph", Lives::Elsewhere),
    (0x4750_4653, "gpfs", Lives::Elsewhere),
    (0x4D44, "vfat", Lives::Elsewhere),
    (0x2011_BAB0, "exfat", Lives::Elsewhere),
    (0x7366_746E, "ntfs3", Lives::Elsewhere),
];

fn direct_io(place: &Path, logical_block_bytes: Option<u64>) -> DirectIo {
    let Ok(facts) = rustix::fs::statx(CWD, place, AtFlags::empty(), StatxFlags::DIOALIGN) else {
        return unstated(logical_block_bytes);
    };
    if facts.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        return unstated(logical_block_bytes);
    }
    match (facts.stx_dio_mem_align, facts.stx_dio_offset_align) {
        (0, _) | (_, 0) => DirectIo::Refused,
        (memory, offset) => {
            DirectIo::Aligned { memory_bytes: u64::from(memory), offset_bytes: u64::from(offset) }
        }
    }
}

fn unstated(logical_block_bytes: Option<u64>) -> DirectIo {
    DirectIo::Unstated { assumed_bytes: logical_block_bytes.unwrap_or(512) }
}
