//! How runs compare: every other one against the first, by the laws of `analysis::compare`.

use iopath_analysis::compare;
use iopath_analysis::compare::{Comparison, TrialName};
use iopath_units::System;

use super::{Axis, Block, Chart, Column, Figure, Mark, Section, Table, Trace};
use crate::comparison::{changes, columns, compared, sentence};
use crate::run::{TrialReport, label};
use crate::view::RunView;

const GUIDE: &str = "A group of bars is one trial, a bar in it one run. The thin lines are the \
    95 % interval of the mean over the passes of a trial; a single pass has none. Whether a \
    difference is one is told by the table: intervals that overlap may still differ.";

/// What a run is called beside others.
pub(super) fn name(run: &RunView) -> String {
    run.facts.id.as_ref().map_or_else(|| "a run".to_owned(), |id| format!("run {id}"))
}

pub(super) fn section(runs: &[RunView], system: System) -> Section {
    let mut blocks = Vec::new();
    if let Some((first, others)) = runs.split_first() {
        others.iter().for_each(|other| blocks.extend(pair(first, other, system)));
    }
    blocks.extend(figure(runs, system).map(Block::Figure));
    Section { id: "comparison", title: "Comparison".to_owned(), blocks }
}

/// A is the first run, B another one.
fn pair(a: &RunView, b: &RunView, system: System) -> Vec<Block> {
    let names = format!("A is {}, B is {}", name(a), name(b));
    let comparison = match compare(&a.records, &b.records) {
        Ok(comparison) => comparison,
        Err(error) => return vec![Block::Notice(names, error.to_string())],
    };
    let mut blocks = vec![Block::Verdict(format!("{names}: {}", sentence(&comparison)))];
    blocks.extend(table(&names, &comparison, system));
    blocks.extend(only("Only in A", &comparison.only_in_a));
    blocks.extend(only("Only in B", &comparison.only_in_b));
    let changed = changes(&comparison);
    blocks.push(match changed.is_empty() {
        true => Block::Text(compared(&comparison)),
        false => {
            Block::Fold(format!("{}, A to B", compared(&comparison)), vec![Block::Lines(changed)])
        }
    });
    blocks
}

fn table(names: &str, comparison: &Comparison, system: System) -> Option<Block> {
    let columns = columns(comparison, system);
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let row = |at: usize| columns.iter().map(|column| column.cells[at].clone()).collect();
    let head = columns.iter().map(|column| column.title.to_owned()).collect();
    let table = Table { title: names.to_owned(), head, rows: (0..rows).map(row).collect() };
    (rows > 0).then_some(Block::Table(table))
}

fn only(title: &str, trials: &[TrialName]) -> Option<Block> {
    let names: Vec<_> =
        trials.iter().map(|trial| label(&trial.experiment, &trial.levels)).collect();
    (!names.is_empty()).then(|| Block::Text(format!("{title}: {}", names.join(", "))))
}

/// Throughput of every trial of every run, side by side.
fn figure(runs: &[RunView], system: System) -> Option<Figure> {
    let mut labels: Vec<String> = Vec::new();
    for label in runs.iter().flat_map(|run| &run.report.trials).map(TrialReport::label) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let mut columns = vec![Column::texts("trial", labels.clone())];
    let mut traces = Vec::new();
    for run in runs {
        let found = labels.iter().map(|label| trial(run, label));
        let (means, halves): (Vec<_>, Vec<_>) = found.unzip();
        let (mean, error) = (columns.len(), columns.len() + 1);
        let column = |what: &str| format!("{}_throughput_{what}bytes_per_sec", name(run));
        columns.push(Column::maybe(column(""), means));
        columns.push(Column::maybe(column("half_width_"), halves));
        let trace = Trace::plain(&name(run), Mark::Bars, mean, 0);
        traces.push(Trace { error: Some(error), ..trace });
    }
    // Names of trials are long: they stand one below the other.
    let x = Axis::bytes_per_sec("throughput", &columns[1..], system);
    let chart = Chart { x, y: Axis::plain("", ""), traces, shades: Vec::new() };
    (!labels.is_empty()).then(|| Figure {
        id: "comparison-throughput".to_owned(),
        title: "Throughput of every trial".to_owned(),
        guide: GUIDE.to_owned(),
        columns,
        chart,
    })
}

/// The throughput of a trial and half of its interval.
fn trial(run: &RunView, label: &str) -> (Option<f64>, Option<f64>) {
    let found = run.report.trials.iter().find(|trial| trial.label() == label);
    let mean = found.map(|trial| trial.findings.throughput_bytes_per_sec);
    let percent = found.and_then(|trial| trial.findings.confidence.as_ref());
    let half = percent.map(|found| found.half_width_percent / 100.0);
    (mean, mean.zip(half).map(|(mean, half)| mean * half))
}
