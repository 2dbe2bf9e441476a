//! Made-up passes: streams of one or two workers with random starts, depths, durations and ends.

use iopath_record::{Phase, PhaseTotals, merge::merge_phases};
use iopath_units::{Action, Op};
use proptest::prelude::*;

use super::log::{Logged, PassLog, assert_conserved, assert_percentiles, histogram, phase};
use crate::counters::{Completion, Counters, Kinds};
use crate::edges::Edges;
use crate::stream::Presence;

/// How one worker shall work.
#[derive(Clone, Debug)]
struct WorkerPlan {
    start_ns: u64,
    depth: usize,
    /// How many requests; none goes on until the stop.
    left: Option<usize>,
    bytes: u32,
    /// Time to the next turn and which slots come home then; over and over.
    turns: Vec<(u64, u8)>,
}

#[derive(Clone, Debug)]
struct Plan {
    /// The workers of each stream.
    streams: Vec<Vec<WorkerPlan>>,
    warm_up_end_ns: u64,
    stop_ns: u64,
    /// How long a worker may work on after reading the clock before others see what it did.
    lags_ns: Vec<u64>,
}

/// What a worker does at one reading of the clock.
#[derive(Debug)]
struct Turn {
    at_ns: u64,
    /// When it gets to doing it.
    seen_ns: u64,
    worker: usize,
    stream: usize,
    done: Vec<Logged>,
    issued: u64,
    end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Finished,
    Stopped,
}

/// Instants of different workers differ, so that it is clear which came first.
const WORKERS: u64 = 16;

fn worker_plan() -> impl Strategy<Value = WorkerPlan> {
    let left = prop_oneof![Just(None), (1..400_usize).prop_map(Some)];
    let turns = prop::collection::vec((1..3_000_u64, any::<u8>()), 1..40);
    (0..60_000_u64, 1..=8_usize, left, 1..2_000_000_u32, turns).prop_map(
        |(start_ns, depth, left, bytes, turns)| WorkerPlan { start_ns, depth, left, bytes, turns },
    )
}

fn plan(lag_ns: u64) -> impl Strategy<Value = Plan> {
    let streams = prop::collection::vec(prop::collection::vec(worker_plan(), 1..=2), 1..6);
    let lags_ns = prop::collection::vec(0..=lag_ns, 1..50);
    (streams, 0..80_000_u64, 0..400_000_u64, lags_ns).prop_map(
        |(streams, warm_up_end_ns, stop_ns, lags_ns)| {
            let apart = |at_ns: u64, of: u64| at_ns * WORKERS + of;
            let (warm_up_end_ns, stop_ns) = (apart(warm_up_end_ns, 14), apart(stop_ns, 15));
            Plan { streams, warm_up_end_ns, stop_ns, lags_ns }
        },
    )
}

impl WorkerPlan {
    /// What the worker does from its start to its end.
    fn turns(&self, (stream, worker): (usize, usize), plan: &Plan) -> Vec<Turn> {
        let mut slots: Vec<Option<u64>> = vec![None; self.depth];
        let mut left = self.left.unwrap_or(usize::MAX);
        let mut at_ns = self.start_ns * WORKERS + worker as u64;
        let mut seen_ns = 0;
        let mut all = Vec::new();
        for (number, (gap, mask)) in self.turns.iter().cycle().enumerate() {
            let done = self.complete(&mut slots, *mask, (stream, at_ns));
            let mut issued = 0;
            for slot in slots.iter_mut().filter(|slot| slot.is_none()) {
                if at_ns < plan.stop_ns && left > 0 {
                    *slot = Some(at_ns);
                    left -= 1;
                    issued += 1;
                }
            }
            let over = slots.iter().all(Option::is_none);
            let end =
                over.then_some(if at_ns < plan.stop_ns { End::Finished } else { End::Stopped });
            let lag_ns = plan.lags_ns[(number + worker) % plan.lags_ns.len()];
            seen_ns = (at_ns + lag_ns).max(seen_ns + 1);
            all.push(Turn { at_ns, seen_ns, worker, stream, done, issued, end });
            if over {
                break;
            }
            // A worker reads the clock after it has done what the last reading asked for.
            at_ns = (at_ns + gap * WORKERS).max(seen_ns.next_multiple_of(WORKERS) + worker as u64);
        }
        all
    }

    /// Frees the slots of the mask, at least the first that is taken.
    fn complete(
        &self,
        slots: &mut [Option<u64>],
        mask: u8,
        (stream, done_ns): (usize, u64),
    ) -> Vec<Logged> {
        let any = slots.iter().zip(0..).any(|(slot, bit)| slot.is_some() && mask >> bit & 1 == 1);
        let mut done = Vec::new();
        for (slot, bit) in slots.iter_mut().zip(0..) {
            let chosen = mask >> bit & 1 == 1 || (!any && done.is_empty());
            if let Some(issue_ns) = slot.take_if(|_| chosen) {
                let op = if (issue_ns / WORKERS).is_multiple_of(3) { Op::Write } else { Op::Read };
                done.push(Logged { stream, op, bytes: self.bytes, issue_ns, done_ns });
            }
        }
        done
    }
}

impl Plan {
    fn turns(&self) -> Vec<Turn> {
        let workers = (0..)
            .zip(&self.streams)
            .flat_map(|(stream, workers)| workers.iter().map(move |worker| (stream, worker)));
        let mut turns: Vec<_> = (0..)
            .zip(workers)
            .flat_map(|(worker, (stream, plan))| plan.turns((stream, worker), self))
            .collect();
        turns.sort_by_key(|turn| (turn.seen_ns, turn.worker));
        turns
    }

    /// The log of the pass.
    fn log(&self, turns: &[Turn]) -> PassLog {
        let finished = (0..self.streams.len()).map(|stream| {
            let ends = turns.iter().filter(|t| t.stream == stream && t.end.is_some());
            let finished = ends.clone().all(|turn| turn.end == Some(End::Finished));
            ends.map(|turn| turn.at_ns).max().filter(|_| finished)
        });
        PassLog {
            requests: turns.iter().flat_map(|turn| turn.done.iter().copied()).collect(),
            finished: finished.collect(),
            warm_up_end_ns: self.warm_up_end_ns,
            stop_ns: self.stop_ns,
        }
    }

    /// What workers count online: edges are known only when they happen.
    fn count(&self, turns: &[Turn]) -> (Vec<PhaseTotals>, Edges) {
        let streams = u32::try_from(self.streams.len()).unwrap();
        // The end of warm-up is known beforehand; the stop becomes known.
        let edges = Edges::new(streams, Some(self.warm_up_end_ns));
        let workers = self.streams.iter().map(|workers| u32::try_from(workers.len()).unwrap());
        let presence: Vec<_> = workers.map(Presence::new).collect();
        let kinds = Kinds {
            action: Action::Transfer,
            reads: true,
            writes: true,
            intended: false,
            flushes: false,
            subs: 0,
        };
        let counters: Vec<_> =
            self.streams.iter().flatten().map(|_| Counters::new(kinds)).collect();
        for turn in turns {
            let counters = &counters[turn.worker];
            if turn.seen_ns >= self.stop_ns {
                edges.stop_at(self.stop_ns);
            }
            let starts = edges.starts();
            let phase = starts.phase_at(turn.at_ns);
            for Logged { op, bytes, issue_ns, done_ns, .. } in turn.done.iter().copied() {
                let intended_ns = None;
                let completion = Completion { op, bytes, issue_ns, done_ns, intended_ns };
                counters.completed(&starts, phase, completion);
            }
            counters.submitted(phase, turn.issued);
            if turn.issued > 0 && counters.first_issue_ns.value() == u64::MAX {
                counters.first_issue_ns.set(turn.at_ns);
                presence[turn.stream].worker_active(&edges, turn.at_ns);
            }
            if let Some(end) = turn.end {
                let finished_ns = (end == End::Finished).then_some(turn.at_ns);
                presence[turn.stream].worker_ended(&edges, finished_ns);
            }
        }
        edges.stop_at(self.stop_ns);
        let starts = edges.starts();
        let end_ns = end_ns(turns);
        let totals: Vec<_> = Phase::ALL
            .into_iter()
            .flat_map(|phase| {
                counters
                    .iter()
                    .filter_map(move |counters| counters.totals(phase, starts.span(phase, end_ns)))
            })
            .collect();
        (merge_phases(&totals), edges)
    }
}

/// When the last worker ended, with or without a completion.
fn end_ns(turns: &[Turn]) -> u64 {
    turns.iter().map(|turn| turn.at_ns).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Workers that see at once what others did agree with the log to the byte.
    #[test]
    fn the_window_is_that_of_the_log(plan in plan(0)) {
        let turns = plan.turns();
        let log = plan.log(&turns);
        let (all, edges) = plan.count(&turns);
        assert_conserved(&log, &all);
        let (from, to) = edges.starts().span(Phase::Window, end_ns(&turns));
        prop_assert_eq!(log.window(), (from < to).then_some((from, to)));
        for totals in &all {
            let span = (totals.from_ns, totals.to_ns);
            let (bytes, operations) = log.moved(span);
            // A request in several phases is rounded to a whole byte in each but its last.
            let edges_ns = Phase::ALL.map(|phase| edges.starts().0[phase.index()]);
            let divided: usize = edges_ns.iter().map(|at_ns| log.straddling(*at_ns)).sum();
            let counted = (totals.read_bytes + totals.write_bytes) as f64;
            prop_assert!((counted - bytes).abs() <= divided as f64 + 0.01, "{totals:?} {bytes}");
            let counted = totals.operations_ppm as f64;
            prop_assert!((counted - operations * 1e6).abs() <= divided as f64 + 0.01);
        }
        let Some(window) = log.window() else {
            let nothing = phase(&all, Phase::Window).is_none_or(|totals| totals.completed == 0);
            prop_assert!(nothing, "an empty window holds nothing");
            return Ok(());
        };
        let totals = phase(&all, Phase::Window).expect("it lasted");
        assert_percentiles(&histogram(totals), &log.latencies(window));
        let (bytes, _) = log.moved(window);
        if bytes > 200.0 * 64.0 {
            let counted = (totals.read_bytes + totals.write_bytes) as f64;
            prop_assert!((counted / bytes - 1.0).abs() < 0.005, "{counted} for {bytes}");
        }
    }

    /// Workers that are held up between reading the clock and telling others err by no more than
    /// what ended meanwhile; and nothing is lost.
    #[test]
    fn workers_that_are_held_up_err_by_what_ended_meanwhile(plan in plan(200_000)) {
        let turns = plan.turns();
        let log = plan.log(&turns);
        let (all, edges) = plan.count(&turns);
        assert_conserved(&log, &all);
        let lag_ns = plan.lags_ns.iter().max().copied().unwrap_or(0) + 1;
        let (from, to) = edges.starts().span(Phase::Window, end_ns(&turns));
        // Of two workers of a stream the later may be the first to tell that the stream began.
        let exact = log.window().unwrap_or((to, to));
        prop_assert!((exact.0..=exact.0 + lag_ns).contains(&from) || from == to);
        prop_assert!(to == exact.1 || from == to);
        if from == to {
            prop_assert!(exact.1 - exact.0 <= lag_ns, "no window, but there was {exact:?}");
            return Ok(());
        }
        let missed = log.ended_in(from, from + lag_ns) + log.ended_in(to, to + lag_ns);
        let (bytes, _) = log.moved((from, to));
        let counted = phase(&all, Phase::Window).map_or(0, |t| t.read_bytes + t.write_bytes);
        let divided = log.straddling(from) + log.straddling(to);
        let allowed = (missed + divided as u64) as f64 + 0.01;
        prop_assert!((counted as f64 - bytes).abs() <= allowed, "{counted} {bytes} {allowed}");
    }
}
