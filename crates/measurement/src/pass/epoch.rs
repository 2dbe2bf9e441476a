//! Streams that run at the same time: let go together, watched to their end.

use std::io;
use std::thread::Scope;

use iopath_record::Phase;
use iopath_study::Case;

use super::crew::{self, Crew, LaneFacts, Stage, Thread};
use crate::cells::Cells;
use crate::clock::Monotonic;
use crate::edges::Edges;
use crate::failure::Failure;
use crate::gate::Gate;
use crate::supply::Supply;

/// One epoch of a pass.
pub(super) struct Epoch {
    /// Positions of its streams in the case.
    pub streams: Vec<usize>,
    pub edges: Edges,
    pub gate: Gate,
}

/// The threads of an epoch, and those that the kernel would not start.
#[derive(Default)]
pub(super) struct Lanes<'scope> {
    threads: Vec<Thread<'scope>>,
    refused: Vec<io::Error>,
}

/// What a lane left.
pub(super) type Left = (LaneFacts, Option<Failure>);

impl Epoch {
    /// All of a case, in their order.
    pub(super) fn all(case: &Case, warm_up_ns: Option<u64>) -> Vec<Self> {
        let epoch = |streams: Vec<usize>| Self {
            edges: Edges::new(u32::try_from(streams.len()).unwrap_or(u32::MAX), warm_up_ns),
            gate: Gate::default(),
            streams,
        };
        case.epochs().into_iter().map(epoch).collect()
    }

    /// Starts the lanes of its streams, until the user wants an end, and waits until all are set
    /// up. Thousands of threads take seconds to start.
    pub(super) fn muster<'scope>(
        &'scope self,
        (scope, clock): (&'scope Scope<'scope, '_>, &'scope Monotonic),
        crews: &'scope [Crew<'_>],
        supplies: &mut [Vec<Supply>],
        is_interrupted: impl Fn() -> bool,
    ) -> Lanes<'scope> {
        let stage = Stage { clock, edges: &self.edges, gate: &self.gate };
        let mut lanes = Lanes::default();
        for at in self.streams.iter().take_while(|_| !is_interrupted()) {
            for spawned in crews[*at].spawn(scope, stage, std::mem::take(&mut supplies[*at])) {
                match spawned {
                    Ok(thread) => lanes.threads.push(thread),
                    Err(error) => lanes.refused.push(error),
                }
            }
        }
        if !lanes.refused.is_empty() || is_interrupted() {
            self.edges.stop_at(0);
        }
        self.gate.await_all(lanes.threads.len());
        lanes
    }

    /// Its crews among all.
    pub(super) fn crews<'c, 'p>(&self, crews: &'c [Crew<'p>]) -> Vec<&'c Crew<'p>> {
        self.streams.iter().map(|at| &crews[*at]).collect()
    }

    /// When each phase began and ended.
    pub(super) fn spans(&self, crews: &[Crew<'_>], now_ns: u64) -> Vec<(Phase, (u64, u64))> {
        let cells = self.crews(crews).into_iter().flat_map(Crew::cells);
        let last = cells.map(|cells: &Cells| cells.last_done_ns.value()).max().unwrap_or(0);
        let end_ns = last.max(self.edges.stop_ns().min(now_ns));
        Phase::ALL.map(|phase| (phase, self.edges.span(phase, end_ns))).into()
    }
}

impl Lanes<'_> {
    pub(super) fn are_done(&self) -> bool {
        self.threads.iter().all(|thread| thread.is_finished())
    }

    /// One more thread that is missing.
    pub(super) fn refuse(&mut self, error: io::Error) {
        self.refused.push(error);
    }

    /// What each left, once it has ended.
    pub(super) fn joined(self) -> impl Iterator<Item = Left> {
        let threads = self.threads.into_iter().map(crew::joined);
        threads.chain(self.refused.into_iter().map(crew::refused))
    }
}
