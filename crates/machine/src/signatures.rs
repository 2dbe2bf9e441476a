//! What a device or a file carries: partition tables, file systems, volume members, disk images.
//!
//! Law: every format puts a known byte string at a known place (`magics`, with the source of each
//! row); a few need arithmetic and have a probe of their own (`partitions`, `volumes`). A weak
//! match counts: a false alarm costs the user one override, a miss costs the data.
//! The medium is opened read-only. Leaves out: validating checksums, and anything but the metadata.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::OFlags;

use crate::root::open_to_read;

mod magics;
mod medium;
mod partitions;
mod volumes;

use medium::Medium;

/// What sort of thing a signature announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    PartitionTable,
    FileSystem,
    /// A member of a volume: LVM, md, ZFS, bcache and the like.
    VolumeMember,
    /// Encrypted data.
    Encrypted,
    /// Swap space, or a hibernated system in it.
    Swap,
    /// A virtual machine's disk.
    DiskImage,
}

/// Something found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Short name, such as `ext4`, `gpt`, `LVM2 member`.
    pub kind: &'static str,
    /// What sort of thing it is.
    pub class: Class,
    /// Where the magic was found, in bytes from the start.
    pub offset: u64,
    /// Its name, when cheap to read.
    pub label: Option<String>,
    /// Its identity, when cheap to read.
    pub uuid: Option<String>,
    /// Where the magic is defined.
    pub source: &'static str,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        match (&self.label, &self.uuid) {
            (Some(label), _) => write!(f, " {label:?}"),
            (None, Some(uuid)) => write!(f, " {uuid}"),
            (None, None) => Ok(()),
        }
    }
}

/// What a look at a medium finds.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) signatures: Vec<Signature>,
    /// A byte that is not zero in the first or last MiB, known format or not.
    pub(crate) has_data: bool,
}

/// The same, and whether there is anything at all.
pub(crate) fn look(path: &Path) -> io::Result<Content> {
    let file = open_to_read(path, OFlags::empty())?;
    let medium = Medium::new(&file)?;
    Ok(Content { signatures: signatures_on(&medium)?, has_data: medium.has_data() })
}

/// The same for a file already open for reading.
pub fn probe_file(file: &File) -> io::Result<Vec<Signature>> {
    signatures_on(&Medium::new(file)?)
}

fn signatures_on(medium: &Medium<'_>) -> io::Result<Vec<Signature>> {
    let mut found = partitions::probe(medium)?;
    found.extend(volumes::probe(medium)?);
    found.extend(magics::probe(medium)?);
    found.sort_by_key(|signature| (signature.class, signature.offset));
    found.dedup_by_key(|signature| {
        (signature.kind, signature.uuid.clone(), signature.label.clone())
    });
    Ok(found)
}
