//! Limits, bounds and figures in words: short forms that several parts of a prediction share.

use iopath_analysis::prediction::{LimitClass, LimitFinding, Prediction};
use iopath_record::BoundKind;
use iopath_units::System;

use crate::numbers::{UNKNOWN, operations, rate};

/// Mean size of a request up to which requests a second say more than bytes a second: chosen, as
/// in verdicts of measurements.
const SMALL_BYTES: f64 = 16_384.0;

/// As many names as a list tells before it counts the rest: chosen, a line of text.
const NAMED: usize = 3;

pub(super) fn kind(kind: BoundKind) -> &'static str {
    match kind {
        BoundKind::FreeSplit => "free split",
        BoundKind::FixedSplit => "fixed split",
        BoundKind::ClosedLoop => "closed loop",
        BoundKind::Synchronised => "synchronised",
    }
}

/// Whether requests a second are the figure of this case.
pub(super) fn is_small(bytes_per_sec: f64, operations_per_sec: f64) -> bool {
    bytes_per_sec <= SMALL_BYTES * operations_per_sec
}

pub(super) fn throughput(prediction: &Prediction, system: System) -> String {
    rate(prediction.throughput_bytes_per_sec, system)
}

pub(super) fn requests(prediction: &Prediction, system: System) -> String {
    operations(prediction.operations_per_sec, system)
}

/// The figure that matters: bytes, or requests where they are small.
pub(super) fn figure(bytes: f64, requests: f64, system: System) -> String {
    if is_small(bytes, requests) {
        format!("{} requests", operations(requests, system))
    } else {
        rate(bytes, system)
    }
}

/// An amount of what a limit counts.
pub(super) fn amount(limit: &LimitFinding, value: f64, system: System) -> String {
    match limit.measure.as_str() {
        "bytes" => rate(value, system),
        "operations" => operations(value, system),
        // Time of service a second: how many servers are busy.
        "busy-ns" => format!("{} busy", plain(value / 1e9)),
        _ => format!("{} in flight", plain(value)),
    }
}

/// What a limit allows, with its direction.
pub(super) fn allowed(limit: &LimitFinding, per_sec: u64, system: System) -> String {
    let value = limit.tokens.map_or(per_sec as f64, |tokens| tokens as f64);
    let direction = match limit.direction.as_str() {
        "both" => String::new(),
        direction => format!(" {direction}"),
    };
    format!("{}{direction}", amount(limit, value, system))
}

/// What a limit allows, with direction and origin.
pub(super) fn rated(limit: &LimitFinding, system: System) -> String {
    let origin = origin(limit);
    let allowed = allowed(limit, limit.per_sec, system);
    if origin.is_empty() { allowed } else { format!("{allowed}, {origin}") }
}

/// Without the parentheses that the language puts around it.
pub(super) fn origin(limit: &LimitFinding) -> &str {
    limit.origin.trim_start_matches('(').trim_end_matches(')')
}

/// How many of which: "all 14 p690.drawer.planar", "3 of 14 …", the name alone where there is one.
pub(super) fn members(class: &LimitClass) -> String {
    match (class.count, class.of) {
        (1, _) => class.name.clone(),
        (2, 2) => format!("both {}", class.name),
        (count, of) if count == of => format!("all {count} {}", class.name),
        // The indices in the name already say which of them.
        (count, _) if class.name.contains('[') => format!("{count} {}", class.name),
        (count, of) => format!("{count} of {of} {}", class.name),
    }
}

/// A list with "and", the rest counted.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => UNKNOWN.to_owned(),
        [one] => one.clone(),
        all if all.len() <= NAMED => {
            let (last, first) = all.split_last().unwrap_or((&all[0], &[]));
            format!("{} and {last}", first.join(", "))
        }
        all => format!("{} and {} others", all[..NAMED].join(", "), all.len() - NAMED),
    }
}

/// What binds, in a cell of a table.
pub(super) fn bottleneck(prediction: &Prediction, system: System) -> String {
    let each = prediction.bottlenecks.iter().map(|binding| {
        let limits = &binding.limits;
        format!("{} ({})", members(limits), allowed(&limits.limit, limits.limit.per_sec, system))
    });
    list(&each.collect::<Vec<_>>())
}

pub(super) fn percent(share: f64) -> String {
    let decimals = usize::from(share < 0.9995);
    format!("{:.decimals$} %", share * 100.0)
}

/// A number with no more digits than it needs, three at most behind the point.
fn plain(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
