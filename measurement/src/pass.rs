//! One pass: lanes are set up, let go together, watched, and brought home.
//!
//! ```text
//! controller: set up ── gate ── watch (progress, amount, Ctrl-C) ── stop ── join ── totals
//! lanes:      set up ── gate ── issue, exchange, settle … ── drain ── usage
//! sampler:              first sample ── every interval ── last sample
//! ```

mod crew;
mod stack;
mod watch;

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

use iopath_record::{Phase, PhaseTotals, Progress, StreamTotals};
use iopath_study::Case;

use crate::cells::Cells;
use crate::clock::{Clock, Monotonic};
use crate::edges::Edges;
use crate::engine::choice::Way;
use crate::failure::Failure;
use crate::gate::Gate;
use crate::relay::Seats;
use crate::sampler::{Latest, OfLane, Sampled, Sampler, Sources};
use crate::target::OpenTarget;

pub(crate) use crew::LaneFacts;

/// What a pass works with.
pub(crate) struct Pass<'a> {
    pub case: &'a Case,
    pub targets: &'a [OpenTarget],
    pub engine: Way,
    /// Overrides the case's own end: the calibration's short run.
    pub only_for: Option<Duration>,
    /// None for the calibration, which is not sampled.
    pub sources: Option<Sources>,
    pub interrupted: &'a AtomicBool,
}

/// What a pass left behind.
pub(crate) struct Outcome {
    pub started_unix_ns: u64,
    pub streams: Vec<StreamCounts>,
    pub sampled: Option<Sampled>,
    pub failure: Option<Failure>,
    pub interrupted: bool,
    pub lanes: Vec<LaneFacts>,
    /// When each phase began and the pass ended.
    pub edges: Vec<(Phase, u64, u64)>,
}

/// The counts of one stream.
pub(crate) struct StreamCounts {
    pub first_issue_ns: u64,
    pub first_done_ns: u64,
    pub last_done_ns: u64,
    pub phases: Vec<PhaseTotals>,
}

impl Pass<'_> {
    /// Runs the pass; returns when all that was issued has come home.
    pub(crate) fn run(mut self, tell: &mut dyn FnMut(Progress)) -> Outcome {
        let Seats { by_stream, gauges } = match seats(self.case, self.targets) {
            Ok(seats) => seats,
            Err(failure) => return Outcome::failed(failure),
        };
        let mustered = match crew::muster(self.case, self.targets, self.engine, by_stream) {
            Ok(mustered) => mustered,
            Err(failure) => return Outcome::failed(failure),
        };
        let (crews, supplies): (Vec<_>, Vec<_>) = mustered.into_iter().unzip();
        let warm_up_ns = watch::warm_up_end(self.case, self.only_for);
        let edges = Edges::new(u32::try_from(crews.len()).unwrap_or(u32::MAX), warm_up_ns);
        let (clock, gate) = (Monotonic::default(), Gate::default());
        let cells: Vec<&Cells> = crews.iter().flat_map(crew::Crew::cells).collect();
        let sources = self.sources.take().map(|sources| sources.with_lags(gauges));
        let latest = Latest::of(sources.as_ref().map(Sources::disk_names).unwrap_or_default());

        let (results, sampled, interrupted) = std::thread::scope(|scope| {
            let stage = crew::Stage { clock: &clock, edges: &edges, gate: &gate };
            // Thousands of threads take seconds to start.
            let wanted = crews.iter().zip(supplies).take_while(|_| !self.interrupted.load(Relaxed));
            let spawned = wanted.flat_map(|(crew, supplies)| crew.spawn(scope, stage, supplies));
            let (threads, mut refused): (Vec<_>, Vec<_>) = spawned.partition(Result::is_ok);
            let threads: Vec<_> = threads.into_iter().flatten().collect();
            if !refused.is_empty() || self.interrupted.load(Relaxed) {
                edges.stop_at(0);
            }
            gate.await_all(threads.len());
            let (end_sampling, end) = mpsc::channel();
            let every = Duration::from(self.case.workload.sample_interval);
            let sampler = sources.map(|sources| {
                let mut sampler = Sampler::new(&clock, sources, of_lanes(&crews), &latest);
                sampler.sample();
                sampler
            });
            clock.start();
            gate.open();
            let sampler = sampler.map(|sampler| {
                Builder::new().spawn_scoped(scope, move || sampler.run(every, &end))
            });
            let sampler = sampler.transpose().unwrap_or_else(|error| {
                edges.stop_at(0);
                refused.push(Err(error));
                None
            });
            let (edges, clock, crews) = (&edges, &clock, &crews[..]);
            let watched = watch::Watch { pass: &self, edges, clock, crews, latest: &latest };
            let interrupted = watched.until(|| threads.iter().all(|t| t.is_finished()), tell);
            let mut results: Vec<_> = threads.into_iter().map(crew::joined).collect();
            results.extend(refused.into_iter().filter_map(Result::err).map(crew::refused));
            drop(end_sampling);
            let sampled = sampler.and_then(|thread| thread.join().ok());
            (results, sampled, interrupted)
        });

        let starts = edges.starts();
        let last = cells.iter().map(|cells| cells.last_done_ns.value()).max().unwrap_or(0);
        let end_ns = last.max(edges.stop_ns().min(clock.now_ns()));
        let spans: Vec<_> = Phase::ALL.map(|phase| (phase, starts.span(phase, end_ns))).into();
        let (lanes, failures): (Vec<_>, Vec<_>) = results.into_iter().unzip();
        Outcome {
            started_unix_ns: clock.started_unix_ns(),
            streams: crews.iter().map(|crew| crew.counts(&spans)).collect(),
            sampled,
            failure: failures.into_iter().flatten().next(),
            interrupted,
            lanes,
            edges: spans.into_iter().map(|(phase, (from, to))| (phase, from, to)).collect(),
        }
    }
}

/// Preflight has told what is wrong; a target may have become smaller since.
fn seats(case: &Case, targets: &[OpenTarget]) -> Result<Seats, Failure> {
    Seats::of(case, targets).map_err(|error| Failure::SetUp {
        stream: error.stream().to_owned(),
        source: std::io::Error::other(error),
    })
}

/// The cells of every lane, each with its stream.
fn of_lanes<'c>(crews: &'c [crew::Crew<'_>]) -> Vec<OfLane<'c>> {
    let of_crew = |(stream, crew): (usize, &'c crew::Crew<'_>)| {
        crew.cells().iter().map(move |cells| OfLane { stream, group: crew.group(), cells })
    };
    crews.iter().enumerate().flat_map(of_crew).collect()
}

impl Outcome {
    fn failed(failure: Failure) -> Self {
        Self {
            started_unix_ns: 0,
            streams: Vec::new(),
            sampled: None,
            failure: Some(failure),
            interrupted: false,
            lanes: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Requests completed by all streams.
    pub(crate) fn completed(&self) -> u64 {
        let phases = self.streams.iter().flat_map(|stream| &stream.phases);
        phases.map(|phase| phase.completed).sum()
    }
}

impl StreamCounts {
    /// As the record wants it.
    pub(crate) fn totals(self, entity: iopath_record::EntityId) -> StreamTotals {
        let Self { first_issue_ns, first_done_ns, last_done_ns, phases } = self;
        StreamTotals { entity, first_issue_ns, first_done_ns, last_done_ns, phases }
    }

    /// Bytes moved, warm-up included.
    pub(crate) fn bytes(&self) -> u64 {
        self.phases.iter().map(|phase| phase.read_bytes + phase.write_bytes).sum()
    }
}
