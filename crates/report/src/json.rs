//! A run as JSON, `iopath-run/6`: every finding, unrounded, under its own name.

use iopath_analysis::limit::Evidence;
use iopath_analysis::{Balance, Findings, LawCheck, Layers};
use iopath_record::CaseText;
use iopath_units::System;
use serde::Serialize;
use serde_json::{Value, json};

use crate::run::{RunReport, TrialReport};
use crate::sections::{depths, ladder};
use crate::watch::Stored;
use crate::words::{self, audit, evidence};

/// The run as a value; keys and units are told in `docs/findings.md`.
#[must_use]
pub fn render_json(run: &RunReport) -> Value {
    let trials: Vec<Value> = run.trials.iter().map(trial).collect();
    json!({
        "format": "iopath-run/6",
        "run": run.id,
        "trials": trials,
        "ladders": ladder::of(run),
        "depths": depths_json(&run.trials),
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

/// Findings with their sentences, which JSON has in decimal units.
pub(crate) fn findings_json(findings: &Findings) -> Value {
    let mut value = json!(findings);
    value["limit"] = with_evidence(&findings.limit, &findings.limit.evidence);
    value["advice"] = json!(words::advice::texts(findings.advice.iter()));
    value["warnings"] = words::warnings::json(&findings.warnings);
    value["audit"] = audit_json(&findings.audit);
    value
}

pub(crate) fn audit_json(all: &[LawCheck]) -> Value {
    all.iter().map(|one| with_text(one, audit::sentence(&one.law, System::Decimal))).collect()
}

pub(crate) fn layers_json(layers: &Layers) -> Value {
    let mut value = json!(layers);
    for (at, step) in layers.steps.iter().enumerate() {
        let each = step.explanations.iter();
        let each = each.map(|one| with_text(one, words::layers::sentence(one, System::Decimal)));
        value["steps"][at]["explanations"] = each.collect();
    }
    value
}

pub(crate) fn balance_json(all: &[Balance]) -> Value {
    all.iter().map(|one| with_evidence(one, &one.evidence)).collect()
}

pub(crate) fn depths_json(trials: &[TrialReport]) -> Value {
    depths::of(trials).iter().map(|one| with_evidence(one, &one.evidence)).collect()
}

/// A finding whose lines of evidence have their sentences.
pub(crate) fn with_evidence(finding: &impl Serialize, lines: &[Evidence]) -> Value {
    let mut value = json!(finding);
    let line = |line: &Evidence| with_text(line, evidence::sentence(line, System::Decimal));
    value["evidence"] = lines.iter().map(line).collect();
    value
}

fn with_text(finding: &impl Serialize, text: String) -> Value {
    let mut value = json!(finding);
    value["text"] = text.into();
    value
}

fn trial(trial: &TrialReport) -> Value {
    json!({
        "case": case_text(&trial.case),
        "technique": trial.technique.name(),
        "emulated": trial.technique.emulated(),
        "environment": trial.environment,
        "findings": findings_json(&trial.findings),
        "prediction": trial.prediction,
        "layers": layers_json(&trial.layers),
        "balance": balance_json(&trial.balance),
        "watched": trial.watched.as_ref().map(Stored::json),
    })
}
