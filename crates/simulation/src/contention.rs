//! Drives that take longer for each request the more are in flight, long before they are full.
//!
//! A drive of many dies serves requests side by side, but two for one die one after the other. Over
//! K dies that are equally likely, n in flight take S (1 + (n - 1) / K) each, where one alone takes
//! S (Zahorjan, Sevcik, Eager, Galler: Balanced job bound analysis of queueing networks, CACM 25,
//! 1982). Where dies are what limits it, it is busy with a request for S / K: each one in flight
//! adds its own service time to that of any other. `contention` is the share of it that is added:
//! below 1 where something else limits the drive, 0 where requests wait in its queue only.
//!
//! So a request of a drive first waits for that much work in flight, and the queue moves on
//! meanwhile. In flight is what has not ended by the time that was expected when it began, queues
//! left out: in a full drive they decide anyway.
//!
//! It leaves out which dies a request is on, so that some would wait longer than others. Refuted by
//! a drive whose response time does not grow along a line with the depth.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use iopath_path::{ComponentId, Row};

use crate::core::Ps;
use crate::plan::{PlannedEnd, Plans, Way};
use crate::task::Doing;
use crate::world::World;

/// What a request of a kind does to others at its drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contended {
    drive: ComponentId,
    /// The row of its queue, if it has one in front of its latency.
    queue: Option<u32>,
    /// How long it is there while nothing else is.
    alone: Ps,
    /// How much longer it makes another take.
    adds: Ps,
}

impl Contended {
    /// None where requests at a drive wait in its queue only, and where they do not end at one.
    pub(crate) fn of(
        plans: &Plans<'_>,
        drive: ComponentId,
        end: &PlannedEnd,
        way: &Way,
    ) -> Option<Self> {
        let &PlannedEnd::Medium(arm) = end else { return None };
        let network = plans.network();
        let component = network.component(drive);
        // A bucket serves faster than its rate for a while.
        let is_rate = |row: &Row| row.component == drive && row.burst.is_none();
        let stages = &plans.stages[way.stages.start as usize..way.stages.end as usize];
        let uses = stages.iter().flat_map(|stage| stage.uses.clone());
        let uses = uses.map(|at| &plans.uses[at as usize]);
        let its = uses.filter(|one| is_rate(&network.rows[one.row as usize]));
        let served = its.map(|one| one.service).chain(arm.map(|arm| arm.passing));
        let busy = served.max().unwrap_or(Ps::ZERO);
        let alone = Ps::from_secs_f64(component.latency_s) + busy;
        let (queue, adds) = (arm.map(|arm| arm.row), busy.scaled(component.contention));
        (adds > Ps::ZERO).then_some(Self { drive, queue, alone, adds })
    }
}

/// What is in flight, by drive.
#[derive(Debug, Default)]
pub(crate) struct Contention(BTreeMap<ComponentId, InFlight>);

#[derive(Debug, Default)]
struct InFlight {
    /// When each will end, and what it adds until then.
    ends: BinaryHeap<Reverse<(Ps, Ps)>>,
    /// What they add together.
    adds: Ps,
}

impl InFlight {
    /// A request arrives: how much longer it takes than alone.
    fn arrive(&mut self, now: Ps, one: &Contended) -> Ps {
        while let Some(&Reverse((end, adds))) = self.ends.peek()
            && end <= now
        {
            self.ends.pop();
            self.adds -= adds;
        }
        let longer = self.adds;
        self.ends.push(Reverse((now + longer + one.alone, one.adds)));
        self.adds += one.adds;
        longer
    }
}

impl World<'_> {
    /// Whether a request waits for others in flight at its drive, before it sets out.
    #[inline]
    pub(crate) fn contends(&mut self, id: u32) -> bool {
        let Some(one) = self.plans.plan(self.tasks[id].plan).contended else { return false };
        let longer = self.contention.0.entry(one.drive).or_default().arrive(self.now, &one);
        let at = self.now + longer;
        // What the queue takes as long to come to waits there.
        let queue = one.queue.map_or(Ps::ZERO, |arm| self.media.free_at(arm));
        let waits = self.now < at && queue < at;
        if waits {
            self.tasks[id].doing = Doing::Contending;
            self.events.push(at, id);
        }
        waits
    }
}
