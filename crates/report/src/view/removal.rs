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
    /// `moved`, `reserve`, `degraded`, `gone` or `stopped`.
    pub kind: &'static str,
    /// Which volume or stream.
    pub name: String,
    /// In words.
    pub text: String,
}
