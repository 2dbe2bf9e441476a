//! Intensities of a load's sub-streams: a line for each trial, and a table of its sub-streams.

use iopath_analysis::intensity::Intensity;

use iopath_units::System;

use super::Shown;
use crate::document::{Block, Section, Table};
use crate::numbers::{UNKNOWN, operations};
use crate::view::run::TrialReport;

/// Whether each trial with such a load kept them; the sub-streams of one trial, of several folded.
pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let with = || shown.trials.iter().filter(|trial| !trial.findings.intensities.is_empty());
    let mut blocks: Vec<Block> = Block::lines(with().map(sentence).collect()).into_iter().collect();
    let tables = with().map(|trial| Block::Table(table(trial, shown.system)));
    match with().count() {
        0 | 1 => blocks.extend(tables),
        _ => blocks.extend(Block::fold("sub-streams of each trial", tables.collect())),
    }
    Section::of("intensities", "intensities", blocks)
}

fn sentence(trial: &TrialReport) -> String {
    let all = &trial.findings.intensities;
    let count = |kept| all.iter().filter(|one| one.kept == kept).count();
    let (missed, unknown) = (count(Some(false)), count(None));
    let label = trial.label();
    match (missed, unknown) {
        (0, 0) => format!(
            "{label}: kept by all {} sub-streams, within 5 % and with a variation of at most 0.2",
            all.len()
        ),
        (0, _) => format!(
            "{label}: too few requests to say of {unknown} of {} sub-streams; run longer",
            all.len()
        ),
        _ => format!("{label}: not kept by {missed} of {} sub-streams", all.len()),
    }
}

fn table(trial: &TrialReport, system: System) -> Table {
    let number =
        |value: Option<f64>| value.map_or(UNKNOWN.to_owned(), |value| format!("{value:.3}"));
    let kept = |one: &Intensity| match one.kept {
        Some(true) => "kept",
        Some(false) => "not kept",
        None => "too few requests",
    };
    Table::of(&trial.findings.intensities)
        .titled(format!("intensities of {}", trial.label()))
        .column("sub-stream", |one| one.stream.clone())
        .column("wanted", |one| operations(one.wanted_per_sec, system))
        .column("completed", |one| operations(one.measured_per_sec, system))
        .column("ratio", |one| number(one.ratio))
        .column("variation", |one| number(one.coefficient_of_variation))
        .column("", |one| kept(one).to_owned())
        .done()
}
