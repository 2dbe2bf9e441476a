//! A disk in memory that fails in one known way, and knows which of its blocks a reader could see
//! bad: it keeps what it was given next to what it has, and compares the two.

use std::collections::BTreeSet;
use std::ops::Range;

use super::faults::Medium;

/// Blocks are distinguished by this many bytes, the largest unit of verification.
pub(crate) const UNIT: usize = 4096;
/// Where misplaced data goes: so far on, or back.
const AWAY: usize = 1 << 20;
/// Sectors are written whole.
const SECTOR: usize = 512;

/// One way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// A bit is stored wrong.
    BitFlip,
    /// A write is acknowledged and not done.
    Lost,
    /// A write is done elsewhere, and not in its place.
    Misplaced,
    /// Of a write only the first half is done.
    Torn,
    /// Of a write only the first sector is done.
    SectorTorn,
    /// A block of a write is stored as zeros.
    Zeroed,
    /// A write is stored a sector too far on.
    Shifted,
    /// A write is done elsewhere, too.
    Duplicated,
    /// The first two blocks of a write are stored in one another's place.
    Swapped,
    /// A bit is read wrong, once.
    FlippedRead,
    /// A read gives what was there before the last write, once.
    StaleRead,
    /// A read gives what is elsewhere, once.
    OtherRead,
    /// A block of a read is zeros, once.
    ZerosRead,
    /// A write fails.
    WriteError,
    /// A write finds no space.
    NoSpace,
    /// A block cannot be read any more, until it is written.
    ReadError,
    /// A read gives half of what was asked for.
    ShortRead,
}

/// What a request is answered instead of done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Failed,
    NoSpace,
}

/// When a fault happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Armed {
    pub fault: Fault,
    /// It spares so many requests of its direction.
    pub after: u64,
    /// Of those that come once so many bytes were written.
    pub once_written_bytes: u64,
}

/// The disk.
pub(crate) struct Disk {
    /// What it was given.
    truth: Vec<u8>,
    /// What it has.
    media: Vec<u8>,
    /// What it had before the last write of each byte.
    before: Vec<u8>,
    length: usize,
    written_bytes: u64,
    armed: Option<Armed>,
    /// Bytes that cannot be read.
    unreadable: Range<usize>,
    /// Blocks that a reader was given wrong.
    seen: BTreeSet<u64>,
}

impl Disk {
    /// An empty file with room for `bytes`.
    pub(crate) fn new(bytes: usize, armed: Option<Armed>) -> Self {
        let zeros = || vec![0; bytes];
        let (truth, media, before) = (zeros(), zeros(), zeros());
        let (length, written_bytes, unreadable, seen) = (0, 0, 0..0, BTreeSet::new());
        Self { truth, media, before, length, written_bytes, armed, unreadable, seen }
    }

    /// Whether the fault has happened.
    pub(crate) fn has_fired(&self) -> bool {
        self.armed.is_none()
    }

    /// Blocks that a reader was given wrong, by number.
    pub(crate) fn seen(&self) -> &BTreeSet<u64> {
        &self.seen
    }

    /// Blocks that a reader would be given wrong now, by number.
    pub(crate) fn left(&self) -> BTreeSet<u64> {
        let mut left = differing(&self.media[..self.length], &self.truth[..self.length], 0);
        left.extend(self.unreadable.clone().map(|byte| (byte / UNIT) as u64));
        left
    }

    fn store(&mut self, at: usize, data: &[u8], fault: Option<Fault>) {
        let (bytes, away) = (data.len(), self.away(at, data.len()));
        let media = &mut self.media;
        let mut put = |at: usize, data: &[u8]| media[at..at + data.len()].copy_from_slice(data);
        match fault {
            Some(Fault::Lost) => {}
            Some(Fault::Misplaced) => put(away, data),
            Some(Fault::Torn) => put(at, &data[..bytes / 2]),
            Some(Fault::SectorTorn) => put(at, &data[..SECTOR]),
            Some(Fault::Shifted) => put(at + SECTOR, &data[..bytes - SECTOR]),
            Some(Fault::Duplicated) => {
                put(at, data);
                put(away, data);
            }
            Some(Fault::Swapped) => {
                put(at, &data[UNIT..2 * UNIT]);
                put(at + UNIT, &data[..UNIT]);
                put(at + 2 * UNIT, &data[2 * UNIT..]);
            }
            Some(Fault::BitFlip) => {
                put(at, data);
                media[at + bytes / 3] ^= 4;
            }
            Some(Fault::Zeroed) => {
                put(at, data);
                let zeros = middle(bytes);
                media[at + zeros.start..at + zeros.end].fill(0);
            }
            _ => put(at, data),
        }
    }

    /// The fault, if it happens to this request.
    fn fires(&mut self, is_possible: impl Fn(Fault) -> bool) -> Option<Fault> {
        let armed = self.armed.as_mut()?;
        if !is_possible(armed.fault) || self.written_bytes < armed.once_written_bytes {
            return None;
        }
        if armed.after > 0 {
            armed.after -= 1;
            return None;
        }
        self.armed.take().map(|armed| armed.fault)
    }

    /// Where data goes or comes from that should be at a place.
    fn away(&self, at: usize, bytes: usize) -> usize {
        let by = AWAY.max(bytes);
        if at + by + bytes <= self.room() { at + by } else { at.saturating_sub(by) }
    }
}

impl Medium for Disk {
    fn length(&self) -> usize {
        self.length
    }

    fn room(&self) -> usize {
        self.media.len()
    }

    fn resize(&mut self, length: usize) -> bool {
        let fits = length <= self.room();
        if fits {
            self.length = length;
        }
        fits
    }

    fn write(&mut self, at: usize, data: &[u8]) -> Result<(), Refusal> {
        let end = at + data.len();
        if end > self.room() {
            return Err(Refusal::NoSpace);
        }
        let fault = self.fires(|fault| fault.is_of_write(data.len()));
        match fault {
            Some(Fault::WriteError) => return Err(Refusal::Failed),
            Some(Fault::NoSpace) => return Err(Refusal::NoSpace),
            _ => {}
        }
        self.length = self.length.max(end);
        self.written_bytes += data.len() as u64;
        self.truth[at..end].copy_from_slice(data);
        self.before[at..end].copy_from_slice(&self.media[at..end]);
        if meet(&self.unreadable, at..end) {
            self.unreadable = 0..0;
        }
        self.store(at, data, fault);
        Ok(())
    }

    fn read(&mut self, at: usize, bytes: usize) -> Result<Vec<u8>, Refusal> {
        let end = (at + bytes).min(self.length);
        let at = at.min(end);
        let bytes = end - at;
        let away = self.away(at, bytes);
        let (before, other) = (at..end, away..away + bytes);
        let can_differ = |disk: &Self, fault| match fault {
            Fault::StaleRead => disk.before[before.clone()] != disk.truth[before.clone()],
            _ => true,
        };
        let differs = self.armed.is_some_and(|armed| can_differ(self, armed.fault));
        let fault = self.fires(|fault| fault.is_of_read(bytes) && differs);
        if fault == Some(Fault::ReadError) {
            let bad = middle(bytes);
            self.unreadable = at + bad.start..at + bad.end;
        }
        if meet(&self.unreadable, at..end) {
            return Err(Refusal::Failed);
        }
        let mut data = self.media[at..end].to_vec();
        match fault {
            Some(Fault::ShortRead) => data.truncate(bytes / 2 / SECTOR * SECTOR),
            Some(Fault::FlippedRead) => data[bytes / 3] ^= 4,
            Some(Fault::StaleRead) => data.copy_from_slice(&self.before[at..end]),
            Some(Fault::OtherRead) => data.copy_from_slice(&self.media[other]),
            Some(Fault::ZerosRead) => data[middle(bytes)].fill(0),
            _ => {}
        }
        self.seen.extend(differing(&data, &self.truth[at..at + data.len()], at));
        Ok(data)
    }

    fn flush(&mut self) {}
}

impl Fault {
    fn is_of_write(self, bytes: usize) -> bool {
        match self {
            Self::BitFlip | Self::Lost | Self::Misplaced | Self::Zeroed | Self::Duplicated => true,
            Self::WriteError | Self::NoSpace => true,
            Self::Torn | Self::SectorTorn | Self::Shifted => bytes > SECTOR,
            Self::Swapped => bytes >= 2 * UNIT,
            Self::FlippedRead | Self::StaleRead | Self::OtherRead | Self::ZerosRead => false,
            Self::ReadError | Self::ShortRead => false,
        }
    }

    fn is_of_read(self, bytes: usize) -> bool {
        bytes > SECTOR && self.is_read()
    }

    /// Whether it happens to reads.
    pub(crate) fn is_read(self) -> bool {
        !self.is_of_write(usize::MAX)
    }
}

/// Whether two places have a byte in common.
fn meet(one: &Range<usize>, other: Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The block in the middle of so many bytes, or all of them.
fn middle(bytes: usize) -> Range<usize> {
    if bytes <= UNIT {
        return 0..bytes;
    }
    let first = bytes / UNIT / 2 * UNIT;
    first..first + UNIT
}

/// The numbers of the blocks in which data at a place differs from what it should be.
fn differing(data: &[u8], wanted: &[u8], at: usize) -> BTreeSet<u64> {
    if data == wanted {
        return BTreeSet::new();
    }
    let sectors = data.chunks(SECTOR).zip(wanted.chunks(SECTOR)).enumerate();
    let bad = sectors.filter(|(_, (data, wanted))| data != wanted);
    bad.map(|(sector, _)| ((at + sector * SECTOR) / UNIT) as u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: usize = 4 * UNIT;

    /// A disk of 4 MiB that holds ones, and then meets a fault at its first write.
    fn faulty(fault: Fault) -> Disk {
        let mut disk = Disk::new(4 << 20, None);
        let ones: Vec<u8> = (0..4_usize << 20).map(|byte| (byte / UNIT % 251) as u8 + 1).collect();
        disk.write(0, &ones).unwrap();
        disk.armed = Some(Armed { fault, after: 0, once_written_bytes: 0 });
        disk
    }

    fn numbers(units: BTreeSet<u64>) -> Vec<u64> {
        units.into_iter().collect()
    }

    #[test]
    fn what_a_stored_fault_leaves_bad_is_known_until_it_is_written_over() {
        let of: [(Fault, &[u64]); 9] = [
            (Fault::BitFlip, &[1]),
            (Fault::Lost, &[0, 1, 2, 3]),
            (Fault::Misplaced, &[0, 1, 2, 3, 256, 257, 258, 259]),
            (Fault::Torn, &[2, 3]),
            (Fault::SectorTorn, &[0, 1, 2, 3]),
            (Fault::Zeroed, &[2]),
            (Fault::Shifted, &[0, 1, 2, 3]),
            (Fault::Duplicated, &[256, 257, 258, 259]),
            (Fault::Swapped, &[0, 1]),
        ];
        for (fault, bad) in of {
            let mut disk = faulty(fault);
            let data: Vec<u8> = (0..BLOCK).map(|byte| (byte / SECTOR) as u8 ^ 0x80).collect();
            disk.write(0, &data).unwrap();
            assert!(disk.has_fired(), "{fault:?}");
            assert_eq!(numbers(disk.left()), bad, "{fault:?}");
            assert!(disk.seen().is_empty());
            disk.read(0, 2 << 20).unwrap();
            assert_eq!(disk.seen().iter().copied().collect::<Vec<_>>(), bad, "{fault:?}");
            disk.write(0, &vec![7; 2 << 20]).unwrap();
            assert!(disk.left().is_empty(), "{fault:?}");
        }
    }

    #[test]
    fn what_a_read_is_given_wrong_is_seen_once_and_not_left() {
        let of: [(Fault, &[u64]); 4] = [
            (Fault::FlippedRead, &[1]),
            (Fault::StaleRead, &[0, 1, 2, 3]),
            (Fault::OtherRead, &[0, 1, 2, 3]),
            (Fault::ZerosRead, &[2]),
        ];
        for (fault, bad) in of {
            let mut disk = faulty(fault);
            disk.read(0, BLOCK).unwrap();
            assert!(disk.has_fired(), "{fault:?}");
            assert_eq!(disk.seen().iter().copied().collect::<Vec<_>>(), bad, "{fault:?}");
            assert!(disk.left().is_empty());
        }
    }

    #[test]
    fn a_block_that_cannot_be_read_stays_so_until_it_is_written() {
        let mut disk = faulty(Fault::ReadError);
        assert_eq!(disk.read(0, BLOCK), Err(Refusal::Failed));
        assert_eq!(numbers(disk.left()), [2]);
        assert!(disk.read(0, 2 * UNIT).is_ok());
        assert_eq!(disk.read(0, BLOCK), Err(Refusal::Failed));
        disk.write(2 * UNIT, &[1; UNIT]).unwrap();
        assert!(disk.read(0, BLOCK).is_ok() && disk.left().is_empty());
    }

    #[test]
    fn a_fault_waits_for_its_turn() {
        let mut disk = Disk::new(1 << 20, None);
        let armed = Armed { fault: Fault::Lost, after: 1, once_written_bytes: UNIT as u64 };
        disk.armed = Some(armed);
        for (turn, fired) in [(0, false), (1, false), (2, true)] {
            disk.write(turn * UNIT, &[1; UNIT]).unwrap();
            assert_eq!(disk.has_fired(), fired, "{turn}");
        }
        assert_eq!(numbers(disk.left()), [2]);
    }
}
