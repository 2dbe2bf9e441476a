//! The device: at its rating, never idle, or the place where requests spend their time.
//!
//! A disk that works on one request at a time is saturated when it is always busy. A device with
//! many queues is busy as soon as one request is in flight, so "busy" says that it never waited
//! for the host, not that it could do no more. And at depth 1 nothing is ever saturated: the time
//! of one request decides. The evidence says which of these was seen.
//!
//! Of a volume of the kernel its members are judged first: the busiest is the limit where it
//! differs from the others, the volume where they share its load evenly, or where they rest.

mod member;

use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::{DeviceUse, TrialMetrics};
use crate::thresholds::limits::{
    FULL_SHARE, INVOLVED_SHARE, RATING_REACHED_SHARE, RESIDENCE_SHARE,
};
use iopath_record::{Limit, Measure};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let bottoms: Vec<&DeviceUse> = metrics.bottoms().collect();
    let below = judge_all(metrics, &bottoms);
    let whole: Vec<&DeviceUse> = metrics.devices.iter().collect();
    if below.proved.is_some() || metrics.members.is_empty() {
        return member::named(metrics, below);
    }
    // Members that rest below a volume that does not: the requests wait in it.
    let mut judgement = judge_all(metrics, &whole);
    let members: Vec<&DeviceUse> = metrics.members.iter().collect();
    judgement.evidence.extend(busiest(&members).map(utilisation));
    judgement
}

fn judge_all(metrics: &TrialMetrics, devices: &[&DeviceUse]) -> Judgement {
    let mut judgement = Judgement::open(Cause::Device);
    let Some(device) = busiest(devices) else {
        judgement.evidence.push(not_watched());
        return judgement;
    };
    for rating in device.ratings.iter().filter(|limit| !limit.origin.is_control_group()) {
        if let Some(line) = rated(device, rating) {
            let proves = line.value >= RATING_REACHED_SHARE;
            judgement.add(line, Weight::of(proves));
        }
    }
    let utilisation = utilisation(device);
    let residence = residence(metrics, devices, device);
    let queued = device.usage.in_flight_mean.is_none_or(|in_flight| in_flight >= FULL_SHARE);
    // A device of software is busy whenever its thread is, and that waits for a processor as others
    // do: where requests mostly wait above it, it is not what they wait for.
    let is_elsewhere = residence.as_ref().is_some_and(|line| line.value < RESIDENCE_SHARE);
    let is_bystander = device.is_software && is_elsewhere;
    let saturated = utilisation.value >= FULL_SHARE && queued && !is_bystander;
    let decides = utilisation.value >= INVOLVED_SHARE
        && residence.as_ref().is_some_and(|line| line.value >= RESIDENCE_SHARE);
    judgement.add(utilisation, Weight::of(saturated));
    if let Some(line) = residence {
        judgement.add(line, Weight::of(decides));
    }
    // Where it does not prove a throttle it still says which rate lasts.
    judgement.evidence.extend(super::plateau::line(metrics));
    judgement.evidence.extend(depth(metrics, device));
    judgement
}

/// The busiest of those that could be watched.
fn busiest<'d>(devices: &[&'d DeviceUse]) -> Option<&'d DeviceUse> {
    let watched = devices.iter().copied().filter(|device| device.usage.utilisation.is_some());
    watched.max_by(|a, b| busy(a).total_cmp(&busy(b)))
}

/// Whether it moves all that it is rated for.
pub(super) fn is_at_rating(device: &DeviceUse) -> bool {
    let ratings = device.ratings.iter().filter(|limit| !limit.origin.is_control_group());
    ratings
        .filter_map(|rating| rated(device, rating))
        .any(|line| line.value >= RATING_REACHED_SHARE)
}

fn busy(device: &DeviceUse) -> f64 {
    device.usage.utilisation.unwrap_or(-1.0)
}

fn not_watched() -> Evidence {
    Evidence {
        entity: "device".to_owned(),
        fact: Fact::Utilisation { is_watched: false, in_flight: None },
        value: 0.0,
        threshold: FULL_SHARE,
    }
}

fn rated(device: &DeviceUse, rating: &Limit) -> Option<Evidence> {
    let achieved = match rating.measure {
        Measure::Bytes => device.usage.transfers.bytes_per_sec?,
        Measure::Operations => device.usage.transfers.operations_per_sec?,
        Measure::BusyNs | Measure::FlushNs | Measure::Requests => return None,
    };
    let value = achieved / rating.per_sec.max(1) as f64;
    let fact = Fact::Rating { achieved, limit: rating.clone() };
    let entity = device.name.clone();
    Some(Evidence { entity, fact, value, threshold: RATING_REACHED_SHARE })
}

fn utilisation(device: &DeviceUse) -> Evidence {
    let fact = Fact::Utilisation { is_watched: true, in_flight: device.usage.in_flight_mean };
    let entity = device.name.clone();
    Evidence { entity, fact, value: busy(device), threshold: FULL_SHARE }
}

/// The share of the streams' time in flight that all devices together account for (Little's law
/// in both places; a request that was merged into another is there as long). Large requests are
/// split below, so the share is cut at 1. Only for direct I/O:
/// nobody waits for what is read ahead or written back.
fn residence(
    metrics: &TrialMetrics,
    devices: &[&DeviceUse],
    device: &DeviceUse,
) -> Option<Evidence> {
    let is_direct = metrics.targets.iter().all(|t| t.cache.as_deref() == Some("direct"));
    let above = metrics.in_flight();
    let below: f64 = devices.iter().filter_map(|device| device.usage.held_mean()).sum();
    // Both sides of a mirror hold one write: together no longer than the mirror itself, where the
    // kernel counts that.
    let whole = metrics.in_devices().filter(|held| *held > 0.0);
    let below = whole.map_or(below, |whole| below.min(whole));
    let value = (below / above).min(1.0);
    let entity = device.name.clone();
    let line = Evidence { entity, fact: Fact::Residence, value, threshold: RESIDENCE_SHARE };
    (above > 0.0 && is_direct).then_some(line)
}

/// What the depth says about the figure: a limit at this depth need not be the device's.
fn depth(metrics: &TrialMetrics, device: &DeviceUse) -> Option<Evidence> {
    let slots = metrics.slots()?;
    (slots > 0).then(|| Evidence {
        entity: device.name.clone(),
        fact: Fact::Depth,
        value: metrics.in_flight(),
        threshold: slots as f64,
    })
}
