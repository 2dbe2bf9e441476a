//! Real workers on real threads, with a log of exactly what each of them saw.

use std::cell::{Cell, RefCell};
use std::io;

use iopath_record::{Phase, PhaseTotals, merge::merge_phases};
use iopath_study::case::{Advice, BufferKind, Pacing, Pattern, Region, Sharing, Stream, SyncMode};
use iopath_units::{Action, Bytes, Op, Ratio};
use iopath_workload::{Requests, Span};

use super::log::{Logged, PassLog, assert_conserved, assert_percentiles, histogram, phase};
use crate::buffers::Buffers;
use crate::clock::{Clock, Monotonic};
use crate::counters::{Counters, Kinds};
use crate::edges::Edges;
use crate::engine::{Done, Engine, Io, Wait};
use crate::gate::Gate;
use crate::request_source::{RequestSource, Source};
use crate::slots::SlotId;
use crate::stream::Presence;
use crate::worker::{Means, Shared, Worker};

const DEPTH: u32 = 8;
const STREAMS: u32 = 4;
const STOP_NS: u64 = 150_000_000;
/// Long enough that all have begun, unless the machine is very busy.
const WARM_UP_NS: u64 = 70_000_000;

/// What one worker saw. A worker knows the time only by reading the clock, so its last reading is
/// when it issues, and its next one when something is done.
#[derive(Default)]
struct WorkerLog {
    stream: usize,
    readings: Cell<u64>,
    now_ns: Cell<u64>,
    /// The first reading after the first request: by then others know of it.
    known_ns: Cell<u64>,
    issued: RefCell<Vec<(u64, Op, u32)>>,
    waiting: RefCell<Vec<usize>>,
    requests: RefCell<Vec<Logged>>,
}

struct LoggedClock<'l> {
    clock: &'l Monotonic,
    log: &'l WorkerLog,
}

impl Clock for LoggedClock<'_> {
    fn now_ns(&self) -> u64 {
        let done_ns = self.clock.now_ns();
        let log = self.log;
        log.now_ns.set(done_ns);
        log.readings.set(log.readings.get() + 1);
        if log.readings.get() == 2 {
            log.known_ns.set(done_ns);
        }
        for slot in log.waiting.borrow_mut().drain(..) {
            let (issue_ns, op, bytes) = log.issued.borrow()[slot];
            let stream = log.stream;
            log.requests.borrow_mut().push(Logged { stream, op, bytes, issue_ns, done_ns });
        }
        done_ns
    }
}

/// Completes some of what is queued, in changing numbers and orders.
struct LoggedEngine<'l> {
    log: &'l WorkerLog,
    edges: &'l Edges,
    queued: Vec<Io>,
    turn: usize,
}

impl Engine for LoggedEngine<'_> {
    fn queue(&mut self, io: Io) {
        let mut issued = self.log.issued.borrow_mut();
        issued.resize(DEPTH as usize, (0, Op::Read, 0));
        issued[io.slot as usize] = (self.log.now_ns.get(), io.op, io.bytes);
        self.queued.push(io);
    }

    fn flush(&mut self, _: SlotId, _: u16) {
        unreachable!("nothing here flushes");
    }

    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        // Nobody finishes before all have begun.
        while self.turn == 0 && self.edges.starts().0[Phase::Window.index()] == u64::MAX {
            std::thread::yield_now();
        }
        self.turn += 1;
        let count = 1 + self.turn * 5 % self.queued.len();
        for _ in 0..count {
            let io = self.queued.swap_remove(self.turn * 3 % self.queued.len());
            self.log.waiting.borrow_mut().push(io.slot as usize);
            done.push(Done { slot: io.slot, result: io.bytes.cast_signed() });
        }
        Ok(())
    }
}

/// What is shared by the workers of the pass.
struct Scene {
    clock: Monotonic,
    edges: Edges,
    gate: Gate,
    counters: Vec<Counters>,
    presence: Vec<Presence>,
}

fn stream(index: u32) -> Stream {
    Stream {
        name: format!("mixed[{index}]"),
        group: "mixed".to_owned(),
        ordinal: 0,
        place: iopath_study::source::Place::default(),
        target: 0,
        action: Action::Transfer,
        reads: Ratio(700_000),
        pattern: Pattern::Random,
        region: Region { sharing: Sharing::Own, index, count: STREAMS },
        block: Bytes(4096 << index),
        depth: DEPTH,
        pacing: Pacing::Closed,
        advice: Advice::Normal,
        sync: SyncMode::None,
        after: None,
        modelled: iopath_study::case::Modelled::default(),
    }
}

/// One worker's life; gives its log, and when others knew of its end.
fn worker(scene: &Scene, index: u32, left: Option<u64>) -> (Vec<Logged>, u64, u64) {
    let log = WorkerLog { stream: index as usize, ..WorkerLog::default() };
    let clock = LoggedClock { clock: &scene.clock, log: &log };
    let stream = stream(index);
    let span = Span::of(&stream, 64 << 20).unwrap();
    let requests = Requests::new(&stream, span, 3).unwrap();
    let supply =
        RequestSource::Alone(Box::new(Source { requests, arrivals: None, left, budget: None }));
    let bytes = usize::try_from(stream.block.0).unwrap();
    let mut buffers = Buffers::new(BufferKind::Heap, DEPTH as usize, bytes).unwrap();
    let sync = SyncMode::None;
    let means = Means { supply, checker: None, depth: DEPTH, sync, buffers: &mut buffers };
    let shared = Shared {
        clock: &clock,
        edges: &scene.edges,
        presence: &scene.presence[index as usize],
        counters: &scene.counters[index as usize],
        stream: &stream.name,
        target: "nothing",
        files: &[],
    };
    let engine = LoggedEngine { log: &log, edges: &scene.edges, queued: Vec::new(), turn: 0 };
    let worker = Worker::new(engine, shared, means);
    scene.gate.arrive();
    worker.run().unwrap();
    let ended_ns = scene.clock.now_ns();
    (log.requests.into_inner(), log.known_ns.get(), ended_ns)
}

/// A finished pass: the log, what was counted, and when each worker's first request and end were
/// known to others.
struct Ran {
    scene: Scene,
    log: PassLog,
    all: Vec<PhaseTotals>,
    known: Vec<(u64, u64)>,
}

/// Runs a pass in which some streams may run out of work.
fn run(left: impl Fn(u32) -> Option<u64> + Sync) -> Ran {
    let kinds = Kinds {
        action: Action::Transfer,
        reads: true,
        writes: true,
        intended: false,
        flushes: false,
        subs: 0,
    };
    let scene = Scene {
        clock: Monotonic::default(),
        edges: Edges::new(STREAMS, Some(WARM_UP_NS)),
        gate: Gate::default(),
        counters: (0..STREAMS).map(|_| Counters::new(kinds)).collect(),
        presence: (0..STREAMS).map(|_| Presence::new(1)).collect(),
    };
    scene.edges.stop_at(STOP_NS);
    let workers: Vec<_> = std::thread::scope(|scope| {
        let (scene, left) = (&scene, &left);
        let worker = |index| scope.spawn(move || worker(scene, index, left(index)));
        let threads: Vec<_> = (0..STREAMS).map(worker).collect();
        scene.gate.await_all(STREAMS as usize);
        scene.clock.start();
        scene.gate.open();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let finished = (0..).zip(&workers).map(|(index, (requests, ..))| {
        let done = left(index) == Some(requests.len() as u64);
        requests.iter().map(|r| r.done_ns).max().filter(|at_ns| done && *at_ns < STOP_NS)
    });
    let log = PassLog {
        finished: finished.collect(),
        requests: workers.iter().flat_map(|(requests, ..)| requests.iter().copied()).collect(),
        warm_up_end_ns: WARM_UP_NS,
        stop_ns: STOP_NS,
    };
    let starts = scene.edges.starts();
    let of = |phase| {
        let span = starts.span(phase, log.end_ns());
        scene.counters.iter().filter_map(move |counters| counters.totals(phase, span))
    };
    let totals: Vec<_> = Phase::ALL.into_iter().flat_map(of).collect();
    let all = merge_phases(&totals);
    let known = workers.iter().map(|(_, first_ns, end_ns)| (*first_ns, *end_ns)).collect();
    Ran { scene, log, all, known }
}

impl Ran {
    /// The window, the same in both versions; none where a worker began late on a busy machine.
    fn window(&self) -> Option<(u64, u64)> {
        assert_conserved(&self.log, &self.all);
        let (from, to) = self.scene.edges.starts().span(Phase::Window, self.log.end_ns());
        assert_eq!(self.log.window(), (from < to).then_some((from, to)));
        self.log.window()
    }

    /// When all knew that the window had begun.
    fn known_from(&self) -> u64 {
        self.known.iter().map(|(first_ns, _)| *first_ns).max().unwrap_or(0)
    }

    /// Bytes of the window: as counted, and by the log.
    fn bytes(&self, window: (u64, u64)) -> (f64, f64) {
        let totals = phase(&self.all, Phase::Window).unwrap();
        ((totals.read_bytes + totals.write_bytes) as f64, self.log.moved(window).0)
    }
}

#[test]
fn a_window_between_edges_known_beforehand_is_exact() {
    // A worker that first runs after the warm-up spoils a try on a busy machine; ten in a row mean
    // that the window never opens.
    let mut tries = std::iter::repeat_with(|| run(|_| None)).take(10);
    let fit = |ran: &Ran| ran.window().is_some_and(|window| ran.known_from() <= window.0);
    let ran = tries.find(fit).expect("a window that all workers know of beforehand");
    let window = ran.window().unwrap();
    assert_eq!(window.1, STOP_NS);
    let (counted, bytes) = ran.bytes(window);
    let divided = ran.log.straddling(window.0) + ran.log.straddling(window.1);
    assert!((counted - bytes).abs() <= divided as f64, "{counted} for {bytes}");
    assert!((counted / bytes - 1.0).abs() < 0.005, "{counted} for {bytes}");
    let totals = phase(&ran.all, Phase::Window).unwrap();
    assert_percentiles(&histogram(totals), &ran.log.latencies(window));
}

#[test]
fn a_stream_that_finishes_closes_the_window_for_all() {
    // How many requests fill half of the window depends on the machine: an endless run tells.
    let half_ns = (WARM_UP_NS + STOP_NS) / 2;
    let endless = run(|_| None);
    let of_third = endless.log.requests.iter().filter(|request| request.stream == 2);
    let work = of_third.filter(|request| request.done_ns < half_ns).count() as u64;
    let tries = std::iter::repeat_with(|| run(|index| (index == 2).then_some(work)));
    let fit = |ran: &Ran| ran.window().is_some_and(|window| window.1 < STOP_NS);
    let ran = tries.take(20).find(fit).expect("a window that a stream closes in one of 20 tries");
    let window = ran.window().unwrap();
    let (counted, bytes) = ran.bytes(window);
    // What others did between an edge and their knowing of it may be in the wrong phase.
    let late = |edge_ns: u64, known_ns: u64| match known_ns > edge_ns {
        true => ran.log.ended_in(edge_ns, known_ns),
        false => 0,
    };
    let by_time = ran.log.first_end_ns() == STOP_NS;
    let known_to = if by_time { STOP_NS } else { ran.known[2].1 };
    let missed = late(window.0, ran.known_from()) + late(window.1, known_to);
    let divided = ran.log.straddling(window.0) + ran.log.straddling(window.1);
    let allowed = missed as f64 + divided as f64;
    assert!((counted - bytes).abs() <= allowed, "{counted} for {bytes}, {allowed} allowed");
}
