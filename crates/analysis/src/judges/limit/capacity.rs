//! What the limit carried: the estimate of its capacity.
//!
//! A limit that is reached is carried in full, so its rate is its capacity. From one size of
//! requests nobody knows whether bytes or requests are limited: both are told. It leaves out limits
//! that are no place, such as too few requests in flight.

use super::{Capacity, Cause, plateau};
use crate::judges::metrics::{DeviceUse, TrialMetrics};
use crate::usage::Requests;

/// Of the device or carrier that is named; of all devices where a limit stands above them.
pub(super) fn of(metrics: &TrialMetrics, cause: Cause, entity: &str) -> Option<Capacity> {
    match cause {
        Cause::Device | Cause::Throttle => {}
        Cause::Component => return of_carrier(metrics, entity),
        _ => return None,
    }
    let mut all = metrics.devices.iter().chain(&metrics.members);
    let counted: Vec<&DeviceUse> = match all.find(|device| device.name == entity) {
        Some(named) => vec![named],
        None => metrics.devices.iter().collect(),
    };
    let sum = |of: fn(&DeviceUse) -> Option<f64>| counted.iter().map(|one| of(one)).sum();
    let bytes: Option<f64> = sum(|device| device.usage.transfers.bytes_per_sec);
    let operations: Option<f64> = sum(|device| device.usage.transfers.operations_per_sec);
    let scale = plateau::over_mean(metrics).unwrap_or(1.0);
    let [bytes_per_sec, operations_per_sec] = [bytes, operations].map(|all| Some(all? * scale));
    let is_known = !counted.is_empty() && bytes.or(operations).is_some();
    is_known.then_some(Capacity { bytes_per_sec, operations_per_sec })
}

/// The sum of the devices that it carries.
fn of_carrier(metrics: &TrialMetrics, entity: &str) -> Option<Capacity> {
    let mut classes = metrics.carriers.classes.iter();
    let carried = classes.find(|one| one.class.name == entity)?.carried;
    let Requests { bytes_per_sec, operations_per_sec, .. } = carried;
    let is_known = bytes_per_sec.or(operations_per_sec).is_some();
    is_known.then_some(Capacity { bytes_per_sec, operations_per_sec })
}
