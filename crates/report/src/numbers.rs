//! Findings are floating-point numbers; people read quantities with four digits and a unit.

use iopath_analysis::thresholds::reports::SMALL_MEAN_BYTES;
use iopath_units::{ByteRate, Bytes, Human, Nanos, OperationRate, System};

/// What stands where a figure is not known.
pub(crate) const UNKNOWN: &str = "-";

/// Whether requests a second say more than bytes a second, of so many bytes and requests.
pub(crate) fn is_small(bytes: f64, requests: f64) -> bool {
    bytes <= SMALL_MEAN_BYTES as f64 * requests
}

pub(crate) fn rate(bytes_per_sec: f64, system: System) -> String {
    ByteRate(bytes_per_sec.round() as u64).human(system)
}

/// A rate that may not be known.
pub(crate) fn maybe_rate(bytes_per_sec: Option<f64>, system: System) -> String {
    bytes_per_sec.map_or_else(|| UNKNOWN.to_owned(), |value| rate(value, system))
}

pub(crate) fn size(bytes: u64, system: System) -> String {
    Bytes(bytes).human(system)
}

pub(crate) fn operations(per_sec: f64, system: System) -> String {
    OperationRate((per_sec * 1e3).round() as u64).human(system)
}

pub(crate) fn time(ns: f64, system: System) -> String {
    Nanos(ns.round() as u64).human(system)
}

/// From one quantity to another, the unit once where it is the same; nothing where they are equal.
pub(crate) fn between(least: &str, most: &str) -> String {
    match (least.split_once(' '), most.split_once(' ')) {
        _ if least == most => String::new(),
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} .. {most}"),
        _ => format!("{least} .. {most}"),
    }
}

/// Half the width of an interval, in percent of what it is of.
pub(crate) fn plus_minus(percent: f64) -> String {
    if percent < 0.05 { "± <0.1 %".to_owned() } else { format!("± {percent:.1} %") }
}

/// A time that may not be known.
pub(crate) fn maybe_time(ns: Option<f64>, system: System) -> String {
    ns.map_or_else(|| UNKNOWN.to_owned(), |ns| time(ns, system))
}

/// The same of whole nanoseconds, as distributions have them.
pub(crate) fn maybe_ns(ns: Option<u64>, system: System) -> String {
    maybe_time(ns.map(|ns| ns as f64), system)
}
