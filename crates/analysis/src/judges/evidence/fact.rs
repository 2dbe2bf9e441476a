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
    name(Law),
    doc = "The rule that was applied.",
    derive(Serialize, Display, VariantNames),
    serde(rename_all = "kebab-case"),
    strum(serialize_all = "kebab-case")
)]
pub enum Fact {
    /// Nothing was done, so nothing is judged.
    Completions(Nothing),
    WantedRate {
        achieved: f64,
        wanted: f64,
        measure: RateOf,
    },
    FreeSlots {
        in_flight: f64,
        slots: u64,
    },
    NullEngine,
    GeneratorCeiling {
        achieved: f64,
        ceiling: f64,
    },
    /// Shares of time in user mode and in the kernel.
    ThreadTime {
        user: f64,
        system: f64,
        /// Whether it proves that one processor's time limits each stream.
        is_limit: bool,
    },
    ThrottledTime,
    GroupLimit {
        achieved: f64,
        limit: Limit,
    },
    HeldAbove {
        slots: u64,
        /// Utilisation of the busiest device.
        busiest: f64,
        /// Spread over mean of the devices' rates.
        spread: f64,
    },
    Plateau(Plateau),
    NoDevice,
    DeviceBytes(Op),
    /// Of so many targets the least share.
    CachedShare {
        targets: usize,
    },
    DirtyBytes,
    ProcessorTime {
        count: u32,
        /// Share of this process; none where it was not counted.
        own: Option<f64>,
        steal: f64,
    },
    ServedByProcessor {
        device: String,
        /// Share of the processor's time in the kernel.
        kernel: f64,
    },
    ProcessorWait {
        waiting: f64,
        /// Whether requests wait for the threads.
        is_held_back: bool,
    },
    Flushes(Flushed),
    Unqueued {
        slots: u64,
        mean_ns: f64,
        least_ns: f64,
    },
    Rating {
        achieved: f64,
        limit: Limit,
    },
    Utilisation {
        /// Whether any device could be watched.
        is_watched: bool,
        in_flight: Option<f64>,
    },
    Residence,
    /// Mean in flight; the threshold is the number of slots.
    Depth,
    Capacity(CapacityUse),
    EmulatedPath {
        /// As the record has it.
        limit: String,
    },
    JoinWait,
    SlowestPart {
        volume: String,
    },
    Latency(LatencyUse),
    AtDevices,
    /// One member of a volume among the others.
    Member(MemberFact),
    /// Rates of members, a second.
    Rate(MemberRates),
    Service(MemberTimes),
    /// Requests in flight in a member of each group.
    InFlight {
        fast: f64,
        slow: f64,
    },
    Policy,
    DepthRate {
        from: u64,
        to: u64,
        change: DepthChange,
    },
    DepthBusy,
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
    /// The rate.
    Grew { times: f64 },
}
