//! Rows and pools as the limits of a record.

use iopath_path::{Measure, Network, Row};
use iopath_record::{Layer, Limit};
use iopath_study::source::Origin;

use crate::traffic::word;

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

/// A row as a limit: of one server, where it counts time.
pub(super) fn of_row(row: &Row) -> Limit {
    let (measure, per_sec) = match row.measure {
        Measure::Bytes => ("bytes", row.capacity),
        Measure::Operations => ("operations", row.capacity),
        Measure::Busy => ("busy-ns", per_server(row, row.capacity)),
    };
    Limit {
        measure: measure.to_owned(),
        direction: word(row.direction).to_owned(),
        per_sec: per_sec.round() as u64,
        origin: origin(&row.origin),
        tokens: None,
    }
}

/// A number of servers as what each of them does in a second: more servers count as faster ones.
pub(crate) fn per_server(row: &Row, capacity: f64) -> f64 {
    capacity / f64::from(servers(row)) * SECOND
}

/// How many servers an entity of this row stands for.
pub(super) fn servers(row: &Row) -> u32 {
    match row.measure {
        Measure::Busy => (row.capacity.round() as u32).max(1),
        Measure::Bytes | Measure::Operations => 1,
    }
}

/// A pool as a limit.
pub(super) fn of_pool(network: &Network, pool: u32) -> Limit {
    let pool = &network.pools[pool as usize];
    Limit {
        measure: "requests".to_owned(),
        direction: "both".to_owned(),
        per_sec: 0,
        origin: origin(&pool.origin),
        tokens: Some(pool.tokens),
    }
}

/// What processors and memory are called in a record.
pub(super) fn kind_apart(row: &Row) -> &'static str {
    match row.measure {
        Measure::Busy => "cpu",
        Measure::Bytes | Measure::Operations => "memory",
    }
}

/// Where they lie.
pub(super) fn layer_apart(row: &Row) -> Layer {
    match row.measure {
        Measure::Busy => Layer::Processor,
        Measure::Bytes | Measure::Operations => Layer::Memory,
    }
}

/// Who states a limit: a word, or the title of a source. What nobody states is assumed.
fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Unstated | Origin::Assumed => "assumed".to_owned(),
        Origin::Given => "given".to_owned(),
        Origin::Rated => "rated".to_owned(),
        Origin::Published(source) => source.clone(),
    }
}
