//! Disk arms: a request first reaches its place, then its bytes pass.
//!
//! A request that begins where the one before it ended reaches its place for nothing, and one
//! that begins a little behind that lets what lies between pass, where this is shorter. Any other
//! takes `position` where it is alone, and less the more wait, down to `position-queued`: of n
//! requests the nearest is taken, so the way shrinks with n (`queued + (alone - queued) / n`,
//! assumed). It varies from request to request: rotation is uniform over a turn, seeks differ
//! ([`POSITION_CV`], assumed; `variability` replaces it).
//!
//! Requests are served in the order in which they come; the gain of another order is in the mean.
//! Left out: zones of different rates, defects, retries.

use std::collections::BTreeMap;

use iopath_path::Network;

use iopath_workload::{Purpose, Source};

use crate::core::{Ps, Service};
use crate::plan::{ArmTimes, QUANTUM};
use crate::task::Doing;
use crate::world::World;

/// Coefficient of variation of the time to reach a place, where none is stated.
const POSITION_CV: f64 = 0.3;

/// Arms, by row.
#[derive(Debug)]
pub(crate) struct Media {
    seed: u64,
    arms: BTreeMap<u32, Arm>,
}

#[derive(Debug)]
struct Arm {
    /// Where the last request ended.
    head: u64,
    /// When all that has come is served.
    busy_to: Ps,
    position: Service,
    source: Source,
}

impl Media {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, arms: BTreeMap::new() }
    }

    fn arm(&mut self, row: u32, network: &Network) -> &mut Arm {
        let seed = self.seed;
        self.arms.entry(row).or_insert_with(|| {
            let component = network.component(network.rows[row as usize].component);
            let cv = component.variability.unwrap_or(POSITION_CV);
            let source = Source::of(seed, &component.name, Purpose::Service);
            Arm { head: 0, busy_to: Ps::ZERO, position: Service::uniform(cv), source }
        })
    }
}

impl World<'_> {
    /// A request comes to the arm of its disk.
    pub(crate) fn reach(&mut self, id: u32, times: &ArmTimes) {
        let task = &mut self.tasks[id];
        let bytes = self.plans.plan(task.plan).bytes;
        let arm = self.media.arm(times.row, self.plans.network());
        let is_next = arm.head == task.offset;
        let over = match task.offset.checked_sub(arm.head) {
            Some(gap) => times.passing.scaled(gap as f64 / bytes.max(1) as f64),
            None => Ps::MAX,
        };
        arm.head = task.offset + bytes;
        let position = match is_next {
            true => Ps::ZERO,
            false => {
                let mean = times.position(arm.busy_to - self.now);
                arm.position.draw(mean, &mut arm.source).min(over)
            }
        };
        let served = self.stations[times.row as usize].serve(self.now, position + times.passing);
        arm.busy_to = served.end;
        let first = times.passing.0 / bytes.div_ceil(QUANTUM).max(1);
        task.first_here = (served.end - times.passing) + Ps(first);
        task.doing = Doing::Ended;
        self.events.push(served.end, id);
    }
}

impl ArmTimes {
    /// The mean time to reach a place with so much work waiting.
    fn position(&self, work: Ps) -> Ps {
        let each = self.queued + self.passing;
        let others = work.0.checked_div(each.0).unwrap_or(0);
        self.queued + Ps((self.alone - self.queued).0 / (1 + others))
    }
}
