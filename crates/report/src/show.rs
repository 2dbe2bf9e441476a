//! A run in full: its text, every stream, the facts around it, and the study of each case.

use crate::look::Look;
use crate::numbers::{UNKNOWN, rate, size, time};
use crate::prediction::{Detail, PredictedCase, render_prediction};
use crate::run::{RunReport, TrialReport};
use crate::table::{Column, render};
use crate::text::render_text;
use crate::wrap::{harmless, wrap};
use crate::{intensity, path_text};

/// Everything that is worth reading about a stored run.
#[must_use]
pub fn render_show(run: &RunReport, look: &Look) -> String {
    let name = run.id.as_ref().map(|id| format!("run {id}\n\n")).unwrap_or_default();
    let mut text = match predictions(run) {
        Some(cases) => format!("{name}{}", render_prediction(&cases, Detail::Fitting, look)),
        None => format!("{name}{}{}", render_text(run, look), in_full(run, look)),
    };
    text.push_str(&environment(run, look));
    for trial in run.trials.iter().filter(|trial| !trial.case.text.is_empty()) {
        let study = harmless(trial.case.text.trim_end()).replace('\n', "\n  ");
        text.push_str(&format!("\nstudy of {}\n  {study}\n", trial.label()));
    }
    text
}

/// What is too long for the text of a measurement.
fn in_full(run: &RunReport, look: &Look) -> String {
    let (path, layers) = (path_text::text(run, look), crate::layers::text(run, look));
    format!("{}{path}{layers}{}", render_streams(run, look), intensity::tables(run, look))
}

/// The trials as predictions, where all of them hold bounds.
fn predictions(run: &RunReport) -> Option<Vec<PredictedCase>> {
    let case = |trial: &TrialReport| {
        Some(PredictedCase {
            case: trial.case.clone(),
            technique: trial.technique.clone(),
            prediction: trial.prediction.clone()?,
            removal: None,
        })
    };
    run.trials.iter().map(case).collect::<Option<Vec<_>>>().filter(|cases| !cases.is_empty())
}

/// A table of streams for each trial that has more than one.
#[must_use]
pub fn render_streams(run: &RunReport, look: &Look) -> String {
    let several = run.trials.iter().filter(|trial| trial.findings.streams.len() > 1);
    several
        .map(|trial| format!("\nstreams of {}\n{}\n", trial.label(), streams(trial, look)))
        .collect()
}

fn streams(trial: &TrialReport, look: &Look) -> String {
    let all = &trial.findings.streams;
    let system = look.system;
    let unknown = || UNKNOWN.to_owned();
    let speed = |bytes: Option<f64>| bytes.map_or_else(unknown, |bytes| rate(bytes, system));
    let columns = vec![
        Column::needed("stream", all.iter().map(|stream| stream.name.clone()).collect()),
        Column::needed("bytes", all.iter().map(|stream| size(stream.bytes, system)).collect()),
        Column::needed(
            "throughput in the window",
            all.iter().map(|stream| speed(stream.throughput_bytes_per_sec)).collect(),
        ),
        Column::needed(
            "first done",
            all.iter().map(|stream| time(stream.first_done_ns as f64, system)).collect(),
        ),
        Column::needed(
            "last done",
            all.iter().map(|stream| time(stream.last_done_ns as f64, system)).collect(),
        ),
    ];
    render(columns, look.width)
}

/// Facts that all trials share once, others with their trial.
fn environment(run: &RunReport, look: &Look) -> String {
    let mut lines = Vec::new();
    for (index, trial) in run.trials.iter().enumerate() {
        for (key, value) in &trial.environment {
            let is_shared =
                run.trials.iter().all(|other| other.environment.get(key) == Some(value));
            match (is_shared, index) {
                (true, 0) => lines.push(wrap(&format!("{key}: {value}"), 2, look.width)),
                (true, _) => {}
                (false, _) => {
                    let text = format!("{key}: {value} ({})", trial.label());
                    lines.push(wrap(&text, 2, look.width));
                }
            }
        }
    }
    if lines.is_empty() { String::new() } else { format!("\nenvironment\n{}\n", lines.join("\n")) }
}
