//! File systems: what they make of what streams ask of their files.
//!
//! * **Direct**: a request goes to the file's members as it is, or as the records that it touches.
//! * **Buffered**: it goes through the page cache. What is read and not there is read first
//!   ([`ahead`] brings it there before it is asked for), then all of it is copied by one processor.
//!   What is written is copied and written [`behind`].
//! * A **record** is read and written as a whole: reads that jump and direct ones fetch all of
//!   those they touch. Where part of one that is there is changed, it is read first, unless a page
//!   cache has it as the one that was changed last; records in between are not read.
//!
//! What streams read stays in no page cache but by their share of hits, unless all targets fit in
//! memory: then it is there. Left out: data that one stream brings there for another.

mod ahead;
mod behind;
mod commit;
mod costs;
mod prefetch;
mod sync;

use std::collections::BTreeMap;

use iopath_path::{ComponentId, Network, Place};
use iopath_study::case::{CacheMode, Pattern, Prepare};
use iopath_study::{Case, PartId};
use iopath_units::Op;
use iopath_workload::readahead::Settings;

use self::ahead::Reader;
use self::behind::Behind;
use crate::core::Ps;
use crate::plan::{FileEnd, PlannedEnd, Plans};
use crate::streams::{Stream, Streams};
use crate::task::{Doing, Owner};
use crate::world::{Made, World};

/// What file systems know of streams.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Of each stream.
    streams: Vec<OfStream>,
    /// What each file system writes behind.
    behind: Vec<Behind>,
    /// Which of them has a file.
    behind_of: BTreeMap<ComponentId, u32>,
    /// Flushes that wait for what is written first: where to go on.
    syncs: BTreeMap<u32, (Place, ComponentId)>,
}

/// What a file system knows of a stream.
#[derive(Debug, Default)]
struct OfStream {
    /// Where it is read ahead of.
    reader: Option<Reader>,
    /// Which of those that write behind its file system is.
    behind: Option<u32>,
    /// Bytes of a record.
    record: Option<u64>,
    /// Whether its file grows as it writes.
    grows: bool,
    /// Bytes that the page cache puts together of what it writes, at most; none of what goes out as
    /// it comes.
    run: u64,
    /// Whether its requests follow one another.
    follows: bool,
    /// Whether the page cache holds all that it reads.
    is_held: bool,
    /// Where the record begins that it wrote to last.
    changed: Option<u64>,
}

impl Files {
    pub(crate) fn new(case: &Case, streams: &Streams, plans: &Plans<'_>) -> Self {
        let mut files = Self::default();
        for stream in &streams.all {
            let one = files.stream(case, stream, plans);
            files.streams.push(one.unwrap_or_default());
        }
        files
    }

    fn stream(&mut self, case: &Case, stream: &Stream, plans: &Plans<'_>) -> Option<OfStream> {
        let system = &case.system;
        let of_fs = plans.hops().in_front(stream.to)?;
        let file_system = PartId::from(of_fs);
        let stated = Settings::of(system, file_system).filter(|one| one.streams > 0);
        let settings = stated.or_else(|| prefetch::settings(system, file_system));
        let known = self.behind.iter().position(|one| one.file_system == file_system);
        let at = known.unwrap_or(self.behind.len());
        if known.is_none() {
            self.behind.push(Behind::of(system, file_system));
        }
        let is_fresh = match &case.streams[stream.case].after {
            Some(after) => after.prepare == Prepare::Drop,
            None => case.workload.cache == CacheMode::Drop,
        };
        let behind = &mut self.behind[at];
        behind.writers += 1;
        if case.streams[stream.case].sync.is_durable() {
            behind.in_flight.follow(stream.to);
        }
        self.behind_of.insert(stream.to, at as u32);
        Some(OfStream {
            reader: settings.map(|settings| Reader::new(settings, stream.end)),
            behind: Some(at as u32),
            record: system.size(file_system, "record").map(|size| size.0),
            grows: grows(stream, plans.network()),
            // A record or block is written as a whole.
            run: if behind.has_units() { u64::MAX } else { stream.run },
            follows: follows(case, stream),
            is_held: plans.hops().fits_in_memory(of_fs) && !is_fresh,
            changed: None,
        })
    }

    /// Flushes may come from outside.
    pub(crate) fn feed(&mut self) {
        for (file, at) in &self.behind_of {
            self.behind[*at as usize].in_flight.follow(*file);
        }
    }

    /// Whether any page cache still fills with what was written since streams began.
    pub(crate) fn any_fills(&mut self, since: Ps, now: Ps) -> bool {
        // Each of them has to look.
        let filling =
            self.behind.iter_mut().filter_map(|one| one.fills((since, now)).then_some(()));
        filling.count() > 0
    }
}

/// Whether what a stream writes is not there yet.
fn grows(stream: &Stream, network: &Network) -> bool {
    !network.streams.iter().any(|load| load.stream == stream.case && load.rewrites)
}

/// Whether what a stream asks for lies behind what it asked for before.
fn follows(case: &Case, stream: &Stream) -> bool {
    let one = &case.streams[stream.case];
    match one.pattern {
        Pattern::Sequential | Pattern::Staggered | Pattern::RandomStart | Pattern::Interleaved => {
            true
        }
        Pattern::Strided { stride } => stride <= one.block,
        _ => false,
    }
}

/// Part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    offset: u64,
    bytes: u64,
}

impl Piece {
    /// The records of so many bytes that it touches.
    fn whole(self, record: u64) -> Self {
        let offset = self.offset - self.offset % record;
        let end = (self.offset + self.bytes).next_multiple_of(record);
        Self { offset, bytes: end - offset }
    }
}

impl World<'_> {
    /// A request comes to its file.
    pub(crate) fn meet_file(&mut self, id: u32, end: FileEnd) {
        let task = &self.tasks[id];
        let Owner::Stream(stream) = task.owner else { return self.pass_down(id) };
        let piece = Piece { offset: task.offset, bytes: self.plans.plan(task.plan).bytes };
        let file = &mut self.files.streams[stream as usize];
        match task.op {
            Op::Read if !end.is_buffered => self.pass_down(id),
            Op::Write if !end.is_buffered => {
                let changed = file.changes(piece);
                self.fetch_changed(id, changed);
            }
            _ if task.hit => self.copy(id),
            Op::Read if file.is_held => self.copy(id),
            Op::Read => self.bring(id, stream, piece),
            Op::Write => match file.needs_before(piece) {
                [Some(record), None] | [None, Some(record)] => self.bring(id, stream, record),
                changed => self.fetch_changed(id, changed),
            },
        }
    }

    /// Brings a piece of a file into the page cache.
    fn bring(&mut self, id: u32, stream: u32, piece: Piece) {
        match &self.files.streams[stream as usize].reader {
            Some(_) => self.read_ahead(id, stream, piece),
            None => self.fetch(id, piece),
        }
    }

    /// Reads a piece of a file, and no more than its records, into the page cache.
    fn fetch(&mut self, id: u32, piece: Piece) {
        let piece = match self.file_of(id) {
            Some(file) if !file.follows => file.whole(piece),
            _ => piece,
        };
        self.hand_down(id, (Op::Read, piece), Owner::Reader(id));
    }

    /// Reads the records that a write changes in part.
    fn fetch_changed(&mut self, id: u32, changed: [Option<Piece>; 2]) {
        let count = changed.iter().flatten().count() as u32;
        let plan = self.tasks[id].plan;
        let bytes = changed.iter().flatten().next().map(|one| one.bytes);
        let Some(plan) = bytes.and_then(|bytes| self.plans.behind(plan, (Op::Read, bytes))) else {
            return self.there(id);
        };
        let task = &mut self.tasks[id];
        (task.doing, task.pending) = (Doing::Waiting, count);
        for Piece { offset, .. } in changed.into_iter().flatten() {
            self.make(Made { plan, offset, hit: false, owner: Owner::Reader(id) });
        }
    }

    /// Something that was read for a request is there.
    pub(crate) fn read_done(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        task.pending -= 1;
        if task.pending == 0 {
            self.there(id);
        }
    }

    /// What a request needs is in the page cache.
    pub(crate) fn there(&mut self, id: u32) {
        let task = &self.tasks[id];
        let behind = self.file_of(id).and_then(|file| file.behind);
        match (task.op, behind) {
            (Op::Write, _) if !self.is_buffered(id) => self.pass_down(id),
            (Op::Write, Some(behind)) => self.write_behind(id, behind),
            (Op::Read | Op::Write, _) => self.copy(id),
        }
    }

    /// Copies what a request reads or writes.
    fn copy(&mut self, id: u32) {
        self.pay(id, Doing::Ended);
    }

    /// Hands a request to the members of its file: all of the records that it touches.
    fn pass_down(&mut self, id: u32) {
        let (op, offset) = (self.tasks[id].op, self.tasks[id].offset);
        let piece = Piece { offset, bytes: self.plans.plan(self.tasks[id].plan).bytes };
        let whole = self.file_of(id).map_or(piece, |file| file.whole(piece));
        self.hand_down(id, (op, whole), Owner::Task(id));
    }

    /// What a file system knows of the stream whose request this is.
    fn file_of(&self, id: u32) -> Option<&OfStream> {
        let Owner::Stream(stream) = self.tasks[id].owner else { return None };
        self.files.streams.get(stream as usize)
    }

    /// Whether a request to a file goes through the page cache.
    pub(crate) fn is_buffered(&self, id: u32) -> bool {
        let end = &self.plans.plan(self.tasks[id].plan).end;
        matches!(end, PlannedEnd::File(end) if end.is_buffered)
    }

    fn hand_down(&mut self, id: u32, (op, piece): (Op, Piece), owner: Owner) {
        let task = &mut self.tasks[id];
        (task.doing, task.pending) = (Doing::Waiting, 1);
        let plan = self.plans.behind(task.plan, (op, piece.bytes));
        let Some(plan) = plan else { return self.ended(id) };
        // Past the page cache, the next one is that of what lies below.
        let hit = self.tasks[id].hit && matches!(owner, Owner::Task(_));
        self.make(Made { plan, offset: piece.offset, hit, owner });
    }
}

impl OfStream {
    /// The records that a piece touches; the piece itself where there are none.
    fn whole(&self, piece: Piece) -> Piece {
        self.record.map_or(piece, |record| piece.whole(record))
    }

    /// The records of which a piece changes a part: the one that it begins in and the one that it
    /// ends in. Past the page cache all of them are read first.
    fn changes(&self, piece: Piece) -> [Option<Piece>; 2] {
        let Some(record) = self.record.filter(|_| !self.grows) else { return [None; 2] };
        let end = piece.offset + piece.bytes;
        let (first, last) = (piece.offset - piece.offset % record, (end - 1) - (end - 1) % record);
        let at = |offset| Piece { offset, bytes: record };
        let is_first = first < piece.offset || end < first + record;
        let is_last = last > first && end < last + record;
        [is_first.then(|| at(first)), is_last.then(|| at(last))]
    }

    /// What has to be read before a piece is written through the page cache, which has the record
    /// that was written last.
    fn needs_before(&mut self, piece: Piece) -> [Option<Piece>; 2] {
        let last = piece.offset + piece.bytes - 1;
        let written = self.record.map(|record| last - last % record);
        let there = std::mem::replace(&mut self.changed, written);
        self.changes(piece).map(|one| one.filter(|one| Some(one.offset) != there))
    }
}
