//! One pass: workers are set up, let go together, watched, and brought home. Streams that begin
//! after others are set up when those have ended, and go through the same on the same clock.
//!
//! ```text
//! controller: set up ── gate ── watch (progress, amount, Ctrl-C) ── stop ── join ── totals
//! workers:    set up ── gate ── issue, exchange, settle … ── drain ── usage
//! sampler:            first sample ── every interval ── last sample
//! ```

mod epoch;
mod first;
mod others;
mod stack;
mod stream_workers;
mod watch;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

use iopath_ranks::Communicator;
use iopath_record::{Phase, PhaseTotals, Progress, StreamTotals};
use iopath_study::Case;
use iopath_units::Action;

use crate::between::Between;
use crate::clock::{Clock, Monotonic, monotonic_now_ns};
use crate::engine::choice::Way;
use crate::failure::Failure;
use crate::relay::RelaySides;
use crate::request_source::RequestSource;
use crate::sampler::{Latest, OfWorker, Sampled, Sampler, Sources};
use crate::target::OpenTarget;

use epoch::{Epoch, Left};
use first::First;
use others::{Others, Start};

pub(crate) use stream_workers::{StreamWorkers, WorkerFacts};

/// What a pass works with.
pub(crate) struct Pass<'a> {
    pub case: &'a Case,
    pub targets: &'a [OpenTarget],
    pub engine: Way,
    /// Root of what it draws: requests and arrivals.
    pub seed: u64,
    /// Overrides the case's own end: the calibration's short run.
    pub lasts: Option<Duration>,
    /// None for the calibration, which is not sampled.
    pub sources: Option<Sources>,
    /// What happens before streams that begin after others; nothing for the calibration.
    pub between: Option<Between<'a>>,
    pub interrupted: &'a AtomicBool,
    /// The other ranks of the run; none for the calibration.
    pub ranks: Option<&'a RefCell<Communicator>>,
}

/// Root of what a pass draws. Each has its own: a cache would serve what an earlier pass or trial
/// has read.
pub(crate) fn seed_of(case: &Case, trial: u32, pass: u32) -> u64 {
    case.workload.seed.wrapping_add((u64::from(trial) << 16) + u64::from(pass))
}

/// What the epochs of a pass share.
#[derive(Clone, Copy)]
struct Stage<'p> {
    epochs: &'p [Epoch],
    clock: &'p Monotonic,
    streams: &'p [StreamWorkers<'p>],
}

/// What a pass left behind.
#[derive(Default)]
pub(crate) struct Outcome {
    pub started_unix_ns: u64,
    pub streams: Vec<StreamCounts>,
    pub sampled: Option<Sampled>,
    pub failure: Option<Failure>,
    pub interrupted: bool,
    /// It never began, as a rank could not go on.
    pub cancelled: bool,
    pub workers: Vec<WorkerFacts>,
    /// When each phase began and ended, those of one epoch after the other.
    pub edges: Vec<(Phase, u64, u64)>,
}

/// The counts of one stream.
pub(crate) struct StreamCounts {
    pub action: Action,
    pub first_issue_ns: u64,
    pub first_done_ns: u64,
    pub last_done_ns: u64,
    pub phases: Vec<PhaseTotals>,
}

/// What came of the epochs of a pass.
#[derive(Default)]
struct Ran {
    /// When each that began had come to its end.
    ends_ns: Vec<u64>,
    left: Vec<Left>,
    sampled: Option<Sampled>,
    failure: Option<Failure>,
    interrupted: bool,
    cancelled: bool,
}

impl Pass<'_> {
    /// Runs the pass; returns when all that was issued has come home.
    pub(crate) fn run(mut self, tell: &mut dyn FnMut(Progress)) -> Outcome {
        let mut others = Others::of(self.ranks);
        let prepared = relay_sides(self.case, self.targets).and_then(|sides| {
            let RelaySides { by_stream, gauges } = sides;
            let Self { case, seed, targets, engine, .. } = self;
            Ok((stream_workers::prepare(case, seed, targets, engine, by_stream)?, gauges))
        });
        let (prepared, gauges) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => {
                others.give_up();
                let cancelled = others.are_there();
                return Outcome { cancelled, ..Outcome::failed(failure) };
            }
        };
        let (streams, supplies): (Vec<_>, Vec<_>) = prepared.into_iter().unzip();
        let warm_up_end = watch::warm_up_end(self.case, self.lasts);
        let warm_up_end = warm_up_end.map(|at_ns| others.span_ns(at_ns));
        let epochs = Epoch::all(self.case, warm_up_end, others.are_there());
        let clock = Monotonic::default();
        self.sources = self.sources.take().map(|sources| sources.with_lags(gauges));
        let stage = Stage { epochs: &epochs, clock: &clock, streams: &streams };
        let ran = self.run_epochs(stage, supplies, &mut others, tell);
        let Ran { ends_ns, left, sampled, failure, interrupted, cancelled } = ran;
        let failure = failure.or_else(|| others.lost().map(Failure::from));

        let ended = epochs.iter().zip(ends_ns);
        let mut spans: Vec<_> =
            ended.map(|(epoch, end_ns)| epoch.spans(&streams, end_ns)).collect();
        spans.resize_with(epochs.len(), Vec::new);
        let (workers, failures): (Vec<_>, Vec<_>) = left.into_iter().unzip();
        let mut counts = BTreeMap::new();
        for (epoch, spans) in epochs.iter().zip(&spans) {
            counts.extend(epoch.streams.iter().map(|at| (*at, streams[*at].counts(spans))));
        }
        let edges = spans.into_iter().flatten().map(|(phase, (from, to))| (phase, from, to));
        Outcome {
            started_unix_ns: clock.started_unix_ns(),
            streams: counts.into_values().collect(),
            sampled,
            failure: failure.or_else(|| failures.into_iter().flatten().next()),
            interrupted,
            cancelled,
            workers,
            edges: edges.collect(),
        }
    }

    fn run_epochs(
        &mut self,
        stage: Stage<'_>,
        mut supplies: Vec<Vec<RequestSource>>,
        others: &mut Others<'_>,
        tell: &mut dyn FnMut(Progress),
    ) -> Ran {
        let Stage { epochs, clock, streams } = stage;
        let sources = self.sources.take();
        let latest = Latest::of(sources.as_ref().map(Sources::disk_names).unwrap_or_default());
        let every = Duration::from(self.case.workload.sample_interval);
        let interrupted = self.interrupted;
        let is_interrupted = || interrupted.load(Relaxed);
        let mut ran = Ran::default();
        std::thread::scope(|scope| {
            let (end_sampling, end) = mpsc::channel();
            let mut sampler = sources
                .map(|sources| (Sampler::new(clock, sources, of_workers(streams), &latest), end));
            let mut sampling = None;
            for (number, epoch) in epochs.iter().enumerate() {
                if number > 0
                    && let Some(between) = &mut self.between
                {
                    let moved =
                        streams.iter().map(|workers| workers.moved_bytes()).collect::<Vec<_>>();
                    let prepared = between.before(number, &moved, tell);
                    ran.failure = prepared.err();
                }
                ran.interrupted = number > 0 && is_interrupted();
                if ran.failure.is_some() || ran.interrupted {
                    break;
                }
                let mut workers =
                    epoch.spawn((scope, clock), streams, &mut supplies, is_interrupted);
                let start = others.begin(&is_interrupted);
                if number == 0 {
                    // The first sample is taken before the pass, while the clock stands.
                    start.come_near();
                    sampler.iter_mut().for_each(|(sampler, _)| sampler.sample());
                }
                ran.cancelled |= !let_go(epoch, number == 0, clock, start, others);
                if let Some((sampler, end)) = sampler.take() {
                    let run = move || sampler.run(every, &end);
                    match Builder::new().spawn_scoped(scope, run) {
                        Ok(thread) => sampling = Some(thread),
                        Err(error) => {
                            epoch.edges.stop_at(0);
                            workers.refuse(error);
                        }
                    }
                }
                let running = &epoch.streams(streams)[..];
                let edges = &epoch.edges;
                let latest = &latest;
                let watch = watch::Watch { pass: self, edges, clock, running, streams, latest };
                ran.interrupted = watch.until(|| workers.are_done(), others, tell);
                ran.left.extend(workers.joined());
                ran.ends_ns.push(clock.now_ns());
                let has_failed = ran.left.iter().any(|(_, failure)| failure.is_some());
                ran.interrupted |= others.have_stopped() && !has_failed;
                if ran.interrupted || has_failed {
                    break;
                }
            }
            others.end();
            drop(end_sampling);
            ran.sampled = sampling.and_then(|thread| thread.join().ok());
        });
        ran
    }
}

/// Lets the streams of an epoch go when all ranks do, whether they begin or must end at once.
fn let_go(
    epoch: &Epoch,
    is_first: bool,
    clock: &Monotonic,
    start: Start,
    others: &Others<'_>,
) -> bool {
    let _first = matches!(start, Start::At(_)).then(First::here);
    match (start, is_first) {
        (Start::Never, _) => epoch.edges.stop_at(0),
        (Start::Now, true) => clock.start(),
        (Start::Now, false) => epoch.edges.begin_at(clock.now_ns()),
        (Start::At(at_ns), true) => {
            others.begin_axis(at_ns);
            clock.start_at(at_ns);
        }
        (Start::At(at_ns), false) => {
            let ahead_ns = at_ns.saturating_sub(monotonic_now_ns());
            epoch.edges.begin_at(clock.now_ns() + ahead_ns);
            clock.sleep_ns(ahead_ns);
        }
    }
    if let Start::At(at_ns) = start {
        others.note_skew(monotonic_now_ns().saturating_sub(at_ns));
    }
    epoch.gate.open();
    start != Start::Never
}

/// Preflight has told what is wrong; a target may have become smaller since.
fn relay_sides(case: &Case, targets: &[OpenTarget]) -> Result<RelaySides, Failure> {
    RelaySides::of(case, targets).map_err(|error| Failure::SetUp {
        stream: error.stream.clone(),
        source: std::io::Error::other(error),
    })
}

/// The counters of every worker, each with its stream.
fn of_workers<'c>(streams: &'c [StreamWorkers<'_>]) -> Vec<OfWorker<'c>> {
    let of_stream = |(stream, workers): (usize, &'c StreamWorkers<'_>)| {
        workers.counters().iter().map(move |counters| OfWorker {
            stream,
            group: &workers.stream.group,
            counters,
        })
    };
    streams.iter().enumerate().flat_map(of_stream).collect()
}

impl Outcome {
    fn failed(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    /// Requests completed by these streams.
    pub(crate) fn completed(&self, streams: &[usize]) -> u64 {
        let phases = streams.iter().flat_map(|at| &self.streams[*at].phases);
        phases.map(|phase| phase.completed).sum()
    }
}

impl StreamCounts {
    /// As the record wants it.
    pub(crate) fn totals(self, entity: iopath_record::EntityId) -> StreamTotals {
        let Self { action, first_issue_ns, first_done_ns, last_done_ns, phases } = self;
        StreamTotals { entity, action, first_issue_ns, first_done_ns, last_done_ns, phases }
    }

    /// Bytes moved, warm-up included.
    pub(crate) fn bytes(&self) -> u64 {
        self.phases.iter().map(|phase| phase.read_bytes + phase.write_bytes).sum()
    }
}
