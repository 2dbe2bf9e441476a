//! What holds each trial of a run back as JSON, `iopath-explanation/1`.

use iopath_analysis::Alike;
use serde_json::{Value, json};

use crate::json::{audit_json, balance_json, case_text, depths_json, layers_json, with_evidence};
use crate::run::TrialReport;
use crate::sections::limit::probe;
use crate::view::{DescribedPath, RunView};
use crate::words;

/// The run as a value; keys and units are told in `docs/json.md`.
#[must_use]
pub fn explanation_json(view: &RunView) -> Value {
    let run = view.name();
    let each: Vec<Value> = view.trials().map(|(trial, path)| value(run, trial, path)).collect();
    let depths = depths_json(&view.report.trials);
    json!({ "format": "iopath-explanation/1", "run": run, "trials": each, "depths": depths })
}

fn value(run: &str, trial: &TrialReport, path: &DescribedPath) -> Value {
    let alike = trial.alike.as_ref().map(|Alike { how, members, bytes_per_sec }| {
        json!({
            "how": how,
            "members": members,
            "bytes_per_sec": bytes_per_sec,
            "command": probe(run),
        })
    });
    let findings = &trial.findings;
    json!({
        "case": case_text(&trial.case),
        "technique": trial.technique.name(),
        "limit": with_evidence(&findings.limit, &findings.limit.evidence),
        "alike": alike,
        "layers": layers_json(&trial.layers),
        "balance": balance_json(&trial.balance),
        "advice": words::advice::texts(findings.advice.iter()),
        "jain": findings.jain,
        "min_stream": findings.min_stream,
        "max_stream": findings.max_stream,
        "expected": path.expected,
        "reached_of_expected": path.reached(findings),
        "unrated": path.unrated,
        "audit": audit_json(&findings.audit),
        "warnings": words::warnings::json(&findings.warnings),
    })
}
