//! Queue depths of a run compared: a sentence, why, and a table for each.

use iopath_analysis::depths::{DepthPoint, DepthVerdict, Depths, depths};
use iopath_units::System;

use super::{OfExperiment, Shown, limit, sweep};
use crate::document::{Block, Section, Table};
use crate::numbers::{UNKNOWN, operations, rate, time};
use crate::view::run::{TrialReport, label};

/// Every comparison of depths among the trials.
pub(crate) fn of<'a>(trials: impl IntoIterator<Item = &'a TrialReport>) -> Vec<Depths> {
    let known = trials.into_iter().filter_map(|trial| Some((&trial.case, trial.depth.clone()?)));
    depths(&known.collect::<Vec<_>>())
}

/// What each comparison comes to.
pub(super) fn sentences(shown: &Shown<'_>) -> Vec<OfExperiment> {
    let with_knee = |found: &Depths| {
        let trials: Vec<u32> = found.points.iter().map(|point| point.trial).collect();
        let name = label(&found.experiment, &found.levels);
        let said = sentence(found, shown.system);
        let text = match sweep::knee_among(&trials, shown) {
            Some(knee) => format!("{name}: {knee}; {said}"),
            None => format!("{name}: {said}"),
        };
        OfExperiment { experiment: found.experiment.clone(), text }
    };
    of(shown.trials).iter().map(with_knee).collect()
}

/// What depths come to, with why, where no other section says it.
pub(crate) fn alone(shown: &Shown<'_>) -> Vec<Section> {
    let said = sentences(shown).into_iter().map(|one| Block::Verdict(one.text)).collect();
    let said = Section::of("verdict", "verdict", said);
    said.into_iter().chain(section(shown)).collect()
}

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = of(shown.trials).into_iter().flat_map(|found| {
        let lines = found.evidence.iter().map(|line| limit::line(line, shown.system));
        [Block::Table(table(&found, shown.system)), Block::Lines(lines.collect())]
    });
    Section::of("depths", "by depth", blocks.collect())
}

fn sentence(found: &Depths, system: System) -> String {
    let level = flat(found, system);
    match found.verdict {
        DepthVerdict::Unclear => {
            "what the highest depth changes is within the confidence intervals: \
             measure longer or with more passes"
                .to_owned()
        }
        DepthVerdict::Rising => "throughput still rises with depth".to_owned(),
        DepthVerdict::Falling => "throughput falls at the highest depth".to_owned(),
        DepthVerdict::Throttled => {
            format!("{level}, with mostly idle devices: throttled above them")
        }
        DepthVerdict::Saturated => {
            format!("{level}, with a busy device: it or what is behind it is saturated")
        }
        DepthVerdict::Elsewhere => format!("{level}, by the limit of its trials"),
        DepthVerdict::Flat => format!("{level}; bottleneck not identified"),
    }
}

fn flat(found: &Depths, system: System) -> String {
    let (Some(from), Some(bytes), Some(requests)) =
        (found.flat_from, found.flat_bytes_per_sec, found.flat_operations_per_sec)
    else {
        return String::new();
    };
    let [bytes, requests] = [rate(bytes, system), operations(requests, system)];
    format!("throughput is flat from depth {from} on, at {bytes} or {requests}")
}

fn table(found: &Depths, system: System) -> Table {
    let busy = |point: &DepthPoint| {
        let share = point.utilisation.map(|busy| format!("{:.0} %", busy.min(1.0) * 100.0));
        share.unwrap_or_else(|| UNKNOWN.to_owned())
    };
    Table::of(&found.points)
        .titled(label(&found.experiment, &found.levels))
        .column("depth", |point| point.depth.to_string())
        .column("throughput in the window", |point| rate(point.bytes_per_sec, system))
        .column("requests in the window", |point| operations(point.operations_per_sec, system))
        .column("mean time", |point| time(point.latency_ns_mean, system))
        .column("devices busy", busy)
        .column("limit", |point| point.cause.name().to_owned())
        .done()
}
