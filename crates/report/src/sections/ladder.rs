//! Response time against load: a sentence, a table and a figure for each ladder of a run.

use iopath_analysis::ladder::{Ladder, Rung, ladders};
use iopath_units::System;

use super::{OfExperiment, Shown, latency};
use crate::document::{Block, Section, Table};
use crate::numbers::{UNKNOWN, maybe_ns, maybe_time, operations, rate, time};
use crate::view::run::{RunReport, TrialReport, label};

/// Every ladder among the trials in which requests take time.
pub(crate) fn of(run: &RunReport) -> Vec<Ladder> {
    among(&run.trials, run)
}

fn among(trials: &[TrialReport], run: &RunReport) -> Vec<Ladder> {
    let trials = trials.iter().filter(|trial| !trial.is_instant());
    let trials: Vec<_> = trials.map(|trial| (&trial.case, &trial.findings)).collect();
    ladders(&trials, run.within)
}

/// What each ladder comes to.
pub(super) fn sentences(shown: &Shown<'_>) -> Vec<OfExperiment> {
    let said = |ladder: Ladder| OfExperiment {
        text: sentence(&ladder, shown.system),
        experiment: ladder.experiment,
    };
    among(shown.trials, &shown.run.report).into_iter().map(said).collect()
}

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let all = among(shown.trials, &shown.run.report);
    let mut blocks = Vec::new();
    let mut at = 0;
    for group in all.chunk_by(|a, b| a.experiment == b.experiment && a.factor == b.factor) {
        blocks.extend(of_group(at, group, shown.system));
        at += group.len();
    }
    Section::of("ladder", "response time by load", blocks)
}

/// Ladders of one experiment: of several their means over one another, and each one's percentiles
/// folded. `at` is the place of the first among those of the run.
fn of_group(at: usize, group: &[Ladder], system: System) -> Vec<Block> {
    let is_only = group.len() == 1;
    let together = latency::ladders::ladders(at, group, system).filter(|_| !is_only);
    let each = group.iter().zip(at..).flat_map(|(ladder, at)| {
        let figure = Block::Figure(latency::curves::ladder(at, ladder, system));
        let title = format!("percentiles of {}", label(&ladder.experiment, &ladder.levels));
        let figure = if is_only { figure } else { Block::Fold(title, vec![figure]) };
        [Block::Table(table(ladder, system)), figure]
    });
    together.map(Block::Figure).into_iter().chain(each).collect()
}

fn sentence(ladder: &Ladder, system: System) -> String {
    let name = label(&ladder.experiment, &ladder.levels);
    let within = time(ladder.within_ns as f64, system);
    let highest = match ladder.highest_within_per_sec {
        Some(per_sec) => {
            format!("{} with a mean response within {within}", speed(ladder, per_sec, system))
        }
        None => format!("no step has a mean response within {within}"),
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

fn table(ladder: &Ladder, system: System) -> Table {
    let within = |rung: &Rung| match rung.is_within {
        Some(true) => "yes",
        Some(false) => "no",
        None => UNKNOWN,
    };
    Table::of(&ladder.rungs)
        .titled(label(&ladder.experiment, &ladder.levels))
        .column("load", |rung| rung.level.clone())
        .column("wanted", |rung| speed(ladder, rung.wanted_per_sec, system))
        .column("achieved", |rung| speed(ladder, rung.achieved_per_sec, system))
        .column("mean response", |rung| maybe_time(rung.response_ns_mean, system))
        .expendable(2, "p50", |rung| maybe_ns(rung.response_ns_p50, system))
        .column("p99", |rung| maybe_ns(rung.response_ns_p99, system))
        .expendable(1, "within", |rung| within(rung).to_owned())
        .done()
}
