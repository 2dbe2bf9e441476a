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

use fiemap::{Fiemap, FiemapExtent, FiemapExtentFlags};
use rustix::io::Errno;

use crate::error::ReadError;
use crate::root::Root;

/// A piece of a file.
#[derive(Clone, Copy)]
struct Piece {
    /// Where it begins on the file system's device; `None` where it has no place yet, or lies
    /// inside metadata.
    physical_bytes: Option<u64>,
    /// Its length in the file.
    bytes: u64,
    /// Compressed or encrypted by the file system: what is read is not what is stored.
    is_encoded: bool,
}

/// The most pieces that are read of one file (chosen): beyond that, what matters is that there are
/// so many.
const MOST_PIECES: usize = 65_536;

/// How many runs a regular file of this machine lies in; `None` where its file system does not
/// tell, and below an imitated root, whose files lie elsewhere.
pub fn runs(root: &Root, path: &Path) -> Result<Option<u64>, ReadError> {
    let failed = |source: io::Error| ReadError::from_io(path.to_owned(), source);
    let is_file = std::fs::metadata(root.path(path)).map_err(failed)?.is_file();
    if !root.is_live() || !is_file {
        return Ok(None);
    }
    match pieces(&File::open(path).map_err(failed)?) {
        Ok(pieces) => Ok(Some(runs_of(&pieces))),
        Err(error) if does_not_tell(&error) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn pieces(file: &File) -> io::Result<Vec<Piece>> {
    let nowhere = FiemapExtentFlags::UNKNOWN | FiemapExtentFlags::DATA_INLINE;
    let encoded = FiemapExtentFlags::ENCODED | FiemapExtentFlags::DATA_ENCRYPTED;
    let piece = |extent: io::Result<FiemapExtent>| {
        let extent = extent?;
        let has = |flags| extent.fe_flags.intersects(flags);
        Ok(Piece {
            physical_bytes: (!has(nowhere)).then_some(extent.fe_physical),
            bytes: extent.fe_length,
            is_encoded: has(encoded),
        })
    };
    Fiemap::new(file).take(MOST_PIECES).map(piece).collect()
}

/// Pieces that follow each other on the device are one run.
fn runs_of(pieces: &[Piece]) -> u64 {
    pieces.chunk_by(|one, next| next.follows(one)).count() as u64
}

impl Piece {
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
    Errno::from_io_error(error).is_some_and(|errno| answers.contains(&errno))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(physical_bytes: Option<u64>, bytes: u64) -> Piece {
        Piece { physical_bytes, bytes, is_encoded: false }
    }

    #[test]
    fn pieces_that_follow_each_other_on_the_device_are_one_run() {
        assert_eq!(runs_of(&[]), 0);
        assert_eq!(runs_of(&[piece(Some(100), 10)]), 1);
        assert_eq!(runs_of(&[piece(Some(100), 10), piece(Some(110), 5)]), 1);
        assert_eq!(runs_of(&[piece(Some(100), 10), piece(Some(111), 5)]), 2);
        assert_eq!(runs_of(&[piece(Some(100), 10), piece(Some(90), 10)]), 2);
        assert_eq!(runs_of(&[piece(Some(100), 10), piece(None, 5), piece(Some(110), 5)]), 3);
        assert_eq!(runs_of(&[piece(None, 10), piece(None, 5)]), 1);
        let packed = Piece { is_encoded: true, ..piece(Some(100), 10) };
        assert_eq!(runs_of(&[packed, piece(Some(110), 5)]), 2);
    }

    #[test]
    fn answers_of_file_systems_without_a_map_are_no_failures() {
        assert!(does_not_tell(&Errno::OPNOTSUPP.into()));
        assert!(does_not_tell(&Errno::NOTTY.into()));
        assert!(!does_not_tell(&Errno::IO.into()));
    }
}
