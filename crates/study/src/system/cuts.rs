//! The sizes at which parts cut requests: as the study states them, else as they usually are.
//!
//! Where a study says nothing: units and segments of 64 KiB, what LVM takes (lvcreate(8),
//! `--stripesize`) and many controllers offer; one sector for level 3, whose disks move together;
//! blocks of 1 MiB for a file system on several members and of 4 KiB on one (chosen: what GPFS and
//! ext4 took for long); readahead of 128 KiB, as that of Linux (`read_ahead_kb`).

use iopath_units::Bytes;

use super::{PartId, System};

/// Bytes of the smallest request of a disk.
const SECTOR: Bytes = Bytes(512);

const UNIT: Bytes = Bytes(64 << 10);
const BLOCK: Bytes = Bytes(4 << 10);
const BLOCK_OF_SEVERAL: Bytes = Bytes(1 << 20);
const AHEAD: Bytes = Bytes(128 << 10);

impl System {
    /// Bytes on one member of a stripe before the next one's turn.
    #[must_use]
    pub fn unit(&self, stripe: PartId) -> Bytes {
        self.size(stripe, "unit").unwrap_or(UNIT)
    }

    /// Bytes on one disk of an array before the next one's turn.
    #[must_use]
    pub fn segment(&self, array: PartId) -> Bytes {
        let usual = if self.count(array, "level") == Some(3) { SECTOR } else { UNIT };
        self.size(array, "segment").unwrap_or(usual)
    }

    /// The block of a file system.
    #[must_use]
    pub fn block(&self, file_system: PartId) -> Bytes {
        let has_several = self.part(file_system).members.len() > 1;
        let usual = if has_several { BLOCK_OF_SEVERAL } else { BLOCK };
        self.size(file_system, "block").unwrap_or(usual)
    }

    /// Bytes of one request of a `readahead`.
    #[must_use]
    pub fn readahead_unit(&self, readahead: PartId) -> Bytes {
        self.size(readahead, "unit").unwrap_or(AHEAD)
    }
}
