//! Requests to flush: what was answered shall be on the media.
//!
//! With `flush="on-sync"` a flush is done when all that is dirty of its volumes at that moment is
//! on the media, and meanwhile writes to them wait: "a flush stalls the cache". Otherwise it is
//! done at once, as behind a battery. With `flush-time` it takes so long at least, however little
//! is dirty. What the command itself costs on its way is left out.
//!
//! [`Hops::flushed`](iopath_path::Hops::flushed) says what a flush goes to: the caches nearest to
//! each member of a volume, behind which all is media, and devices, which take their own
//! `flush-time`. Flushes of one cache end together.

use iopath_path::{ComponentId, FlushEnd, Place};

use super::Caches;
use crate::core::Ps;
use crate::task::{Doing, Owner, Task};
use crate::world::World;

impl World<'_> {
    /// Flushes a volume, or all that it lies on, from a place; the owner learns when it is done,
    /// never before this returns.
    pub(crate) fn flush(&mut self, from: Place, to: ComponentId, owner: Owner) {
        let mut task = Task::new(Doing::Told, self.now);
        task.owner = owner;
        self.flush_for((from, to), task);
    }

    /// The same for an owner that gets all that the task says of itself.
    pub(crate) fn flush_for(&mut self, (from, to): (Place, ComponentId), mut task: Task) {
        task.doing = Doing::Told;
        let id = self.tasks.insert(task);
        self.sync(id, from, to);
    }

    /// Flushes the caches and devices of a target.
    pub(crate) fn flush_below(&mut self, id: u32, from: Place, to: ComponentId) {
        self.tasks[id].pending = 1;
        for end in self.plans.flushed(from, to).iter() {
            self.flush_end(id, from, end);
        }
        self.flush_part_done(id);
    }

    fn flush_end(&mut self, id: u32, from: Place, end: &FlushEnd) {
        let takes = end.takes.map_or(Ps::ZERO, Ps::from);
        let front = self.caches.front_of[end.of.0 as usize].filter(|_| end.cache.is_some());
        match front {
            Some(front) => self.flush_front(id, front, takes),
            // A device, or a cache that nothing was written to.
            None if takes > Ps::ZERO => {
                self.tasks[id].pending += 1;
                match self.sender(id, from, end) {
                    None => self.set_doing(self.now + takes, Doing::FlushingDevice(id)),
                    Some(sender) => self.queue_flush(id, sender, takes),
                }
            }
            None => {}
        }
        if end.cache.is_some() && self.failures.has_happened() {
            for left in self.caches_left(end.of, front) {
                self.flush_front(id, left, Ps::ZERO);
            }
        }
    }

    /// What other caches still have of a volume that has moved, where they have some.
    fn caches_left(&self, volume: ComponentId, now: Option<u32>) -> Vec<u32> {
        let has_some = |front: &u32| {
            let one = &self.caches.fronts[*front as usize];
            let is_of = self.plans.plan(one.upper).to == volume && Some(*front) != now;
            is_of && (!one.dirty.is_empty() || one.destaging > 0)
        };
        (0..self.caches.fronts.len() as u32).filter(has_some).collect()
    }

    fn flush_front(&mut self, id: u32, front: u32, takes: Ps) {
        let (one, cache) = self.caches.both(front);
        // What is older was flushed by those that wrote it.
        cache.older = 0;
        one.flushes.push(id);
        one.flushing_to = self.now + takes;
        if takes > Ps::ZERO {
            self.set_doing(self.now + takes, Doing::Flushing(front));
        }
        self.tasks[id].pending += 1;
        self.make_room(front);
        self.destage(front);
        self.end_flush(front);
    }

    /// Ends the flushes of a volume when nothing of it is left.
    pub(crate) fn end_flush(&mut self, front: u32) {
        let one = &mut self.caches.fronts[front as usize];
        if one.flushes.is_empty()
            || one.flushing_to > self.now
            || !one.dirty.is_empty()
            || one.destaging > 0
        {
            return;
        }
        let (flushes, held) = (std::mem::take(&mut one.flushes), std::mem::take(&mut one.held));
        for id in flushes {
            self.flush_part_done(id);
        }
        self.caches.cache(front).waiting.extend(held);
        self.make_room(front);
        self.press(front);
    }

    pub(crate) fn flush_part_done(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        task.pending -= 1;
        if task.pending == 0 {
            self.events.push(self.now, id);
        }
    }
}

impl Caches<'_> {
    /// The flushes that wait for what a cache has of a volume.
    pub(crate) fn flushes(&self, front: u32) -> Vec<u32> {
        self.fronts[front as usize].flushes.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use iopath_path::{Departure, Network};
    use iopath_study::{Case, Source, parse};
    use iopath_units::Op;

    use super::*;
    use crate::networks;
    use crate::plan::PlanId;
    use crate::settings::Settings;
    use crate::world::Made;

    fn case(flush: &str) -> Case {
        let path = r#"study "t"
path {
    host "h" { hba { port } }
    array "a" {
        port
        cache size="64 MiB" write="back" flush="FLUSH"
        raid "v" level=0 segment="64 KiB" {
            disk size="1 GB" stream=(given)"50 MB/s" position=(given)"5 ms"
        }
    }
    wire from="h.hba.port" to="a.port"
}
workload { streams "s" over="a.v" op="write" block="4 KiB" }"#;
        let source = Source { name: "t".to_owned(), text: path.replace("FLUSH", flush) };
        let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
    }

    fn write(world: &mut World<'_>, offset: u64) -> PlanId {
        let (from, to) = (world.named("h"), world.named("a.v"));
        let (op, bytes, from) = (Op::Write, 4096, Place::start(Some(from)));
        let departure =
            Departure { from, to, op, bytes, behind: None, leaves_memory: false, run: 0 };
        let plan = world.plans.of(&departure).expect("a way leads there");
        world.make(Made { plan, offset, hit: false, owner: Owner::Nobody });
        plan
    }

    impl World<'_> {
        fn named(&self, name: &str) -> ComponentId {
            let system = &self.caches.case.system;
            let id = system.ids().find(|id| system.part(*id).name == name);
            id.expect("the study has it").into()
        }

        fn are_left(&self, is_one: impl Fn(&Task) -> bool) -> bool {
            self.tasks.iter().any(|(_, task)| is_one(task))
        }
    }

    /// When a flush behind 64 scattered writes is done, and when the write behind it is.
    fn times(flush: &str) -> (Ps, Ps) {
        let case = case(flush);
        let network = Network::build(&case, &BTreeSet::new()).expect("a network");
        networks::of(&case, &network, |networks| {
            measured(&mut World::new(networks, &Settings::default()))
        })
    }

    fn measured(world: &mut World<'_>) -> (Ps, Ps) {
        let plan = (0..64).map(|at| write(world, at << 20)).last();
        while world.are_left(|task| Some(task.plan) == plan && task.op == Op::Write) {
            world.step();
        }
        let (volume, begin) = (world.named("a.v"), world.now);
        let host = Place::start(Some(world.named("h")));
        world.flush(host, volume, Owner::Nobody);
        write(world, 1 << 29);
        let (mut flushed, mut written) = (None, None);
        while flushed.is_none() || written.is_none() {
            world.step().expect("something is left to do");
            if !world.are_left(|task| task.doing == Doing::Told) {
                flushed.get_or_insert(world.now - begin);
            }
            if !world.are_left(|task| Some(task.plan) == plan && task.op == Op::Write) {
                written.get_or_insert(world.now - begin);
            }
        }
        (flushed.unwrap_or_default(), written.unwrap_or_default())
    }

    #[test]
    fn a_flush_waits_for_the_media_and_writes_wait_for_the_flush() {
        let (flushed, written) = times("on-sync");
        assert!(flushed > Ps(60 * 2_500_000_000) && written >= flushed, "{flushed:?} {written:?}");
    }

    #[test]
    fn behind_a_battery_nobody_waits() {
        let (flushed, written) = times("never");
        assert!(flushed < Ps(1_000_000_000) && written < Ps(1_000_000_000));
    }
}
