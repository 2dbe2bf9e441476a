//! What a search for the highest load came to, as a sentence.

use iopath_analysis::find_max::{
    Answer, Figure, HighestLoad, LatencyLimit, Metric, Outcome, Reason, TriedLoad,
};
use iopath_units::System;

use super::percent;
use crate::numbers::{UNKNOWN, operations, rate, time};
use crate::view::run::label;

/// The limit: "p99 ≤ 2.000 ms".
pub(crate) fn limit(limit: LatencyLimit, system: System) -> String {
    format!("{} ≤ {}", limit.metric.name(), time(limit.within_ns as f64, system))
}

/// What it came to: "highest load with p99 ≤ 2.000 ms: 41.30 k/s (169.2 MB/s)".
pub(crate) fn sentence(found: &HighestLoad, busiest: Option<&str>, system: System) -> String {
    let name = label(&found.experiment, &found.levels);
    let wanted = limit(found.limit, system);
    let said = match &found.answer {
        None => unfinished(found, &wanted, system),
        Some(Answer::Never { lightest_per_sec }) => {
            let lightest = operations(*lightest_per_sec, system);
            let why = found.at(*lightest_per_sec).map(|load| why(found.limit.metric, load, system));
            let why = why.unwrap_or_default();
            format!("no load has {wanted}: not even the lightest that was tried, {lightest}, {why}")
        }
        Some(Answer::Always { highest_per_sec }) => {
            let highest = operations(*highest_per_sec, system);
            format!("every load up to {highest} has {wanted}; none above was tried")
        }
        Some(Answer::Between { within_per_sec, beyond_per_sec, has_undecided, .. }) => {
            let ends = [*within_per_sec, *beyond_per_sec];
            let between = between(found, ends, *has_undecided, system);
            format!("highest load with {wanted}: {between}")
        }
    };
    let busiest = busiest.map(|busiest| format!("; {busiest}")).unwrap_or_default();
    let saturated = operations(found.saturated_per_sec, system);
    let of = if found.is_modelled { "bound" } else { "closed loop" };
    format!("{name}: {said}{busiest}; {of} {saturated}")
}

fn between(
    found: &HighestLoad,
    [within, beyond]: [f64; 2],
    has_undecided: bool,
    system: System,
) -> String {
    let bytes = found.at(within).map_or_else(String::new, |load| {
        format!(" ({})", rate(load.throughput_bytes_per_sec, system))
    });
    let not = found.at(beyond).map(|load| why(found.limit.metric, load, system));
    let not = not.unwrap_or_default();
    let [within, beyond] = [within, beyond].map(|per_sec| operations(per_sec, system));
    let undecided = match has_undecided {
        true => "; loads between cannot be distinguished from the limit",
        false => "",
    };
    format!("{within}{bytes}, not {beyond}, {not}{undecided}")
}

/// Why a load is not within the limit.
fn why(metric: Metric, load: &TriedLoad, system: System) -> String {
    let figure = load.figure.map_or_else(|| UNKNOWN.to_owned(), |found| interval(found, system));
    match load.outcome {
        Outcome::Beyond(Reason::Latency) => {
            format!("whose {} is {figure}", metric.name())
        }
        Outcome::Beyond(Reason::NotAchieved) => {
            let share = percent(load.achieved_per_sec / load.wanted_per_sec);
            format!("of which {share} was achieved")
        }
        Outcome::Beyond(Reason::Growing) => {
            format!("under which requests take longer and longer ({} {figure})", metric.name())
        }
        Outcome::Undecided => {
            format!("whose {} of {figure} cannot be distinguished from it", metric.name())
        }
        Outcome::Within => format!("whose {} is {figure}", metric.name()),
    }
}

fn unfinished(found: &HighestLoad, wanted: &str, system: System) -> String {
    let of = |outcome: fn(Outcome) -> bool| {
        let loads = found.loads.iter().filter(move |load| outcome(load.outcome));
        loads.map(|load| load.wanted_per_sec)
    };
    let within = of(|outcome| outcome == Outcome::Within).reduce(f64::max);
    let beyond = of(|outcome| matches!(outcome, Outcome::Beyond(_))).reduce(f64::min);
    let told = |per_sec: Option<f64>| {
        per_sec.map_or_else(|| UNKNOWN.to_owned(), |per_sec| operations(per_sec, system))
    };
    format!("{wanted} up to {}, no more from {}: not finished", told(within), told(beyond))
}

/// A figure with the ends of its interval, where it has one: "2.100 ms (2.000 ms .. 2.200 ms)".
pub(crate) fn interval(figure: Figure, system: System) -> String {
    let Figure { ns, low_ns, high_ns } = figure;
    let value = time(ns, system);
    if low_ns >= high_ns {
        return value;
    }
    let share = 100.0 * (high_ns - ns) / ns;
    format!("{value} {}", crate::numbers::plus_minus(share))
}
