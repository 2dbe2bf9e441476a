//! JSON of every format: a file for each, with types that derive how they are written, and here
//! what formats share. Numbers are unrounded, sentences in decimal units; keys and units are
//! described in `docs/json.md`.

use iopath_analysis::layers::{Explanation, LayerTransition, Tier};
use iopath_analysis::limit::{Evidence, Limiting};
use iopath_analysis::{Balance, Depths, Findings, LawCheck, Layers};
use iopath_units::System;
use serde::Serialize;
use serde_json::Value;

use crate::document::AdviceText;
use crate::words::{advice, audit, evidence, layers, warnings};

mod check;
mod crash;
mod emulation;
mod error;
mod explanation;
mod field;
mod find_max;
mod import;
mod layout;
mod live;
mod placing;
mod plan;
mod prediction;
mod probe;
mod profile;
mod run;
mod runbook;
mod runs;
mod simulation;
mod sizing;
mod tree;
mod tuning;
mod validation;
mod watch;

pub use check::check_json;
pub use crash::crash_json;
pub use emulation::{DevicePath, emulation_json, standing_json};
pub use error::error_json;
pub use explanation::explanation_json;
pub use field::field_json;
pub use find_max::find_max_json;
pub use import::import_json;
pub use layout::layout_json;
pub use live::following_json;
pub use placing::{machine_placing_json, placing_json};
pub use plan::plan_json;
pub use prediction::{Timing, builds_json, prediction_json};
pub use probe::probe_json;
pub use profile::profile_json;
pub use run::render_json;
pub use runbook::runbook_json;
pub use runs::{comparison_json, list_json};
pub use simulation::simulation_json;
pub use sizing::sizing_json;
pub use tree::tree_json;
pub use tuning::tuning_json;
pub use validation::{sensitivity_json, validation_json};
pub use watch::watch_json;

/// A value of a format that has a version.
#[must_use]
pub fn versioned<T: Serialize>(format: &'static str, of: &T) -> Value {
    value(&Versioned { format, of })
}

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("keys are texts")
}

/// What has a version, also inside of something else.
#[derive(Serialize)]
struct Versioned<T> {
    format: &'static str,
    #[serde(flatten)]
    of: T,
}

/// A finding with its sentence.
#[derive(Serialize)]
struct WithText<'a, T> {
    #[serde(flatten)]
    finding: &'a T,
    text: String,
}

fn with_text<T>(all: &[T], sentence: fn(&T, System) -> String) -> Vec<WithText<'_, T>> {
    let one = |finding| WithText { finding, text: sentence(finding, System::Decimal) };
    all.iter().map(one).collect()
}

/// A finding with its lines of evidence.
#[derive(Serialize)]
struct WithEvidence<'a, T> {
    #[serde(flatten)]
    finding: &'a T,
    evidence: Vec<WithText<'a, Evidence>>,
}

impl<'a, T> WithEvidence<'a, T> {
    fn by(finding: &'a T, lines: &'a [Evidence]) -> Self {
        Self { finding, evidence: with_text(lines, evidence::sentence) }
    }
}

fn balances(all: &[Balance]) -> Vec<WithEvidence<'_, Balance>> {
    all.iter().map(|one| WithEvidence::by(one, &one.evidence)).collect()
}

fn depths(all: &[Depths]) -> Vec<WithEvidence<'_, Depths>> {
    all.iter().map(|one| WithEvidence::by(one, &one.evidence)).collect()
}

/// The findings of a trial that have sentences.
#[derive(Serialize)]
struct Judged<'a> {
    limit: WithEvidence<'a, Limiting>,
    advice: Vec<AdviceText>,
    warnings: Vec<Warned<'a>>,
    audit: Vec<WithText<'a, LawCheck>>,
}

#[derive(Serialize)]
struct Warned<'a> {
    kind: &'a str,
    text: String,
}

impl<'a> Judged<'a> {
    fn of(findings: &'a Findings) -> Self {
        let warned = findings.warnings.iter().map(|warning| Warned {
            kind: warning.kind(),
            text: warnings::text(warning, System::Decimal),
        });
        Self {
            limit: WithEvidence::by(&findings.limit, &findings.limit.evidence),
            advice: advice::texts(findings.advice.iter()),
            warnings: warned.collect(),
            audit: with_text(&findings.audit, |one, system| audit::sentence(&one.law, system)),
        }
    }
}

/// All findings of a trial.
#[derive(Serialize)]
struct Found<'a> {
    #[serde(flatten)]
    figures: &'a Findings,
    #[serde(flatten)]
    judged: Judged<'a>,
}

impl<'a> Found<'a> {
    fn of(figures: &'a Findings) -> Self {
        Self { figures, judged: Judged::of(figures) }
    }
}

/// What each layer did, and why they differ.
#[derive(Serialize)]
struct Crossed<'a> {
    tiers: &'a [Tier],
    steps: Vec<Explained<'a>>,
}

#[derive(Serialize)]
struct Explained<'a> {
    #[serde(flatten)]
    step: &'a LayerTransition,
    explanations: Vec<WithText<'a, Explanation>>,
}

impl<'a> Crossed<'a> {
    fn of(all: &'a Layers) -> Self {
        let steps = all.steps.iter().map(|step| Explained {
            step,
            explanations: with_text(&step.explanations, layers::sentence),
        });
        Self { tiers: &all.tiers, steps: steps.collect() }
    }
}
