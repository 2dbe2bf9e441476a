//! Two runs side by side: a sentence, a table of figures with intervals, what changed around.

use iopath_analysis::Comparison;
use iopath_analysis::compare::{Change, MeasureComparison, TrialComparison, TrialName, Verdict};
use iopath_analysis::thresholds::trials::LEAST_PASSES;
use iopath_units::System;
use serde_json::{Value, json};

use crate::look::{Look, Tone};
use crate::run::label;
use crate::table::{Column, render};
use crate::words::comparison::{said, title, value, verdict};
use crate::wrap::wrap;

/// The comparison as text: B against A.
#[must_use]
pub fn render_comparison(comparison: &Comparison, look: &Look) -> String {
    let mut parts = vec![look.paint(Tone::Verdict, &wrap(&sentence(comparison), 0, look.width))];
    if comparison.trials.iter().any(|trial| !trial.measures.is_empty()) {
        parts.push(render(columns(comparison, look.system), look.width));
    }
    parts.extend(only("only in A", &comparison.only_in_a, look));
    parts.extend(only("only in B", &comparison.only_in_b, look));
    parts.push(environment(comparison, look));
    format!("{}\n", parts.join("\n\n"))
}

/// The comparison as JSON, `iopath-comparison/2`.
#[must_use]
pub fn comparison_json(comparison: &Comparison) -> Value {
    json!({ "format": "iopath-comparison/2", "comparison": comparison })
}

/// How many trials of B are faster, slower, the same, by throughput.
pub(crate) fn sentence(comparison: &Comparison) -> String {
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
    let names: Vec<_> = all.map(|trial| name(&trial.trial)).collect();
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

pub(crate) fn columns(comparison: &Comparison, system: System) -> Vec<Column> {
    let rows: Vec<(String, &TrialComparison, &MeasureComparison)> = comparison
        .trials
        .iter()
        .flat_map(|trial| trial.measures.iter().enumerate().map(move |row| (trial, row)))
        .map(|(trial, (index, measure))| {
            let name = if index == 0 { name(&trial.trial) } else { String::new() };
            (name, trial, measure)
        })
        .collect();
    let figures = |of: &dyn Fn(&MeasureComparison) -> String| {
        rows.iter().map(|(_, _, measure)| of(measure)).collect()
    };
    let passes = rows.iter().map(|(name, trial, _)| {
        let both = format!("{} / {}", trial.passes_a, trial.passes_b);
        if name.is_empty() { String::new() } else { both }
    });
    vec![
        Column::needed("trial", rows.iter().map(|(name, _, _)| name.clone()).collect()),
        Column { title: "passes", cells: passes.collect(), expendable: 2 },
        Column::needed("figure", figures(&|m| title(m.measure))),
        Column::needed("A", figures(&|m| value(m.measure, m.a, system))),
        Column::needed("B", figures(&|m| value(m.measure, m.b, system))),
        Column::needed("difference", figures(&difference)),
        Column { title: "95 % interval", cells: figures(&interval), expendable: 1 },
        Column::needed("B is", figures(&said)),
    ]
}

fn name(trial: &TrialName) -> String {
    label(&trial.experiment, &trial.levels)
}

fn interval(measure: &MeasureComparison) -> String {
    let ends = measure.low_percent.zip(measure.high_percent);
    ends.map_or_else(|| "-".to_owned(), |(low, high)| format!("{low:+.1} to {high:+.1} %"))
}

fn only(title: &str, trials: &[TrialName], look: &Look) -> Option<String> {
    let names: Vec<_> = trials.iter().map(name).collect();
    let text = wrap(&format!("{title}: {}", names.join(", ")), 0, look.width);
    (!names.is_empty()).then_some(text)
}

fn environment(comparison: &Comparison, look: &Look) -> String {
    let lines: Vec<_> = changes(comparison).iter().map(|line| wrap(line, 2, look.width)).collect();
    let known = wrap(&compared(comparison), 0, look.width);
    match lines.is_empty() {
        true => known,
        false => format!("{known}, A -> B\n{}", lines.join("\n")),
    }
}

/// How much of what is around the runs could be compared, and with what result.
pub(crate) fn compared(comparison: &Comparison) -> String {
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
pub(crate) fn changes(comparison: &Comparison) -> Vec<String> {
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
