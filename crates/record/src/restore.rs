//! A record of an emulated path with the figures of the original.
//!
//! The case was made smaller by a scale (bytes and rates) and slower by a stretch (rates and
//! times); here both are undone. Bytes of the path are multiplied by the scale, rates in bytes by
//! both, and all times are divided by the stretch.
//!
//! What belongs to the machine that made the record (memory, processors, the generator) moved its
//! own bytes, so these stay. Times are divided there, too: the axis is, and a processor that was
//! busy half of the time still is. Counts stay everywhere. What does not fit into 64 bits is
//! refused: a figure that is cut off would be a wrong one.

mod histogram;

use thiserror::Error;

use crate::series::Counted;
use crate::validate::{BrokenRule, listed};
use crate::{
    Bound, CurvePoint, Emulated, Entity, Limit, Measure, PhaseTotals, Raise, Record, Series,
    StreamTotals, Technique, Upgrade,
};

/// Why a record cannot be given back the figures of the original.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CannotRestore {
    /// Nothing but a measurement is made on an emulated path.
    #[error("a record of {0} was not made on an emulated path")]
    Technique(&'static str),
    /// It is restored already.
    #[error("the record already has the figures of the original")]
    Twice,
    /// A scale and a stretch are at least 1.
    #[error("a scale or stretch cannot be 0")]
    Zero,
    /// A figure of the original is above 64 bits.
    #[error("{0} of the original exceeds 64 bits; use a smaller scale")]
    TooLarge(&'static str),
    /// The figures that came out contradict one another.
    #[error("the figures of the original do not fit into a record: {text}", text = listed(.0))]
    Broken(Vec<BrokenRule>),
}

/// What is undone.
#[derive(Clone, Copy, Debug)]
struct Undo {
    scale: u64,
    stretch: u64,
}

impl Undo {
    fn new(scale: u64, stretch: u64) -> Result<Self, CannotRestore> {
        if scale == 0 || stretch == 0 {
            Err(CannotRestore::Zero)
        } else {
            Ok(Self { scale, stretch })
        }
    }

    fn bytes(self, bytes: u64, what: &'static str) -> Result<u64, CannotRestore> {
        bytes.checked_mul(self.scale).ok_or(CannotRestore::TooLarge(what))
    }

    fn byte_rate(self, rate: u64, what: &'static str) -> Result<u64, CannotRestore> {
        self.operation_rate(self.bytes(rate, what)?, what)
    }

    fn operation_rate(self, rate: u64, what: &'static str) -> Result<u64, CannotRestore> {
        rate.checked_mul(self.stretch).ok_or(CannotRestore::TooLarge(what))
    }

    /// Divides a time in place.
    fn time(self, time_ns: &mut u64) {
        *time_ns /= self.stretch;
    }
}

impl Record {
    /// The record of a measurement on an emulated path, with the figures of the original and the
    /// label that says so.
    ///
    /// # Errors
    /// [`CannotRestore`]: not such a record, or figures that are too large.
    pub fn restored(mut self, emulated: Emulated) -> Result<Self, CannotRestore> {
        let undo = Undo::new(emulated.scale, emulated.stretch)?;
        match &mut self.technique {
            Technique::Measurement { emulated: label @ None, .. } => *label = Some(emulated),
            Technique::Measurement { .. } => return Err(CannotRestore::Twice),
            other @ (Technique::Analytic
            | Technique::Simulation { .. }
            | Technique::Observation) => return Err(CannotRestore::Technique(other.name())),
        }
        self.format = Self::FORMAT;
        record(&mut self, undo)?;
        let broken = self.validate();
        if broken.is_empty() { Ok(self) } else { Err(CannotRestore::Broken(broken)) }
    }

    /// What a live system counted at a scale and a stretch, with the figures of the original.
    ///
    /// # Errors
    /// [`CannotRestore`]: figures that are too large.
    pub fn restored_counters(mut self, scale: u64, stretch: u64) -> Result<Self, CannotRestore> {
        record(&mut self, Undo::new(scale, stretch)?)?;
        Ok(self)
    }
}

fn record(record: &mut Record, undo: Undo) -> Result<(), CannotRestore> {
    bounds(record, undo)?;
    for one in &mut record.series {
        let entity = record.entities.get(one.entity.0 as usize);
        series(one, entity.is_some_and(Entity::is_of_path), undo)?;
    }
    for entity in record.entities.iter_mut().filter(|entity| entity.is_of_path()) {
        entity.limits.iter_mut().try_for_each(|one| limit(one, undo))?;
    }
    record.streams.iter_mut().try_for_each(|one| stream(one, undo))?;
    record.instants_ns.iter_mut().for_each(|instant| undo.time(instant));
    record.events.iter_mut().for_each(|event| undo.time(&mut event.at_ns));
    undo.time(&mut record.clock.error_ns);
    for heat in &mut record.heat {
        *heat = histogram::shortened(heat, undo.stretch);
    }
    Ok(())
}

fn limit(limit: &mut Limit, undo: Undo) -> Result<(), CannotRestore> {
    limit.per_sec = in_measure(limit.measure, limit.per_sec, undo)?;
    Ok(())
}

/// A rate in the measure of a limit. Servers of busy time, and tokens, are counts.
fn in_measure(measure: Measure, per_sec: u64, undo: Undo) -> Result<u64, CannotRestore> {
    match measure {
        Measure::Bytes => undo.byte_rate(per_sec, "a limit"),
        Measure::Operations => undo.operation_rate(per_sec, "a limit"),
        Measure::BusyNs | Measure::FlushNs | Measure::Requests => Ok(per_sec),
    }
}

fn series(series: &mut Series, of_the_path: bool, undo: Undo) -> Result<(), CannotRestore> {
    let mut values: Vec<u64> = series.values().collect();
    match series.counter.counted() {
        Counted::Bytes if of_the_path => {
            for value in &mut values {
                *value = undo.bytes(*value, "a counter")?;
            }
        }
        Counted::Time => values.iter_mut().for_each(|value| undo.time(value)),
        Counted::Bytes | Counted::Count => return Ok(()),
    }
    let restored = Series::from_values(series.entity, series.counter, &values);
    (series.first, series.steps) = (restored.first, restored.steps);
    Ok(())
}

fn stream(stream: &mut StreamTotals, undo: Undo) -> Result<(), CannotRestore> {
    undo.time(&mut stream.first_issue_ns);
    undo.time(&mut stream.first_done_ns);
    undo.time(&mut stream.last_done_ns);
    stream.phases.iter_mut().try_for_each(|totals| phase(totals, undo))
}

fn phase(totals: &mut PhaseTotals, undo: Undo) -> Result<(), CannotRestore> {
    for bytes in [&mut totals.read_bytes, &mut totals.write_bytes, &mut totals.trim_bytes] {
        *bytes = undo.bytes(*bytes, "the traffic of a stream")?;
    }
    for time in [
        &mut totals.from_ns,
        &mut totals.to_ns,
        &mut totals.in_flight_ns,
        &mut totals.join_wait_ns,
        &mut totals.pool_wait_ns,
        &mut totals.idle_ns,
        &mut totals.user_ns,
        &mut totals.system_ns,
    ] {
        undo.time(time);
    }
    for latency in &mut totals.latency {
        latency.histogram = histogram::shortened(&latency.histogram, undo.stretch);
    }
    Ok(())
}

/// Bounds and curve; which limit an upgrade raises tells in which measure.
fn bounds(record: &mut Record, undo: Undo) -> Result<(), CannotRestore> {
    let entities = &record.entities;
    record.bounds.iter_mut().try_for_each(|one| bound(one, entities, undo))?;
    record.curve.iter_mut().try_for_each(|one| point(one, undo))
}

fn bound(bound: &mut Bound, entities: &[Entity], undo: Undo) -> Result<(), CannotRestore> {
    bound.bytes_per_sec = undo.byte_rate(bound.bytes_per_sec, "a bound")?;
    let operations = &mut bound.operations_milli_per_sec;
    *operations = undo.operation_rate(*operations, "a bound")?;
    bound.upgrades.iter_mut().try_for_each(|one| upgrade(one, entities, undo))
}

fn upgrade(upgrade: &mut Upgrade, entities: &[Entity], undo: Undo) -> Result<(), CannotRestore> {
    upgrade.then_bytes_per_sec = undo.byte_rate(upgrade.then_bytes_per_sec, "an upgrade")?;
    let operations = &mut upgrade.then_operations_milli_per_sec;
    *operations = undo.operation_rate(*operations, "an upgrade")?;
    for Raise { of, to_per_sec } in &mut upgrade.raise {
        let entity = entities.get(of.entity.0 as usize).filter(|entity| entity.is_of_path());
        let limit = entity.and_then(|entity| entity.limits.get(of.limit as usize));
        if let Some(limit) = limit {
            *to_per_sec = in_measure(limit.measure, *to_per_sec, undo)?;
        }
    }
    Ok(())
}

fn point(point: &mut CurvePoint, undo: Undo) -> Result<(), CannotRestore> {
    point.bytes_per_sec = undo.byte_rate(point.bytes_per_sec, "the curve")?;
    let operations = &mut point.operations_milli_per_sec;
    *operations = undo.operation_rate(*operations, "the curve")?;
    undo.time(&mut point.response_ns);
    Ok(())
}
