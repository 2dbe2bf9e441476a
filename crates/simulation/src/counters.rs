//! What every component has done until an instant: put together from what requests counted on
//! their plans, and from those that are on their way.
//!
//! Busy time is that of the stations, so it is exact; that of a component is that of its busiest
//! rate, since those are used side by side.

use iopath_entities::is_apart;
use iopath_path::Component;

use crate::core::Ps;
use crate::plan::{Plan, PlannedEnd, Way};
use crate::streams::Sub;
use crate::task::{Doing, Task};
use crate::totals::Done;
use crate::world::World;

/// Everything at one instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub components: Vec<Sums>,
    /// Of each row: how long it has been busy, all servers together.
    pub rows: Vec<Ps>,
    /// Of each row that is memory: bytes moved, by operation.
    pub moved: Vec<[u64; 2]>,
    pub streams: Vec<OfStream>,
    /// Of each stream whose load has some, by its position in the case: its sub-streams.
    pub subs: Vec<(usize, Vec<Sub>)>,
    /// How many bytes each stream that follows another is behind it, by position in the case.
    pub lags: Vec<(usize, u64)>,
}

/// One stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfStream {
    /// Its position in the case.
    pub case: usize,
    pub done: Done,
    pub in_flight: u64,
}

/// One component.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub bytes: [u64; 2],
    pub operations: [u64; 2],
    /// Time that requests which are done spent here.
    pub spent: [Ps; 2],
    /// Requests that are here, and how long; also how long those had a token of it that waited
    /// for another.
    pub in_flight: u64,
    pub here: Ps,
    pub busy: Ps,
    /// Time that requests waited for its tokens.
    pub waited: Ps,
    /// Time that finished parts waited for their siblings.
    pub joined: Ps,
}

impl Sums {
    /// Whether any request has come here.
    pub(crate) fn is_used(&self) -> bool {
        let sums = self.operations.iter().chain(&self.bytes);
        sums.sum::<u64>() + self.in_flight > 0
            || self.here + self.spent[0] + self.spent[1] > Ps::ZERO
    }
}

impl World<'_> {
    /// What has been done until now.
    pub(crate) fn counted(&self) -> Counted {
        let network = self.plans.network();
        let mut counted = Counted {
            components: vec![Sums::default(); network.components.len()],
            rows: self.stations.iter().map(|station| station.busy_until(self.now)).collect(),
            moved: vec![[0; 2]; network.rows.len()],
            streams: self.streams.counted(),
            subs: self.streams.subs(),
            lags: self.streams.lags(),
        };
        for plan in &self.plans.plans {
            counted.components[plan.to.0 as usize].joined += plan.joined;
            plan.ways.iter().for_each(|way| counted.add_done(way));
        }
        let mut waits = self.tally.clone();
        for (_, task) in self.tasks.iter().filter(|(_, task)| !task.is_timer()) {
            let plan = self.plans.plan(task.plan);
            match task.doing {
                Doing::Holding(held) => {
                    let pools = plan.pools(task.way).take(held as usize);
                    waits.waited(pools, self.now - task.all_here);
                }
                _ => counted.add_here(plan, task, self.now),
            }
        }
        for (waits, pool) in waits.pools.iter().zip(&network.pools) {
            let sums = &mut counted.components[pool.component.0 as usize];
            sums.waited += waits.waited;
            sums.here += waits.holding;
        }
        for (sums, component) in counted.components.iter_mut().zip(&network.components) {
            sums.busy = self.busiest(component, &counted.rows);
        }
        counted
    }

    /// How many stages all requests that are done have crossed; an arm at the end is one, and so
    /// is a processor that copies what goes through a page cache.
    pub(crate) fn stages_crossed(&self) -> u64 {
        let of_plan = |plan: &Plan| {
            let own = match &plan.end {
                PlannedEnd::Medium(arm) => u64::from(arm.is_some()),
                PlannedEnd::File(end) => u64::from(end.is_buffered && end.costs[0] < end.costs[1]),
                PlannedEnd::Volume { .. } | PlannedEnd::Cache(_) => 0,
            };
            let each = plan.ways.iter();
            each.map(|way| way.done.requests * (way.stages.len() as u64 + own)).sum::<u64>()
        };
        self.plans.plans.iter().map(of_plan).sum()
    }

    fn busiest(&self, component: &Component, rows: &[Ps]) -> Ps {
        let network = self.plans.network();
        let own = component.rows.iter().filter(|row| !is_apart(network.row(**row)));
        own.filter_map(|row| rows.get(row.0 as usize)).max().copied().unwrap_or_default()
    }
}

impl Counted {
    fn add_done(&mut self, way: &Way) {
        let done = way.done;
        // Of many kinds there is one request, and it took one of their ways.
        if done.requests == 0 {
            return;
        }
        for passed in &way.passed {
            let sums = &mut self.components[passed.component.0 as usize];
            let op = passed.op.index();
            sums.bytes[op] += done.requests * passed.bytes;
            sums.operations[op] += done.requests * passed.operations;
            if passed.stays {
                sums.spent[op] += done.spent;
            }
        }
        for moved in &way.moved {
            self.moved[moved.row as usize][moved.op.index()] += done.requests * moved.bytes;
        }
    }

    fn add_here(&mut self, plan: &Plan, task: &Task, now: Ps) {
        if task.entered > now {
            return;
        }
        let way = &plan.ways[task.way as usize];
        for passed in way.passed.iter().filter(|passed| passed.stays) {
            let sums = &mut self.components[passed.component.0 as usize];
            sums.in_flight += 1;
            sums.here += now - task.entered;
        }
    }
}
