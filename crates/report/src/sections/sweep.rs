//! Trials over the factors that vary: line families, scaling with its knee, a map of two factors,
//! the best case.

use iopath_analysis::sweep::{Point, Sweep, SweepLine, sweeps};
use iopath_analysis::thresholds::trials::KNEE_SHARE;

use super::Shown;
use crate::document::{Axis, Block, Chart, Column, Figure, Mark, Section, Table, Trace};
use crate::numbers::{maybe_rate, maybe_time, operations, rate};

/// Trials that are as good as the best one and named, before the rest is only counted: chosen.
const NAMES: usize = 3;

/// Levels up to which each has a label of its own: chosen.
const LABELS: usize = 16;

const NAMED: &str = "Each colour is one combination of the other factors, each mark a trial; bars \
    are the 95 % interval where passes were repeated. The levels are names and have no order, so \
    marks are not joined.";

/// How a family of lines is read.
fn guide() -> String {
    format!(
        "Each line is one combination of the other factors, each dot a trial; bars are the 95 % \
         interval where passes were repeated. A line that turns flat has reached a limit: its \
         knee, from which on it carries at least {:.0} % of its most, is marked in the table. \
         Lines that cross mean that the best level of one factor depends on the other.",
        100.0 * KNEE_SHARE
    )
}

const EFFICIENCY: &str = "What each one (stream, request in flight) carries, over what it carries \
    at the lowest level: 100 % is perfect scaling. A fall is not bad by itself: something is \
    shared, and the verdict says what.";

const MAP: &str = "Throughput of each combination of two factors; brighter is more, the number \
    shows when hovering. White cells were not tried.";

fn all(shown: &Shown<'_>) -> Vec<Sweep> {
    let trials = shown.trials.iter();
    let trials: Vec<_> = trials.map(|trial| (&trial.case, &trial.findings)).collect();
    sweeps(&trials)
}

/// The best of each sweep, where any of its cases carried something.
pub(super) fn sentences(shown: &Shown<'_>) -> Vec<String> {
    let all = all(shown).into_iter().filter(|sweep| why_not(sweep, shown).is_none());
    all.map(|sweep| best(&sweep, shown)).collect()
}

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let all = all(shown);
    let blocks =
        all.iter().enumerate().flat_map(|(number, sweep)| blocks(sweep, number, shown)).collect();
    Section::of("sweeps", "sweeps", blocks)
}

/// What is said instead of figures that would only repeat the study.
const INSTANT: &str = "no part of the described path takes time, so every case carries what its \
    streams ask for, at once. That tells nothing of a storage: describe its path, or measure it.";
const NOTHING: &str = "no case carried anything.";

/// Whether a point is of a model in which a request takes no time.
fn is_instant(point: &Point, shown: &Shown<'_>) -> bool {
    let mut trials = shown.trials.iter();
    trials.any(|trial| trial.case.trial == point.trial && trial.is_instant())
}

/// Why a sweep has nothing to show.
fn why_not(sweep: &Sweep, shown: &Shown<'_>) -> Option<&'static str> {
    let all = |of: &dyn Fn(&Point) -> bool| sweep.points.iter().all(of);
    if all(&|point| is_instant(point, shown)) {
        return Some(INSTANT);
    }
    all(&|point| point.throughput_bytes_per_sec <= 0.0).then_some(NOTHING)
}

fn blocks(sweep: &Sweep, number: usize, shown: &Shown<'_>) -> Vec<Block> {
    if let Some(why) = why_not(sweep, shown) {
        return vec![Block::Text(format!("{}: {why}", sweep.experiment))];
    }
    let axis = sweep.axis();
    let lines = sweep.lines(axis);
    let mut blocks = Vec::new();
    blocks.extend((!lines.is_empty()).then(|| Block::Figure(family(sweep, &lines, number, shown))));
    blocks.extend(efficiency(sweep, &lines, number).map(Block::Figure));
    blocks.extend(map(sweep, axis, number).map(Block::Figure));
    let title = format!("trials of {}, with their spread", sweep.experiment);
    blocks.push(Block::Fold(title, vec![Block::Table(table(sweep, &lines, shown))]));
    blocks
}

/// The best trial, and those whose 95 % intervals meet its own, or that are as fast.
fn best(sweep: &Sweep, shown: &Shown<'_>) -> String {
    let best = &sweep.points[sweep.best];
    let half = |point: &Point| point.half_width_bytes_per_sec.unwrap_or_default();
    let least = best.throughput_bytes_per_sec - half(best);
    let reaches = |point: &Point| point.throughput_bytes_per_sec + half(point) >= least;
    let points = sweep.points.iter().enumerate();
    let equal = points.filter(|(at, point)| *at != sweep.best && reaches(point));
    let equal: Vec<String> = equal.map(|(_, point)| combination(sweep, point, None)).collect();
    let named = equal.iter().take(NAMES).cloned().collect::<Vec<_>>().join("; ");
    let meet = match best.half_width_bytes_per_sec {
        Some(_) => "its 95 % interval meets that of",
        None => "as fast",
    };
    let also = match equal.len() {
        0 => String::new(),
        1..=NAMES => format!("; {meet}: {named}"),
        more => format!("; {meet}: {named}; and {} more", more - NAMES),
    };
    format!(
        "{}: best of {} trials is {}, {}{also}",
        sweep.experiment,
        sweep.points.len(),
        combination(sweep, best, None),
        rate(best.throughput_bytes_per_sec, shown.system),
    )
}

/// The levels of a point, but for one factor.
fn combination(sweep: &Sweep, point: &Point, without: Option<usize>) -> String {
    let factors = sweep.factors.iter().enumerate().filter(|(at, _)| Some(*at) != without);
    let levels =
        factors.map(|(at, factor)| format!("{}={}", factor.name, factor.levels[point.levels[at]]));
    levels.collect::<Vec<_>>().join(" ")
}

fn name(sweep: &Sweep, line: &SweepLine, along: usize) -> String {
    let name = combination(sweep, &sweep.points[line.points[0]], Some(along));
    if name.is_empty() { sweep.experiment.clone() } else { name }
}

fn table(sweep: &Sweep, lines: &[SweepLine], shown: &Shown<'_>) -> Table {
    let latency = |ns: Option<f64>, point: &Point| {
        maybe_time(ns.filter(|_| !is_instant(point, shown)), shown.system)
    };
    let is_open = sweep.points.iter().any(|point| point.intended_latency_ns_mean.is_some());
    let is_knee =
        |at: usize| lines.iter().any(|line| line.knee.is_some_and(|knee| line.points[knee] == at));
    let marks = |at: usize| {
        let marks = [(at == sweep.best).then_some("best"), is_knee(at).then_some("knee")];
        marks.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let rows: Vec<(usize, &Point)> = sweep.points.iter().enumerate().collect();
    Table::of(&rows)
        .column("case", |(_, point)| combination(sweep, point, None))
        .column("throughput", |(_, point)| rate(point.throughput_bytes_per_sec, shown.system))
        .column("±", |(_, point)| maybe_rate(point.half_width_bytes_per_sec, shown.system))
        .column("requests", |(_, point)| operations(point.operations_per_sec, shown.system))
        .column("mean latency from issue", |(_, point)| latency(point.latency_ns_mean, point))
        .column_if(is_open, "mean latency from intended start", |(_, point)| {
            latency(point.intended_latency_ns_mean, point)
        })
        .column("mark", |(at, _)| marks(*at))
        .done()
}

/// The column of a factor's levels, and the axis that it needs.
fn levels(sweep: &Sweep, factor: usize) -> (Column, Axis) {
    let of = &sweep.factors[factor];
    let axis = Axis::plain(&of.name, "");
    match &of.values {
        // Levels with units are names in their order, which the axis shows as written.
        Some(values) if of.levels.iter().all(|level| level.parse::<f64>().is_ok()) => {
            let spread = values.last().zip(values.first());
            let is_wide = spread.is_some_and(|(most, least)| *least > 0.0 && most / least >= 16.0);
            let axis = if is_wide { axis.logarithmic() } else { axis.relative() };
            // Only what was tried has a label.
            let ticks = values.iter().copied().zip(of.levels.iter().cloned());
            let ticks = if values.len() <= LABELS { ticks.collect() } else { Vec::new() };
            let column = Column::numbers(format!("{}_level", of.name), values.clone());
            (column, axis.labelled(ticks))
        }
        _ => (Column::texts(of.name.clone(), of.levels.clone()), axis),
    }
}

/// A value of each point of a line, by level; none at levels that were not tried.
fn by_level(
    sweep: &Sweep,
    line: &SweepLine,
    value: &dyn Fn(usize) -> Option<f64>,
) -> Vec<Option<f64>> {
    let axis = sweep.axis();
    let mut all = vec![None; sweep.factors[axis].levels.len()];
    for (position, at) in line.points.iter().enumerate() {
        all[sweep.points[*at].levels[axis]] = value(position);
    }
    all
}

/// Throughput along the factor with the most levels.
fn family(sweep: &Sweep, lines: &[SweepLine], number: usize, shown: &Shown<'_>) -> Figure {
    let axis = sweep.axis();
    let (level, x) = levels(sweep, axis);
    let (mark, guide) = match sweep.factors[axis].values {
        Some(_) => (Mark::LineDots, guide()),
        None => (Mark::Dots, NAMED.to_owned()),
    };
    let (mut columns, mut traces) = (vec![level], Vec::new());
    let mut rates = Vec::new();
    for line in lines {
        let name = name(sweep, line, axis);
        let point = |position: usize| &sweep.points[line.points[position]];
        let throughput = by_level(sweep, line, &|at| Some(point(at).throughput_bytes_per_sec));
        let half = by_level(sweep, line, &|at| point(at).half_width_bytes_per_sec);
        let at = columns.len();
        let error = half.iter().any(Option::is_some).then_some(at + 1);
        columns.push(Column::maybe(format!("{name}_throughput_bytes_per_sec"), throughput));
        rates.push(columns[at].clone());
        columns.push(Column::maybe(format!("{name}_half_width_bytes_per_sec"), half));
        traces.push(Trace { error, ..Trace::plain(&name, mark, 0, at) });
    }
    let y = Axis::bytes_per_sec("throughput", &rates, shown.system);
    Figure {
        id: format!("sweep-{number}"),
        title: format!("{} over {}", sweep.experiment, sweep.factors[axis].name),
        guide,
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    }
}

/// Scaling along a factor that counts things.
fn efficiency(sweep: &Sweep, lines: &[SweepLine], number: usize) -> Option<Figure> {
    let axis = sweep.axis();
    let (level, x) = levels(sweep, axis);
    let (mut columns, mut traces) = (vec![level], Vec::new());
    for line in lines {
        let Some(efficiency) = &line.efficiency else { continue };
        let name = name(sweep, line, axis);
        traces.push(Trace::plain(&name, Mark::LineDots, 0, columns.len()));
        let shares = by_level(sweep, line, &|at| Some(efficiency[at]));
        columns.push(Column::maybe(format!("{name}_efficiency_share"), shares));
    }
    let y = Axis::percent("efficiency");
    (!traces.is_empty()).then(|| Figure {
        id: format!("sweep-{number}-efficiency"),
        title: format!("Scaling of {} over {}", sweep.experiment, sweep.factors[axis].name),
        guide: EFFICIENCY.to_owned(),
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    })
}

/// Two factors as a map; of more, the two with the most levels where the others have the best's.
fn map(sweep: &Sweep, axis: usize, number: usize) -> Option<Figure> {
    let others = (0..sweep.factors.len()).filter(|at| *at != axis);
    let across = others.max_by_key(|at| sweep.factors[*at].levels.len())?;
    let best = &sweep.points[sweep.best];
    let is_shown = |point: &&Point| {
        let mut rest = (0..sweep.factors.len()).filter(|at| *at != axis && *at != across);
        rest.all(|at| point.levels[at] == best.levels[at])
    };
    let mut points: Vec<&Point> = sweep.points.iter().filter(is_shown).collect();
    // Names stand in the order in which they first come.
    points.sort_by_key(|point| (point.levels[across], point.levels[axis]));
    let level = |factor: usize| {
        let of = &sweep.factors[factor];
        let names = points.iter().map(|point| of.levels[point.levels[factor]].clone());
        Column::texts(of.name.clone(), names.collect())
    };
    let rates = points.iter().map(|point| point.throughput_bytes_per_sec).collect();
    let columns =
        vec![level(axis), level(across), Column::numbers("throughput_bytes_per_sec", rates)];
    let [x, y] = [axis, across].map(|factor| Axis::plain(&sweep.factors[factor].name, ""));
    let trace = Trace::plain("throughput", Mark::Map { z: 2, unit: "B/s" }, 0, 1);
    Some(Figure {
        id: format!("sweep-{number}-map"),
        title: format!("{} over {} and {}", sweep.experiment, x.title, y.title),
        guide: MAP.to_owned(),
        columns,
        chart: Chart { x, y, traces: vec![trace], shades: Vec::new() },
    })
}
