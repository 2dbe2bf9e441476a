//! Reading ahead: units are requested before their reader comes to them.
//!
//! Which units, and when, is [`iopath_workload::readahead`]; a read waits for the units that it
//! lies in, is copied, and is done. Left out: memory that runs short.

use std::collections::VecDeque;

use iopath_units::Op;
use iopath_workload::readahead::{Course, Readahead, Settings};

use super::Piece;
use crate::core::Ps;
use crate::task::{Doing, Owner, Unit};
use crate::world::{Made, World};

/// One sequential reader.
#[derive(Debug)]
pub(super) struct Reader {
    ahead: Readahead,
    /// Units in order that are not there, or behind one that is not: where they end.
    coming: VecDeque<Coming>,
    /// The number of the first of them.
    first: u32,
    /// All in front of this is there.
    there_to: u64,
    /// Reads that wait, in order.
    waiting: VecDeque<Waiting>,
}

#[derive(Clone, Copy, Debug)]
struct Coming {
    end: u64,
    is_there: bool,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    id: u32,
    piece: Piece,
    since: Ps,
}

impl Reader {
    /// `end` is where its part of the file ends.
    pub(super) fn new(settings: Settings, end: u64) -> Self {
        Self {
            ahead: Readahead::new(settings, end),
            coming: VecDeque::new(),
            first: 0,
            there_to: 0,
            waiting: VecDeque::new(),
        }
    }

    /// What was read ahead so far is of no use any more.
    fn forget(&mut self, from: u64) {
        self.first = self.first.wrapping_add(self.coming.len() as u32);
        self.coming.clear();
        self.there_to = from;
    }

    /// The next unit to request, and its number.
    fn next_unit(&mut self) -> Option<(u32, Piece)> {
        let unit = self.ahead.next_unit()?;
        let number = self.first.wrapping_add(self.coming.len() as u32);
        self.coming.push_back(Coming { end: unit.offset + unit.bytes, is_there: false });
        Some((number, Piece { offset: unit.offset, bytes: unit.bytes }))
    }

    /// A unit is there.
    fn unit_done(&mut self, number: u32) {
        let place = number.wrapping_sub(self.first) as usize;
        let Some(unit) = self.coming.get_mut(place) else { return };
        unit.is_there = true;
        while let Some(unit) = self.coming.front().filter(|unit| unit.is_there) {
            self.there_to = unit.end;
            self.first = self.first.wrapping_add(1);
            self.coming.pop_front();
        }
    }

    /// The next read that has what it waited for.
    fn served(&mut self, now: Ps) -> Option<u32> {
        let is_there = |one: &&Waiting| one.piece.offset + one.piece.bytes <= self.there_to;
        let Waiting { id, since, .. } = *self.waiting.front().filter(is_there)?;
        self.waiting.pop_front();
        self.ahead.waited((now - since).as_nanos());
        Some(id)
    }
}

impl World<'_> {
    fn reader(&mut self, stream: u32) -> Option<&mut Reader> {
        self.files.streams[stream as usize].reader.as_mut()
    }

    /// Brings what a request needs into the page cache, and more.
    pub(super) fn read_ahead(&mut self, id: u32, stream: u32, piece: Piece) {
        let (now, plan) = (self.now, self.tasks[id].plan);
        let Some(reader) = self.reader(stream) else { return self.fetch(id, piece) };
        let course = reader.ahead.read(piece.offset, piece.bytes);
        if course != Course::Follows {
            reader.forget(piece.offset);
            // Whatever others waited for, they read for themselves.
            for waiting in std::mem::take(&mut reader.waiting) {
                self.fetch(waiting.id, waiting.piece);
            }
        }
        if course == Course::Alone {
            return self.fetch(id, piece);
        }
        self.tasks[id].doing = Doing::Waiting;
        while let Some((number, unit)) = self.reader(stream).and_then(Reader::next_unit) {
            let owner = Owner::Unit(Unit { stream, number });
            match self.plans.behind(plan, (Op::Read, unit.bytes)) {
                Some(plan) => self.make(Made { plan, offset: unit.offset, hit: false, owner }),
                None => self.unit_done(Unit { stream, number }),
            }
        }
        let Some(reader) = self.reader(stream) else { return };
        reader.waiting.push_back(Waiting { id, piece, since: now });
        self.serve_reader(stream);
    }

    /// The reads of a stream that wait for what is read ahead.
    pub(crate) fn waiting_readers(&mut self, stream: u32) -> Vec<u32> {
        let reader = self.reader(stream);
        reader.map(|one| one.waiting.iter().map(|waiting| waiting.id).collect()).unwrap_or_default()
    }

    /// A unit that was requested ahead is there.
    pub(crate) fn unit_done(&mut self, unit: Unit) {
        if let Some(reader) = self.reader(unit.stream) {
            reader.unit_done(unit.number);
        }
        self.serve_reader(unit.stream);
    }

    fn serve_reader(&mut self, stream: u32) {
        let now = self.now;
        while let Some(read) = self.reader(stream).and_then(|reader| reader.served(now)) {
            self.there(read);
        }
    }
}
