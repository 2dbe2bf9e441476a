//! Response time against load as text: a sentence and a table for each ladder of a run.

use iopath_analysis::ladder::{Ladder, Rung, ladders};
use iopath_units::System;

use crate::look::{Look, Tone};
use crate::numbers::{UNKNOWN, maybe_time, operations, rate, time};
use crate::run::{RunReport, label};
use crate::table::{Column, render};
use crate::wrap::wrap;

/// Every ladder among the trials in which requests take time.
pub(crate) fn of(run: &RunReport) -> Vec<Ladder> {
    let trials = run.trials.iter().filter(|trial| !trial.is_instant());
    let trials: Vec<_> = trials.map(|trial| (&trial.case, &trial.findings)).collect();
    ladders(&trials, run.within)
}

/// What each ladder says; empty where there is none.
pub(crate) fn text(run: &RunReport, look: &Look) -> String {
    let one = |ladder: &Ladder| {
        let sentence = look.paint(Tone::Verdict, &wrap(&sentence(ladder, look), 0, look.width));
        format!("{sentence}\n{}", render(columns(ladder, look.system), look.width))
    };
    of(run).iter().map(one).collect::<Vec<_>>().join("\n\n")
}

fn sentence(ladder: &Ladder, look: &Look) -> String {
    let system = look.system;
    let name = label(&ladder.experiment, &ladder.levels);
    let within = time(ladder.within_ns as f64, system);
    let highest = match ladder.highest_within_per_sec {
        Some(per_sec) => {
            format!("{} with a mean response within {within}", speed(ladder, per_sec, system))
        }
        None => format!("no rung has a mean response within {within}"),
    };
    let lightest = ladder.rungs.first().map_or("", |rung| rung.level.as_str());
    let response = maybe_time(ladder.lightest_response_ns, system);
    let factor = &ladder.factor;
    format!("{name}: response time by {factor}: {highest}; {response} at {factor}={lightest}")
}

fn speed(ladder: &Ladder, per_sec: f64, system: System) -> String {
    match ladder.measure {
        "operations" => operations(per_sec, system),
        _ => rate(per_sec, system),
    }
}

fn columns(ladder: &Ladder, system: System) -> Vec<Column> {
    let rungs = || ladder.rungs.iter();
    let percentile = |ns: Option<u64>| maybe_time(ns.map(|ns| ns as f64), system);
    let speeds = |of: fn(&Rung) -> f64| rungs().map(move |rung| speed(ladder, of(rung), system));
    let word = |rung: &Rung| match rung.is_within {
        Some(true) => "yes",
        Some(false) => "no",
        None => UNKNOWN,
    };
    vec![
        Column::needed("load", rungs().map(|rung| rung.level.clone()).collect()),
        Column::needed("wanted", speeds(|rung| rung.wanted_per_sec).collect()),
        Column::needed("achieved", speeds(|rung| rung.achieved_per_sec).collect()),
        Column::needed(
            "mean response",
            rungs().map(|rung| maybe_time(rung.response_ns_mean, system)).collect(),
        ),
        Column {
            title: "p50",
            cells: rungs().map(|rung| percentile(rung.response_ns_p50)).collect(),
            expendable: 2,
        },
        Column::needed("p99", rungs().map(|rung| percentile(rung.response_ns_p99)).collect()),
        Column {
            title: "within",
            cells: rungs().map(|rung| word(rung).to_owned()).collect(),
            expendable: 1,
        },
    ]
}
