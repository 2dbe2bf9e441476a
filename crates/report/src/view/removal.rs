//! What the loss of parts costs: what there was before, what is there after, what became of
//! volumes and streams.

use iopath_analysis::{Findings, Headline, Prediction};
use serde::Serialize;

/// What was taken out of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Removal {
    /// As the user named it.
    pub removed: Vec<String>,
    /// What there was with everything in place.
    pub before: Carried,
    /// What became of volumes and streams.
    pub lost: Vec<Lost>,
}

/// What all streams together get through.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Carried {
    /// Bytes per second.
    pub throughput_bytes_per_sec: f64,
    /// Requests per second.
    pub operations_per_sec: f64,
}

impl Carried {
    /// As bounds say it.
    #[must_use]
    pub fn predicted(prediction: &Prediction) -> Self {
        let Prediction { throughput_bytes_per_sec, operations_per_sec, .. } = *prediction;
        Self { throughput_bytes_per_sec, operations_per_sec }
    }

    /// As it was found: the headline figure.
    #[must_use]
    pub fn found(findings: &Findings) -> Self {
        let Headline { throughput_bytes_per_sec, operations_per_sec, .. } = findings.headline;
        Self { throughput_bytes_per_sec, operations_per_sec }
    }
}

/// What became of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// `moved`, `reserve`, `degraded`, `spare`, `gone` or `stopped`.
    pub kind: &'static str,
    /// Which volume or stream.
    pub name: String,
    /// In words.
    pub text: String,
    /// How long its rebuild takes at least, where a volume goes on without a drive.
    pub rebuild: Option<Rebuild>,
}

/// The rebuild of one lost drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rebuild {
    /// Bytes to write, where the size of the drive is stated.
    pub bytes: Option<u64>,
    /// Bytes written per second at most.
    pub bytes_per_sec: u64,
    /// What allows no more, without indices.
    pub limit: String,
    /// Drives that are read for it.
    pub reads: u32,
    /// Whether a spare is left for it.
    pub has_spare: bool,
}

impl Rebuild {
    /// The least time, in nanoseconds.
    #[must_use]
    pub fn least_ns(&self) -> Option<f64> {
        let bytes = self.bytes.filter(|_| self.bytes_per_sec > 0)?;
        Some(bytes as f64 / self.bytes_per_sec as f64 * 1e9)
    }
}
