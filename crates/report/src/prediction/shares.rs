//! How the streams share, and response time against load.

use iopath_analysis::prediction::{GroupShare, LoadPoint, Prediction};
use iopath_units::System;

use super::words;
use crate::look::Look;
use crate::numbers::{self, UNKNOWN, maybe_time, operations, rate, time};
use crate::table::{Column, render};

/// A table of the declarations of streams; nothing where a single stream has everything.
pub(crate) fn section(prediction: &Prediction, look: &Look) -> String {
    let shares = &prediction.shares;
    let streams: u64 = shares.iter().map(|group| group.streams).sum();
    if streams < 2 {
        return String::new();
    }
    let system = look.system;
    let cells = |of: &dyn Fn(&GroupShare) -> String| shares.iter().map(of).collect::<Vec<_>>();
    let each = |of: &dyn Fn(&GroupShare) -> (f64, f64)| {
        cells(&|group| {
            let (bytes, requests) = of(group);
            amount(group, bytes, requests, system)
        })
    };
    let jain = |group: &GroupShare| {
        group.jain.map_or_else(|| UNKNOWN.to_owned(), |jain| format!("{jain:.3}"))
    };
    let column = |title, cells, expendable| Column { title, cells, expendable };
    let columns = vec![
        Column::needed("streams", cells(&|group| group.name.clone())),
        Column::needed("count", cells(&|group| group.streams.to_string())),
        Column::needed(
            "together",
            each(&|group| (group.throughput_bytes_per_sec, group.operations_per_sec)),
        ),
        Column::needed(
            "each",
            each(&|g| (g.of_stream_bytes_per_sec.mean, g.of_stream_operations_per_sec.mean)),
        ),
        column(
            "least",
            each(&|g| (g.of_stream_bytes_per_sec.min, g.of_stream_operations_per_sec.min)),
            1,
        ),
        column(
            "most",
            each(&|g| (g.of_stream_bytes_per_sec.max, g.of_stream_operations_per_sec.max)),
            1,
        ),
        Column::needed("Jain", cells(&jain)),
        column("response", cells(&|group| maybe_time(group.response_ns, system)), 2),
    ];
    let text = render(columns, look.width);
    format!("shares of the streams\n{text}")
}

fn amount(group: &GroupShare, bytes: f64, requests: f64, system: System) -> String {
    if numbers::is_small(group.throughput_bytes_per_sec, group.operations_per_sec) {
        operations(requests, system)
    } else {
        rate(bytes, system)
    }
}

pub(super) fn curve(prediction: &Prediction, look: &Look) -> String {
    let points = &prediction.curve;
    if points.is_empty() {
        return String::new();
    }
    let system = look.system;
    let cells = |of: &dyn Fn(&LoadPoint) -> String| points.iter().map(of).collect::<Vec<_>>();
    let columns = vec![
        Column::needed("load", cells(&|point| words::percent(point.load))),
        Column::needed("requests", cells(&|point| operations(point.operations_per_sec, system))),
        Column::needed("throughput", cells(&|p| rate(p.throughput_bytes_per_sec, system))),
        Column::needed("response", cells(&|point| time(point.response_ns, system))),
    ];
    format!("response time against load\n{}", render(columns, look.width))
}
