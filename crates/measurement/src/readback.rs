//! After the passes of a verified trial: everything that this run filled or wrote is read once and
//! checked, whatever case of it did. What is wrong is noted, and the reading goes on. A target is
//! read in the same way after a crash, against its journal.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_record::Progress;
use iopath_study::case::BufferKind;
use iopath_units::Op;

use crate::buffers::{Buffers, PAGE};
use crate::failure::Failure;
use crate::target::{Access, CacheUsed, OpenTarget, drop_pages};

/// Bytes read at once.
const PIECE: u64 = 1 << 20;

/// Reads back what the run wrote to each target. Fails where a target cannot be read at all.
pub(crate) fn check(
    targets: &[OpenTarget],
    interrupted: &AtomicBool,
    tell: &mut dyn FnMut(Progress),
) -> Result<(), Failure> {
    let known = targets.iter().filter_map(|target| Some((target, target.checker.as_ref()?)));
    known.into_iter().try_for_each(|(target, checker)| read(target, checker, interrupted, tell))
}

/// Knows which units of a target must hold what.
pub(crate) trait Judge {
    fn unit_bytes(&self) -> u64;
    /// Bytes of the target that it knows of.
    fn bytes(&self) -> u64;
    /// The units to read, as offsets in ascending order.
    fn offsets(&self) -> impl Iterator<Item = u64>;
    /// Judges the data of the unit at an offset.
    fn check(&self, offset: u64, data: &[u8]);
    /// The kernel could not read the unit at an offset.
    fn unreadable(&self, offset: u64, what: String);
}

/// Reads all units of a target that somebody knows. Fails where it cannot be read at all.
pub(crate) fn read(
    target: &OpenTarget,
    judge: &impl Judge,
    interrupted: &AtomicBool,
    tell: &mut dyn FnMut(Progress),
) -> Result<(), Failure> {
    let unit_bytes = judge.unit_bytes();
    // An earlier case may have used more of the target than this one.
    let known_bytes = target.readable_bytes().min(judge.bytes());
    let whole_bytes = known_bytes - known_bytes % unit_bytes;
    let known = || judge.offsets().take_while(|offset| *offset < whole_bytes);
    let total_bytes = known().count() as u64 * unit_bytes;
    let failed = |offset, source| Failure::Request {
        target: target.label.clone(),
        what: Op::Read.to_string(),
        offset,
        bytes: PIECE as u32,
        source,
    };
    if target.cache() != CacheUsed::Direct {
        // Memory would be compared with memory.
        drop_pages(target).map_err(|source| failed(0, source))?;
    }
    let buffer = Buffers::new(BufferKind::Heap, 1, PIECE as usize);
    let mut buffer = buffer.map_err(|source| failed(0, source))?;
    let access = Access::new(target, PIECE as u32).map_err(|source| failed(0, source))?;
    let mut done_bytes = 0;
    let mut offsets = known().peekable();
    let mut of_piece = Vec::with_capacity((PIECE / unit_bytes) as usize);
    while let Some(from) = offsets.next() {
        if interrupted.load(Relaxed) {
            return Ok(());
        }
        // Direct I/O wants whole pages: what lies beside the units is read along, not checked.
        let start = from - from % PAGE as u64;
        let end = (start + PIECE).min(whole_bytes);
        of_piece.clear();
        of_piece.push(from);
        while let Some(offset) = offsets.next_if(|next| next + unit_bytes <= end) {
            of_piece.push(offset);
        }
        let piece = Piece { judge, access: &access, start, end, units: &of_piece };
        let read = piece.check(buffer.data(0, (end - start) as u32));
        read.map_err(|source| failed(start, source))?;
        done_bytes += of_piece.len() as u64 * unit_bytes;
        tell(Progress::Verifying { done_bytes, total_bytes });
    }
    Ok(())
}

/// What is read at once, and the units of it that are known.
struct Piece<'p, J> {
    judge: &'p J,
    access: &'p Access<'p>,
    start: u64,
    end: u64,
    units: &'p [u64],
}

impl<J: Judge> Piece<'_, J> {
    fn check(&self, data: &mut [u8]) -> io::Result<()> {
        match self.access.read_exact(data, self.start) {
            Ok(()) => {
                self.units.iter().for_each(|unit| self.check_unit(data, *unit, self.start));
                Ok(())
            }
            Err(error) if is_of_the_data(&error) => self.check_one_by_one(data, &error),
            Err(error) => Err(error),
        }
    }

    /// Checks the unit at an offset in data from `start` on.
    fn check_unit(&self, data: &[u8], offset: u64, start: u64) {
        let place = (offset - start) as usize;
        self.judge.check(offset, &data[place..place + self.judge.unit_bytes() as usize]);
    }

    /// One bad sector fails the whole piece: the others of it are read alone.
    fn check_one_by_one(&self, data: &mut [u8], failed: &io::Error) -> io::Result<()> {
        let mut is_explained = false;
        for offset in self.units {
            let start = offset - offset % PAGE as u64;
            let bytes = (self.end - start).min(PAGE as u64) as usize;
            match self.access.read_exact(&mut data[..bytes], start) {
                Ok(()) => self.check_unit(data, *offset, start),
                Err(error) if is_of_the_data(&error) => {
                    is_explained = true;
                    let what = format!("offset {offset} cannot be read: {error}");
                    self.judge.unreadable(*offset, what);
                }
                Err(error) => return Err(error),
            }
        }
        if !is_explained {
            let (start, bytes) = (self.start, self.end - self.start);
            let what = format!("{bytes} bytes at offset {start} could not be read once: {failed}");
            self.judge.unreadable(self.units[0], what);
        }
        Ok(())
    }
}

/// Whether an error is of some sectors, so that others may be read: what block devices and file
/// systems answer for a medium, a transport, or a checksum that is wrong. Errors of a volume's
/// members have no number; they say which member failed.
fn is_of_the_data(error: &io::Error) -> bool {
    match error.raw_os_error() {
        Some(number) => matches!(
            number,
            libc::EIO
                | libc::ENODATA
                | libc::EILSEQ
                | libc::EBADMSG
                | libc::EUCLEAN
                | libc::EREMOTEIO
                | libc::ETIMEDOUT
        ),
        None => !matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput),
    }
}
