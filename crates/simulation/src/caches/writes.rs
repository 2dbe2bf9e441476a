//! Writes that a cache answers before they are on the media.
//!
//! A write is done when it is in the cache, and in the partner's if it is mirrored: the copy goes
//! from the place to the partner and is charged to the rows on its way. It needs room: no more may
//! be dirty than `flush-start` of the cache (80 % where nothing is said; of a mirrored one half is
//! the partner's). Else it waits, first come first served, until something was destaged. So a burst
//! is answered at the speed of the way, and what lasts goes at the speed of the media. What
//! overwrites what is dirty needs no room, and neither does what a stream calls a hit.
//!
//! A cache **begins full**, as far as its load fills it: but for the room of two destages it is
//! taken by what was written before, since minutes of filling would tell nothing of what lasts. Of
//! the destages every second one is of that older data, as large as the one before it, at a
//! distance: so the media are busy with as much as comes, and new data has more and more room to
//! gather in. Once the media have caught up with all that is written, later than [`BEGINNING`]
//! after the first write, the load leaves the cache empty, and there is no older data any more.
//! Assumed.

use super::Cache;
use crate::core::Ps;
use crate::plan::PlannedEnd;
use crate::task::Doing;
use crate::world::World;

/// All streams have begun by then (`streams`).
const BEGINNING: Ps = Ps(1_000_000_000_000);

impl World<'_> {
    pub(super) fn write_cached(&mut self, id: u32, front: u32) {
        if self.tasks[id].hit {
            return self.stored(id);
        }
        let (one, cache) = self.caches.both(front);
        if cache.began.is_none() {
            cache.began = Some(self.now);
            cache.older = cache.stated.limit.saturating_sub(2 * one.rows.most());
        }
        self.tasks[id].doing = Doing::Waiting;
        if !one.flushes.is_empty() {
            return one.held.push_back(id);
        }
        if cache.waiting.is_empty() && self.store(id, front) {
            self.stored(id);
        } else {
            self.caches.cache(front).waiting.push_back(id);
        }
        self.press(front);
        self.destage(front);
        self.relieve(front);
    }

    /// Puts a write into the cache, if there is room.
    fn store(&mut self, id: u32, front: u32) -> bool {
        let task = &self.tasks[id];
        let (start, bytes) = (task.offset, self.plans.plan(task.plan).bytes);
        let (one, cache) = self.caches.both(front);
        if !cache.has_room(bytes) && !one.dirty.covers(start, start + bytes) {
            return false;
        }
        cache.owed += one.dirty.insert(start, start + bytes);
        cache.keep((one.tag, one.page), (start, start + bytes));
        if !cache.ages {
            cache.ages = true;
            let (at, cache) = (self.now + cache.stated.age, one.cache);
            self.set_doing(at, Doing::Aging(cache));
        }
        if self.is_watched(front) {
            self.fate_stored(id, front, start..start + bytes);
        }
        true
    }

    /// A write is in the cache: its copy goes to the partner.
    pub(crate) fn stored(&mut self, id: u32) {
        match self.plans.copy(self.tasks[id].plan) {
            Some(copy) => self.wait_for(id, copy),
            None => self.ended(id),
        }
    }

    /// Lets those that wait have the room that there is.
    pub(super) fn make_room(&mut self, front: u32) {
        while let Some(&id) = self.caches.cache(front).waiting.front() {
            let &PlannedEnd::Cache(end) = &self.plans.plan(self.tasks[id].plan).end else { break };
            let its = self.front(id, end);
            let its_own = &mut self.caches.fronts[its as usize];
            if !its_own.flushes.is_empty() {
                its_own.held.push_back(id);
                self.caches.cache(front).waiting.pop_front();
                continue;
            }
            if !self.store(id, its) {
                break;
            }
            self.caches.cache(front).waiting.pop_front();
            self.tasks[id].doing = Doing::Stored;
            self.events.push(self.now, id);
        }
    }

    /// What is written below the cache is in it, too.
    pub(super) fn note_written(&mut self, id: u32, front: u32) {
        let task = &self.tasks[id];
        let (start, bytes) = (task.offset, self.plans.plan(task.plan).bytes);
        let (one, cache) = self.caches.both(front);
        if one.keeps_writes {
            cache.keep((one.tag, one.page), (start, start + bytes));
        }
    }
}

impl Cache {
    /// Whether so many bytes more may be owed; those that are more than ever may are let in alone.
    fn has_room(&self, bytes: u64) -> bool {
        let room = self.room();
        self.owed + bytes.min(room) <= room
    }

    /// What may be owed.
    pub(super) fn room(&self) -> u64 {
        self.stated.limit - self.older
    }

    /// The media have nothing left to do.
    pub(super) fn catch_up(&mut self, now: Ps) {
        if self.began.is_some_and(|began| now - began > BEGINNING) {
            self.older = 0;
        }
    }
}
