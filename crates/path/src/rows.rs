//! Rows from the limits that a part states: rates, windows, processors, memory, the arm of a disk.
//!
//! Rates of what requests cross are used up by crossing. What is an end of theirs (a medium, a
//! volume, a cache) is charged by the legs that end there, so are memory, processors and arms.

use iopath_study::case::Rate;
use iopath_study::source::Sourced;
use iopath_study::value::Value;
use iopath_study::{PartId, System};

use crate::network::{Burst, ComponentId, Direction, Measure, Row, RowId};

/// A property that states a rate.
struct Limit {
    property: &'static str,
    measure: Measure,
    direction: Direction,
}

const fn limit(property: &'static str, measure: Measure, direction: Direction) -> Limit {
    Limit { property, measure, direction }
}

/// Every property that states how much of something there is in a second.
const LIMITS: [Limit; 9] = [
    limit("read", Measure::Bytes, Direction::Read),
    limit("write", Measure::Bytes, Direction::Write),
    limit("both", Measure::Bytes, Direction::Both),
    limit("read-ops", Measure::Operations, Direction::Read),
    limit("write-ops", Measure::Operations, Direction::Write),
    limit("ops", Measure::Operations, Direction::Both),
    limit("memory-rate", Measure::Bytes, Direction::Both),
    limit(CPUS, Measure::Busy, Direction::Both),
    limit(PARITY_THREADS, Measure::Busy, Direction::Write),
];

/// The property of the row of threads that compute the parity of a volume.
pub(crate) const PARITY_THREADS: &str = "parity-threads";

/// The property of the row that processors have.
pub(crate) const CPUS: &str = "cpus";

/// The property of the row that an arm has: `stream` and `position` take their time from one arm.
pub(crate) const ARM: &str = "arm";

/// The number of a row.
pub(crate) fn number(position: usize) -> RowId {
    RowId(u32::try_from(position).unwrap_or(u32::MAX))
}

/// What keeps an arm, or a device without one, busy.
const BUSY: [&str; 4] = ["stream", "position", "read-time", "write-time"];

/// Adds the rows of a part.
pub(crate) fn push(system: &System, id: PartId, rows: &mut Vec<Row>) {
    let is_crossed = system.class(id).is_crossed();
    for limit in &LIMITS {
        let Some(value) = system.value(id, limit.property) else { continue };
        let Some(capacity) = capacity(&value.value) else { continue };
        rows.push(Row {
            component: ComponentId::from(id),
            property: limit.property,
            measure: limit.measure,
            direction: limit.direction,
            crossed: is_crossed && is_used_by_crossing(limit),
            capacity,
            origin: value.origin.clone(),
            burst: burst(system, id, limit),
        });
    }
    rows.extend(windows(system, id).into_iter().flatten());
    rows.extend(arm(system, id));
}

fn is_used_by_crossing(limit: &Limit) -> bool {
    limit.measure != Measure::Busy && limit.property != "memory-rate"
}

/// Bytes or operations per second, or a number of servers.
fn capacity(value: &Value) -> Option<f64> {
    match value {
        Value::Rate(Rate::Bytes(rate)) => Some(rate.0 as f64),
        Value::Rate(Rate::Operations(rate)) => Some(rate.per_sec()),
        Value::Count(servers) => Some(*servers as f64),
        _ => None,
    }
}

/// The token bucket beside a rate. Without a rate of its own a full bucket lets everything through.
fn burst(system: &System, id: PartId, limit: &Limit) -> Option<Burst> {
    if !is_used_by_crossing(limit) {
        return None;
    }
    let (tokens, rate) = match limit.measure {
        Measure::Bytes => (system.size(id, "burst")?.0 as f64, "burst-rate"),
        Measure::Operations => (system.count(id, "burst-ops")? as f64, "burst-ops-rate"),
        Measure::Busy => return None,
    };
    let rate = system.value(id, rate).and_then(|value| capacity(&value.value));
    Some(Burst { tokens, rate: rate.unwrap_or(f64::INFINITY) })
}

/// A sender stops when a window is under way and goes on when it is acknowledged, so no more than
/// one window passes in a round trip; each direction has its own (RFC 7323, section 1.1).
fn windows(system: &System, id: PartId) -> Option<[Row; 2]> {
    let (window, trip) = (system.value(id, "window")?, system.value(id, "round-trip")?);
    let seconds = system.time(id, "round-trip")?.as_secs_f64();
    let bytes = system.size(id, "window")?.0 as f64;
    let origin = if trip.origin.is_assumed() { &trip.origin } else { &window.origin };
    Some([Direction::Read, Direction::Write].map(|direction| Row {
        component: ComponentId::from(id),
        property: "window",
        measure: Measure::Bytes,
        direction,
        crossed: system.class(id).is_crossed(),
        capacity: bytes / seconds,
        origin: origin.clone(),
        burst: None,
    }))
}

/// One arm serves one request at a time: reaching its place and passing its bytes add up. So do
/// the time of a request and its bytes where a device without an arm states that time.
fn arm(system: &System, id: PartId) -> Option<Row> {
    let stated: Option<&Sourced<Value>> =
        BUSY.into_iter().find_map(|property| system.value(id, property));
    Some(Row {
        component: ComponentId::from(id),
        property: ARM,
        measure: Measure::Busy,
        direction: Direction::Both,
        crossed: false,
        capacity: 1.0,
        origin: stated?.origin.clone(),
        burst: None,
    })
}
