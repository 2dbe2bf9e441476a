//! What streams got before, between and after failures.

use iopath_analysis::FailureSpan;
use iopath_units::System;

use super::Shown;
use super::chosen::each;
use crate::document::{Block, Section, Table};
use crate::numbers::{maybe_time, operations, rate, time};

const BEFORE: &str = "(before)";

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |told| {
        let spans = &told.trial.findings.failures;
        if spans.is_empty() {
            return Vec::new();
        }
        vec![Block::Table(table(spans, shown.system))]
    });
    Section::of("failures", "failures", blocks)
}

fn table(spans: &[FailureSpan], system: System) -> Table {
    let percentile = |ns: Option<u64>| maybe_time(ns.map(|ns| ns as f64), system);
    Table::of(spans)
        .column("since", |span| time(span.from_ns as f64, system))
        .column("what happens", |span| match &span.events[..] {
            [] => BEFORE.to_owned(),
            events => events.join(", "),
        })
        .column("lasts", |span| time((span.to_ns - span.from_ns) as f64, system))
        .column("throughput", |span| rate(span.throughput_bytes_per_sec, system))
        .bars(|span| span.throughput_bytes_per_sec)
        .column("requests", |span| operations(span.operations_per_sec, system))
        .expendable(2, "p50", |span| percentile(span.latency_ns_p50))
        .expendable(1, "p99", |span| percentile(span.latency_ns_p99))
        .column("maximum", |span| percentile(span.latency_ns_max))
        .done()
}
