//! The best setting: a sentence, what to change, what each level does, and every trial.

use iopath_units::System;

use crate::document::{Axis, Block, Chart, Column, Document, Figure, Mark, Section, Table, Trace};
use crate::numbers::{UNKNOWN, maybe_time, operations, rate};
use crate::view::tuning::{LevelFigure, TriedSetting, Tuned, TunedFactor, why};
use crate::words::tuning as words;
use iopath_advice::tuning::Goal;

/// Everything about a tuning.
#[must_use]
pub fn document(tuned: &Tuned, system: System) -> Document {
    let answer = vec![
        Block::Verdict(words::sentence(tuned, system)),
        Block::Text(words::proof(tuned, system)),
    ];
    let advice: Vec<_> = tuned.changes.iter().map(words::advice).collect();
    let is_worth = tuned.is_proven && !advice.is_empty();
    let advice = if is_worth { vec![Block::Advice(advice)] } else { Vec::new() };
    let sections = [
        Section::of("verdict", "verdict", answer),
        Section::of("changes", "from today's setting to the best", advice),
        Section::of(
            "levels",
            "each factor, with the others as in the best setting",
            levels(tuned, system),
        ),
        Section::of("tried", "settings that were tried", vec![Block::Table(tried(tuned, system))]),
        Section::of("more", "", vec![Block::Text(more(tuned))]),
    ];
    let sections = sections.into_iter().flatten().collect();
    Document { title: tuned.study.clone(), sections, ..Document::default() }
}

fn more(tuned: &Tuned) -> String {
    let study = match &tuned.written {
        Some(file) => format!("the best setting as a study: {file}"),
        None => "-o FILE writes the best setting as a study".to_owned(),
    };
    match &tuned.run {
        Some(run) => format!("{study}; its trials: run {run}"),
        None => study,
    }
}

fn levels(tuned: &Tuned, system: System) -> Vec<Block> {
    // One setting and one more for each factor: with fewer, what is expected is a guess.
    if tuned.trials <= tuned.factors.len() as u64 {
        let text = "too few settings were tried to say what other levels would do";
        return vec![Block::Text(text.to_owned())];
    }
    let each = tuned.factors.iter().enumerate();
    each.flat_map(|(at, factor)| of_factor(tuned, factor, at, system)).collect()
}

fn of_factor(tuned: &Tuned, factor: &TunedFactor, at: usize, system: System) -> Vec<Block> {
    let value = |value: f64| words::value(&tuned.aim, value, system);
    let known = |level: &LevelFigure| match level.low.zip(level.high) {
        Some((low, high)) => format!("expected, {} to {}", value(low), value(high)),
        None => "tried".to_owned(),
    };
    let mark = |level: &LevelFigure| match (level.is_today, level.is_best) {
        (true, true) => "today, best",
        (true, false) => "today",
        (false, true) => "best",
        (false, false) => "",
    };
    let has_limits = tuned.aim.latency.is_some() || tuned.aim.fairness.is_some();
    let table = Table::of(&factor.levels)
        .column(&factor.name, |level| level.level.clone())
        .column(words::goal(&tuned.aim), |level| value(level.value))
        .column("known", known)
        .column_if(has_limits, "limits", |level| kept(level).to_owned())
        .column("", |level| mark(level).to_owned())
        .done();
    vec![Block::Table(table), Block::Figure(figure(tuned, factor, at, system))]
}

fn kept(level: &LevelFigure) -> &'static str {
    match (level.low, level.chance_to_keep) {
        (None, chance) if chance >= 1.0 => "kept",
        (None, _) => "broken",
        (Some(_), chance) if chance >= 0.9 => "probably kept",
        (Some(_), chance) if chance <= 0.1 => "probably broken",
        (Some(_), _) => "not known",
    }
}

const GUIDE: &str = "What each level does with the other factors as in the best setting. Levels \
    that were not tried have a bar of one standard deviation: they are what a Gaussian process \
    through the settings that were tried expects. A level that breaks a limit may stand high.";

fn figure(tuned: &Tuned, factor: &TunedFactor, at: usize, system: System) -> Figure {
    let levels = || factor.levels.iter();
    let half =
        |level: &LevelFigure| level.high.zip(level.low).map(|(high, low)| (high - low).abs() / 2.0);
    let unit = match tuned.aim.goal {
        Goal::Throughput => "throughput_bytes_per_sec",
        Goal::Iops => "operations_per_sec",
        Goal::Latency => "response_ns",
    };
    let of = |is_tried: bool| {
        levels().map(|one| Some(one.value).filter(|_| one.low.is_none() == is_tried)).collect()
    };
    let columns = vec![
        Column::texts(factor.name.clone(), levels().map(|one| one.level.clone()).collect()),
        Column::maybe(format!("tried_{unit}"), of(true)),
        Column::maybe(format!("expected_{unit}"), of(false)),
        Column::maybe(format!("deviation_{unit}"), levels().map(half).collect()),
    ];
    let y = match tuned.aim.goal {
        Goal::Throughput => Axis::bytes_per_sec("throughput", &columns[1..3], system),
        Goal::Iops => Axis::operations_per_sec("requests", &columns[1..3]),
        Goal::Latency => Axis::ns(words::goal(&tuned.aim), &columns[1..3]),
    };
    let tried = Trace::plain("tried", Mark::Dots, 0, 1);
    let expected = Trace { error: Some(3), ..Trace::plain("expected", Mark::Dots, 0, 2) };
    Figure {
        id: format!("tuned-{at}"),
        title: format!("{} by {}", words::goal(&tuned.aim), factor.name),
        guide: GUIDE.to_owned(),
        columns,
        chart: Chart {
            x: Axis::plain(&factor.name, ""),
            y,
            traces: vec![tried, expected],
            shades: Vec::new(),
        },
    }
}

fn tried(tuned: &Tuned, system: System) -> Table {
    let all = &tuned.tried;
    let mut table = Table::of(all);
    for (at, factor) in tuned.factors.iter().enumerate() {
        table = table.column(&factor.name, |one: &TriedSetting| one.levels[at].level.clone());
    }
    let is_shared = all.iter().any(|one| one.figures.fairness.is_some());
    let fairness = |one: &TriedSetting| {
        one.figures.fairness.map_or(UNKNOWN.to_owned(), |index| format!("{index:.3}"))
    };
    let has_limits = tuned.aim.latency.is_some() || tuned.aim.fairness.is_some();
    let kept = |one: &TriedSetting| if one.keeps_limits { "kept" } else { "broken" }.to_owned();
    table
        .column("throughput", |one| rate(one.figures.throughput_bytes_per_sec, system))
        .column("requests", |one| operations(one.figures.operations_per_sec, system))
        .column(tuned.aim.metric.name(), |one| maybe_time(one.figures.response_ns, system))
        .column_if(is_shared, "fairness", fairness)
        .column_if(has_limits, "limits", kept)
        .expendable(2, "passes", |one| one.passes.to_string())
        .expendable(3, "why", |one| why(one.why).to_owned())
        .done()
}
