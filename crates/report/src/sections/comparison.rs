//! How runs compare: every other one with the first, by the laws of `analysis::compare`: in a
//! sentence, a table of figures with intervals, what changed around them.

use iopath_analysis::compare;
use iopath_analysis::compare::{
    Change, Comparison, MeasureComparison, TrialComparison, TrialName, Verdict,
};
use iopath_analysis::thresholds::trials::LEAST_PASSES;
use iopath_units::System;

use crate::document::{Axis, Block, Chart, Column, Figure, Mark, Section, Table, Trace};
use crate::run::{TrialReport, label};
use crate::view::RunView;
use crate::words::comparison::{said, title, value, verdict};

const GUIDE: &str = "A group of bars is one trial, a bar in it one run. The thin lines are the \
    95 % interval of the mean over the passes of a trial; a single pass has none. Whether a \
    difference is one is told by the table: intervals that overlap may still differ.";

/// What a run is called beside others.
pub(crate) fn name(run: &RunView) -> String {
    run.facts.id.as_ref().map_or_else(|| "a run".to_owned(), |id| format!("run {id}"))
}

/// How every other run compares with the first.
pub(crate) fn section(runs: &[RunView], system: System) -> Section {
    let mut blocks = Vec::new();
    if let Some((first, others)) = runs.split_first() {
        others.iter().for_each(|other| blocks.extend(pair(first, other, system)));
    }
    blocks.extend(figure(runs, system).map(Block::Figure));
    Section { id: "comparison", title: "comparison".to_owned(), blocks }
}

/// A is the first run, B another one.
fn pair(a: &RunView, b: &RunView, system: System) -> Vec<Block> {
    let names = format!("A is {}, B is {}", name(a), name(b));
    match compare(&a.records, &b.records) {
        Ok(comparison) => of_pair(&comparison, &names, system),
        Err(error) => vec![Block::warning(names, error.to_string())],
    }
}

/// B against A, which have these names.
pub(crate) fn of_pair(comparison: &Comparison, names: &str, system: System) -> Vec<Block> {
    let mut blocks = vec![match names.is_empty() {
        true => Block::Verdict(sentence(comparison)),
        false => Block::Verdict(format!("{names}: {}", sentence(comparison))),
    }];
    blocks.extend(Block::table(table(comparison, system)));
    blocks.extend(only("only in A", &comparison.only_in_a));
    blocks.extend(only("only in B", &comparison.only_in_b));
    let changed = changes(comparison);
    let title = if changed.is_empty() { "" } else { ", A -> B" };
    blocks.push(Block::Text(format!("{}{title}", compared(comparison))));
    blocks.extend(Block::lines(changed));
    blocks
}

fn only(title: &str, trials: &[TrialName]) -> Option<Block> {
    let names: Vec<_> = trials.iter().map(name_of).collect();
    (!names.is_empty()).then(|| Block::Text(format!("{title}: {}", names.join(", "))))
}

/// How many trials of B are faster, slower, the same, by throughput.
fn sentence(comparison: &Comparison) -> String {
    if comparison.trials.is_empty() {
        return "the runs have no trial in common".to_owned();
    }
    let verdicts: Vec<Verdict> =
        comparison.trials.iter().filter_map(|t| t.measures.first()).map(|m| m.verdict).collect();
    if verdicts.is_empty() {
        return "no trial has a figure in both runs, so there is nothing to compare".to_owned();
    }
    let counted = counted(comparison);
    let trials = comparison.trials.len();
    let plural = if trials == 1 { "trial" } else { "trials" };
    let why = if verdicts.contains(&Verdict::NoConfidence) {
        format!("; a verdict needs {LEAST_PASSES} passes of each run")
    } else {
        String::new()
    };
    let others = disagreements(comparison);
    let Comparison { technique_a: a, technique_b: b, .. } = comparison;
    let techniques = if a == b { String::new() } else { format!("A is {a}, B is {b}; ") };
    format!(
        "{techniques}{}B against A, {trials} {plural} by throughput: {counted}{others}{why}",
        cases(comparison)
    )
}

/// How many trials have which verdict.
fn counted(comparison: &Comparison) -> String {
    let first = || comparison.trials.iter().filter_map(|trial| trial.measures.first());
    let all = [
        Verdict::Faster,
        Verdict::Slower,
        Verdict::Same,
        Verdict::CannotTell,
        Verdict::NoConfidence,
    ];
    let counted = all.into_iter().filter_map(|verdict| {
        let of = || first().filter(|measure| measure.verdict == verdict);
        let within = |measure: &MeasureComparison| measure.same_within_percent.unwrap_or_default();
        let widest = of().max_by(|a, b| within(a).total_cmp(&within(b)))?;
        Some(format!("{} {}", of().count(), said(widest)))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// Whose studies are not the same.
fn cases(comparison: &Comparison) -> String {
    let all = comparison.trials.iter().filter(|trial| !trial.is_same_case);
    let names: Vec<_> = all.map(|trial| name_of(&trial.trial)).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("the cases differ ({}); ", names.join(", ")),
    }
}

/// Measures that say something else than their trial's throughput.
fn disagreements(comparison: &Comparison) -> String {
    let mut all: Vec<String> = Vec::new();
    for trial in &comparison.trials {
        let Some((first, rest)) = trial.measures.split_first() else { continue };
        for measure in rest.iter().filter(|measure| measure.verdict != first.verdict) {
            if matches!(measure.verdict, Verdict::Faster | Verdict::Slower) {
                let text = format!("{} {}", title(measure.measure), verdict(measure.verdict));
                if !all.contains(&text) {
                    all.push(text);
                }
            }
        }
    }
    if all.is_empty() { String::new() } else { format!("; but {}", all.join(", ")) }
}

/// A row a measure, under the trial that it is of.
struct Row<'a> {
    trial: &'a TrialComparison,
    /// Whether it is the trial's first.
    is_first: bool,
    measure: &'a MeasureComparison,
}

fn table(comparison: &Comparison, system: System) -> Table {
    let rows = comparison.trials.iter().flat_map(|trial| {
        let measures = trial.measures.iter().enumerate();
        measures.map(move |(at, measure)| Row { trial, is_first: at == 0, measure })
    });
    let rows: Vec<Row<'_>> = rows.collect();
    let once = |row: &Row<'_>, text: String| if row.is_first { text } else { String::new() };
    let passes = |row: &Row<'_>| format!("{} / {}", row.trial.passes_a, row.trial.passes_b);
    Table::of(&rows)
        .column("trial", |row| once(row, name_of(&row.trial.trial)))
        .expendable(2, "passes", |row| once(row, passes(row)))
        .column("figure", |row| title(row.measure.measure))
        .column("A", |row| value(row.measure.measure, row.measure.a, system))
        .column("B", |row| value(row.measure.measure, row.measure.b, system))
        .column("difference", |row| difference(row.measure))
        .expendable(1, "95 % interval", |row| interval(row.measure))
        .column("B is", |row| said(row.measure))
        .done()
}

fn name_of(trial: &TrialName) -> String {
    label(&trial.experiment, &trial.levels)
}

fn interval(measure: &MeasureComparison) -> String {
    let ends = measure.low_percent.zip(measure.high_percent);
    ends.map_or_else(|| "-".to_owned(), |(low, high)| format!("{low:+.1} to {high:+.1} %"))
}

/// How much of what is around the runs could be compared, and with what result.
fn compared(comparison: &Comparison) -> String {
    let changes = &comparison.environment;
    let Comparison { technique_a: a, technique_b: b, .. } = comparison;
    let different = changes.changed.len() + changes.added.len() + changes.removed.len();
    let facts = |count: usize| format!("{count} {}", if count == 1 { "fact" } else { "facts" });
    let left = match changes.not_compared {
        0 => String::new(),
        count => format!("; not compared: {} that only {a} or only {b} has", facts(count)),
    };
    match (changes.compared, different) {
        (0, 0) => format!("environment: the runs have no fact in common{left}"),
        (_, 0) if left.is_empty() => "environment: the same".to_owned(),
        (both, 0) => format!("environment: the same in {} that both have{left}", facts(both)),
        (_, 1) => format!("environment: 1 fact differs{left}"),
        (_, different) => format!("environment: {different} facts differ{left}"),
    }
}

/// What differs around the runs, a line each.
fn changes(comparison: &Comparison) -> Vec<String> {
    let changes = &comparison.environment;
    let all = changes.changed.iter().chain(&changes.added).chain(&changes.removed);
    let line = |change: &Change| {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
        format!("{}: {} -> {}", change.key, or_none(&change.a), or_none(&change.b))
    };
    all.map(line).collect()
}

fn difference(measure: &MeasureComparison) -> String {
    measure.difference_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:+.1} %"))
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
