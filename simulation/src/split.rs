//! Requests to volumes: split, sent on in parts, joined.
//!
//! Parts of one phase go out at once, unless they are issued one after the other; the next phase
//! begins when all of them are done. How the parts are made is the volume's own business
//! (`path::Volume::split`).

use iopath_path::Range;

use crate::plan::PlannedEnd;
use crate::task::{Doing, Owner};
use crate::world::{Made, World};

impl World<'_> {
    /// Splits a request over the members of its end and sends off the first parts.
    pub(crate) fn split(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        let plan = self.plans.plan(task.plan);
        let PlannedEnd::Volume { layout, .. } = &plan.end else { return self.ended(id) };
        let range = Range { op: plan.op, offset: task.offset, bytes: plan.bytes };
        layout.split_into(range, &mut task.parts);
        task.parts.sort_unstable_by_key(|part| part.phase);
        task.issued = 0;
        self.issue_phase(id);
    }

    /// Sends off the parts of the next phase; the request is done where there is none.
    fn issue_phase(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        let first = task.issued as usize;
        let Some(phase) = task.parts.get(first).map(|part| part.phase) else {
            return self.ended(id);
        };
        let count = task.parts[first..].iter().take_while(|part| part.phase == phase).count();
        task.issued += count as u32;
        task.pending = count as u32;
        task.done_sum = 0;
        task.doing = Doing::Waiting;
        for at in first..first + count {
            self.issue_part(id, at);
        }
    }

    fn issue_part(&mut self, id: u32, at: usize) {
        let task = &self.tasks[id];
        let part = task.parts[at];
        let (upper, hit) = (task.plan, task.hit && part.op == task.op);
        let base = self.bases[self.plans.plan(upper).to.0 as usize];
        let Some(plan) = self.plans.part(upper, part.member, (part.op, part.bytes)) else {
            // What streams that count need is in reach, so nothing is lost here.
            return self.part_done(id);
        };
        let owner = Owner::Task(id);
        self.make(Made { plan, offset: base + part.offset, hit, owner });
    }

    /// A part of a request is done.
    pub(crate) fn part_done(&mut self, id: u32) {
        let now = self.now;
        let task = &mut self.tasks[id];
        task.done_sum = task.done_sum.wrapping_add(now.0);
        task.pending -= 1;
        if task.pending == 0 {
            self.issue_phase(id);
        }
    }
}
