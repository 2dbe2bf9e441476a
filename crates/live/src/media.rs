//! The data behind a file: a sparse file, or nothing.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::LazyLock;

use rustix::fs::{FallocateFlags, fallocate};

use crate::abi::LARGEST_REQUEST;
use crate::trouble::Trouble;

/// Where the bytes of one export are.
#[derive(Debug)]
pub(crate) enum Medium {
    /// Nowhere: zeros are read, and what is written is forgotten.
    Null,
    File(File),
}

/// What is read from nothing: untouched memory, which takes none.
static ZEROS: LazyLock<Vec<u8>> = LazyLock::new(|| vec![0; LARGEST_REQUEST as usize]);

impl Medium {
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Trouble> {
        let Some(path) = path else { return Ok(Self::Null) };
        let file = OpenOptions::new().read(true).write(true).open(path);
        file.map(Self::File).map_err(|error| Trouble::file("open", path, error))
    }

    /// The bytes of a range, in `room` where they are not at hand.
    pub(crate) fn read<'r>(
        &'r self,
        offset: u64,
        bytes: usize,
        room: &'r mut [u8],
    ) -> std::io::Result<&'r [u8]> {
        match self {
            Self::Null => Ok(&ZEROS[..bytes]),
            Self::File(file) => {
                file.read_exact_at(&mut room[..bytes], offset)?;
                Ok(&room[..bytes])
            }
        }
    }

    pub(crate) fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Null => Ok(()),
            Self::File(file) => file.write_all_at(data, offset),
        }
    }

    /// Makes a range read as zeros.
    pub(crate) fn zero(&self, offset: u64, bytes: u64) -> std::io::Result<()> {
        match self {
            Self::Null => Ok(()),
            Self::File(file) => {
                let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                Ok(fallocate(file, flags, offset, bytes)?)
            }
        }
    }
}
