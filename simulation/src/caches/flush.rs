//! Requests to flush: what was answered shall be on the media.
//!
//! With `flush="on-sync"` a flush is done when all that is dirty of its volumes at that moment is
//! on the media, and meanwhile writes to them wait: "a flush stalls the cache". Otherwise it is
//! done at once, as behind a battery. With `flush-time` it takes so long at least, however little
//! is dirty. What the command itself costs on its way is left out.
//!
//! Who flushes names a volume, or anything over volumes: a stripe, a mirror, what a file system
//! lies on. The caches nearest to it are flushed; those behind them are media to these. A device
//! without a cache takes its own `flush-time`. Flushes of one cache end together. Left out: what a
//! page cache holds, which is not written back first.

use iopath_path::{ComponentId, members};
use iopath_study::{PartId, System};
use iopath_units::Nanos;

use crate::core::Ps;
use crate::task::{Doing, Owner, Task};
use crate::world::World;

impl World<'_> {
    /// Flushes a volume, or all that it lies on; the owner is told when it is done, never before
    /// this returns.
    pub(crate) fn flush(&mut self, to: ComponentId, owner: Owner) {
        let mut task = Task::new(Doing::Told, self.now, Vec::new());
        task.owner = owner;
        self.flush_for(to, task);
    }

    /// The same for what is told with all that it says of itself.
    pub(crate) fn flush_for(&mut self, to: ComponentId, mut task: Task) {
        (task.doing, task.pending) = (Doing::Told, 1);
        let id = self.tasks.insert(task);
        self.flush_below(id, to);
        self.flush_part_done(id);
    }

    fn flush_below(&mut self, id: u32, to: ComponentId) {
        let Some(front) = self.caches.front_of[to.0 as usize] else {
            let below = members(&self.caches.case.system, to.into());
            if below.is_empty() {
                self.flush_device(id, to);
            }
            for member in below {
                self.flush_below(id, member.into());
            }
            return;
        };
        let (one, cache) = self.caches.both(front);
        if !cache.stated.flushes {
            // What is written through it lies in what is behind it.
            if cache.stated.writes_through {
                self.flush_device(id, to);
            }
            return;
        }
        // What is older was flushed by whoever wrote it.
        cache.older = 0;
        one.flushes.push(id);
        let takes = cache.stated.flush_time;
        one.flushing_to = self.now + takes;
        if takes > Ps::ZERO {
            self.set_doing(self.now + takes, Doing::Flushing(front));
        }
        self.tasks[id].pending += 1;
        self.make_room(front);
        self.destage(front);
        self.end_flush(front);
    }

    /// A device without a write-back cache in front of it has a price of its own. Flushes of one
    /// device do not wait for one another: the kernel joins them.
    fn flush_device(&mut self, id: u32, to: ComponentId) {
        let Some(takes) = flush_time(&self.caches.case.system, to.into()) else { return };
        self.tasks[id].pending += 1;
        self.set_doing(self.now + Ps::from(takes), Doing::FlushingDevice(id));
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

/// What a flush of a device takes; of a cache that nothing was written to it is the cache's.
fn flush_time(system: &System, device: PartId) -> Option<Nanos> {
    let above = std::iter::successors(Some(device), |part| system.part(*part).parent);
    let mut caches = above.flat_map(|part| system.children(part));
    let is_cache = |part: &PartId| {
        system.kind(*part) == "cache" && system.word(*part, "write") == Some("back")
    };
    match caches.find(is_cache) {
        Some(cache) if system.word(cache, "flush") == Some("on-sync") => {
            system.time(cache, "flush-time")
        }
        Some(_) => None,
        None => system.time(device, "flush-time"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use iopath_path::{Departure, Hops, Network, Place, Routes};
    use iopath_study::{Case, Source, parse};
    use iopath_units::Op;

    use super::*;
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
        let departure = Departure { from, to, op, bytes, behind: None, leaves_memory: false };
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
        let mut network = Network::build(&case, &BTreeSet::new()).expect("a network");
        let mut routes = Routes::new(&case.system, &network);
        let hops = Hops::new(&case, &mut network, &mut routes);
        let mut world = World::new(&case, hops, &Settings::default());
        let plan = (0..64).map(|at| write(&mut world, at << 20)).last();
        while world.are_left(|task| Some(task.plan) == plan && task.op == Op::Write) {
            world.step();
        }
        let (volume, begin) = (world.named("a.v"), world.now);
        world.flush(volume, Owner::Nobody);
        write(&mut world, 1 << 29);
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
