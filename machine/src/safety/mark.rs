//! How iopath knows its own files again: an extended attribute with length and time of change.
//!
//! The attribute `user.iopath.own` holds the file's inode, length and modification time when iopath
//! was done with it. Whoever writes to the file later changes the time, and a copy has another
//! inode, so neither passes for ours. Where attributes are not supported nothing is marked, and an
//! existing file must be named.

use std::fs::File;
use std::io;
use std::os::linux::fs::MetadataExt;

const ATTRIBUTE: &str = "user.iopath.own";

/// Marks a file as iopath's own; call it after the last write, or the mark is void.
pub fn mark_own_file(file: &File) -> io::Result<()> {
    let mark = mark_of(file)?;
    let flags = rustix::fs::XattrFlags::empty();
    Ok(rustix::fs::fsetxattr(file, ATTRIBUTE, mark.as_bytes(), flags)?)
}

/// True when iopath left this file and nobody wrote to it since.
pub fn is_own_file(file: &File) -> io::Result<bool> {
    let mut buffer = [0_u8; 128];
    match rustix::fs::fgetxattr(file, ATTRIBUTE, &mut buffer) {
        Ok(length) => Ok(buffer[..length] == *mark_of(file)?.as_bytes()),
        // Never marked, attributes not supported, or a mark that is not ours.
        Err(_) => Ok(false),
    }
}

fn mark_of(file: &File) -> io::Result<String> {
    let facts = file.metadata()?;
    let (seconds, ns) = (facts.st_mtime(), facts.st_mtime_nsec());
    Ok(format!("1 inode={} bytes={} changed={seconds}.{ns:09}", facts.st_ino(), facts.len()))
}
