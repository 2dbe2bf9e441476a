//! Rows and pools as the limits of a record.

use std::collections::BTreeMap;

use iopath_path::fold::label;
use iopath_path::{Direction, Measure, Network, Pool, Row};
use iopath_record::{self as record, Kind, Layer, Limit};
use iopath_study::source::Origin;

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

/// The limits of each component, as positions in [`Table::limits`](crate::Table::limits): its
/// rows, then its pools.
#[must_use]
pub fn limits_of(network: &Network) -> Vec<Vec<u32>> {
    let rows =
        |component: &iopath_path::Component| component.rows.iter().map(|row| row.0).collect();
    let mut limits: Vec<Vec<u32>> = network.components.iter().map(rows).collect();
    for (limit, pool) in (network.rows.len() as u32..).zip(&network.pools) {
        limits[pool.component.0 as usize].push(limit);
    }
    limits
}

/// Numbers of rows, then pools, equal for those that are worded alike and mean the same.
pub(crate) fn alike(network: &Network) -> Vec<u32> {
    let rows = network.rows.iter().map(|row| {
        let meaning = (row.property, Some((row.measure, row.direction)));
        (meaning, label(row.capacity), stated(&row.origin))
    });
    let pools = network.pools.iter();
    let pools = pools.map(|pool| ((pool.property, None), pool.tokens, stated(&pool.origin)));
    let mut known = BTreeMap::new();
    let number = |limit| {
        let next = known.len() as u32;
        *known.entry(limit).or_insert(next)
    };
    rows.chain(pools).map(number).collect()
}

/// A row or pool as a limit.
pub(crate) fn worded(network: &Network, limit: u32) -> Limit {
    let limit = limit as usize;
    let pool = |limit| of_pool(&network.pools[limit]);
    network.rows.get(limit).map_or_else(|| pool(limit - network.rows.len()), of_row)
}

/// A row as a limit: of one server, where it counts time.
pub(crate) fn of_row(row: &Row) -> Limit {
    let (measure, per_sec) = match row.measure {
        Measure::Bytes => (record::Measure::Bytes, row.capacity),
        Measure::Operations => (record::Measure::Operations, row.capacity),
        Measure::Busy => (record::Measure::BusyNs, per_server(row, row.capacity)),
    };
    Limit {
        measure,
        direction: direction_of(row.direction),
        per_sec: per_sec.round() as u64,
        origin: stated(&row.origin),
        tokens: None,
    }
}

/// A number of servers as what each of them does in a second: more servers count as faster ones.
#[must_use]
pub fn per_server(row: &Row, capacity: f64) -> f64 {
    capacity / f64::from(servers(row)) * SECOND
}

/// How many servers an entity of this row stands for.
pub(crate) fn servers(row: &Row) -> u32 {
    match row.measure {
        Measure::Busy => (row.capacity.round() as u32).max(1),
        Measure::Bytes | Measure::Operations => 1,
    }
}

/// A pool as a limit. The lock of a file is held by writers only.
fn of_pool(pool: &Pool) -> Limit {
    Limit {
        measure: record::Measure::Requests,
        direction: direction_of(if pool.property == "lock" {
            Direction::Write
        } else {
            Direction::Both
        }),
        per_sec: 0,
        origin: stated(&pool.origin),
        tokens: Some(pool.tokens),
    }
}

/// Whether a row is a resource of its own beside the traffic of its component: processors, and
/// memory, which one byte crosses several times. An arm is the disk itself.
#[must_use]
pub fn is_apart(row: &Row) -> bool {
    match row.measure {
        Measure::Busy => row.property != "arm",
        Measure::Bytes => row.property == "memory-rate",
        Measure::Operations => false,
    }
}

/// What processors and memory are called in a record.
pub(crate) fn kind_apart(row: &Row) -> Kind {
    match row.measure {
        Measure::Busy => Kind::Cpu,
        Measure::Bytes | Measure::Operations => Kind::Memory,
    }
}

/// Where they lie.
pub(crate) fn layer_apart(row: &Row) -> Layer {
    match row.measure {
        Measure::Busy => Layer::Processor,
        Measure::Bytes | Measure::Operations => Layer::Memory,
    }
}

fn direction_of(direction: Direction) -> record::Direction {
    match direction {
        Direction::Read => record::Direction::Read,
        Direction::Write => record::Direction::Write,
        Direction::Both => record::Direction::Both,
    }
}

/// What states a limit; else it is assumed.
fn stated(origin: &Origin) -> record::Origin {
    match origin {
        Origin::Unstated | Origin::Assumed => record::Origin::Assumed,
        Origin::Given => record::Origin::Given,
        Origin::Rated => record::Origin::Rated,
        Origin::Inferred(inference) => inference.to_string().as_str().into(),
        Origin::Published(source) => source.as_str().into(),
    }
}
