//! Trials over the factors that vary: the best case, the knee, and a table; the figures are below.

mod figures;

use iopath_analysis::limit::Cause;
use iopath_analysis::sweep::{Point, Sweep, SweepLine, sweeps};
use iopath_units::System;

use super::{OfExperiment, Shown};
use crate::document::{Block, Figure, Section, Table};
use crate::numbers::{is_small, maybe_rate, maybe_time, operations, rate, time};
use crate::words::verdict::limit;

fn all(shown: &Shown<'_>) -> Vec<Sweep> {
    let trials = shown.trials.iter();
    let trials: Vec<_> = trials.map(|trial| (&trial.case, &trial.findings)).collect();
    sweeps(&trials)
}

/// The best of each sweep, where any of its cases carried something.
pub(super) fn sentences(shown: &Shown<'_>) -> Vec<OfExperiment> {
    let all = all(shown).into_iter().filter(|sweep| why_not(sweep, shown).is_none());
    all.map(|sweep| OfExperiment { text: best(&sweep, shown), experiment: sweep.experiment })
        .collect()
}

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let all = all(shown);
    let blocks =
        all.iter().enumerate().flat_map(|(number, sweep)| blocks(sweep, number, shown)).collect();
    Section::of("sweeps", "sweeps", blocks)
}

/// What is said instead of figures that would only repeat the study.
const INSTANT: &str = "no part of the described path takes time, so every case carries its load \
    at once. Rate its components, or measure it.";
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
    let lines = sweep.lines(sweep.axis());
    let (axis, id) = (sweep.axis(), format!("sweep-{number}"));
    let mut blocks = figures::Figures { sweep, axis, lines: &lines, id, shown }.all();
    let title = format!("trials of {}, with their spread", sweep.experiment);
    blocks.push(Block::Fold(title, vec![Block::Table(table(sweep, &lines, shown))]));
    blocks
}

/// Lines of several runs over one another, of which the level of this factor says whose trial it
/// is: each experiment that at least two of them swept.
pub(super) fn of_runs(shown: &Shown<'_>, run: &str) -> Vec<Figure> {
    let sweeps = all(shown).into_iter().filter(|sweep| why_not(sweep, shown).is_none());
    let figures = sweeps.enumerate().flat_map(|(number, sweep)| {
        let position = sweep.factors.iter().position(|factor| factor.name == run);
        let others = (0..sweep.factors.len()).filter(|at| Some(*at) != position);
        // As of one run: numbers before names, of equally many levels the first.
        let rank =
            |at: &usize| (sweep.factors[*at].values.is_some(), sweep.factors[*at].levels.len());
        let axis = others.rev().max_by_key(rank);
        let Some(axis) = axis.filter(|_| position.is_some()) else { return Vec::new() };
        let (lines, id) = (sweep.lines(axis), format!("comparison-sweep-{number}"));
        figures::Figures { sweep: &sweep, axis, lines: &lines, id, shown }.of_runs()
    });
    figures.collect()
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
    let within = match best.half_width_bytes_per_sec {
        Some(_) => " within its 95 % interval",
        None => "",
    };
    let also = match &equal[..] {
        [] => String::new(),
        [one] => format!("; {one} is as fast{within}"),
        several => format!("; {} others are as fast{within}", several.len()),
    };
    let knee = sweep.lines(sweep.axis()).iter().find_map(|line| {
        line.points.contains(&sweep.best).then(|| knee_sentence(sweep, line, shown)).flatten()
    });
    format!(
        "{}: best of {} trials is {}, {}{}{}{also}{}{}",
        sweep.experiment,
        sweep.points.len(),
        combination(sweep, best, None),
        speed(best, shown.system),
        percentiles(best, shown),
        limited(best, shown),
        knee.map(|knee| format!("; {knee}")).unwrap_or_default(),
        least_fair(sweep, shown).unwrap_or_default(),
    )
}

/// The trial whose streams got the least equal rates, where any is warned of.
fn least_fair(sweep: &Sweep, shown: &Shown<'_>) -> Option<String> {
    let jain = |point: &Point| {
        let trial = shown.trials.iter().find(|trial| trial.case.trial == point.trial)?;
        let is_unfair = trial.findings.warnings.iter().any(|warning| warning.kind() == "unfair");
        trial.findings.jain.filter(|_| is_unfair)
    };
    let unfair = sweep.points.iter().filter_map(|point| Some((point, jain(point)?)));
    let (point, jain) = unfair.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(format!("; unfair at {}: Jain's index {jain:.2}", combination(sweep, point, None)))
}

/// Requests a second where they are small, else bytes.
fn speed(point: &Point, system: System) -> String {
    match is_small(point.throughput_bytes_per_sec, point.operations_per_sec) {
        true => format!("{} requests", operations(point.operations_per_sec, system)),
        false => rate(point.throughput_bytes_per_sec, system),
    }
}

/// What held a point's trial back, where that is known.
fn limited(point: &Point, shown: &Shown<'_>) -> String {
    let trial = shown.trials.iter().find(|trial| trial.case.trial == point.trial);
    let known = trial.filter(|trial| trial.findings.limit.cause != Cause::Unknown);
    known.map(|trial| format!(", {}", limit(&trial.findings))).unwrap_or_default()
}

/// The knee of the line that these trials are, for a sentence that is about them.
pub(super) fn knee_among(trials: &[u32], shown: &Shown<'_>) -> Option<String> {
    let is_theirs = |sweep: &Sweep, line: &SweepLine| {
        line.points.iter().all(|at| trials.contains(&sweep.points[*at].trial))
    };
    all(shown).iter().find_map(|sweep| {
        let lines = sweep.lines(sweep.axis());
        let line = lines.iter().find(|line| is_theirs(sweep, line))?;
        knee_sentence(sweep, line, shown)
    })
}

/// Where a line's knee is, which is the level that is recommended, and what it costs.
fn knee_sentence(sweep: &Sweep, line: &SweepLine, shown: &Shown<'_>) -> Option<String> {
    let of = |at: usize| &sweep.points[line.points[at]];
    let point = of(line.knee?);
    let rates = (0..line.points.len()).map(|at| of(at).throughput_bytes_per_sec);
    let share = 100.0 * point.throughput_bytes_per_sec / rates.fold(0.0, f64::max);
    let axis = sweep.axis();
    let factor = &sweep.factors[axis];
    let p99 = percentiles(point, shown);
    let level = &factor.levels[point.levels[axis]];
    Some(format!("recommended {}={level} (knee): {share:.0} % of the maximum{p99}", factor.name))
}

/// The time that 99 % of a point's requests do not exceed; none where requests take no time.
fn response(point: &Point, shown: &Shown<'_>) -> Option<String> {
    let ns = point.response_ns_p99.filter(|_| !is_instant(point, shown))?;
    Some(time(ns as f64, shown.system))
}

/// " with p99 2.1 ms, commit p99 9.3 ms": that, and how long writes took until they were flushed.
fn percentiles(point: &Point, shown: &Shown<'_>) -> String {
    let trial = shown.trials.iter().find(|trial| trial.case.trial == point.trial);
    let commit = trial.and_then(|trial| trial.findings.flush.as_ref()?.commits()?.p99);
    let response = response(point, shown).map(|p99| format!("p99 {p99}"));
    let commit = commit.map(|ns| format!("commit p99 {}", time(ns as f64, shown.system)));
    let each: Vec<String> = response.into_iter().chain(commit).collect();
    if each.is_empty() { String::new() } else { format!(" with {}", each.join(", ")) }
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
        .column("p99", |(_, point)| latency(point.response_ns_p99.map(|ns| ns as f64), point))
        .column("mark", |(at, _)| marks(*at))
        .done()
}
