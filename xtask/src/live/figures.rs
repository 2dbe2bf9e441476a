//! What fio and a simulation are compared by.

use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::stage::Stage;
use super::system::Study;

/// Longest that a simulation may take.
const SIMULATING: Duration = Duration::from_secs(300);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    pub bytes_per_sec: f64,
    pub mean_ns: f64,
    pub p99_ns: f64,
}

/// A case that was simulated.
#[derive(Debug)]
pub(crate) struct Simulated {
    pub figures: Figures,
    /// The study of the case alone, with everything written out.
    pub text: String,
}

#[derive(Deserialize)]
struct Printed {
    cases: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    case: Text,
    findings: Findings,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
struct Findings {
    headline: Headline,
    latency_ns_mean: f64,
    latency_ns_p99: f64,
}

#[derive(Deserialize)]
struct Headline {
    throughput_bytes_per_sec: f64,
}

/// Simulates the one case of a study.
pub(crate) fn simulated(stage: &Stage, study: &Study) -> Result<Simulated> {
    let words = study.command("simulate", &["--json", "--no-report", "--no-progress"]);
    let printed: Printed = serde_json::from_slice(&stage.iopath(&words, SIMULATING)?)
        .context("iopath simulate prints another JSON")?;
    let One { case, findings } = printed.cases.into_iter().next().context("no case")?;
    let figures = Figures {
        bytes_per_sec: findings.headline.throughput_bytes_per_sec,
        mean_ns: findings.latency_ns_mean,
        p99_ns: findings.latency_ns_p99,
    };
    Ok(Simulated { figures, text: case.text })
}
