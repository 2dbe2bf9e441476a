//! Too few requests in flight, of real runs: all slots are taken, and yet no request waits for
//! another, so that each more would be one more at work.
//!
//! A pass begins with empty queues, so its fastest request tells how long one takes that waits for
//! nothing. Where the mean is hardly longer, nothing waits at any time (asymptotic bound of closed
//! networks: X = N / R₀ while queues are empty; Denning and Buzen 1978). A single request at a time
//! cannot wait for others at all, unless the kernel reads ahead of it. It leaves out storage whose
//! times spread by themselves, such as disks that seek: there several requests prove nothing, and
//! only a second depth tells.

use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::{OpTime, TrialMetrics};
use crate::thresholds::limits::{
    AHEAD_RATIO, FULL_SHARE, IMPOSED_VARIATION, RESIDENCE_SHARE, UNQUEUED_RATIO,
};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Latency);
    let Some(slots) = super::taken(metrics) else { return judgement };
    let Some(worst) = metrics.times.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio())) else {
        return judgement;
    };
    let line = line(slots, *worst);
    let alone = slots == 1 && is_in_devices(metrics) && !is_set(metrics) && !is_ahead(metrics);
    let proves = line.value <= UNQUEUED_RATIO || alone;
    // A device may be at its most without a queue, where one request at a time is all it takes.
    judgement.add(line, Weight::of(proves && !is_rated(metrics)));
    judgement
}

fn line(slots: u64, time: OpTime) -> Evidence {
    let OpTime { mean_ns, least_ns } = time;
    Evidence {
        entity: "all streams".to_owned(),
        fact: Fact::Unqueued { slots, mean_ns, least_ns },
        value: time.ratio(),
        threshold: UNQUEUED_RATIO,
    }
}

fn is_in_devices(metrics: &TrialMetrics) -> bool {
    metrics.in_devices().is_some_and(|below| below >= RESIDENCE_SHARE * metrics.in_flight())
}

/// Whether what is read ahead keeps a device busy, and queues there: then it decides.
fn is_ahead(metrics: &TrialMetrics) -> bool {
    let is_buffered = metrics.targets.iter().any(|t| t.cache.as_deref() != Some("direct"));
    let queues =
        metrics.in_devices().is_some_and(|below| below >= AHEAD_RATIO * metrics.in_flight());
    let mut uses = metrics.devices.iter().filter_map(|device| device.usage.utilisation);
    is_buffered && queues && uses.any(|utilisation| utilisation >= FULL_SHARE)
}

fn is_set(metrics: &TrialMetrics) -> bool {
    super::spread(&metrics.device_rates).is_some_and(|spread| spread <= IMPOSED_VARIATION)
}

fn is_rated(metrics: &TrialMetrics) -> bool {
    metrics.devices.iter().chain(&metrics.members).any(super::device::is_at_rating)
}
