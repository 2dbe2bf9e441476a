//! Streams that run at the same time: let go together, watched to their end.

use std::io;
use std::thread::Scope;

use iopath_record::Phase;
use iopath_study::Case;

use super::stream_workers::{self, Stage, StreamWorkers, Thread, WorkerFacts};
use crate::clock::Monotonic;
use crate::counters::Counters;
use crate::edges::Edges;
use crate::failure::Failure;
use crate::gate::Gate;
use crate::request_source::RequestSource;

/// One epoch of a pass.
pub(super) struct Epoch {
    /// Positions of its streams in the case.
    pub streams: Vec<usize>,
    pub edges: Edges,
    pub gate: Gate,
}

/// The threads of an epoch, and those that the kernel would not start.
#[derive(Default)]
pub(super) struct Workers<'scope> {
    threads: Vec<Thread<'scope>>,
    refused: Vec<io::Error>,
}

/// What a worker left.
pub(super) type Left = (WorkerFacts, Option<Failure>);

impl Epoch {
    /// All of a case, in their order.
    /// Those that `others` run at the same time count as one stream more.
    pub(super) fn all(case: &Case, warm_up_ns: Option<u64>, others: bool) -> Vec<Self> {
        let count = |streams: &[usize]| {
            u32::try_from(streams.len() + usize::from(others)).unwrap_or(u32::MAX)
        };
        let epoch = |streams: Vec<usize>| Self {
            edges: Edges::new(count(&streams), warm_up_ns),
            gate: Gate::default(),
            streams,
        };
        case.epochs().into_iter().map(epoch).collect()
    }

    /// Starts the workers of its streams, until the user wants an end, and waits until all are set
    /// up. Thousands of threads take seconds to start.
    pub(super) fn spawn<'scope>(
        &'scope self,
        (scope, clock): (&'scope Scope<'scope, '_>, &'scope Monotonic),
        streams: &'scope [StreamWorkers<'_>],
        supplies: &mut [Vec<RequestSource>],
        is_interrupted: impl Fn() -> bool,
    ) -> Workers<'scope> {
        let stage = Stage { clock, edges: &self.edges, gate: &self.gate };
        let mut workers = Workers::default();
        for at in self.streams.iter().take_while(|_| !is_interrupted()) {
            for spawned in streams[*at].spawn(scope, stage, std::mem::take(&mut supplies[*at])) {
                match spawned {
                    Ok(thread) => workers.threads.push(thread),
                    Err(error) => workers.refused.push(error),
                }
            }
        }
        if !workers.refused.is_empty() || is_interrupted() {
            self.edges.stop_at(0);
        }
        self.gate.await_all(workers.threads.len());
        workers
    }

    /// Its streams among all.
    pub(super) fn streams<'c, 'p>(
        &self,
        streams: &'c [StreamWorkers<'p>],
    ) -> Vec<&'c StreamWorkers<'p>> {
        self.streams.iter().map(|at| &streams[*at]).collect()
    }

    /// When each phase began and ended.
    pub(super) fn spans(
        &self,
        streams: &[StreamWorkers<'_>],
        now_ns: u64,
    ) -> Vec<(Phase, (u64, u64))> {
        let counters = self.streams(streams).into_iter().flat_map(StreamWorkers::counters);
        let last =
            counters.map(|counters: &Counters| counters.last_done_ns.value()).max().unwrap_or(0);
        let end_ns = last.max(self.edges.stop_ns().min(now_ns));
        Phase::ALL.map(|phase| (phase, self.edges.span(phase, end_ns))).into()
    }
}

impl Workers<'_> {
    pub(super) fn are_done(&self) -> bool {
        self.threads.iter().all(|thread| thread.is_finished())
    }

    /// One more thread that is missing.
    pub(super) fn refuse(&mut self, error: io::Error) {
        self.refused.push(error);
    }

    /// What each left, once it has ended.
    pub(super) fn joined(self) -> impl Iterator<Item = Left> {
        let threads = self.threads.into_iter().map(stream_workers::joined);
        threads.chain(self.refused.into_iter().map(stream_workers::refused))
    }
}
