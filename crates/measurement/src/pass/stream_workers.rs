//! The workers of one stream: made ready, started as threads, and added up.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use iopath_machine::Root;
use iopath_machine::counters::memory_map::huge_bytes_of;
use iopath_record::Phase;
use iopath_record::merge::merge_phases;
use iopath_study::Case;
use iopath_study::case::{BufferKind, Pacing, Pattern, Stream, SyncMode, Until};
use iopath_study::spc1;
use iopath_units::{Action, Ratio};
use iopath_workload::{ArrivalTimes, Requests, Seeds, Span};
use rustix::mm::ProtFlags;

use super::StreamCounts;
use super::stack::{Asks, Layer, Work};
use crate::ahead;
use crate::buffers::Buffers;
use crate::checker::Checker;
use crate::clock::{Clock, Monotonic};
use crate::counters::{AheadCounters, Counters, Kinds};
use crate::edges::Edges;
use crate::engine::Durability;
use crate::engine::calls::Calls;
use crate::engine::choice::Way;
use crate::engine::files::Files;
use crate::engine::locked::Locked;
use crate::engine::mapping::Mapping;
use crate::engine::null::Null;
use crate::engine::readahead::Ahead;
use crate::engine::ring::{self, Features, Ring};
use crate::engine::trims::Trims;
use crate::failure::Failure;
use crate::gate::Gate;
use crate::relay::{RelaySide, RelaySource};
use crate::request_source::{Budget, RequestSource, Source};
use crate::stream::Presence;
use crate::target::{OpenTarget, Service, Tree, advised};
use crate::worker::{Means, Shared};

/// A stack of this size holds a worker many times over; the default would be 2 MiB a worker.
const STACK_BYTES: usize = 256 << 10;

/// What all workers of a pass see.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'p> {
    pub clock: &'p Monotonic,
    pub edges: &'p Edges,
    pub gate: &'p Gate,
}

/// What a worker reached when it was set up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerFacts {
    /// None for engines without a ring.
    pub ring: Option<Features>,
    /// Memory for its requests.
    pub buffer_bytes: u64,
    /// Of it, what really lies in huge pages.
    pub huge_bytes: u64,
    /// The ring handed its requests to worker threads after an EAGAIN.
    pub by_workers: bool,
}

/// One stream and its workers.
pub(crate) struct StreamWorkers<'p> {
    case: &'p Case,
    pub stream: &'p Stream,
    target: Option<&'p OpenTarget>,
    engine: Way,
    /// One a worker.
    counters: Vec<Counters>,
    presence: Presence,
    ahead: Option<Ahead>,
    /// The files of its target, opened for it alone; none where it shares them.
    own: Vec<File>,
    locked: Locked,
}

pub(super) type Thread<'scope> = ScopedJoinHandle<'scope, (WorkerFacts, Option<Failure>)>;

/// Makes the streams of a case ready, with the supply of each worker and its stream's side. Fails
/// where a region holds no block.
pub(crate) fn prepare<'p>(
    case: &'p Case,
    seed: u64,
    targets: &'p [OpenTarget],
    engine: Way,
    relay_sides: Vec<Option<RelaySide>>,
) -> Result<Vec<(StreamWorkers<'p>, Vec<RequestSource>)>, Failure> {
    let budgets = Budget::of_streams(case);
    let locked = Locked::of(case);
    let mut all = Vec::new();
    for ((index, stream), relay_side) in case.streams.iter().enumerate().zip(relay_sides) {
        let target = targets.get(stream.target);
        let engine = engine.of(stream.action);
        let budget = budgets.get(index).cloned();
        let (source, ahead) =
            source((case, seed, engine), index, target, budget).map_err(|source| {
                Failure::SetUp { stream: stream.name.clone(), source: io::Error::other(source) }
            })?;
        let workers = engine.workers(stream.depth);
        let files = target.filter(|_| engine != Way::Null).into_iter().flat_map(|t| &t.files);
        let own = files.filter_map(|file| advised(&file.file, stream.advice).transpose());
        let own = own
            .collect::<io::Result<Vec<File>>>()
            .map_err(|source| Failure::SetUp { stream: stream.name.clone(), source })?;
        let counters = || {
            let mut counters = Counters::new(kinds(stream));
            counters.ahead = ahead.map(|_| AheadCounters::default());
            counters
        };
        let ready = StreamWorkers {
            case,
            stream,
            target,
            engine,
            counters: (0..workers).map(|_| counters()).collect(),
            presence: Presence::new(workers),
            ahead,
            own,
            locked,
        };
        all.push((ready, supplies(source, workers, relay_side)));
    }
    Ok(all)
}

fn kinds(stream: &Stream) -> Kinds {
    Kinds {
        action: stream.action,
        reads: stream.reads.0 > 0,
        writes: stream.reads != Ratio::ONE,
        intended: stream.pacing != Pacing::Closed,
        flushes: flushed(stream).flushes(),
        subs: if stream.pattern == Pattern::Spc1Like { spc1::STREAMS.len() } else { 0 },
    }
}

/// How a worker flushes the writes of a stream. Files that are made are flushed one by one, in the
/// request.
fn flushed(stream: &Stream) -> SyncMode {
    if stream.action.is_transfer() { stream.sync } else { SyncMode::None }
}

fn source(
    (case, seed, engine): (&Case, u64, Way),
    index: usize,
    target: Option<&OpenTarget>,
    budget: Option<Arc<Budget>>,
) -> Result<(Source, Option<Ahead>), Box<dyn std::error::Error + Send + Sync>> {
    let stream = &case.streams[index];
    let span = Span::of(stream, target.map_or(0, |target| target.bytes))?;
    let seeds = Seeds { data: case.workload.seed, order: seed };
    let requests = Requests::new(stream, span, seeds)?;
    let arrivals = ArrivalTimes::of(stream, seed);
    let Until { time, amount } = case.workload.until;
    let is_once = stream.action.is_once() && engine != Way::Null;
    let left = (is_once || time.is_none() && amount.is_none()).then(|| requests.round());
    Ok((Source { requests, arrivals, left, budget }, ahead::of(case, engine, stream, span)))
}

fn supplies(source: Source, workers: u32, relay_side: Option<RelaySide>) -> Vec<RequestSource> {
    if let Some(relay_side) = relay_side {
        let workers = RelaySource::workers(source, relay_side, workers).into_iter();
        return workers.map(|relay_source| RequestSource::Relay(Box::new(relay_source))).collect();
    }
    if workers == 1 {
        return vec![RequestSource::Alone(Box::new(source))];
    }
    let shared = Arc::new(Mutex::new(source));
    (0..workers).map(|_| RequestSource::Shared(Arc::clone(&shared))).collect()
}

impl<'p> StreamWorkers<'p> {
    pub(crate) fn counters(&self) -> &[Counters] {
        &self.counters
    }

    /// Bytes that it moved so far.
    pub(crate) fn moved_bytes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.so_far().0).sum()
    }

    /// Starts the workers; each waits at the gate once it is set up.
    pub(crate) fn spawn<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        stage: Stage<'scope>,
        supplies: Vec<RequestSource>,
    ) -> Vec<io::Result<Thread<'scope>>> {
        let workers = self.counters.iter().zip(supplies);
        workers
            .map(|(counters, supply)| {
                let thread = Builder::new().name(self.stream.name.clone()).stack_size(STACK_BYTES);
                thread.spawn_scoped(scope, move || self.worker(stage, counters, supply))
            })
            .collect()
    }

    /// The life of one thread.
    fn worker(
        &self,
        stage: Stage<'_>,
        counters: &Counters,
        supply: RequestSource,
    ) -> (WorkerFacts, Option<Failure>) {
        let shared = Shared {
            clock: stage.clock,
            edges: stage.edges,
            presence: &self.presence,
            counters,
            stream: &self.stream.name,
            target: self.target.map_or("", |target| &target.label),
            files: self
                .target
                .and_then(|target| target.volume.as_ref())
                .map_or(&[], |volume| &volume.labels),
        };
        let mut arrival = Arrival { gate: stage.gate, arrived: false };
        let mut facts = WorkerFacts::default();
        let ran = self.work(shared, supply, &mut arrival, &mut facts);
        if ran.is_err() && !arrival.arrived {
            // Where one worker cannot start, none shall.
            stage.edges.stop_at(0);
        }
        arrival.arrive();
        let failure = ran.err().map(|failure| self.named(failure));
        if failure.is_some() {
            stage.edges.stop_at(stage.clock.now_ns());
        }
        (facts, failure)
    }

    /// The tree of a metadata load.
    fn tree(&self) -> Option<&'p Tree> {
        self.target.and_then(|target| target.tree.as_ref())
    }

    /// A failure of a request for a file, by the file's name.
    fn named(&self, failure: Failure) -> Failure {
        match (failure, self.tree()) {
            (Failure::Request { what, offset, source, .. }, Some(tree)) => {
                Failure::File { what, path: tree.path_of(offset), source }
            }
            (Failure::Ended { offset, .. }, Some(tree)) => {
                let (what, path) = (self.stream.action.to_string(), tree.path_of(offset));
                Failure::File { what, path, source: io::ErrorKind::UnexpectedEof.into() }
            }
            (failure, _) => failure,
        }
    }

    fn files(&self) -> Vec<RawFd> {
        match (&self.own[..], self.target) {
            ([], None) => vec![-1],
            ([], Some(target)) => target.files.iter().map(|file| file.file.as_raw_fd()).collect(),
            (own, _) => own.iter().map(AsRawFd::as_raw_fd).collect(),
        }
    }

    fn work(
        &self,
        shared: Shared<'_, Monotonic>,
        supply: RequestSource,
        arrival: &mut Arrival<'_>,
        facts: &mut WorkerFacts,
    ) -> Result<(), Failure> {
        let set_up = |source| self.set_up(source);
        let depth = if self.engine.workers(self.stream.depth) == 1 { self.stream.depth } else { 1 };
        let bytes = self.stream.buffer().map_or(usize::MAX, |bytes| bytes as usize);
        let kind = self.case.workload.buffers;
        let asks = Asks { depth, bytes: self.stream.largest_request().unwrap_or(u64::MAX) };
        let target = self.target;
        let pieces = (depth + Asks::extra_pieces(target)) as usize;
        let mut buffers = Buffers::new(kind, pieces, bytes).map_err(set_up)?;
        facts.note_buffers(kind, &buffers);
        let ahead = self.ahead.map(|ahead| Layer::new(ahead, kind, (depth, bytes)));
        let ahead = ahead.transpose().map_err(set_up)?;
        let extent = ahead.as_ref().map(Layer::memory);
        facts.buffer_bytes += extent.map_or(0, |(_, bytes)| bytes as u64);
        let memory = std::iter::once(buffers.extent()).chain(extent);
        let memory: Vec<_> = memory.filter(|_| self.locked == Locked::All).collect();
        let asks = ahead.as_ref().map_or(asks, |ahead| ahead.asks(asks));
        let inside = asks.of_kernel(target);
        let sync = flushed(self.stream);
        let durability = durability(sync);
        let checker = self.checker(durability);
        let means = Means { supply, checker, depth, sync, buffers: &mut buffers };
        let work = Work { target, asks, ahead, shared, means, arrival };
        if let (Way::Calls | Way::Threads, Some(tree)) = (self.engine, self.tree()) {
            return work.over(self.handling(tree, depth));
        }
        let files = self.files();
        match self.engine {
            Way::Calls | Way::Threads if self.stream.action == Action::Trim => {
                work.over(Trims::new(&files, inside).map_err(set_up)?)
            }
            Way::Uring => {
                let ran = self.over_ring(work, &memory, inside, facts);
                if matches!(ran, Err(Failure::Engine { .. })) {
                    // The kernel may still use the buffers of what never came home.
                    std::mem::forget(buffers);
                }
                ran
            }
            Way::Calls | Way::Threads => work.over(Calls::new(&files, inside, durability)),
            Way::Null => work.over(Null::new(inside)),
            Way::Mmap => work.over(self.mapping(files[0]).map_err(set_up)?),
        }
    }

    fn set_up(&self, source: io::Error) -> Failure {
        Failure::SetUp { stream: self.stream.name.clone(), source }
    }

    /// Works over a ring that takes so many requests at once, beside those of the stream's flushes.
    fn over_ring(
        &self,
        work: Work<'_, '_>,
        memory: &[(*mut u8, usize)],
        inside: u32,
        facts: &mut WorkerFacts,
    ) -> Result<(), Failure> {
        let service = self.target.map_or(Service::Direct, OpenTarget::service);
        let beside = self.stream.most_in_flight() - self.stream.depth;
        let entries = inside.saturating_add(beside);
        let (mut ring, setup) =
            ring::set_up(entries, service).map_err(|source| self.set_up(source))?;
        let may_wait = Cell::new(false);
        let durability = durability(flushed(self.stream));
        let engine = Ring::new((&mut ring, setup), &self.files(), memory, durability, &may_wait);
        facts.ring = Some(engine.features);
        let ran = work.over(engine);
        facts.by_workers = may_wait.get();
        // The kernel takes a closed ring apart some time later. Until then its files would stay
        // open: a device that is claimed with O_EXCL could not be opened again, and a file system
        // could not be unmounted.
        let _ = ring.submitter().unregister_files();
        ran
    }

    /// What checks its data, where there is any.
    fn checker(&self, durability: Durability) -> Option<Checker> {
        let checker = self.target?.checker.clone().filter(|_| self.engine != Way::Null)?;
        Some(checker.for_writes(durability.of_writes()))
    }

    fn handling(&self, tree: &'p Tree, depth: u32) -> Files<'p> {
        let syncs = self.stream.sync != SyncMode::None;
        Files::new(tree, (self.stream.action, syncs), depth)
    }

    fn mapping(&self, file: RawFd) -> io::Result<Mapping> {
        let reads_only = self.stream.reads == Ratio::ONE;
        let writes = if reads_only { ProtFlags::empty() } else { ProtFlags::WRITE };
        let bytes = self.target.map_or(0, |target| target.bytes);
        Mapping::new(file, bytes, ProtFlags::READ | writes)
    }

    /// The stream's counts: those of its workers added up.
    pub(crate) fn counts(&self, spans: &[(Phase, (u64, u64))]) -> StreamCounts {
        let totals: Vec<_> = spans
            .iter()
            .flat_map(|(phase, span)| {
                self.counters.iter().filter_map(move |counters| counters.totals(*phase, *span))
            })
            .collect();
        let first = |at: fn(&Counters) -> u64| self.counters.iter().map(at).min().unwrap_or(0);
        let last_done = self.counters.iter().map(|counters| counters.last_done_ns.value()).max();
        let or_zero = |at_ns: u64| if at_ns == u64::MAX { 0 } else { at_ns };
        StreamCounts {
            action: self.stream.action,
            first_issue_ns: or_zero(first(|counters| counters.first_issue_ns.value())),
            first_done_ns: or_zero(first(|counters| counters.first_done_ns.value())),
            last_done_ns: last_done.unwrap_or(0),
            phases: merge_phases(&totals),
        }
    }
}

/// What engines must know of it; a flush after writes is the worker's business.
fn durability(sync: SyncMode) -> Durability {
    let write_flags = match sync {
        SyncMode::Dsync => libc::RWF_DSYNC,
        SyncMode::Sync => libc::RWF_SYNC,
        SyncMode::None | SyncMode::Fsync(_) | SyncMode::Fdatasync(_) | SyncMode::End => 0,
    };
    Durability { write_flags, data_only: matches!(sync, SyncMode::Fdatasync(_)) }
}

/// A worker's arrival at the gate: once, whatever happens.
pub(super) struct Arrival<'g> {
    gate: &'g Gate,
    arrived: bool,
}

impl Arrival<'_> {
    pub(super) fn arrive(&mut self) {
        if !std::mem::replace(&mut self.arrived, true) {
            self.gate.arrive();
        }
    }
}

impl Drop for Arrival<'_> {
    /// A worker that panics must not keep the others waiting for it.
    fn drop(&mut self) {
        self.arrive();
    }
}

impl WorkerFacts {
    /// Huge pages are asked for, not promised: what was given is read back from the kernel.
    fn note_buffers(&mut self, kind: BufferKind, buffers: &Buffers) {
        let (address, length) = buffers.extent();
        self.buffer_bytes = length as u64;
        if matches!(kind, BufferKind::Huge | BufferKind::HugeRequired) {
            let root = Root::live();
            let backing = huge_bytes_of(&root, address as u64, length as u64);
            self.huge_bytes = backing.map_or(0, |found| found.huge_bytes());
        }
    }
}

/// What a thread ended with; a panic in a worker is a defect of ours and goes on here.
pub(crate) fn joined(thread: Thread<'_>) -> (WorkerFacts, Option<Failure>) {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A thread that the kernel would not start.
pub(crate) fn refused(source: io::Error) -> (WorkerFacts, Option<Failure>) {
    let stream = "(thread)".to_owned();
    (WorkerFacts::default(), Some(Failure::SetUp { stream, source }))
}
