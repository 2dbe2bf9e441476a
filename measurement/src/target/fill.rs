//! Making a target ready: what will be read must hold data, and `drop` must really drop.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use iopath_record::Progress;
use iopath_study::Case;
use iopath_study::case::{BufferKind, CacheMode, EngineKind, Pattern, Verify};
use iopath_workload::stamp;
use rustix::fs::{Advice, OFlags, fadvise};

use super::open::Use;
use super::{Access, CacheUsed, Held, OpenTarget, Targets, key};
use crate::buffers::{Buffers, noise};
use crate::checker::Checker;
use crate::failure::Failure;
use crate::residency::residency;
use crate::trial::Doors;

/// Bytes written at once while a target is filled.
const PIECE: u32 = 1 << 20;

impl Targets {
    /// Fills what a case will read and nobody has written, in files that this run made. Fails
    /// with `Interrupted` when the user wants an end.
    pub(crate) fn prepare(
        &mut self,
        case: &Case,
        open: &mut [OpenTarget],
        doors: &mut Doors<'_>,
    ) -> io::Result<()> {
        for (index, target) in open.iter_mut().enumerate() {
            let Some(held) = self.files.get_mut(&key(&case.targets[index])) else { continue };
            let reads = Use::of(case, index).reads && case.workload.engine != EngineKind::Null;
            let needed = if reads { target.bytes } else { 0 };
            if case.workload.verify == Verify::Stamps {
                let unit = unit_of(case, index)?;
                let new = || Checker::new(&target.label, target.bytes, unit, case.workload.seed);
                let checker = held.kept_checker(unit, target.bytes).unwrap_or_else(new);
                target.checker = Some(checker.clone());
                held.checker = Some((unit, checker));
            } else {
                // What is written without stamps cannot be known any more.
                held.checker = None;
            }
            if held.must_be_filled(needed) {
                let (from, over) = (held.filled, held.over.clone());
                let own = key(&case.targets[index]);
                for file in over.iter().chain([&own]) {
                    self.files.entry(file.clone()).or_insert_with(Held::unknown).changed = true;
                }
                fill(target, from, doors)?;
                self.files.entry(own).or_insert_with(Held::unknown).filled = target.bytes;
            }
        }
        Ok(())
    }

    /// Notes what a finished pass has surely written from the start of a target.
    pub(crate) fn note_written(&mut self, case: &Case, index: usize, bytes: u64) {
        let alone = case.streams.iter().filter(|stream| stream.target == index).count() == 1;
        let ascending = case.streams.iter().all(|stream| {
            stream.target != index || (stream.pattern == Pattern::Sequential && stream.reads.0 == 0)
        });
        let target = &case.targets[index];
        if let Some(held) = self.files.get_mut(&key(target)).filter(|_| alone && ascending) {
            // A round ends with the last whole block.
            let streams = case.streams.iter().filter(|stream| stream.target == index);
            let block = streams.map(|stream| stream.block.0).max().unwrap_or(1).max(1);
            let limit = target.size.map_or(u64::MAX, |size| size.0 - size.0 % block);
            held.filled = held.filled.max(bytes.min(limit));
        }
    }
}

impl Held {
    /// Whether a case that needs data in so many bytes from the start finds too few of them.
    fn must_be_filled(&self, needed: u64) -> bool {
        self.ours && self.filled < needed
    }

    /// The checker of earlier cases, if what it knows is still so.
    fn kept_checker(&mut self, unit: u32, bytes: u64) -> Option<Checker> {
        let kept = self.checker.take().filter(|(known, _)| *known == unit);
        let is_volume = !self.over.is_empty();
        if kept.is_none() && (self.scratch.is_some() || self.made.is_some() || is_volume) {
            // Earlier cases left no stamps, or stamps of another size: all is written anew.
            self.filled = 0;
        }
        kept.map(|(_, checker)| checker.covering(bytes))
    }
}

/// After the passes: brings what is still in the page cache to the device. Only here do errors of
/// buffered writes show, and the next trial does not compete with them.
pub(crate) fn write_back(case: &Case, open: &[OpenTarget]) -> Result<(), Failure> {
    let written = open.iter().enumerate().filter(|(index, _)| Use::of(case, *index).writes);
    for (_, target) in written {
        let failed = |source| Failure::WriteBack { target: target.label.clone(), source };
        sync(target).map_err(failed)?;
    }
    Ok(())
}

/// The stamped unit of a target: one for all its streams.
fn unit_of(case: &Case, index: usize) -> io::Result<u32> {
    let streams = case.streams.iter().filter(|stream| stream.target == index);
    let units = streams.map(|stream| stamp::unit_of(stream.block.0));
    let least = units.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
    let unit = least.into_iter().min().unwrap_or(stamp::UNIT_MAX);
    Ok(u32::try_from(unit).unwrap_or(u32::MAX))
}

/// Writes from `from` to the end: stamps where data will be checked, else noise.
fn fill(target: &OpenTarget, from: u64, doors: &mut Doors<'_>) -> io::Result<()> {
    let mut buffer = Buffers::new(BufferKind::Heap, 1, PIECE as usize)?;
    let access = Access::new(target, PIECE)?;
    // A stamp lies at a whole multiple of its unit.
    let from = target.checker.as_ref().map_or(from, |it| from - from % it.unit_bytes());
    let total_bytes = target.bytes - from;
    let mut done_bytes = 0;
    while done_bytes < total_bytes {
        if doors.interrupted.load(Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let offset = from + done_bytes;
        let bytes = u64::from(PIECE).min(target.bytes - offset);
        let data = buffer.data(0, u32::try_from(bytes).unwrap_or(PIECE));
        match &target.checker {
            Some(checker) => {
                checker.fill(data, offset, |data| write_piece((target, &access), data, offset))?;
            }
            None => {
                noise(data, offset);
                write_piece((target, &access), data, offset)?;
            }
        }
        done_bytes += bytes;
        (doors.tell)(Progress::Preparing { target: target.name.clone(), done_bytes, total_bytes });
    }
    sync(target)
}

fn sync(target: &OpenTarget) -> io::Result<()> {
    target.files.iter().try_for_each(|file| file.file.sync_data())
}

/// The last piece may not be aligned for direct I/O; it is then written through the page cache.
fn write_piece(
    (target, access): (&OpenTarget, &Access<'_>),
    data: &mut [u8],
    offset: u64,
) -> io::Result<()> {
    match access.write_all(data, offset) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            let switch = |direct: bool| {
                target.files.iter().filter(|file| file.cache == CacheUsed::Direct).try_for_each(
                    |file| {
                        let flags = rustix::fs::fcntl_getfl(&file.file)? - OFlags::DIRECT;
                        let wanted = if direct { flags | OFlags::DIRECT } else { flags };
                        rustix::fs::fcntl_setfl(&file.file, wanted)
                    },
                )
            };
            switch(false)?;
            let written = access.write_all(data, offset);
            switch(true)?;
            written
        }
        other => other,
    }
}

/// Before a pass: `drop` writes back and drops the target's pages; gives the bytes that stayed.
pub(crate) fn drop_cached(target: &OpenTarget, asked: CacheMode) -> io::Result<Option<u64>> {
    if asked != CacheMode::Drop {
        return Ok(None);
    }
    drop_pages(target)?;
    let left = target.files.iter().map(|file| residency(&file.file, file.bytes));
    let left = left.map(|left| Ok(left?.cached_bytes)).sum::<io::Result<u64>>()?;
    Ok(Some(left))
}

/// Writes back and drops what the page cache holds of a target.
pub(crate) fn drop_pages(target: &OpenTarget) -> io::Result<()> {
    for file in &target.files {
        file.file.sync_data()?;
        fadvise(&file.file, 0, None, Advice::DontNeed)?;
    }
    Ok(())
}
