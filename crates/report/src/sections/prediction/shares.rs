//! How the streams share, and response time against load.

use iopath_analysis::prediction::{GroupShare, LoadPoint, Prediction, Spread};
use iopath_record::BoundKind;
use iopath_units::System;

use crate::document::{Block, Section, Table};
use crate::numbers::{self, UNKNOWN, maybe_time, operations, rate, time};
use crate::words::prediction as words;

/// A table of the declarations of streams; nothing where a single stream has everything.
pub(crate) fn section(prediction: &Prediction, system: System) -> Option<Section> {
    let shares = &prediction.shares;
    let streams: u64 = shares.iter().map(|group| group.streams).sum();
    let of = |group: &GroupShare, which: fn(&Spread) -> f64| {
        let [bytes, requests] =
            [&group.of_stream_bytes_per_sec, &group.of_stream_operations_per_sec];
        amount(group, which(bytes), which(requests), system)
    };
    let jain = |group: &GroupShare| {
        group.jain.map_or_else(|| UNKNOWN.to_owned(), |jain| format!("{jain:.3}"))
    };
    let table = Table::of(shares)
        .column("streams", |group| group.name.clone())
        .column("count", |group| group.streams.to_string())
        .column("together", |group| {
            amount(group, group.throughput_bytes_per_sec, group.operations_per_sec, system)
        })
        .column("each", |group| of(group, |one| one.mean))
        .expendable(1, "minimum", |group| of(group, |one| one.min))
        .expendable(1, "maximum", |group| of(group, |one| one.max))
        .column("Jain", jain)
        .expendable(2, "response", |group| maybe_time(group.response_ns, system));
    let blocks = if streams < 2 { Vec::new() } else { vec![Block::Table(table.done())] };
    Section::of("shares", "shares of the streams", blocks)
}

fn amount(group: &GroupShare, bytes: f64, requests: f64, system: System) -> String {
    if numbers::is_small(group.throughput_bytes_per_sec, group.operations_per_sec) {
        operations(requests, system)
    } else {
        rate(bytes, system)
    }
}

/// Response time against load, as far as the streams can load the path.
pub(super) fn curve(prediction: &Prediction, system: System) -> Option<Section> {
    let is_closed =
        matches!(prediction.decided_by, Some(BoundKind::ClosedLoop | BoundKind::Synchronised));
    let most = if is_closed { prediction.operations_per_sec } else { f64::INFINITY };
    let points = prediction.curve.iter().filter(|point| point.operations_per_sec <= most);
    let points: Vec<&LoadPoint> = points.collect();
    let title = "response time against load (random arrivals)";
    let title = match points.len() < prediction.curve.len() {
        true => format!("{title}, up to the bound that decides"),
        false => title.to_owned(),
    };
    let table = Table::of(&points)
        .column("load", |point| words::percent(point.load))
        .column("requests", |point| operations(point.operations_per_sec, system))
        .column("throughput", |point| rate(point.throughput_bytes_per_sec, system))
        .column("response", |point| time(point.response_ns, system));
    let blocks = Block::table(table.done()).into_iter().collect();
    Section::of("curve", &title, blocks)
}
