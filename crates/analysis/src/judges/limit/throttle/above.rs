//! Requests that wait above idle devices: every slot of the streams is taken, the devices see each
//! request only briefly and rest in between, and no processor is short. What holds requests back
//! there is a limit that somebody set (a control group, a quota of the cloud), of which the
//! device's own counters show nothing.
//!
//! Little's law in both places gives the share of the time that requests spend in the devices. It
//! leaves out buffered requests, where nobody waits for the devices, and locks of file systems:
//! what those let through one at a time keeps a device busy.

use super::super::generator::rests_most;
use super::super::processor::waits;
use super::super::{Evidence, Fact, spread, taken};
use crate::judges::metrics::{StreamUse, TrialMetrics};
use crate::thresholds::limits::{
    BUSY_SHARE, HELD_ABOVE_SHARE, PROCESSORS_FREE_SHARE, STEADY_VARIATION, WAIT_LIMITING_SHARE,
};

/// The line that proves it.
pub(super) fn line(metrics: &TrialMetrics) -> Option<Evidence> {
    let slots = taken(metrics)?;
    let mut targets = metrics.targets.iter();
    let is_direct = targets.all(|t| t.cache.as_deref() == Some("direct") && !t.in_memory);
    let busiest = most(metrics.devices.iter().map(|device| device.usage.utilisation))?;
    let value = metrics.in_devices()? / metrics.in_flight();
    let rests = busiest < BUSY_SHARE && value < HELD_ABOVE_SHARE;
    let spread = spread(&metrics.device_rates)?;
    let is_steady = spread <= STEADY_VARIATION;
    (is_direct && rests && has_processors(metrics) && is_steady).then(|| Evidence {
        entity: match metrics.devices.as_slice() {
            [device] => device.name.clone(),
            _ => "all devices".to_owned(),
        },
        fact: Fact::HeldAbove { slots, busiest, spread },
        value,
        threshold: HELD_ABOVE_SHARE,
    })
}

/// The greatest, where all are known.
fn most(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let all: Option<Vec<f64>> = values.collect();
    all?.into_iter().reduce(f64::max)
}

/// Neither our threads nor the kernel's, which serve devices of software, want for a processor.
fn has_processors(metrics: &TrialMetrics) -> bool {
    let processors = metrics.processors.as_ref();
    let waiting = waits(metrics).unwrap_or_default();
    let lone = rests_most(metrics).map_or(0.0, StreamUse::busy) + waiting;
    let is_free = processors.is_none_or(|processors| processors.busy < PROCESSORS_FREE_SHARE);
    lone < PROCESSORS_FREE_SHARE && waiting < WAIT_LIMITING_SHARE && is_free
}
