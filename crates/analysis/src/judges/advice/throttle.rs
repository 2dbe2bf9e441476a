//! Limits of control groups that were reached.

use iopath_record::{Direction, Limit, Measure};

use super::{Advice, GroupLimit, Scene};
use crate::judges::evidence::{Cause, Evidence, Fact};

/// Lifts the limit that was reached.
pub(super) fn lift(scene: &Scene<'_>) -> Option<Advice> {
    if scene.limit.cause != Cause::Throttle {
        return None;
    }
    let named = scene.limit.entity.as_deref()?;
    let device = scene.metrics.devices.iter().find(|device| device.name == named)?;
    let limit = scene.limit.evidence.iter().find_map(of_group)?;
    let busy = device.usage.utilisation.filter(|used| *used > 0.0);
    Some(Advice::LiftGroupLimit { device: device.name.clone(), limit, busy })
}

/// A limit that was reached, with its file and the number of its device.
fn of_group(line: &Evidence) -> Option<GroupLimit> {
    let Fact::GroupLimit { limit, .. } = &line.fact else { return None };
    let (file, number) = limit.origin.control_group()?;
    let key = match file.ends_with("io.max") {
        true => Some(key(limit)?),
        false => None,
    };
    (line.value >= line.threshold).then(|| GroupLimit {
        file: file.to_owned(),
        number: number.to_owned(),
        key,
        per_sec: limit.per_sec,
        measure: limit.measure,
    })
}

/// What `io.max` calls a limit.
fn key(limit: &Limit) -> Option<&'static str> {
    match (limit.direction, limit.measure) {
        (Direction::Read, Measure::Bytes) => Some("rbps"),
        (Direction::Write, Measure::Bytes) => Some("wbps"),
        (Direction::Read, Measure::Operations) => Some("riops"),
        (Direction::Write, Measure::Operations) => Some("wiops"),
        _ => None,
    }
}
