//! Totals of one stream, by phase of its pass.
//!
//! ```text
//! go          warm-up ends   all active      first one done    stop        last one done
//! |--warm-up--|-----ramp-----|-----window----|------tail-------|---drain---|
//! ```
//!
//! The edges are known while the pass runs, so de-skewed figures (those of the window, in which
//! every stream is active) are exact without a log of requests. A request that straddles an edge
//! is divided by time: its bytes and its one operation go to each phase in proportion.
//! Histograms and `completed` count a request whole, in the phase in which it completed.

use serde::{Deserialize, Serialize};

use iopath_units::{Action, Op};

use crate::{EntityId, Histogram};

/// What one stream did in one pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamTotals {
    /// The stream.
    pub entity: EntityId,
    /// What its requests do; since format 9.
    #[serde(default, skip_serializing_if = "Action::is_transfer")]
    pub action: Action,
    /// First request issued, on the record's axis.
    pub first_issue_ns: u64,
    /// First request completed.
    pub first_done_ns: u64,
    /// Last request completed.
    pub last_done_ns: u64,
    /// The phases in which it did anything, in order.
    pub phases: Vec<PhaseTotals>,
}

/// The phases of a pass.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Time that the study asked not to count.
    WarmUp,
    /// Not every stream has issued its first request.
    Ramp,
    /// Every stream is active: the de-skewed part.
    #[default]
    Window,
    /// At least one stream is done with its work.
    Tail,
    /// Nothing more is issued; what is in flight comes home.
    Drain,
}

impl Phase {
    /// All, in the order of time.
    pub const ALL: [Self; 5] = [Self::WarmUp, Self::Ramp, Self::Window, Self::Tail, Self::Drain];

    /// Position in [`Phase::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether its traffic belongs to the measured part of a pass.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        !matches!(self, Self::WarmUp)
    }
}

/// What one stream did in one phase. Times are on the record's axis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseTotals {
    /// Which phase.
    pub phase: Phase,
    /// When it began.
    pub from_ns: u64,
    /// When it ended.
    pub to_ns: u64,
    /// Requests issued in it.
    pub submitted: u64,
    /// Requests that completed in it.
    pub completed: u64,
    /// Requests that failed in it.
    pub failed: u64,
    /// Operations in proportion to time, in millionths: straddlers count by their share.
    pub operations_ppm: u64,
    /// Bytes read, straddlers in proportion.
    pub read_bytes: u64,
    /// Bytes written, straddlers in proportion.
    pub write_bytes: u64,
    /// Bytes trimmed, straddlers in proportion; since format 9.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_bytes: u64,
    /// Time that requests were in flight in this phase, summed over requests.
    pub in_flight_ns: u64,
    /// Time that finished parts waited for their siblings.
    pub join_wait_ns: u64,
    /// Time that requests due in an open loop waited for a free slot, or the next request of a
    /// stream for its partner (reading behind writing).
    pub pool_wait_ns: u64,
    /// Time that the stream had nothing in flight because nothing was due.
    pub idle_ns: u64,
    /// Processor time of the stream's own threads in user mode.
    pub user_ns: u64,
    /// Processor time of the stream's own threads in the kernel.
    pub system_ns: u64,
    /// One histogram for each kind of latency and operation that occurred.
    pub latency: Vec<LatencyHistogram>,
}

fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

/// A histogram with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyHistogram {
    /// From when to when.
    pub what: Latency,
    /// Of which operation; of a stream that moves no data, whether it changes something (write).
    pub op: Op,
    /// The distribution.
    pub histogram: Histogram,
}

/// From when to when a latency counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Latency {
    /// From issue until the kernel had taken the request.
    Submit,
    /// From then until completion.
    Complete,
    /// From issue until completion.
    Total,
    /// From the intended start of an open loop until completion (no coordinated omission).
    Intended,
    /// How far a follower was behind its leader.
    Lag,
    /// Of a flush, from its issue until its completion; since format 7.
    Flush,
    /// From a write's issue until the flush that covers it is done; since format 7.
    Commit,
    /// From a write's intended start until the flush that covers it is done; since format 7.
    IntendedCommit,
}

impl Latency {
    /// Of requests, by operation.
    pub const OF_REQUESTS: [Self; 2] = [Self::Total, Self::Intended];

    /// Of flushes and of what they cover.
    pub const OF_FLUSHES: [Self; 3] = [Self::Flush, Self::Commit, Self::IntendedCommit];
}

impl LatencyHistogram {
    /// All of a phase that hold something, from what counts them: for each of
    /// [`Latency::OF_REQUESTS`] by operation, for each of [`Latency::OF_FLUSHES`] of writes.
    #[must_use]
    pub fn of_phase<C>(
        requests: [&[C; 2]; 2],
        flushes: [&C; 3],
        histogram: impl Fn(&C) -> Option<Histogram>,
    ) -> Vec<Self> {
        let requests = Latency::OF_REQUESTS.into_iter().zip(requests);
        let requests =
            requests.flat_map(|(what, by_op)| Op::BOTH.map(|op| (what, op, &by_op[op.index()])));
        let flushes = Latency::OF_FLUSHES.into_iter().zip(flushes);
        let flushes = flushes.map(|(what, counts)| (what, Op::Write, counts));
        let known = requests.chain(flushes).filter_map(|(what, op, counts)| {
            let histogram = histogram(counts).filter(|histogram| histogram.count() > 0)?;
            Some(Self { what, op, histogram })
        });
        known.collect()
    }
}
