//! What streams got before, between and after failures.

use iopath_analysis::FailureSpan;
use iopath_units::System;

use super::Shown;
use super::chosen::each;
use crate::document::{Block, Section, Table};
use crate::numbers::{maybe_ns, operations, rate, time};

const BEFORE: &str = "(before)";

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |case| {
        let spans = &case.trial.findings.failures;
        if spans.is_empty() {
            return Vec::new();
        }
        vec![Block::Table(table(spans, shown.system))]
    });
    Section::of("failures", "failures", blocks)
}

fn table(spans: &[FailureSpan], system: System) -> Table {
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
        .expendable(2, "p50", |span| maybe_ns(span.latency_ns_p50, system))
        .expendable(1, "p99", |span| maybe_ns(span.latency_ns_p99, system))
        .column("maximum", |span| maybe_ns(span.latency_ns_max, system))
        .done()
}
