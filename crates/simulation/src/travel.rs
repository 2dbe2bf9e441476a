//! How data crosses the stages of a way: cut-through, first come first served.
//!
//! A stage opens when the first piece of the data is there and those before are served; the next
//! one opens a piece later. It cannot end before the stage above it has ended. So a request of many
//! pieces is one event at each stage, and a way is as fast as its slowest stage, however long
//! (whole requests handed on would make each stage wait for all of the one before).
//!
//! Large requests take turns ([`crate::interleave`]): behind others the first piece waits for a
//! turn of each of them only.
//!
//! A volume passes on what its members give as it comes, too: a read that was split begins its way
//! when the first piece of its first part was there, in time that was idle until the last one came.
//!
//! A stage that gets its data slower than it could pass it on is taken for busy as long as it would
//! be if all were there: others use the gaps.

use iopath_units::Op;

use crate::core::Ps;
use crate::plan::Stage;
use crate::task::Doing;
use crate::world::World;

impl World<'_> {
    /// Sets a request out on its way. What it has come to may have begun to give its data before
    /// all of it was there.
    #[inline]
    pub(crate) fn travel(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        let way = &self.plans.plan(task.plan).ways[task.way as usize];
        let begins = if task.op == Op::Read { task.first_here.min(self.now) } else { self.now };
        task.first_here = begins + way.delay;
        task.all_here = self.now + way.delay;
        let first = way.stages.start;
        if task.first_here > self.now {
            task.doing = Doing::Crossing(first);
            self.events.push(task.first_here, id);
        } else {
            self.cross(id, first);
        }
    }

    /// The first piece of a request's data comes to a stage, and goes on from there.
    #[inline]
    pub(crate) fn cross(&mut self, id: u32, mut stage: u32) {
        let task = &mut self.tasks[id];
        let last = self.plans.plan(task.plan).ways[task.way as usize].stages.end;
        while stage < last {
            let Stage { uses, turns } = &self.plans.stages[stage as usize];
            if *turns > 1 {
                self.begin_turns(id, stage);
                return;
            }
            let here = task.first_here;
            let (mut open, mut all_here) = (here, task.all_here);
            for one in &self.plans.uses[uses.start as usize..uses.end as usize] {
                let service = self.varying.draw(one.row, one.service);
                let served = self.stations[one.row as usize].serve(here, service);
                let first = one.first_of(service);
                let waits = Ps((served.start - here).0 / u64::from(one.turns));
                open = open.max(here + waits + first);
                all_here = all_here.max(served.end).max(task.all_here + first);
            }
            (task.first_here, task.all_here) = (open, all_here);
            stage += 1;
            if open > self.now && stage < last {
                task.doing = Doing::Crossing(stage);
                self.events.push(open, id);
                return;
            }
        }
        task.doing = Doing::Crossed;
        self.come(id);
    }

    /// The first piece has crossed the way: the request has when the last one and all turns have.
    pub(crate) fn come(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        if task.all_here > self.now {
            self.events.push(task.all_here, id);
        } else if task.is_in_turns {
            task.doing = Doing::Waiting;
        } else {
            self.crossed(id);
        }
    }
}
