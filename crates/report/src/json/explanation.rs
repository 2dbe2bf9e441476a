//! What holds each trial of a run back, `iopath-explanation/1`.

use iopath_analysis::findings::StreamRate;
use iopath_analysis::{Balance, Depths, SharedLimitHint};
use iopath_record::CaseText;
use serde::Serialize;
use serde_json::Value;

use super::{Crossed, Judged, WithEvidence, balances, versioned};
use crate::sections::depths;
use crate::sections::limit::probe;
use crate::view::case::Case;
use crate::view::run::TrialReport;
use crate::view::{DescribedPath, RunView};

#[derive(Serialize)]
struct Run<'a> {
    run: &'a str,
    trials: Vec<Trial<'a>>,
    depths: Vec<WithEvidence<'a, Depths>>,
}

#[derive(Serialize)]
struct Trial<'a> {
    #[serde(with = "Case")]
    case: &'a CaseText,
    technique: &'static str,
    /// The format's word.
    alike: Option<SharedLimit<'a>>,
    layers: Crossed<'a>,
    balance: Vec<WithEvidence<'a, Balance>>,
    jain: Option<f64>,
    min_stream: Option<&'a StreamRate>,
    max_stream: Option<&'a StreamRate>,
    #[serde(flatten)]
    path: &'a DescribedPath,
    reached_of_expected: Option<f64>,
    #[serde(flatten)]
    judged: Judged<'a>,
}

/// Members whose limits one run cannot tell apart, and what can.
#[derive(Serialize)]
struct SharedLimit<'a> {
    #[serde(flatten)]
    hint: &'a SharedLimitHint,
    command: String,
}

/// The run as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn explanation_json(view: &RunView) -> Value {
    let run = view.name();
    let depths = depths::of(&view.report.trials);
    let trials = view.trials().map(|(one, path)| trial(run, one, path)).collect();
    versioned("iopath-explanation/1", &Run { run, trials, depths: super::depths(&depths) })
}

fn trial<'a>(run: &str, trial: &'a TrialReport, path: &'a DescribedPath) -> Trial<'a> {
    let findings = &trial.findings;
    let shared_limit = trial.shared_limit.as_ref();
    Trial {
        case: &trial.case,
        technique: trial.technique.name(),
        alike: shared_limit.map(|hint| SharedLimit { hint, command: probe(run) }),
        layers: Crossed::of(&trial.layers),
        balance: balances(&trial.balance),
        jain: findings.jain,
        min_stream: findings.min_stream.as_ref(),
        max_stream: findings.max_stream.as_ref(),
        path,
        reached_of_expected: path.reached(findings),
        judged: Judged::of(findings),
    }
}
