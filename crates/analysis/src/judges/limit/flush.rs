//! Flushes: streams wait for them for most of the time.
//!
//! A writer that flushes after each write commits 1 / (write + flush) times a second, and K who
//! share a flush K times as often; where the flush is the larger part, neither more throughput nor
//! more depth of one writer gives more. Of writes that are synchronous by themselves the devices
//! tell how long their flushes took, against the time that writes were in flight.

use super::{Cause, Evidence, Fact, Flushed, Judgement, Weight};
use crate::judges::metrics::TrialMetrics;
use crate::thresholds::limits::{FLUSHES_PER_WRITE, FLUSHING_SHARE};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Flush);
    if let Some(line) = own(metrics).or_else(|| of_synchronous_writes(metrics)) {
        let proves = line.value >= FLUSHING_SHARE && metrics.flushes.one_at_a_time;
        judgement.add(line, Weight::of(proves));
        judgement.evidence.extend(at_devices(metrics));
    }
    judgement
}

fn own(metrics: &TrialMetrics) -> Option<Evidence> {
    let flushes = metrics.flushes.own.as_ref()?;
    let (per_sec, mean_ns) = (flushes.per_sec, flushes.mean_ns);
    let flushed = match flushes.writes {
        Some(writes) => Flushed::Streams { per_sec, mean_ns, writes },
        None => Flushed::AtEnd { mean_ns },
    };
    Some(line(flushes.of.as_deref().unwrap_or("all streams"), flushes.share, flushed))
}

/// Only where the writes themselves wait: others' flushes are others' time.
fn of_synchronous_writes(metrics: &TrialMetrics) -> Option<Evidence> {
    let writes = metrics.flushes.synchronous.as_ref()?;
    let flushes = &metrics.flushes.devices;
    let most = flushes.iter().max_by(|one, other| one.share.total_cmp(&other.share))?;
    // Fewer flushes than this cannot be those of the writes.
    if most.per_sec < FLUSHES_PER_WRITE * writes.per_sec {
        return None;
    }
    let in_flight = writes.in_flight.clamp(f64::MIN_POSITIVE, 1.0);
    let value = (most.share / in_flight).min(1.0);
    Some(line(&most.name, value, Flushed::EachWrite))
}

/// How the devices took part.
fn at_devices(metrics: &TrialMetrics) -> Vec<Evidence> {
    let of = |device: &crate::judges::metrics::DeviceFlushes| {
        let flushed = Flushed::Device { per_sec: device.per_sec, mean_ns: device.mean_ns };
        line(&device.name, device.share, flushed)
    };
    metrics.flushes.devices.iter().map(of).collect()
}

fn line(entity: &str, value: f64, flushed: Flushed) -> Evidence {
    let (entity, fact) = (entity.to_owned(), Fact::Flushes(flushed));
    Evidence { entity, fact, value, threshold: FLUSHING_SHARE }
}
