//! Rebuilds onto spares: load that competes with the streams'.
//!
//! From when a lost member is known, each part of it (1 MiB) is read from as many members as it
//! takes, by turns from all that are left, and written to the spare; then comes the next one, not
//! sooner than the volume's `rebuild` rate allows. So a rebuild is slower where streams are in its
//! way, as it is on an array whose hosts come first. It ends when all is rebuilt, or the member is
//! back.
//!
//! Left out: processor time of the parity, and that the spare then stands for the member.

use iopath_path::{ComponentId, Departure, Reconstruction, reconstructions};
use iopath_units::Op;

use crate::core::Ps;
use crate::task::{Doing, Owner};
use crate::world::{Made, World};

/// All rebuilds that go on.
#[derive(Debug, Default)]
pub(crate) struct Rebuilds {
    all: Vec<Rebuild>,
}

/// The rebuild of one member.
#[derive(Debug)]
struct Rebuild {
    of: Reconstruction,
    /// What the next part may follow this one after.
    pace: Ps,
    /// When the part that is under way began, and where it is.
    began: Ps,
    offset: u64,
    /// Reads that are not done; the part is being written when there are none.
    pending: usize,
    is_writing: bool,
    is_over: bool,
}

impl World<'_> {
    /// Begins what has to be rebuilt now, and ends what has not.
    pub(crate) fn follow_rebuilds(&mut self) {
        let all = reconstructions(self.networks.case, self.plans.hops().network()).into_iter();
        let asked: Vec<Reconstruction> =
            all.filter(|one| one.spare.is_some() && one.rate.is_some()).collect();
        for one in &mut self.rebuilds.all {
            one.is_over |= !asked.contains(&one.of);
        }
        for of in asked {
            let goes_on = |one: &Rebuild| !one.is_over && one.of == of;
            let Some(rate) = of.rate.filter(|_| !self.rebuilds.all.iter().any(goes_on)) else {
                continue;
            };
            let pace = Ps::from_secs_f64(of.request as f64 / rate.0 as f64);
            let (began, offset, pending) = (self.now, 0, 0);
            let (is_writing, is_over) = (false, false);
            let one = Rebuild { of, pace, began, offset, pending, is_writing, is_over };
            self.rebuilds.all.push(one);
            self.rebuild_part(self.rebuilds.all.len() as u32 - 1);
        }
    }

    /// Reads what the next part is made of; nothing when streams have stopped.
    pub(crate) fn rebuild_part(&mut self, at: u32) {
        let now = self.now;
        let one = &mut self.rebuilds.all[at as usize];
        one.is_over |= !self.caches.is_awake;
        if one.is_over {
            return;
        }
        (one.began, one.pending, one.is_writing) = (now, one.of.reads, false);
        let part = (one.offset / one.of.request) as usize;
        let sources = &one.of.sources;
        let read = |nth: usize| sources[(part + nth) % sources.len()];
        let members: Vec<_> = (0..one.of.reads).map(read).collect();
        for member in members {
            self.rebuild_request(at, Op::Read, member);
        }
    }

    fn rebuild_request(&mut self, at: u32, op: Op, to: ComponentId) {
        let one = &self.rebuilds.all[at as usize];
        let (from, bytes, offset) = (one.of.place, one.of.request, one.offset);
        let departure =
            Departure { from, to, op, bytes, behind: None, leaves_memory: false, run: 0 };
        match self.plans.of(&departure) {
            Some(plan) => self.make(Made { plan, offset, hit: false, owner: Owner::Rebuild(at) }),
            None => self.rebuilds.all[at as usize].is_over = true,
        }
    }

    /// A rebuild finds no way to its members any more.
    pub(crate) fn end_rebuild(&mut self, at: u32) {
        self.rebuilds.all[at as usize].is_over = true;
    }

    /// A request of a rebuild is done: the part is written when all of it was read, and the next
    /// one follows at the pace.
    pub(crate) fn rebuild_done(&mut self, at: u32) {
        let one = &mut self.rebuilds.all[at as usize];
        if one.is_over {
            return;
        }
        if !one.is_writing {
            one.pending -= 1;
            if let Some(spare) = one.of.spare.filter(|_| one.pending == 0) {
                one.is_writing = true;
                self.rebuild_request(at, Op::Write, spare);
            }
            return;
        }
        one.offset += one.of.request;
        one.is_over = one.of.bytes.is_some_and(|bytes| one.offset >= bytes.0);
        let next = (one.began + one.pace).max(self.now);
        self.set_doing(next, Doing::Rebuilding(at));
    }
}
