//! When what goes from a cache to the media.
//!
//! Runs leave in the order of addresses, as long as they are, up to 4 MiB of whole rows. Members
//! get so many segments of a row, or parts of one, at a time that each has some to choose from
//! ([`EACH`]): fewer would leave disks idle or seeking far, more would make reads wait longer
//! behind them.
//!
//! * **Whole rows** (on volumes without parity: anything) go as soon as no fetch from the volume is
//!   on its way, so that they cost no reader anything. Not so where the study states `flush-start`:
//!   such a cache keeps what it may, and only what has to goes (IBM Midrange System Storage
//!   Hardware Guide, "Storage subsystem cache flushing levels").
//! * **All** of the cache goes once it is full (a write waits, or nothing but a reserve is left)
//!   until it is down to `flush-stop`, whatever is read.
//! * **Aged** data goes: what is dirty when the clock of `flush-age` strikes, which it does again
//!   and again; so nothing is older than twice that.
//! * For a **flush** everything of its volume goes.
//!
//! What would refute it: reads that do not slow down when writes fill the cache.

use std::ops::Range;

use iopath_units::Op;

use super::Cache;
use super::dirty::Wanted;
use crate::fates::What;
use crate::task::{Doing, Owner};
use crate::world::{Made, World};

/// Segments of destages that each member has in flight: chosen, see above.
const EACH: u32 = 8;
/// A cache is full when less than this share of its room is free, and no longer when so much is:
/// assumed, so that one write does not change it. `flush-stop` says when instead.
const FULL: f64 = 1.0 / 16.0;
const SPARE: f64 = 1.0 / 4.0;

impl World<'_> {
    /// Looks whether a cache is full, or no longer.
    pub(super) fn press(&mut self, front: u32) {
        let cache = self.caches.cache(front);
        let share = cache.owed as f64 / cache.room().max(1) as f64;
        let wants = !cache.waiting.is_empty();
        if !cache.is_full && (wants || share > 1.0 - FULL) {
            cache.is_full = true;
            for at in 0..cache.fronts.len() {
                let front = self.caches.cache(front).fronts[at];
                self.destage(front);
            }
            return;
        }
        let stop = cache.stated.stop.map_or(1.0 - SPARE, |stop| stop.min(1.0 - FULL));
        if cache.is_full && !wants && share <= stop {
            cache.is_full = false;
        }
    }

    /// Where a write waits and nothing is on its way out, all volumes of the cache give what they
    /// have: the write's own may have nothing that could make room for it.
    pub(super) fn relieve(&mut self, front: u32) {
        let cache = self.caches.cache(front);
        if cache.waiting.is_empty() || cache.leaving > 0 {
            return;
        }
        for at in 0..cache.fronts.len() {
            let front = self.caches.cache(front).fronts[at];
            self.destage(front);
        }
    }

    /// Sends to the media of a volume what is to go there now.
    pub(super) fn destage(&mut self, front: u32) {
        let one = &mut self.caches.fronts[front as usize];
        // A destage that is done at once comes back here.
        if std::mem::replace(&mut one.is_deciding, true) {
            return;
        }
        while let Some((start, end)) = self.next_destage(front) {
            let one = &mut self.caches.fronts[front as usize];
            let (upper, bytes) = (one.upper, end - start);
            one.destaging += one.rows.segments(bytes);
            self.caches.cache(front).leaving += bytes;
            let one = &mut self.caches.fronts[front as usize];
            one.aged = one.aged.saturating_sub(bytes);
            if self.is_watched(front) {
                let one = &mut self.caches.fronts[front as usize];
                one.leaving.push(start..end);
                self.fate(front, start..end, What::Leaves);
            }
            match self.plans.behind(upper, (Op::Write, bytes)) {
                Some(plan) => {
                    let owner = Owner::Destage(front);
                    self.make(Made { plan, offset: start, hit: false, owner });
                }
                None => self.destaged(front, start..end),
            }
        }
        self.caches.fronts[front as usize].is_deciding = false;
    }

    fn next_destage(&mut self, front: u32) -> Option<(u64, u64)> {
        let (now, is_awake) = (self.now, self.caches.is_awake);
        let (one, cache) = self.caches.both(front);
        if one.destaging >= EACH * one.rows.members {
            return None;
        }
        let is_wanted = !cache.waiting.is_empty() || !one.flushes.is_empty();
        if !is_awake && !is_wanted {
            return None;
        }
        let is_full = if cache.stated.is_lazy { cache.is_over() } else { cache.is_full };
        let must = is_wanted || is_full || one.aged > 0;
        let may = !cache.stated.is_lazy && one.fetching.is_empty();
        if !must && !may {
            return None;
        }
        let most = one.rows.most();
        let parts = must || one.rows.stripe == 1;
        if let Some((start, end)) = one.older.take().filter(|_| one.flushes.is_empty()) {
            let bytes = cache.older.min(end - start);
            (cache.older, cache.owed) = (cache.older - bytes, cache.owed + bytes);
            if bytes > 0 {
                return Some((start, start + bytes));
            }
        }
        let next = one.dirty.take(Wanted { row: one.rows.stripe, most, parts });
        one.older = next.filter(|_| cache.older > 0).map(|range| one.opposite(range));
        if next.is_none() && one.destaging == 0 {
            cache.catch_up(now);
        }
        next
    }

    /// Something is on the media.
    pub(crate) fn destaged(&mut self, front: u32, range: Range<u64>) {
        self.settle(front, range.clone());
        self.destage_over(front, range);
    }

    /// Something is not on its way to the media any more.
    pub(crate) fn destage_over(&mut self, front: u32, range: Range<u64>) {
        let bytes = range.end - range.start;
        let (one, cache) = self.caches.both(front);
        one.destaging -= one.rows.segments(bytes);
        (cache.owed, cache.leaving) = (cache.owed - bytes, cache.leaving - bytes);
        self.make_room(front);
        self.press(front);
        self.destage(front);
        self.relieve(front);
        self.end_flush(front);
    }

    /// The clock strikes: what is dirty has come of age.
    pub(crate) fn age(&mut self, cache: u32) {
        let is_awake = self.caches.is_awake;
        let one = &mut self.caches.all[cache as usize];
        let (fronts, age) = (one.fronts.clone(), one.stated.age);
        one.ages = false;
        for &front in &fronts {
            let one = &mut self.caches.fronts[front as usize];
            one.aged = one.dirty.bytes();
            self.destage(front);
        }
        let fronts = &self.caches.fronts;
        let one = &mut self.caches.all[cache as usize];
        if is_awake && one.fronts.iter().any(|front| !fronts[*front as usize].dirty.is_empty()) {
            one.ages = true;
            self.set_doing(self.now + age, Doing::Aging(cache));
        }
    }
}

impl Cache {
    /// Whether more is dirty than stays in a cache that keeps what it may: of that no more goes
    /// than has to, so that what comes finds room while it is on its way.
    fn is_over(&self) -> bool {
        let stays = self.owed - self.leaving;
        stays as f64 > (1.0 - SPARE) * self.room() as f64
    }
}
