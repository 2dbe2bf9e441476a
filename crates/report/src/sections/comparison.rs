//! How runs compare: which they are, by letters; every other one with the first, by the laws of
//! `analysis::compare`: in a sentence, the differences with their intervals, what changed around
//! them; and the runs laid over one another.

mod cases;
mod letters;
mod overlays;
mod swept;

use iopath_analysis::compare;
use iopath_analysis::compare::{
    Change, Comparison, MeasureComparison, TrialComparison, TrialName, Verdict,
};
use iopath_analysis::thresholds::trials::LEAST_PASSES;
use iopath_units::System;

use crate::document::{Axis, Block, Chart, Column, Figure, Mark, Section, Table, Trace};
use crate::view::RunView;
use crate::view::compared::ComparedRun;
use crate::view::run::label;
use crate::words::comparison::{said, title, value, verdict};

pub(crate) use letters::{letter, lettered, name};

const GUIDE: &str = "Each dot is a figure of a trial: how far the other run is from A, in percent \
    of A. The thin line is its 95 % interval; one that crosses the dashed line at 0 leaves open \
    which run is better. A dot without a thin line has too few passes. More is better for rates, \
    less for latencies.";

/// How every other run compares with the first.
pub(crate) fn section(runs: &[RunView], system: System) -> Section {
    let named: Vec<ComparedRun<'_>> = runs.iter().map(ComparedRun::from).collect();
    let mut blocks = vec![Block::Table(letters::table(&named))];
    if let Some((first, others)) = runs.split_first() {
        let pairs = others.iter().enumerate();
        pairs.for_each(|(at, other)| blocks.extend(pair(at, [first, other], system)));
    }
    blocks.extend(swept::figures(runs, system).into_iter().map(Block::Figure));
    blocks.extend(overlays::blocks(runs, system));
    Section { id: "comparison", title: "comparison".to_owned(), blocks }
}

/// Two runs: which they are, and B against A.
pub(crate) fn of_two(
    runs: &[ComparedRun<'_>; 2],
    comparison: &Comparison,
    system: System,
) -> Vec<Block> {
    let mut blocks = vec![Block::Table(letters::table(runs))];
    blocks.extend(of_pair(comparison, &letter(1), system));
    blocks
}

/// The first run, and another one, the first of which is at 0.
fn pair(at: usize, [a, b]: [&RunView; 2], system: System) -> Vec<Block> {
    let other = letter(at + 1);
    let comparison = match compare(&a.records, &b.records) {
        Ok(comparison) => comparison,
        Err(error) => return vec![Block::warning(format!("{other} against A"), error.to_string())],
    };
    let mut blocks = of_pair(&comparison, &other, system);
    // What differs in the cases stands below the sentence that says that they do.
    let cases = Block::lines(cases::differences(a, b));
    let figure = differences(at, &comparison).map(Block::Figure);
    blocks.splice(1..1, cases.into_iter().chain(figure));
    blocks
}

/// The run with the letter `other` against A.
fn of_pair(comparison: &Comparison, other: &str, system: System) -> Vec<Block> {
    let mut blocks = vec![Block::Verdict(sentence(comparison, other))];
    blocks.extend(Block::table(table(comparison, other, system)));
    blocks.extend(only("A", &comparison.only_in_a));
    blocks.extend(only(other, &comparison.only_in_b));
    let changed = changes(comparison);
    let title = if changed.is_empty() { String::new() } else { format!(", A -> {other}") };
    blocks.push(Block::Text(format!("{}{title}", compared(comparison))));
    blocks.extend(Block::lines(changed));
    blocks
}

fn only(letter: &str, trials: &[TrialName]) -> Option<Block> {
    let names: Vec<_> = trials.iter().map(name_of).collect();
    (!names.is_empty()).then(|| Block::Text(format!("only in {letter}: {}", names.join(", "))))
}

/// How many trials of the other run are faster, slower, the same, by throughput.
fn sentence(comparison: &Comparison, other: &str) -> String {
    if comparison.trials.is_empty() {
        return format!("A and {other} have no trial in common");
    }
    let verdicts: Vec<Verdict> =
        comparison.trials.iter().filter_map(|t| t.measures.first()).map(|m| m.verdict).collect();
    if verdicts.is_empty() {
        return format!("no trial has a figure in both A and {other}: nothing to compare");
    }
    let why = if verdicts.contains(&Verdict::NoConfidence) {
        format!("; a verdict needs {LEAST_PASSES} passes of each run")
    } else {
        String::new()
    };
    let what = match &comparison.trials[..] {
        [one] => format!("{other} against A: {}", figures(one)),
        several => {
            let others = disagreements(comparison);
            let counted = counted(comparison);
            format!("{} trials, {other} against A by throughput: {counted}{others}", several.len())
        }
    };
    let Comparison { technique_a: a, technique_b: b, .. } = comparison;
    let techniques = if a == b { String::new() } else { format!("A is {a}, {other} is {b}; ") };
    format!("{techniques}{}{what}{why}", cases(comparison))
}

/// The throughput of a single trial, and what else can be told.
fn figures(trial: &TrialComparison) -> String {
    let is_told =
        |one: &MeasureComparison| matches!(one.verdict, Verdict::Faster | Verdict::Slower);
    let first = trial.measures.first().into_iter();
    let others = trial.measures.iter().skip(1).filter(|one| is_told(one));
    let said = |one: &MeasureComparison| {
        format!("{} {}: {}", title(one.measure), difference(one), said(one))
    };
    first.chain(others).map(said).collect::<Vec<_>>().join("; ")
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
    match (names.len(), comparison.trials.len()) {
        (0, _) => String::new(),
        (_, 1) => "the cases differ; ".to_owned(),
        _ => format!("the cases differ ({}); ", names.join(", ")),
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

fn rows(comparison: &Comparison) -> Vec<Row<'_>> {
    let rows = comparison.trials.iter().flat_map(|trial| {
        let measures = trial.measures.iter().enumerate();
        measures.map(move |(at, measure)| Row { trial, is_first: at == 0, measure })
    });
    rows.collect()
}

fn table(comparison: &Comparison, other: &str, system: System) -> Table {
    let rows = rows(comparison);
    let once = |row: &Row<'_>, text: String| if row.is_first { text } else { String::new() };
    let passes = |row: &Row<'_>| format!("{} / {}", row.trial.passes_a, row.trial.passes_b);
    // A single trial needs no name, of which the two runs may have two.
    let has_several =
        comparison.trials.len() + comparison.only_in_a.len() + comparison.only_in_b.len() > 1;
    Table::of(&rows)
        .column_if(has_several, "trial", |row| once(row, name_of(&row.trial.trial)))
        .expendable(2, "passes", |row| once(row, passes(row)))
        .column("figure", |row| title(row.measure.measure))
        .column("A", |row| value(row.measure.measure, row.measure.a, system))
        .column(other, |row| value(row.measure.measure, row.measure.b, system))
        .column("difference", |row| difference(row.measure))
        .expendable(1, "95 % interval", |row| interval(row.measure))
        .column(&format!("{other} is"), |row| said(row.measure))
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

/// Every difference as a dot with its interval, and where there would be none.
fn differences(at: usize, comparison: &Comparison) -> Option<Figure> {
    let rows = rows(comparison);
    let known = |row: &Row<'_>| Some((row_name(row, comparison), row.measure.difference_percent?));
    let drawn: Vec<(&Row<'_>, (String, f64))> =
        rows.iter().filter_map(|row| Some((row, known(row)?))).collect();
    let share = |end: fn(&MeasureComparison) -> Option<f64>, sign: f64| {
        let of = |(row, (_, middle)): &(&Row<'_>, (String, f64))| {
            Some((sign * (end(row.measure)? - middle) / 100.0).max(0.0))
        };
        drawn.iter().map(of).collect::<Vec<_>>()
    };
    let columns = vec![
        Column::texts("figure", drawn.iter().map(|(_, (name, _))| name.clone()).collect()),
        Column::numbers(
            "difference_share",
            drawn.iter().map(|(_, (_, percent))| percent / 100.0).collect(),
        ),
        Column::maybe("interval_above_share", share(|one| one.high_percent, 1.0)),
        Column::maybe("interval_below_share", share(|one| one.low_percent, -1.0)),
        Column::numbers("no_difference_share", vec![0.0; drawn.len()]),
    ];
    let other = letter(at + 1);
    let dots = Trace::plain(&format!("{other} against A"), Mark::Dots, 1, 0);
    let traces = vec![
        Trace { error: Some(2), error_below: Some(3), ..dots },
        Trace::plain("no difference", Mark::Guide, 4, 0),
    ];
    let x = Axis::percent(&format!("difference of {other} from A"));
    let chart = Chart { x, y: Axis::plain("", ""), traces, shades: Vec::new() };
    (!drawn.is_empty()).then(|| Figure {
        id: format!("comparison-difference-{at}"),
        title: format!("Differences of {other} from A, with their 95 % intervals"),
        guide: GUIDE.to_owned(),
        columns,
        chart,
    })
}

/// A figure, and of which trial where there are several.
fn row_name(row: &Row<'_>, comparison: &Comparison) -> String {
    let figure = title(row.measure.measure);
    match comparison.trials.len() {
        1 => figure,
        _ => format!("{}: {figure}", name_of(&row.trial.trial)),
    }
}
