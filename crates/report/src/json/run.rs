//! A run, `iopath-run/8`: every finding under its own name.

use std::collections::BTreeMap;

use iopath_analysis::hosts::HostShares;
use iopath_analysis::load_sweep::LoadSweep;
use iopath_analysis::{Balance, Depths, Prediction};
use iopath_record::{CaseText, Emulated};
use serde::Serialize;
use serde_json::Value;

use super::find_max::{WithSentence, searches};
use super::watch::{self, Interval};
use super::{Crossed, Found, Versioned, WithEvidence, balances, versioned};
use crate::sections::{depths, load_sweep};
use crate::view::RunView;
use crate::view::case::Case;
use crate::view::run::TrialReport;

#[derive(Serialize)]
struct Run<'a> {
    run: Option<&'a str>,
    trials: Vec<Trial<'a>>,
    #[serde(rename = "ladders")]
    load_sweeps: Vec<LoadSweep>,
    depths: Vec<WithEvidence<'a, Depths>>,
    searches: Vec<WithSentence>,
}

#[derive(Serialize)]
struct Trial<'a> {
    #[serde(with = "Case")]
    case: &'a CaseText,
    technique: &'static str,
    emulated: Option<Emulated>,
    environment: &'a BTreeMap<String, String>,
    findings: Found<'a>,
    prediction: Option<&'a Prediction>,
    layers: Crossed<'a>,
    balance: Vec<WithEvidence<'a, Balance>>,
    hosts: Option<&'a HostShares>,
    watched: Option<Versioned<Interval<'a>>>,
}

/// The run as a value; keys and units are described in `docs/findings.md`.
#[must_use]
pub fn render_json(run: &RunView) -> Value {
    let RunView { report, .. } = run;
    let depths = depths::of(&report.trials);
    let run = Run {
        run: report.id.as_deref(),
        trials: report.trials.iter().map(trial).collect(),
        load_sweeps: load_sweep::of(report),
        depths: super::depths(&depths),
        searches: searches(run),
    };
    versioned("iopath-run/8", &run)
}

fn trial(trial: &TrialReport) -> Trial<'_> {
    Trial {
        case: &trial.case,
        technique: trial.technique.name(),
        emulated: trial.technique.emulated(),
        environment: &trial.environment,
        findings: Found::of(&trial.findings),
        prediction: trial.prediction.as_ref(),
        layers: Crossed::of(&trial.layers),
        balance: balances(&trial.balance),
        hosts: trial.hosts.as_ref(),
        watched: trial.watched.as_ref().map(watch::stored),
    }
}
