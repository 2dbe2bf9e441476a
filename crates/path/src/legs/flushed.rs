//! What a flush goes to, and how long it takes there at least.
//!
//! A flush of a volume, a file system or a file goes to all that it lies on, and ends at the first
//! cache on its way that answers writes, else at the devices. A cache with `flush="on-sync"` writes
//! down what it has answered and takes its `flush-time` at least, one that is never emptied on sync
//! (a battery) takes none; what is written through a cache lies in what is behind it. A device
//! takes its own `flush-time`. A flush is done when the last of them is, so it takes the longest of
//! these times.
//!
//! Each of a device's `hw-queues` sends one flush at a time. Which flushes that delays is for
//! [`Builder::sends_one_by_one`].
//!
//! Before that what a **page cache** has answered is written: one write of it takes as long as it
//! takes alone, those of other places go on at once. The last of what is flushed has only just been
//! written, so none of it is below already.
//!
//! Left out: file systems that commit in groups, what else is dirty in a cache (a simulation
//! destages it), what the command costs on its way, and members that are gone.

use std::cmp::Reverse;

use iopath_study::Class;
use iopath_study::case::{CacheMode, SyncMode};
use iopath_units::{Nanos, Op};

use super::cached::Writes;
use super::hop::Hops;
use super::standing::{Standing, Why};
use super::{Ask, Builder, Place, Request};
use crate::network::{ComponentId, FlushQueues, LegId};

/// Where a flush ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushEnd {
    /// A device, or the volume that a cache is in front of.
    pub of: ComponentId,
    /// The cache, which is emptied.
    pub cache: Option<ComponentId>,
    /// What it takes at least; none where nothing is stated.
    pub takes: Option<Nanos>,
    /// The device's hardware queues; none where nothing is stated.
    pub queues: Option<u32>,
}

/// How long a flush takes where it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlushTime {
    /// The longest `flush-time`.
    pub takes: Nanos,
    /// The cache or device that states it, where it is any time.
    pub longest: Option<ComponentId>,
    /// The first cache that is emptied.
    pub empties: Option<ComponentId>,
    pub queues: Option<FlushQueues>,
}

impl FlushEnd {
    fn flush_queues(&self, from: Place) -> Option<FlushQueues> {
        let takes = self.takes.filter(|takes| *takes > Nanos(0))?;
        Some(FlushQueues { from: from.component(), device: self.of, count: self.queues?, takes })
    }
}

impl Hops<'_> {
    /// What a flush from a place ends at; nothing where batteries answer for all.
    pub fn flushed(&mut self, from: Place, to: ComponentId) -> Vec<FlushEnd> {
        let mut ends = Vec::new();
        // Streams that count reach all that they need, so ways are missing to nothing here.
        let is_reached = self.builder.flush_ends((from, to), &mut ends).is_ok();
        debug_assert!(is_reached, "no path for a flush");
        ends
    }
}

impl Builder<'_> {
    /// How long a flush from a place takes at least, and where. Tells what states no time.
    pub(crate) fn flush_time(&mut self, from: Place, to: ComponentId) -> Result<FlushTime, Why> {
        let mut ends = Vec::new();
        self.flush_ends((from, to), &mut ends)?;
        let is_unknown = |end: &&FlushEnd| end.cache.is_none() && end.takes.is_none();
        for end in ends.iter().filter(is_unknown) {
            self.tell(end.of, ("flush-time", true), |name| {
                format!("{name} states no flush-time: its flushes are assumed to be free")
            });
        }
        // Of equal ones the first.
        let longest = ends.iter().rev().max_by_key(|end| end.takes);
        let takes = longest.and_then(|end| end.takes).unwrap_or(Nanos(0));
        let longest = longest.map(|end| end.cache.unwrap_or(end.of));
        let longest = longest.filter(|_| takes > Nanos(0));
        let empties = ends.iter().find_map(|end| end.cache);
        let queues = ends.iter().filter_map(|end| end.flush_queues(from));
        let queues = queues.max_by_key(|one| (one.takes, Reverse(one.count)));
        Ok(FlushTime { takes, longest, empties, queues })
    }

    /// Whether each flush of a target goes to its devices by itself: `fdatasync` of written places,
    /// and all flushes of what is no file. Left out are those that may be sent as one: `fsync` of
    /// files, whose metadata a journal commits for all that wait, and durable writes, which need no
    /// flush where the device has FUA, and else share the one behind all that are under way.
    pub(crate) fn sends_one_by_one(&self, to: ComponentId, sync: SyncMode) -> bool {
        let file_system = self.in_front(to);
        match sync {
            SyncMode::Fdatasync(_) => {
                file_system.is_none_or(|one| self.layout.software(one, "commit").is_none())
            }
            SyncMode::Fsync(_) => file_system.is_none(),
            SyncMode::None | SyncMode::Dsync | SyncMode::Sync | SyncMode::End => false,
        }
    }

    /// The write with which the page cache of a target puts below what it has answered for such a
    /// request. Tells where one is needed and not modelled.
    pub(crate) fn writes_back(
        &mut self,
        from: Place,
        to: ComponentId,
        request: Request,
    ) -> Result<Option<LegId>, Why> {
        let file_system = self.in_front(to);
        let is_cached = match file_system {
            Some(file_system) => self.is_buffered(file_system),
            None => self.case.workload.cache != CacheMode::Direct,
        };
        if !is_cached {
            return Ok(None);
        }
        let commits = |one| self.layout.software(one, "commit").is_some();
        let Some(file_system) = file_system.filter(|one| !commits(*one)) else {
            self.tell(to, ("write-back-on-flush", true), |name| {
                format!("flushes of {name} first write back the page cache, which is not modelled")
            });
            return Ok(None);
        };
        let place = self.stand(Op::Write, from, file_system)?.place;
        let request = Request { hit_ppm: 0, is_first: false, ..request };
        let below = Ask::first(place, file_system, request);
        let behind = Some(file_system);
        self.leg(Ask { behind, is_background: true, ..below }).map(Some)
    }

    fn flush_ends(
        &mut self,
        (from, to): (Place, ComponentId),
        ends: &mut Vec<FlushEnd>,
    ) -> Result<(), Why> {
        let standing = self.stand(Op::Write, from, to)?;
        if let Some(cache) = self.cache_in_front(to, standing.place)
            && matches!(self.treats_writes((cache, to), &standing), Writes::Back(_))
        {
            let part = cache.into();
            if self.network.component(cache).empties_on_sync {
                let takes = self.system().time(part, "flush-time");
                ends.push(FlushEnd { of: to, cache: Some(cache), takes, queues: None });
            }
            return Ok(());
        }
        if standing.members.is_empty() {
            let takes = self.system().time(to.into(), "flush-time");
            let queues = self.system().count(to.into(), "hw-queues");
            let queues = queues.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
            ends.push(FlushEnd { of: to, cache: None, takes, queues });
            return Ok(());
        }
        let Standing { members, place, .. } = standing;
        let missing = self.network.component(to).missing.clone();
        for (member, below) in (0..).zip(members.iter()) {
            if !missing.contains(&member) {
                self.flush_ends((place, *below), ends)?;
            }
        }
        Ok(())
    }

    /// The cache that requests to a volume meet at a place.
    pub(super) fn cache_in_front(&self, to: ComponentId, place: Place) -> Option<ComponentId> {
        let place = place.component().filter(|_| self.layout.class(to) == Class::Volume);
        let cache = place.and_then(|place| self.layout.cache(place));
        cache.filter(|cache| !self.network.component(*cache).removed)
    }
}
