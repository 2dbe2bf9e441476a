//! Committing what was written in groups, as ZFS does.
//!
//! * A group is collected until its `interval` is over, it is half of what may be dirty or writers
//!   wait for room, and then closed as soon as the one before is committed. The next one is
//!   collected while it is written: so the other half is left for it (the write limit of ZFS is
//!   that of one group).
//! * It is written in the order of addresses, [`AT_ONCE`] pieces under way.
//! * Then the caches below are flushed, `flushes` times one after the other, and `growth-flushes`
//!   times more where a file grew. Only then is there room for what others want to write.
//!
//! Left out: what a group writes besides (indirect blocks, labels), pieces that were overwritten
//! within their group.

use std::collections::VecDeque;

use iopath_path::Place;
use iopath_study::{PartId, System};
use iopath_units::Nanos;

use super::behind::{AT_ONCE, Behind, Extent};
use crate::core::Ps;
use crate::task::{Doing, Owner};
use crate::world::World;

/// How long a group is collected where nothing is said: that of ZFS until 2008.
const INTERVAL: Nanos = Nanos(5_000_000_000);

/// Groups of a file system.
#[derive(Debug)]
pub(super) struct Commit {
    interval: Ps,
    flushes: u64,
    growth_flushes: u64,
    /// When the group that is collected has to be closed; the end of time while it is empty.
    due: Ps,
    /// The group that is written: what has not gone out, by address from its end.
    group: VecDeque<Extent>,
    /// Its bytes; 0 where none is written.
    bytes: u64,
    /// Flushes that it still needs.
    left: u64,
    is_flushing: bool,
    /// Where its writes and flushes come from.
    from: Place,
}

impl Commit {
    pub(super) fn of(system: &System, file_system: PartId) -> Option<Self> {
        let mut inside = system.children(file_system);
        let part = inside.find(|part| system.kind(*part) == "commit")?;
        let count = |property| system.count(part, property).unwrap_or(0);
        Some(Self {
            interval: system.time(part, "interval").unwrap_or(system.scale.time(INTERVAL)).into(),
            flushes: count("flushes"),
            growth_flushes: count("growth-flushes"),
            due: Ps::MAX,
            group: VecDeque::new(),
            bytes: 0,
            left: 0,
            is_flushing: false,
            from: Place::start(None),
        })
    }
}

impl Behind {
    /// Writers wait for room: what is collected is closed as soon as it can be.
    pub(super) fn press(&mut self, now: Ps) {
        self.has_filled = true;
        if let Some(commit) = self.commit.as_mut().filter(|_| !self.rest.dirty.is_empty()) {
            commit.due = commit.due.min(now);
        }
    }
}

impl World<'_> {
    /// Closes the group that is collected if it is time to, and none is written.
    pub(crate) fn close_group(&mut self, at: u32) {
        let now = self.now;
        let bases = &self.bases;
        let behind = &mut self.files.behind[at as usize];
        let (held, half) = (behind.held, behind.limits.most / 2);
        let Some(commit) = &mut behind.commit else { return };
        if behind.rest.dirty.is_empty() {
            return;
        }
        let is_half = held - commit.bytes >= half;
        if commit.due == Ps::MAX {
            commit.due = now + commit.interval;
            let due = commit.due;
            return self.set_doing(due, Doing::Committing(at));
        }
        if (commit.due > now && !is_half) || commit.bytes > 0 {
            return;
        }
        let mut group = std::mem::take(&mut behind.rest.dirty);
        let address = |one: &Extent| bases[one.file.0 as usize] + one.offset;
        group.make_contiguous().sort_by_key(address);
        commit.due = Ps::MAX;
        commit.bytes = group.iter().map(|one| one.bytes).sum();
        let grows = group.iter().any(|one| one.grows);
        commit.left = commit.flushes + if grows { commit.growth_flushes } else { 0 };
        if let Some(one) = group.front() {
            commit.from = self.plans.plan(one.via).place;
        }
        commit.group = group;
        self.group_goes_on(at);
    }

    /// Writes on, flushes, or ends the group that is written.
    pub(super) fn group_goes_on(&mut self, at: u32) {
        while self.behind(at).under_way < AT_ONCE {
            let commit = self.behind(at).commit.as_mut();
            let Some(extent) = commit.and_then(|commit| commit.group.pop_front()) else { break };
            self.write_extent(at, extent, None);
        }
        let behind = self.behind(at);
        if behind.under_way > 0 {
            return;
        }
        let below = behind.file_system.into();
        let is_written = |commit: &&mut Commit| commit.bytes > 0 && !commit.is_flushing;
        let Some(commit) = behind.commit.as_mut().filter(is_written) else { return };
        if commit.left > 0 {
            (commit.left, commit.is_flushing) = (commit.left - 1, true);
            let from = commit.from;
            return self.flush(from, below, Owner::Commit(at));
        }
        behind.held -= commit.bytes;
        commit.bytes = 0;
        behind.has_filled = true;
        self.close_group(at);
        self.let_in(at);
    }

    /// The caches below are flushed.
    pub(crate) fn flushed(&mut self, at: u32) {
        if let Some(commit) = &mut self.behind(at).commit {
            commit.is_flushing = false;
        }
        self.group_goes_on(at);
    }
}
