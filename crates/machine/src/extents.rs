//! Where the pieces of a file lie: its extents.
//!
//! Format: Documentation/filesystems/fiemap.rst. Addresses are those of the file system: of its
//! block device for ext4 and XFS, of its own address space for btrfs, whose members lie below that.
//! Pieces that follow each other both in the file and on the device are one run, however the file
//! system keeps them. Nothing is written first (no FIEMAP_FLAG_SYNC), so what was just written may
//! have no place yet.
//! Leaves out: which member of a volume a piece lies on; extents of attributes and directories.

use std::fs::File;
use std::io;
use std::path::Path;

use fiemap::{Fiemap, FiemapExtentFlags};
use rustix::io::Errno;

use crate::error::ReadError;
use crate::root::Root;

/// The pieces of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extents {
    /// In the order of the file; holes are between them.
    pub pieces: Vec<Extent>,
    /// There are more pieces than were asked for.
    pub is_cut: bool,
}

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins in the file.
    pub logical_bytes: u64,
    /// Where it begins on the file system's device; `None` where it has no place yet, or lies
    /// inside metadata.
    pub physical_bytes: Option<u64>,
    /// Its length in the file.
    pub bytes: u64,
    /// Allocated and never written: reads give zeros without touching the device.
    pub is_unwritten: bool,
    /// Compressed or encrypted by the file system: what is read is not what is stored.
    pub is_encoded: bool,
    /// Other files share it: the first write to it moves it elsewhere.
    pub is_shared: bool,
}

/// The most pieces that are read of one file (chosen): beyond that, what matters is that there are
/// so many.
pub const MOST_PIECES: usize = 65_536;

impl Extents {
    /// Reads a regular file of this machine; `None` where its file system does not tell, and below
    /// an imitated root, whose files lie elsewhere.
    pub fn read(root: &Root, path: &Path) -> Result<Option<Self>, ReadError> {
        let failed = |source: io::Error| ReadError::from_io(path.to_owned(), source);
        let is_file = std::fs::metadata(root.path(path)).map_err(failed)?.is_file();
        if !root.is_live() || !is_file {
            return Ok(None);
        }
        match Self::of(&File::open(path).map_err(failed)?) {
            Ok(extents) => Ok(Some(extents)),
            Err(error) if does_not_tell(&error) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    fn of(file: &File) -> io::Result<Self> {
        let mut all = Self::default();
        for extent in Fiemap::new(file) {
            if all.pieces.len() == MOST_PIECES {
                all.is_cut = true;
                break;
            }
            let extent = extent?;
            let has = |flags| extent.fe_flags.intersects(flags);
            let nowhere = FiemapExtentFlags::UNKNOWN | FiemapExtentFlags::DATA_INLINE;
            all.pieces.push(Extent {
                logical_bytes: extent.fe_logical,
                physical_bytes: (!has(nowhere)).then_some(extent.fe_physical),
                bytes: extent.fe_length,
                is_unwritten: has(FiemapExtentFlags::UNWRITTEN),
                is_encoded: has(FiemapExtentFlags::ENCODED | FiemapExtentFlags::DATA_ENCRYPTED),
                is_shared: has(FiemapExtentFlags::SHARED),
            });
        }
        Ok(all)
    }

    /// Runs: how often a reader of the whole file must go elsewhere on the device, and once more.
    pub fn runs(&self) -> u64 {
        let breaks = self.pieces.windows(2).filter(|pair| !pair[1].follows(&pair[0])).count();
        let first = usize::from(!self.pieces.is_empty());
        (breaks + first) as u64
    }

    /// Bytes of the file that have a place; holes have none.
    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.bytes).fold(0, u64::saturating_add)
    }
}

impl Extent {
    /// Begins where another ends, on the device. A hole between the two does not matter: nothing
    /// is read for it. Two without a place are taken as one: nothing is known against it.
    fn follows(&self, other: &Self) -> bool {
        let end = |place: u64| place.saturating_add(other.bytes);
        // The length on the device of what is compressed is not known.
        let is_plain = !self.is_encoded && !other.is_encoded;
        is_plain && other.physical_bytes.map(end) == self.physical_bytes
    }
}

fn does_not_tell(error: &io::Error) -> bool {
    let answers = [Errno::OPNOTSUPP, Errno::NOTTY, Errno::NOSYS, Errno::INVAL];
    answers.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(logical_bytes: u64, physical_bytes: Option<u64>, bytes: u64) -> Extent {
        Extent {
            logical_bytes,
            physical_bytes,
            bytes,
            is_unwritten: false,
            is_encoded: false,
            is_shared: false,
        }
    }

    #[test]
    fn pieces_that_follow_each_other_on_the_device_are_one_run() {
        let runs = |pieces: &[Extent]| Extents { pieces: pieces.to_vec(), is_cut: false }.runs();
        assert_eq!(runs(&[]), 0);
        assert_eq!(runs(&[piece(0, Some(100), 10)]), 1);
        assert_eq!(runs(&[piece(0, Some(100), 10), piece(10, Some(110), 5)]), 1);
        // With a hole in the file between them.
        assert_eq!(runs(&[piece(0, Some(100), 10), piece(50, Some(110), 5)]), 1);
        assert_eq!(runs(&[piece(0, Some(100), 10), piece(10, Some(111), 5)]), 2);
        assert_eq!(runs(&[piece(0, Some(100), 10), piece(10, Some(90), 10)]), 2);
        assert_eq!(
            runs(&[piece(0, Some(100), 10), piece(10, None, 5), piece(15, Some(110), 5)]),
            3
        );
        assert_eq!(runs(&[piece(0, None, 10), piece(10, None, 5)]), 1);
        let packed = Extent { is_encoded: true, ..piece(0, Some(100), 10) };
        assert_eq!(runs(&[packed, piece(10, Some(110), 5)]), 2);
    }

    #[test]
    fn answers_of_file_systems_without_a_map_are_no_failures() {
        assert!(does_not_tell(&Errno::OPNOTSUPP.into()));
        assert!(does_not_tell(&Errno::NOTTY.into()));
        assert!(!does_not_tell(&Errno::IO.into()));
    }
}
