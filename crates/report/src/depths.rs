//! Depths of a run held against one another, as text: a sentence, why, and a table for each.

use iopath_analysis::depths::{DepthPoint, DepthVerdict, Depths, depths};
use iopath_units::System;

use crate::look::{Look, Tone};
use crate::numbers::{UNKNOWN, operations, rate, time};
use crate::run::{TrialReport, label};
use crate::table::{Column, render};
use crate::words::evidence;
use crate::wrap::wrap;

/// Every comparison of depths among the trials.
pub(crate) fn of<'a>(trials: impl IntoIterator<Item = &'a TrialReport>) -> Vec<Depths> {
    let known = trials.into_iter().filter_map(|trial| Some((&trial.case, trial.depth.clone()?)));
    depths(&known.collect::<Vec<_>>())
}

/// What each comparison says; empty where there is none.
pub(crate) fn text<'a>(trials: impl IntoIterator<Item = &'a TrialReport>, look: &Look) -> String {
    let one = |found: &Depths| {
        let sentence = look.paint(Tone::Verdict, &wrap(&sentence(found, look), 0, look.width));
        let lines = found.evidence.iter();
        let lines = lines
            .map(|line| format!("- {}  [{}]", evidence::sentence(line, look.system), line.law()));
        let lines: Vec<String> = lines.map(|line| wrap(&line, 2, look.width)).collect();
        format!("{sentence}\n{}\n{}", lines.join("\n"), render(columns(found, look), look.width))
    };
    of(trials).iter().map(one).collect::<Vec<_>>().join("\n\n")
}

fn sentence(found: &Depths, look: &Look) -> String {
    let name = label(&found.experiment, &found.levels);
    let level = flat(found, look.system);
    let what = match found.verdict {
        DepthVerdict::Rising => "the rate still rises with depth".to_owned(),
        DepthVerdict::Throttled => format!("{level}, and the devices rest: a throttle holds it"),
        DepthVerdict::Saturated => {
            format!("{level}, with a busy device: it is full, or what lies behind it")
        }
        DepthVerdict::Elsewhere => format!("{level}, for the reason that its trials name"),
        DepthVerdict::Flat => format!("{level}; why is not known"),
    };
    format!("{name}: by depth: {what}")
}

fn flat(found: &Depths, system: System) -> String {
    let (Some(from), Some(bytes), Some(requests)) =
        (found.flat_from, found.flat_bytes_per_sec, found.flat_operations_per_sec)
    else {
        return String::new();
    };
    format!("no more from {from} on: {} or {}", rate(bytes, system), operations(requests, system))
}

fn columns(found: &Depths, look: &Look) -> Vec<Column> {
    let system = look.system;
    let column = |title, of: &dyn Fn(&DepthPoint) -> String| {
        Column::needed(title, found.points.iter().map(of).collect())
    };
    let busy = |point: &DepthPoint| {
        let share = point.utilisation.map(|busy| format!("{:.0} %", busy.min(1.0) * 100.0));
        share.unwrap_or_else(|| UNKNOWN.to_owned())
    };
    vec![
        column("depth", &|point| point.depth.to_string()),
        column("throughput in the window", &|point| rate(point.bytes_per_sec, system)),
        column("requests in the window", &|point| operations(point.operations_per_sec, system)),
        column("mean time", &|point| time(point.latency_ns_mean, system)),
        column("devices busy", &busy),
        column("limit", &|point| point.cause.name().to_owned()),
    ]
}
