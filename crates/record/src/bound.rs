//! What a technique that lets no time pass leaves besides totals: upper bounds, what binds them,
//! what the next upgrades would give, and response time against load. They are outputs of the
//! technique, so they are kept raw; nothing else of a record tells techniques apart.

use serde::{Deserialize, Serialize};

use crate::EntityId;

/// An upper bound of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Under which freedom of the software it holds.
    pub kind: BoundKind,
    /// Bytes per second of all streams together.
    pub bytes_per_sec: u64,
    /// Operations of all streams together, in thousandths per second.
    pub operations_milli_per_sec: u64,
    /// What binds, dearest first; several are co-bottlenecks.
    pub binding: Vec<Price>,
    /// What to raise next, and what that gives; at most three, each on top of those before.
    pub upgrades: Vec<Upgrade>,
    /// What it does not account for, each a stable word and a text: `readahead: …`.
    pub leaves_out: Vec<String>,
}

/// Under which freedom of the software a bound holds; each is at least as tight as the one before
/// where all streams are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundKind {
    /// Requests may take any route and any member.
    FreeSplit,
    /// Stripes and policies force shares.
    FixedSplit,
    /// Besides, a stream with so many requests in flight cannot exceed them over their time.
    ClosedLoop,
    /// Besides, a request waits for the slowest of its parts.
    Synchronised,
}

/// One limit of one entity: the position in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitId {
    /// Whose.
    pub entity: EntityId,
    /// Which of its limits.
    pub limit: u32,
}

/// What more of one capacity would give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The limit that binds.
    pub of: LimitId,
    /// Growth of the total over growth of this capacity, both relative, in millionths: 1,000,000
    /// where one percent more of it, in every one of the class, gives one percent more in all.
    pub gain_ppm: u64,
}

/// One of the next upgrades.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upgrade {
    /// What to raise, together: raising only some of them would give nothing.
    pub raise: Vec<Raise>,
    /// Bytes per second of all streams together after it.
    pub then_bytes_per_sec: u64,
    /// Operations after it, in thousandths per second.
    pub then_operations_milli_per_sec: u64,
    /// What binds then; empty where nothing that is described does.
    pub then_binds: Vec<LimitId>,
}

/// A limit and how far to raise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raise {
    /// The limit.
    pub of: LimitId,
    /// To how much, in the limit's own measure; beyond that it gives nothing more.
    pub to_per_sec: u64,
}

/// One point of the curve of response time against load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// Load as a share of the saturated throughput, in millionths.
    pub load_ppm: u64,
    /// Operations of all streams together, in thousandths per second.
    pub operations_milli_per_sec: u64,
    /// Bytes per second of all streams together.
    pub bytes_per_sec: u64,
    /// Mean response time of a request.
    pub response_ns: u64,
}
