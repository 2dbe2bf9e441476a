//! Making a target ready: what will be read must hold data, and `drop` must really drop.

use std::io;
use std::sync::atomic::AtomicBool;

use iopath_record::Progress;
use iopath_study::Case;
use iopath_study::case::{
    BufferKind, CacheMode, EngineKind, Pattern, Sharing, Stream, Until, Verify,
};
use iopath_units::Action;
use iopath_workload::stamp;
use rustix::fs::{Advice, OFlags, fadvise};

use super::made::files_of;
use super::open::Use;
use super::{Access, CacheUsed, Held, OpenTarget, Targets, key, ready};
use crate::between::going_on;
use crate::buffers::{Buffers, noise};
use crate::checker::Checker;
use crate::failure::Failure;
use crate::journal::{Journals, Subject};
use crate::readback::Judge;
use crate::residency::residency;
use crate::trial::Part;

/// Bytes written at once while a target is filled.
const PIECE: u32 = 1 << 20;

impl Targets {
    /// Takes up what earlier cases know of the targets of a verified case, and begins a journal of
    /// each that it writes and that outlives the program. Nothing is written to a target yet.
    pub(crate) fn keep_stamps(&mut self, case: &Case, open: &mut [OpenTarget]) -> io::Result<()> {
        for (index, target) in open.iter_mut().enumerate() {
            let Some(held) = self.files.get_mut(&key(&case.targets[index])) else { continue };
            if case.workload.verify != Verify::Stamps {
                // What is written without stamps cannot be known any more.
                held.forget_stamps();
                continue;
            }
            let unit = unit_of(case, index)?;
            let new = || Checker::new(&target.label, target.bytes, unit, case.workload.seed);
            let mut checker = held.kept_checker(unit, target.bytes)?.unwrap_or_else(new);
            let writes =
                Use::of(case, index).writes || held.must_be_filled(needed(case, index, target));
            let is_lasting =
                files_of(case, &case.targets[index]).iter().all(|file| file.binding.is_some());
            let is_real = case.workload.engine != EngineKind::Null;
            let journals = self.journals.as_mut().filter(|_| writes && is_lasting && is_real);
            if let Some(journals) = journals.filter(|_| checker.may_begin_journal()) {
                let (root, target) = (&self.root, &*target);
                checker.keep(journals.begin(&Subject { root, case, target, checker: &checker })?);
            }
            target.checker = Some(checker.clone());
            held.checker = Some((unit, checker));
        }
        Ok(())
    }

    /// Keeps a journal of each target that a verified case writes.
    pub fn keep_journals(&mut self, journals: Journals) {
        self.journals = Some(journals);
    }

    /// Removes the journals of a run in which everything is as it was written.
    pub fn discard_journals(&mut self) {
        for (_, checker) in self.files.values().filter_map(|held| held.checker.as_ref()) {
            checker.discard_journal();
        }
    }

    /// Fills what the first streams of a case will read and nobody has written, in files that this
    /// run made. What other ranks use, too, is filled for all streams at once: what those write
    /// only they know. Fails with `Interrupted` when the user wants an end.
    pub(crate) fn prepare(
        &mut self,
        part: Part<'_>,
        open: &[OpenTarget],
        (interrupted, tell): (&AtomicBool, &mut dyn FnMut(Progress)),
    ) -> io::Result<()> {
        let case = part.holds;
        let (first, all) = (&case.epochs()[0], (0..case.streams.len()).collect());
        let mut go_on = going_on(interrupted, tell);
        for (index, target) in open.iter().enumerate() {
            let streams = if part.others_use(index) { &all } else { first };
            self.fill((case, index), streams, target, &mut go_on)?;
        }
        Ok(())
    }

    /// Notes what streams of other ranks may have trimmed.
    pub(crate) fn note_trimmed_elsewhere(&mut self, part: Part<'_>) {
        let case = part.holds;
        let trims = |index: usize| {
            let mut on_it = case.streams.iter().filter(|stream| stream.target == index);
            on_it.any(|stream| stream.action == Action::Trim)
        };
        for index in (0..case.targets.len()).filter(|at| part.others_use(*at) && trims(*at)) {
            let held = self.files.entry(key(&case.targets[index])).or_default();
            (held.filled, held.trimmed) = (0, true);
        }
    }

    /// Fills a target and makes the files of a tree as streams that run together need them. Fails
    /// with `Interrupted` as soon as `go_on` says so.
    pub(crate) fn make_ready(
        &mut self,
        (case, index): (&Case, usize),
        streams: &[usize],
        target: &OpenTarget,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> io::Result<()> {
        self.fill((case, index), streams, target, go_on)?;
        ready(case, (index, target), streams, go_on)
    }

    /// Fills what streams that run together will read of a target and nobody has written, where
    /// this run has made it. Fails with `Interrupted` as soon as `go_on` says so.
    fn fill(
        &mut self,
        (case, index): (&Case, usize),
        streams: &[usize],
        target: &OpenTarget,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> io::Result<()> {
        let own = key(&case.targets[index]);
        let Some(held) = self.files.get(&own) else { return Ok(()) };
        let mut on_it = streams.iter().map(|at| &case.streams[*at]).filter(|s| s.target == index);
        // There must be something to read, and something to trim.
        let wants = |stream: &Stream| stream.reads.0 > 0 || stream.action == Action::Trim;
        let wanted = case.workload.engine != EngineKind::Null && on_it.any(wants);
        if !held.must_be_filled(if wanted { target.bytes } else { 0 }) {
            return Ok(());
        }
        let (from, over) = (held.filled, held.over.clone());
        for file in over.iter().chain([&own]) {
            self.files.entry(file.clone()).or_default().changed = true;
        }
        fill(target, from, go_on)?;
        let held = self.files.entry(own).or_default();
        (held.filled, held.trimmed) = (target.bytes, false);
        Ok(())
    }

    /// Whether this run has trimmed the targets of a case and not written them since.
    pub(crate) fn trimmed(&self, case: &Case) -> Vec<bool> {
        let of = |target| self.files.get(&key(target)).is_some_and(|held| held.trimmed);
        case.targets.iter().map(of).collect()
    }

    /// Notes what streams that ran together have surely written from the start of their targets,
    /// of which each has moved so many bytes.
    pub(crate) fn note_written(&mut self, case: &Case, streams: &[usize], moved: &[u64]) {
        if case.workload.engine == EngineKind::Null {
            return;
        }
        for (index, target) in case.targets.iter().enumerate() {
            let on_it = || streams.iter().copied().filter(|at| case.streams[*at].target == index);
            if on_it().any(|at| case.streams[at].action == Action::Trim) {
                // Holes may be anywhere in it.
                let held = self.files.entry(key(target)).or_default();
                (held.filled, held.trimmed) = (0, true);
                continue;
            }
            let written = written(case, on_it(), moved);
            let Some(held) = self.files.get_mut(&key(target)).filter(|_| written > 0) else {
                continue;
            };
            held.trimmed = false;
            // A round ends with the last whole block.
            let block = on_it().map(|at| case.streams[at].block.0).max().unwrap_or(1).max(1);
            let limit = target.size.map_or(u64::MAX, |size| size.0 - size.0 % block);
            held.filled = held.filled.max(written.min(limit));
        }
    }
}

/// Bytes from the start of a target that its streams have surely written: what a lone sequential
/// writer moved, and all where writers went through a part each, once.
fn written(case: &Case, streams: impl Iterator<Item = usize>, moved: &[u64]) -> u64 {
    let streams: Vec<usize> = streams.collect();
    let all = |is: &dyn Fn(&Stream) -> bool| streams.iter().all(|at| is(&case.streams[*at]));
    let bytes = streams.iter().map(|at| moved[*at]).sum();
    let is_round = case.workload.until == Until { time: None, amount: None };
    let is_lone = streams.len() == 1 && all(&|stream| stream.pattern == Pattern::Sequential);
    let has_own_part = |stream: &Stream| match stream.pattern {
        Pattern::Sequential | Pattern::Staggered | Pattern::RandomStart | Pattern::Backwards => {
            stream.region.sharing == Sharing::Own || stream.region.count == 1
        }
        Pattern::Interleaved => true,
        _ => false,
    };
    let target = streams.first().map(|at| case.streams[*at].target);
    let size = target.and_then(|target| case.targets[target].size).map(|size| size.0);
    let are_whole = is_round && all(&has_own_part) && size == Some(bytes);
    let only_write = all(&|stream| stream.reads.0 == 0);
    if only_write && (is_lone || are_whole) { bytes } else { 0 }
}

impl Held {
    /// What was stamped is no longer known, after a crash neither.
    pub(super) fn forget_stamps(&mut self) {
        if let Some((_, checker)) = self.checker.take() {
            checker.discard_journal();
        }
    }

    /// Whether a case that needs data in so many bytes from the start finds too few of them.
    fn must_be_filled(&self, needed: u64) -> bool {
        self.ours && self.filled < needed
    }

    /// The checker of earlier cases, if what it knows is still so.
    fn kept_checker(&mut self, unit: u32, bytes: u64) -> io::Result<Option<Checker>> {
        if self.checker.as_ref().is_some_and(|(known, _)| *known != unit) {
            self.forget_stamps();
        }
        let kept = self.checker.take();
        let is_volume = !self.over.is_empty();
        if kept.is_none() && (self.scratch.is_some() || self.made.is_some() || is_volume) {
            // Earlier cases left no stamps, or stamps of another size: all is written anew.
            self.filled = 0;
        }
        kept.map(|(_, checker)| checker.covering(bytes)).transpose()
    }
}

/// Bytes from the start of a target that must hold data before a case.
fn needed(case: &Case, index: usize, target: &OpenTarget) -> u64 {
    let reads = Use::of(case, index).reads && case.workload.engine != EngineKind::Null;
    if reads { target.bytes } else { 0 }
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
fn fill(target: &OpenTarget, from: u64, go_on: &mut dyn FnMut(Progress) -> bool) -> io::Result<()> {
    let preparing = |done_bytes, total_bytes| {
        let target = target.name.clone();
        Progress::Preparing { target, done_bytes, total_bytes }
    };
    let mut buffer = Buffers::new(BufferKind::Heap, 1, PIECE as usize)?;
    let access = Access::new(target, PIECE)?;
    // A stamp lies at a whole multiple of its unit.
    let from = target.checker.as_ref().map_or(from, |it| from - from % it.unit_bytes());
    let total_bytes = target.bytes - from;
    let mut done_bytes = 0;
    while done_bytes < total_bytes {
        if !go_on(preparing(done_bytes, total_bytes)) {
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
    }
    go_on(preparing(done_bytes, total_bytes));
    sync(target)
}

/// Flushes what was written to a target to stable storage, which its journal notes.
pub(crate) fn sync(target: &OpenTarget) -> io::Result<()> {
    if let Some(tree) = &target.tree {
        return tree.sync();
    }
    let ticket = target.checker.as_ref().map(Checker::begin_flush).unwrap_or_default();
    let flushed = target.files.iter().try_for_each(|file| file.file.sync_data());
    if let Some(checker) = &target.checker {
        match &flushed {
            Ok(()) => checker.flush_acknowledged(ticket),
            Err(_) => checker.flush_failed(),
        }
    }
    flushed
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
    if target.is_tree() {
        return Ok(None);
    }
    let left = target.files.iter().map(|file| residency(&file.file, file.bytes));
    let left = left.map(|left| Ok(left?.cached_bytes)).sum::<io::Result<u64>>()?;
    Ok(Some(left))
}

/// Writes back and drops what the page cache holds of a target.
pub(crate) fn drop_pages(target: &OpenTarget) -> io::Result<()> {
    if let Some(tree) = &target.tree {
        return tree.drop_pages();
    }
    sync(target)?;
    for file in &target.files {
        fadvise(&file.file, 0, None, Advice::DontNeed)?;
    }
    Ok(())
}
