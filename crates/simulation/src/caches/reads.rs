//! Reads at a cache: what is there, what is on its way, what is to be fetched.
//!
//! Pages are kept in the order of their last use (LRU), as many as the cache has room for. What is
//! being fetched is not fetched again: a request for it waits for that fetch and no longer, so
//! that of many readers of one region one goes to the media. What is dirty is there. Fetches run
//! behind the cache and are charged there; the way to the host is charged by the host's request.
//!
//! Where the cache reads ahead, it does so in front of each sequential run (`runs`), in the
//! background; of all runs together no more than it can keep until it is read, and not at all where
//! that is less than one request. Left out: pages that are kept against their order because they
//! are pinned, or were read once in sequence.

use std::collections::BTreeMap;

use iopath_path::ComponentId;
use iopath_units::Op;

use super::runs::Reach;
use super::stated::Ahead;
use super::{Cache, Caches};
use crate::plan::PlanId;
use crate::task::{Doing, Owner};
use crate::world::{Made, World};

/// Of a cache, at most this is read ahead of one stream: assumed.
const MOST_OF_CACHE: u64 = 4;
/// The part of a cache that all that is read ahead may take: what was read stays as long as what
/// waits (LRU), so beyond one half some is forgotten unread. That arrays keep to it is assumed.
const MOST_AHEAD: u64 = 2;
/// Bits of a page's number in the name of a page.
const PAGE_BITS: u32 = 44;

/// What is being brought from a volume.
#[derive(Debug)]
pub(super) struct Fetch {
    front: u32,
    start: u64,
    end: u64,
    /// Who waits for it: most have one.
    first: Option<u32>,
    others: Vec<u32>,
}

/// A cache that is too small for what it is to read ahead.
pub(crate) struct Outgrown {
    pub cache: ComponentId,
    /// What that takes of it.
    pub share: f64,
    /// Whether its size is stated, and not only assumed.
    pub has_size: bool,
}

impl World<'_> {
    /// A read that no stream calls a hit.
    pub(super) fn read_cached(&mut self, id: u32, front: u32) {
        let task = &self.tasks[id];
        let (plan, start) = (task.plan, task.offset);
        let end = start + self.plans.plan(plan).bytes;
        let joined = self.caches.look(front, (start, end), Some(id));
        let missed = self.caches.missed.len() as u32;
        if joined + missed == 0 {
            self.ended(id);
        } else {
            let task = &mut self.tasks[id];
            task.doing = Doing::Waiting;
            task.pending = joined + missed;
            self.fetch_missed(plan, front, Some(id));
        }
        self.fetch_ahead(front, (start, end));
    }

    fn fetch_ahead(&mut self, front: u32, (start, end): (u64, u64)) {
        let (one, cache) = self.caches.both(front);
        if !one.reads_ahead {
            return;
        }
        let size = match cache.stated.ahead {
            Ahead::Bytes(size) => size,
            Ahead::Requests(times) => times.saturating_mul(end - start),
        };
        let wanted = size.min(cache.stated.size / MOST_OF_CACHE);
        let row = one.rows.row.max(one.page);
        let reach = cache.reach(wanted, row, one.page, end - start);
        let before = one.runs.known;
        let ahead = one.runs.note((start, end), reach);
        if one.runs.known != before {
            cache.runs = (cache.runs + one.runs.known).saturating_sub(before);
            cache.most_ahead = cache.most_ahead.max(cache.runs.saturating_mul(wanted));
        }
        let Some((from, to)) = ahead else { return };
        let (to, upper) = (to.min(one.end), one.upper);
        let mut at = from;
        while at < to {
            let next = reach.piece(at).min(to);
            self.caches.look(front, (at, next), None);
            self.fetch_missed(upper, front, None);
            at = next;
        }
    }

    /// Fetches what was missed.
    fn fetch_missed(&mut self, upper: PlanId, front: u32, waiter: Option<u32>) {
        let mut missed = std::mem::take(&mut self.caches.missed);
        for &(start, end) in &missed {
            let fetch = self.caches.begin_fetch((front, start, end), waiter);
            match self.plans.behind(upper, (Op::Read, end - start)) {
                Some(plan) => {
                    let owner = Owner::Fetch(fetch);
                    self.make(Made { plan, offset: start, hit: false, owner });
                }
                None => self.fetched(fetch),
            }
        }
        missed.clear();
        self.caches.missed = missed;
    }

    /// What was fetched is there.
    pub(crate) fn fetched(&mut self, fetch: u32) {
        if let Some(&mut Fetch { front, start, end, .. }) = self.caches.fetches.find_mut(fetch) {
            let (one, cache) = self.caches.both(front);
            cache.keep((one.tag, one.page), (start, end));
        }
        self.fetch_over(fetch);
    }

    /// No request waits for it any more.
    pub(crate) fn fetch_over(&mut self, fetch: u32) {
        let Some(Fetch { front, start, first, others, .. }) = self.caches.fetches.remove(fetch)
        else {
            return;
        };
        let one = &mut self.caches.fronts[front as usize];
        one.fetching.remove(&start);
        let is_idle = one.fetching.is_empty() && !one.dirty.is_empty();
        for waiter in first.into_iter().chain(others) {
            let task = &mut self.tasks[waiter];
            task.pending -= 1;
            if task.pending == 0 {
                task.doing = Doing::Ended;
                self.events.push(self.now, waiter);
            }
        }
        if is_idle {
            self.destage(front);
        }
    }
}

impl Caches<'_> {
    /// The cache that would have to keep the largest share of itself for what is to be read ahead,
    /// where that is more than may wait there.
    pub(crate) fn outgrown(&self) -> Option<Outgrown> {
        let components = (0..).map(ComponentId).zip(&self.cache_of);
        let share = |(id, at): (ComponentId, &Option<u32>)| {
            let cache = self.all.get((*at)? as usize)?;
            let share = cache.most_ahead as f64 / cache.stated.size as f64;
            Some(Outgrown { cache: id, share, has_size: cache.stated.has_size })
        };
        let shares = components.filter_map(share).filter(|one| one.share > 1.0 / MOST_AHEAD as f64);
        shares.max_by(|one, other| one.share.total_cmp(&other.share))
    }

    /// Looks for a range: what is neither there nor being fetched is put into `missed`. Who waits
    /// is added to the fetches that there are; tells to how many.
    fn look(&mut self, front: u32, (start, end): (u64, u64), waiter: Option<u32>) -> u32 {
        let one = &mut self.fronts[front as usize];
        let cache = &mut self.all[one.cache as usize];
        let (page, tag) = (one.page, one.tag);
        let mut joined = 0;
        let mut at = start - start % page;
        while at < end {
            let next = at + page;
            let is_there = cache.content.touch(key(tag, at / page))
                || one.dirty.covers(at.max(start), next.min(end));
            if is_there {
                at = next;
            } else if let Some((reach, fetch)) = over(&one.fetching, at) {
                if let (Some(waiter), Some(fetch)) = (waiter, self.fetches.find_mut(fetch)) {
                    fetch.join(waiter);
                    joined += 1;
                }
                at = reach.next_multiple_of(page);
            } else {
                match self.missed.last_mut().filter(|(_, reach)| *reach == at) {
                    Some((_, reach)) => *reach = next,
                    None => self.missed.push((at, next)),
                }
                at = next;
            }
        }
        joined
    }

    /// The requests that wait for a fetch.
    pub(crate) fn waiters(&mut self, fetch: u32) -> Vec<u32> {
        let fetch = self.fetches.find_mut(fetch);
        let all = fetch.map(|fetch| fetch.first.into_iter().chain(fetch.others.iter().copied()));
        all.into_iter().flatten().collect()
    }

    fn begin_fetch(&mut self, (front, start, end): (u32, u64, u64), waiter: Option<u32>) -> u32 {
        let fetch = Fetch { front, start, end, first: waiter, others: Vec::new() };
        let number = self.fetches.insert(fetch);
        self.fronts[front as usize].fetching.insert(start, (end, number));
        number
    }
}

impl Fetch {
    fn join(&mut self, waiter: u32) {
        if self.first.is_none() {
            self.first = Some(waiter);
        } else {
            self.others.push(waiter);
        }
    }
}

impl Cache {
    /// How far is read ahead of a run that is to be read ahead of so far, by whole rows, with
    /// requests of so many bytes. A size that is only assumed limits nothing here.
    ///
    /// What is ahead shrinks to half of the reach before the next piece is asked for, which may be
    /// longer than the other half by a row: on average it is three quarters of it and half a row.
    fn reach(&self, wanted: u64, row: u64, page: u64, request: u64) -> Reach {
        if !self.stated.has_size {
            return Reach { size: wanted, row };
        }
        let share = self.stated.size / MOST_AHEAD / self.runs.max(1);
        let row = if row <= share { row } else { page };
        let fits = (share.saturating_sub(row / 2) / 3 * 4).max(1);
        Reach { size: if share < request { 0 } else { wanted.min(fits) }, row }
    }

    /// Keeps the whole pages of a range, and forgets others for them.
    pub(super) fn keep(&mut self, (tag, page): (u32, u64), (start, end): (u64, u64)) {
        let weight = u32::try_from(page).unwrap_or(u32::MAX);
        for number in start.div_ceil(page)..end / page {
            self.content.insert(key(tag, number), weight);
        }
        while self.content.weight() > self.stated.size {
            self.content.remove_oldest();
        }
    }
}

fn key(tag: u32, page: u64) -> u64 {
    u64::from(tag) << PAGE_BITS | page
}

/// The fetch that brings a place.
fn over(fetching: &BTreeMap<u64, (u64, u32)>, at: u64) -> Option<(u64, u32)> {
    let (_, &(end, fetch)) = fetching.range(..=at).next_back()?;
    (end > at).then_some((end, fetch))
}
