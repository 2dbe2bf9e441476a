//! One worker on a scripted storage and a clock that moves only by script.

mod ahead;
mod data;
mod errors;
mod flushes;
mod open_loop;
mod order;
mod pieces;
mod relay;

use iopath_record::{Histogram, Latency, Phase, PhaseTotals, merge::merge_phases};
use iopath_study::case::{Advice, BufferKind, Pacing, Pattern, Region, Sharing, Stream};
use iopath_units::{Action, Ratio};
use iopath_workload::{ArrivalTimes, Requests, Span, readahead};

use super::*;
use crate::counters::Kinds;
use crate::engine::readahead::{Ahead, ReadAhead};
use crate::engine::scripted::{Answer, Asked, Scripted, World};
use crate::request_source::Source;

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 64;

/// A worker's surroundings, and how it shall work.
struct Bench<'s> {
    world: World<'s>,
    edges: Edges,
    presence: Presence,
    counters: Counters,
    stream: Stream,
    /// How many requests; without end for none.
    left: Option<u64>,
    checker: Option<Checker>,
    /// At most so many completions at once.
    batch: usize,
    /// Read ahead so.
    ahead: Option<readahead::Settings>,
    /// One call follows the other.
    blocks: bool,
}

impl Bench<'_> {
    /// Sequential reads of the first `left` blocks at a depth; warm-up is over at once.
    fn reads(depth: u32, left: u64) -> Self {
        let region = Region { sharing: Sharing::Own, index: 0, count: 1 };
        let stream = Stream {
            name: "reader".to_owned(),
            group: "reader".to_owned(),
            ordinal: 0,
            place: iopath_study::source::Place::default(),
            target: 0,
            action: Action::Transfer,
            reads: Ratio::ONE,
            pattern: Pattern::Sequential,
            region,
            block: iopath_units::Bytes(u64::from(BLOCK)),
            depth,
            pacing: Pacing::Closed,
            advice: Advice::Normal,
            sync: SyncMode::None,
            after: None,
            modelled: iopath_study::case::Modelled::default(),
        };
        Self {
            world: World::of((BLOCKS * u64::from(BLOCK)) as usize),
            edges: Edges::new(1, Some(0)),
            presence: Presence::new(1),
            counters: Counters::new(Kinds {
                action: Action::Transfer,
                reads: true,
                writes: true,
                intended: true,
                flushes: true,
                subs: 0,
            }),
            stream,
            left: Some(left),
            checker: None,
            batch: usize::MAX,
            ahead: None,
            blocks: false,
        }
    }

    /// Runs the worker to its end. Everything must have come home by then.
    fn run(&self, script: impl FnMut(&Io, usize) -> Answer) -> Result<(), Failure> {
        let mut buffers = self.buffers();
        let ran = self.run_in(&mut buffers, script);
        if !matches!(ran, Err(Failure::Engine { .. })) {
            assert_eq!(self.world.in_flight.get(), 0, "nothing may be left in the kernel");
        }
        let all = self.all();
        assert_eq!(all.submitted, all.completed + all.failed, "{all:?}");
        ran
    }

    fn buffers(&self) -> Buffers {
        Buffers::new(BufferKind::Heap, self.stream.depth as usize, BLOCK as usize).unwrap()
    }

    fn run_in(
        &self,
        buffers: &mut Buffers,
        script: impl FnMut(&Io, usize) -> Answer,
    ) -> Result<(), Failure> {
        self.run_on(buffers, RequestSource::Alone(Box::new(self.source())), script)
    }

    fn run_on(
        &self,
        buffers: &mut Buffers,
        supply: RequestSource,
        script: impl FnMut(&Io, usize) -> Answer,
    ) -> Result<(), Failure> {
        let mut engine = Scripted::new(&self.world, script);
        engine.batch = self.batch;
        let shared = Shared {
            clock: &self.world.clock,
            edges: &self.edges,
            presence: &self.presence,
            counters: &self.counters,
            stream: "reader",
            target: "/data",
            files: &[],
        };
        let (checker, depth) = (self.checker.clone(), self.stream.depth);
        let means = Means { supply, checker, depth, sync: self.stream.sync, buffers };
        if self.blocks {
            return Worker::new(flushes::Blocking(engine), shared, means).run();
        }
        let Some(settings) = self.ahead else { return Worker::new(engine, shared, means).run() };
        let ahead = Ahead { settings, end: self.span().offset + self.span().bytes };
        let units = ahead.units(BufferKind::Heap, (depth, BLOCK)).unwrap();
        let counts = self.counters.ahead.as_ref().unwrap();
        let engine = ReadAhead::new(engine, (shared.clock, counts), (ahead.state(), units), depth);
        Worker::new(engine, shared, means).run()
    }

    fn span(&self) -> Span {
        Span::of(&self.stream, BLOCKS * u64::from(BLOCK)).unwrap()
    }

    fn source(&self) -> Source {
        let requests = Requests::new(&self.stream, self.span(), 7).unwrap();
        let arrivals = ArrivalTimes::of(&self.stream, 7);
        Source { requests, arrivals, left: self.left, budget: None }
    }

    fn phases(&self) -> Vec<PhaseTotals> {
        let starts = self.edges.starts();
        let end_ns = self.world.clock.stands_at();
        let totals = |phase| self.counters.totals(phase, starts.span(phase, end_ns));
        Phase::ALL.into_iter().filter_map(totals).collect()
    }

    /// The totals of all phases together.
    fn all(&self) -> PhaseTotals {
        let mut phases = self.phases();
        phases.iter_mut().for_each(|totals| totals.phase = Phase::Window);
        merge_phases(&phases).pop().expect("something happened")
    }

    /// All latencies of one kind, in both directions.
    fn latencies(&self, what: Latency) -> Histogram {
        let mut sum = Histogram::default();
        for latency in self.all().latency.iter().filter(|latency| latency.what == what) {
            sum.merge(&latency.histogram);
        }
        sum
    }

    fn asked(&self) -> Vec<Asked> {
        self.world.asked.borrow().clone()
    }

    /// What was asked for, as offset and bytes.
    fn asked_for(&self) -> Vec<(u64, u32)> {
        let asked = self.asked();
        asked.iter().map(|Asked { io, .. }| (io.offset, io.bytes)).collect()
    }
}
