//! A run as JSON, `iopath-run/6`: every finding, unrounded, under its own name.

use iopath_analysis::Findings;
use iopath_record::CaseText;
use serde_json::{Value, json};

use crate::run::{RunReport, TrialReport};
use crate::watch::Stored;
use crate::{depths, ladder, words};

/// The run as a value; keys and units are told in `docs/findings.md`.
#[must_use]
pub fn render_json(run: &RunReport) -> Value {
    let trials: Vec<Value> = run.trials.iter().map(trial).collect();
    json!({
        "format": "iopath-run/6",
        "run": run.id,
        "trials": trials,
        "ladders": ladder::of(run),
        "depths": depths::of(&run.trials),
    })
}

/// What was asked for, as every report of cases has it.
pub(crate) fn case_text(case: &CaseText) -> Value {
    json!({
        "study": case.study,
        "experiment": case.experiment,
        "levels": case.levels,
        "text": case.text,
        "trial": case.trial,
        "seed": case.seed,
    })
}

/// Every finding, with the words of those that have some.
pub(crate) fn findings(findings: &Findings) -> Value {
    let mut value = json!(findings);
    value["advice"] = json!(words::advice::texts(findings.advice.iter()));
    value["warnings"] = words::warnings::json(&findings.warnings);
    value
}

fn trial(trial: &TrialReport) -> Value {
    json!({
        "case": case_text(&trial.case),
        "technique": trial.technique.name(),
        "emulated": trial.technique.emulated(),
        "environment": trial.environment,
        "findings": findings(&trial.findings),
        "prediction": trial.prediction,
        "layers": trial.layers,
        "balance": trial.balance,
        "watched": trial.watched.as_ref().map(Stored::json),
    })
}
