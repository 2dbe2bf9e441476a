//! What the limit carried: the estimate of its capacity.
//!
//! A limit that is reached is carried in full, so its rate is its capacity. From one size of
//! requests nobody knows whether bytes or requests are limited: both are told. It leaves out limits
//! that are no place, such as too few requests in flight.

use serde::Serialize;

use super::{Cause, throttle};
use crate::observed::Observed;

/// What the limit carried a second, both ways together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// Bytes.
    pub bytes_per_sec: f64,
    /// Requests, as the devices count them.
    pub operations_per_sec: f64,
}

/// Of the device that is named; of all of them where a limit stands above them.
pub(super) fn of(observed: &Observed, cause: Cause, entity: &str) -> Option<Capacity> {
    let devices = match cause {
        Cause::Device | Cause::Throttle => &observed.devices,
        _ => return None,
    };
    let is_named = devices.iter().any(|device| device.name == entity);
    let counted = devices.iter().filter(|device| !is_named || device.name == entity);
    let each = counted.map(|one| Some((one.bytes_per_sec?, one.operations_per_sec?)));
    let sum = each.reduce(|sum, next| Some((sum?.0 + next?.0, sum?.1 + next?.1)))?;
    let (bytes_per_sec, operations_per_sec) = sum?;
    let level = throttle::level(&observed.device_rates).filter(|_| cause == Cause::Throttle);
    let scale = level.map_or(1.0, |level| level / bytes_per_sec.max(1.0));
    Some(Capacity {
        bytes_per_sec: bytes_per_sec * scale,
        operations_per_sec: operations_per_sec * scale,
    })
}
