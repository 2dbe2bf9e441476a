//! What a trial amounts to: derived figures with stable names, told one by one in
//! `docs/findings.md`. `None` means "not known from this record", never 0.

use serde::Serialize;

use crate::judges::advice::Advice;
use crate::judges::audit::LawCheck;
use crate::judges::evidence::Limiting;
use crate::judges::failures::FailureSpan;
use crate::judges::intensity::Intensity;
use crate::judges::lag::LagFindings;
use crate::statistics::Confidence;
use iopath_record::BadBlocks;

pub(crate) mod action;
pub(crate) mod analyse;
pub(crate) mod epoch;
mod flush;
mod latency;
pub(crate) mod trial;
mod warning;
pub(crate) mod warnings;
pub(crate) mod watched;

pub use action::ActionFindings;
pub use epoch::EpochFindings;
pub use flush::FlushFindings;
pub use latency::LatencySummary;
pub(crate) use trial::Trial;
pub use warning::{UnfairStreams, Warning};

/// Everything derived from the passes of one trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// The rate of this trial, wherever one figure stands for it.
    pub headline: Headline,
    /// Bytes of the measured part over its length.
    pub throughput_bytes_per_sec: f64,
    /// Bytes while every stream was active, over that time; none where that never was.
    pub deskewed_throughput_bytes_per_sec: Option<f64>,
    /// Requests of the measured part over its length.
    pub operations_per_sec: f64,
    /// Requests while every stream was active, over that time.
    pub deskewed_operations_per_sec: Option<f64>,
    /// Requests a second that the study asks of an open loop; none where some stream has no such
    /// rate.
    pub wanted_operations_per_sec: Option<f64>,
    /// The same for a rate in bytes.
    pub wanted_bytes_per_sec: Option<f64>,
    /// Requests that completed in the measured part.
    pub requests: u64,
    /// Requests that failed in the measured part.
    pub failed: u64,
    /// Bytes moved in the measured part.
    pub bytes: u64,
    /// Length of the measured part, summed over passes.
    pub duration_ns: u64,
    /// Length of the windows, summed over passes.
    pub window_ns: u64,
    /// Which requests the latencies are of.
    pub latency_of: LatencyOf,
    /// From issue to completion.
    pub latency_ns_mean: Option<f64>,
    /// Half of the requests took no longer.
    pub latency_ns_p50: Option<u64>,
    /// 90 % of the requests took no longer.
    pub latency_ns_p90: Option<u64>,
    /// 99 % of the requests took no longer.
    pub latency_ns_p99: Option<u64>,
    /// 99.9 % of the requests took no longer.
    pub latency_ns_p999: Option<u64>,
    /// The slowest request.
    pub latency_ns_max: Option<u64>,
    /// From the intended start of an open loop; none for a closed loop.
    pub intended_latency_ns_mean: Option<f64>,
    /// Half of the requests took no longer from their intended start.
    pub intended_latency_ns_p50: Option<u64>,
    /// 90 % of them.
    pub intended_latency_ns_p90: Option<u64>,
    /// 99 % of them.
    pub intended_latency_ns_p99: Option<u64>,
    /// 99.9 % of them.
    pub intended_latency_ns_p999: Option<u64>,
    /// The longest from its intended start.
    pub intended_latency_ns_max: Option<u64>,
    /// The reads alone, where the trial wrote too.
    pub read: Option<OpFindings>,
    /// The writes alone, where the trial read too.
    pub write: Option<OpFindings>,
    /// Flushes, where streams issued some.
    pub flush: Option<FlushFindings>,
    /// What streams did that moves no data: a row for each kind.
    pub actions: Vec<ActionFindings>,
    /// Processor time in user mode over the measured part.
    pub cpu_user_ns: Option<f64>,
    /// Processor time in the kernel over the measured part, kernel workers included.
    pub cpu_system_ns: Option<f64>,
    /// The kernel workers' part of it; none where it was not counted.
    pub cpu_worker_ns: Option<f64>,
    /// Processor time a request, user and system.
    pub cpu_ns_per_request: Option<f64>,
    /// Processor time a byte, user and system.
    pub cpu_ns_per_byte: Option<f64>,
    /// How far apart streams began and ended, in the worst pass.
    pub skew_ns: Skew,
    /// Jain's index over the streams' throughput in the window.
    pub jain: Option<f64>,
    /// The slowest stream of the window.
    pub min_stream: Option<StreamRate>,
    /// The fastest stream of the window.
    pub max_stream: Option<StreamRate>,
    /// Every stream.
    pub streams: Vec<StreamFindings>,
    /// Those that ran together, in the order of time; empty where all did.
    pub epochs: Vec<EpochFindings>,
    /// How far streams that follow others were behind, one for each declaration of such.
    pub lags: Vec<LagFindings>,
    /// What streams got before, between and after failures of a simulation.
    pub failures: Vec<FailureSpan>,
    /// Every sub-stream of a load that has some.
    pub intensities: Vec<Intensity>,
    /// What held the trial back, with evidence.
    #[serde(skip)]
    pub limit: Limiting,
    /// What is worth changing, what concerns the limit first; `report` has the words.
    #[serde(skip)]
    pub advice: Vec<Advice>,
    /// The passes one by one.
    pub passes: Vec<PassFindings>,
    /// Mean throughput over passes with its 95 % interval; none for one pass.
    pub confidence: Option<Confidence>,
    /// What verification found over all passes; left out where it found nothing.
    #[serde(skip_serializing_if = "BadBlocks::is_empty")]
    pub bad_blocks: BadBlocks,
    /// What a reader must know, from the record and from the figures; `report` has the words.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
    /// The laws, broken ones first.
    #[serde(skip)]
    pub audit: Vec<LawCheck>,
}

/// The one rate of a trial. Of a simulation it is that of the window, because the drain of a model
/// is no part of its load; of a measurement that of the measured part, which says how long the
/// work took; without a window there is only the measured part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Headline {
    /// Bytes a second.
    pub throughput_bytes_per_sec: f64,
    /// Requests a second.
    pub operations_per_sec: f64,
    /// Which part of the passes it is of.
    pub of: LatencyOf,
}

/// Which requests a latency is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LatencyOf {
    /// Those that completed while every stream was active.
    Window,
    /// All of the measured part, because there was no such time.
    Counted,
}

/// One operation of a trial that reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpFindings {
    /// Bytes of this operation over the length of the measured part.
    pub throughput_bytes_per_sec: f64,
    /// Completed requests of this operation over the length of the measured part.
    pub operations_per_sec: f64,
    /// Requests that completed.
    pub requests: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// From issue to completion.
    pub latency_ns_mean: Option<f64>,
    /// Half of the requests took no longer.
    pub latency_ns_p50: Option<u64>,
    /// 90 % of the requests took no longer.
    pub latency_ns_p90: Option<u64>,
    /// 99 % of the requests took no longer.
    pub latency_ns_p99: Option<u64>,
    /// 99.9 % of the requests took no longer.
    pub latency_ns_p999: Option<u64>,
    /// The slowest request.
    pub latency_ns_max: Option<u64>,
}

/// How far apart the streams of a pass were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Skew {
    /// Latest first issue less earliest.
    pub front: u64,
    /// Latest last completion less earliest.
    pub back: u64,
}

/// A stream and its throughput in the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamRate {
    /// Which stream.
    pub name: String,
    /// Bytes in the window over its length.
    pub throughput_bytes_per_sec: f64,
}

/// One stream over all passes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamFindings {
    /// Which stream.
    pub name: String,
    /// Bytes of the measured part.
    pub bytes: u64,
    /// Bytes in the window over its length; none without a window.
    pub throughput_bytes_per_sec: Option<f64>,
    /// The same of each pass.
    pub passes_bytes_per_sec: Vec<f64>,
    /// Its first completion, since go, in the earliest pass.
    pub first_done_ns: u64,
    /// Its last completion, since go, in the latest pass.
    pub last_done_ns: u64,
}

/// One pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassFindings {
    /// Which, from 0.
    pub pass: u32,
    /// As for the trial.
    pub throughput_bytes_per_sec: f64,
    /// As for the trial.
    pub deskewed_throughput_bytes_per_sec: Option<f64>,
    /// As for the trial.
    pub operations_per_sec: f64,
}
