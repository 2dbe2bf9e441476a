//! What lines of evidence say, by the law that was applied: what a sentence needs besides the
//! entity, the value and the threshold of its line. The laws are explained in `docs/findings.md`.

use iopath_record::Limit;
use iopath_units::Op;
use serde::Serialize;
use strum::{Display, EnumDiscriminants, VariantNames};

use super::Cause;
use crate::prediction::LimitFinding;

/// A fact; each variant is a law, whose name in JSON is the variant's.
#[derive(Clone, Debug, PartialEq, EnumDiscriminants)]
#[strum_discriminants(
    name(EvidenceLaw),
    doc = "The rule that was applied.",
    derive(Serialize, Display, VariantNames),
    serde(rename_all = "kebab-case"),
    strum(serialize_all = "kebab-case")
)]
pub enum Fact {
    /// Nothing was done, so nothing is judged.
    Completions(Nothing),
    /// A second, of all streams.
    WantedRate { achieved: f64, wanted: f64, measure: RateOf },
    /// Mean in flight.
    FreeSlots { in_flight: f64, slots: u64 },
    /// Nothing was read or written.
    NullEngine,
    /// Requests a second; the ceiling without storage.
    GeneratorCeiling { achieved: f64, ceiling: f64 },
    /// Shares of time in user mode and in the kernel, and whether they prove that one processor's
    /// time limits each stream.
    ThreadTime { user: f64, system: f64, is_limit: bool },
    /// Held back by a limit.
    ThrottledTime,
    /// A limit of a control group, with what was moved a second.
    GroupLimit { achieved: f64, limit: Limit },
    /// Utilisation of the busiest device, and spread over mean of the devices' rates.
    HeldAbove { slots: u64, busiest: f64, spread: f64 },
    /// A token bucket that ran dry.
    Plateau(Plateau),
    /// Files in memory.
    NoDevice,
    /// The share of its bytes that devices saw.
    DeviceBytes(Op),
    /// Of so many targets the least share.
    CachedShare { targets: usize },
    /// Growth of dirty memory over bytes written.
    DirtyBytes,
    /// `own` is the share of this process; none where it was not counted.
    ProcessorTime { count: u32, own: Option<f64>, steal: f64 },
    /// `kernel` is the share of the processor's time there.
    ServedByProcessor { device: String, kernel: f64 },
    /// Whether requests wait for the threads.
    ProcessorWait { waiting: f64, is_held_back: bool },
    /// Time with a flush outstanding.
    Flushes(Flushed),
    /// Mean time of a request, and the least.
    Unqueued { slots: u64, mean_ns: f64, least_ns: f64 },
    /// A rated limit, with what was moved a second.
    Rating { achieved: f64, limit: Limit },
    /// Whether any device could be watched, and its mean in flight.
    Utilisation { is_watched: bool, in_flight: Option<f64> },
    /// Time of requests in the devices.
    Residence,
    /// Mean in flight; the threshold is the number of slots.
    Depth,
    /// A capacity of a component.
    Capacity(CapacityUse),
    /// The limit as the record has it.
    EmulatedPath { limit: String },
    /// Time that parts of requests waited for their siblings.
    JoinWait,
    /// Of the parts on the median member of the volume.
    SlowestPart { volume: String },
    /// Nothing is full.
    Latency(LatencyUse),
    /// Requests at the devices for each of the streams.
    AtDevices,
    /// One member of a volume among the others.
    Member(MemberFact),
    /// Rates of members that share a load.
    Rate(MemberRates),
    /// Times of their requests.
    Service(MemberTimes),
    /// Requests in flight in a member of each group.
    InFlight { fast: f64, slow: f64 },
    /// Slow members get as much as the others.
    Policy,
    /// The rate from the least depth to the greatest.
    DepthRate { from: u64, to: u64, change: DepthChange },
    /// Utilisation of the busiest device.
    DepthBusy,
    /// What is named as the limit; the value is the depth.
    DepthCause(Cause),
}

/// What did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// No request completed.
    Completed,
    /// Nothing that was watched moved anything.
    Moved,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[strum(serialize_all = "lowercase")]
pub enum RateOf {
    Bytes,
    Requests,
}

/// The least and the greatest of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub least: f64,
    pub most: f64,
}

/// A rate that stays after a burst.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// A second, after the burst.
    pub level: f64,
    pub measure: RateOf,
    /// The burst over the level.
    pub times: f64,
    pub intervals: usize,
    /// A write cache that is full looks the same.
    pub may_be_a_full_cache: bool,
}

/// How much of equal capacities is used.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityUse {
    /// How many things are as full.
    pub count: u64,
    /// How many are called so.
    pub of: u64,
    pub limit: LimitFinding,
    pub used: Range,
    /// Full things that have no line.
    pub others: u64,
}

/// Requests on a way where nothing is full.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyUse {
    pub in_flight: f64,
    pub streams: usize,
    pub mean_ns: f64,
    /// What is used most on their way, and how much of it.
    pub fullest: Option<(String, f64)>,
}

/// Rates of members that share a load, a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemberRates {
    pub rates: Range,
    pub measure: RateOf,
    pub members: usize,
    pub idle: usize,
}

/// Mean times of a request by two groups of members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemberTimes {
    pub fast_ns: f64,
    pub slow_ns: f64,
    /// How many are slow; without any the groups are halves.
    pub slow: usize,
    pub others: usize,
}

/// Who flushed, with mean times of a flush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flushed {
    /// The streams, once.
    AtEnd { mean_ns: f64 },
    /// The streams, after so many writes.
    Streams { per_sec: f64, mean_ns: f64, writes: f64 },
    /// A device, for each write.
    EachWrite,
    /// A device, for somebody.
    Device { per_sec: f64, mean_ns: f64 },
}

/// How the busiest member of a volume stands among the others; `busy` is utilisation.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberFact {
    /// It differs from the `others`.
    Odd {
        volume: String,
        others: usize,
        busy: Range,
        /// The time of its requests and of theirs.
        times_ns: Option<(f64, Range)>,
    },
    /// There is no other.
    Alone { member: String, busy: f64 },
    /// All do the same.
    Even { members: usize, busy: Range, is_balanced: bool },
}

/// What a greater depth changed; factors from the least depth to the greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DepthChange {
    /// Not the rate: only the time of a request and how many were in flight.
    Stays { longer: f64, more: f64 },
    /// The rate, to so many times of it.
    Grew { times: f64 },
    /// The rate, to this share of it.
    Fell { times: f64 },
}
