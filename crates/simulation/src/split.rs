//! Requests to volumes: split, sent on in parts, joined.
//!
//! Parts of one phase go out at once, or as the thread of their stream hands them over; the next
//! phase begins when all of them are done. Of serial issue each block is split when the one before
//! is done. How the parts are made is the volume's own business
//! (`path::Volume::split`).

use iopath_path::Range;

use crate::core::Ps;
use crate::plan::PlannedEnd;
use crate::task::{Doing, Owner, Split};
use crate::threads::NOBODY;
use crate::world::{Made, World};

impl World<'_> {
    /// Splits a request over the members of its end and sends off the first parts.
    pub(crate) fn split(&mut self, id: u32) {
        let mut split = self.spare.pop().unwrap_or_default();
        *split = Split { parts: std::mem::take(&mut split.parts), ..Split::default() };
        self.tasks[id].split = Some(split);
        self.split_next(id);
    }

    /// Splits what is left of a request, or its next block where they go out one by one.
    fn split_next(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        let plan = self.plans.plan(task.plan);
        let PlannedEnd::Volume { layout, one_by_one, .. } = &plan.end else {
            return self.ended(id);
        };
        let Some(split) = &mut task.split else {
            return self.ended(id);
        };
        let offset = task.offset + split.bytes;
        let rest = plan.bytes - split.bytes;
        let bytes = one_by_one.map_or(rest, |block| rest.min(block - offset % block));
        split.bytes += bytes;
        layout.split_into(Range { op: plan.op, offset, bytes }, &mut split.parts);
        split.parts.sort_unstable_by_key(|part| part.phase);
        split.issued = 0;
        self.issue_phase(id);
    }

    /// Sends off the parts of the next phase; the request is done where there is none.
    fn issue_phase(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        let Some(split) = &mut task.split else {
            return self.ended(id);
        };
        let first = split.issued as usize;
        let Some(phase) = split.parts.get(first).map(|part| part.phase) else {
            let is_split = split.bytes >= self.plans.plan(task.plan).bytes;
            return if is_split { self.ended(id) } else { self.split_next(id) };
        };
        let count = split.parts[first..].iter().take_while(|part| part.phase == phase).count();
        split.issued += count as u32;
        task.pending = count as u32;
        task.doing = Doing::Waiting;
        let thread = task.thread;
        if thread != NOBODY && self.part_time(thread) > Ps::ZERO {
            return self.issue_in_turn(id, first..first + count);
        }
        for at in first..first + count {
            match self.part(id, at) {
                Some(made) => self.make(made),
                None => self.part_done(id),
            }
        }
    }

    /// Sends off parts as the thread of their stream hands them over; those that stay in the
    /// machine are split further at once.
    fn issue_in_turn(&mut self, id: u32, parts: std::ops::Range<usize>) {
        let thread = self.tasks[id].thread;
        let mut leaving = self.leaving.pop().unwrap_or_default();
        for at in parts.clone() {
            let made = self.part(id, at).filter(|made| self.plans.plan(made.plan).leaves);
            leaving.extend(made.map(|made| self.prepare(made)));
        }
        if !leaving.is_empty() {
            self.hand_over(thread, &leaving);
        }
        leaving.clear();
        self.leaving.push(leaving);
        for at in parts {
            match self.part(id, at) {
                Some(made) if self.plans.plan(made.plan).leaves => {}
                Some(made) => self.make(made),
                None => self.part_done(id),
            }
        }
    }

    /// A part of a request; none of what is out of reach. What streams that count need is in reach,
    /// so nothing is lost there.
    fn part(&mut self, id: u32, at: usize) -> Option<Made> {
        let task = &self.tasks[id];
        let part = task.split.as_ref()?.parts[at];
        let (upper, hit) = (task.plan, task.hit && part.op == task.op);
        let base = self.bases[self.plans.plan(upper).to.0 as usize];
        let plan = self.plans.below(upper, part.member as usize, (part.op, part.bytes))?;
        Some(Made { plan, offset: base + part.offset, hit, owner: Owner::Task(id) })
    }

    /// A part of a request is done, or the one that it waited for.
    pub(crate) fn part_done(&mut self, id: u32) {
        let now = self.now;
        let task = &mut self.tasks[id];
        task.pending -= 1;
        let is_last = task.pending == 0;
        if let Some(split) = &mut task.split {
            split.done_sum = split.done_sum.wrapping_add(now.0);
            split.finished += 1;
            if is_last {
                let last = u64::from(split.finished).wrapping_mul(now.0);
                let waited = Ps(last.wrapping_sub(split.done_sum));
                (split.finished, split.done_sum) = (0, 0);
                task.joined += waited;
                self.plans.plans[task.plan.0 as usize].joined += waited;
            }
        }
        if is_last {
            self.issue_phase(id);
        }
    }
}
