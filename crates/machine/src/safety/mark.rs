//! How iopath knows its own files again: an extended attribute.
//!
//! The attribute `user.iopath.own` holds, of the moment when iopath was done with the file: number
//! of the file system (`f_fsid`), inode, length, modification time, and a checksum (XXH3) of blocks
//! at 18 places: the first, the last, and 16 that follow from inode and length. Whoever writes to
//! the file later changes the time; who puts the time back, or writes through a mapping where that
//! leaves no trace (tmpfs), changes a block; a copy has another inode, a btrfs snapshot another
//! file system. Marks of version 1 had no checksum and are not accepted. Where attributes are not
//! supported nothing is marked, and an existing file must be named. Leaves out: a few changed
//! blocks between the places, when the time does not show them.

use std::fs::File;
use std::io;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileExt;

use nix::libc;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl, fstatfs, fstatvfs};
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

const ATTRIBUTE: &str = "user.iopath.own";
const BLOCK_BYTES: u64 = 4096;
/// Besides the first and the last block.
const PLACES: u64 = 16;

/// Marks a file as iopath's own; call it after the last write, or the mark is void.
pub fn mark_own_file(file: &File) -> io::Result<()> {
    let mark = mark_of(file)?;
    let flags = rustix::fs::XattrFlags::empty();
    Ok(rustix::fs::fsetxattr(file, ATTRIBUTE, mark.as_bytes(), flags)?)
}

/// True when iopath left this file and nobody wrote to it since.
pub fn is_own_file(file: &File) -> io::Result<bool> {
    Ok(has_mark(file, &mark_of(file)?))
}

/// Whether the file carries just this mark.
pub(super) fn has_mark(file: &File, mark: &str) -> bool {
    let mut buffer = [0_u8; 256];
    // Never marked, attributes not supported, or a mark that is not ours: an error.
    rustix::fs::fgetxattr(file, ATTRIBUTE, &mut buffer)
        .is_ok_and(|length| buffer[..length] == *mark.as_bytes())
}

/// What the file is marked with as it is now.
pub(super) fn mark_of(file: &File) -> io::Result<String> {
    let facts = file.metadata()?;
    described(file, (facts.st_mtime(), facts.st_mtime_nsec()))
}

/// What the file is known again by within a run. A file system of FUSE may give another time at
/// every look, as QEMU's exports do (the time of day): there its blocks alone decide.
pub(super) fn known_by(file: &File) -> io::Result<String> {
    let is_fuse = fstatfs(file)?.f_type == libc::FUSE_SUPER_MAGIC;
    if is_fuse { described(file, (0, 0)) } else { mark_of(file) }
}

fn described(file: &File, (seconds, ns): (i64, i64)) -> io::Result<String> {
    let facts = file.metadata()?;
    let (inode, bytes) = (facts.st_ino(), facts.len());
    let file_system = fstatvfs(file)?.f_fsid;
    let sum = buffered(file, || checksum(file, inode, bytes))?;
    Ok(format!(
        "2 file-system={file_system:x} inode={inode} bytes={bytes} changed={seconds}.{ns:09} \
         sum={sum:016x}"
    ))
}

/// Reads past `O_DIRECT`, which wants other memory and other lengths.
fn buffered<T>(file: &File, read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let flags = fcntl_getfl(file)?;
    if !flags.contains(OFlags::DIRECT) {
        return read();
    }
    fcntl_setfl(file, flags - OFlags::DIRECT)?;
    let done = read();
    fcntl_setfl(file, flags)?;
    done
}

fn checksum(file: &File, inode: u64, bytes: u64) -> io::Result<u64> {
    let blocks = bytes.div_ceil(BLOCK_BYTES);
    let drawn = |place: u64| xxh3_64_with_seed(&inode.to_le_bytes(), bytes ^ place) % blocks;
    let mut places: Vec<u64> = match blocks {
        0 => Vec::new(),
        few if few <= PLACES + 2 => (0..few).collect(),
        many => [0, many - 1].into_iter().chain((0..PLACES).map(drawn)).collect(),
    };
    places.sort_unstable();
    let (mut sum, mut block) = (Xxh3::new(), [0; BLOCK_BYTES as usize]);
    for at in places.iter().map(|place| place * BLOCK_BYTES) {
        let block = &mut block[..BLOCK_BYTES.min(bytes - at) as usize];
        file.read_exact_at(block, at)?;
        sum.update(block);
    }
    Ok(sum.digest())
}
