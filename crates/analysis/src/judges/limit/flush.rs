//! Flushes: streams wait for them for most of the time.
//!
//! A writer that flushes after each write commits 1 / (write + flush) times a second, and K who
//! share a flush K times as often; where the flush is the larger part, neither more throughput nor
//! more depth of one writer gives more. Of writes that are synchronous by themselves the devices
//! tell how long their flushes took, against the time that writes were in flight.

use super::{Cause, Evidence, Judgement, Weight, percent};
use crate::judges::observed::Observed;
use crate::thresholds::limits::{FLUSHES_PER_WRITE, FLUSHING_SHARE};

pub(super) fn judge(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Flush);
    if let Some(line) = own(observed).or_else(|| of_synchronous_writes(observed)) {
        let proves = line.value >= FLUSHING_SHARE && observed.flushes.one_at_a_time;
        judgement.add(line, Weight::of(proves));
        judgement.evidence.extend(at_devices(observed));
    }
    judgement
}

fn own(observed: &Observed) -> Option<Evidence> {
    let flushes = observed.flushes.own.as_ref()?;
    let Some(writes) = flushes.writes else {
        let text = format!("one flush at the end took {:.3} ms", flushes.mean_ns / 1e6);
        return Some(line("all streams", flushes.share, text));
    };
    let each = match writes {
        ..1.05 => ", after each write".to_owned(),
        _ => format!(", {writes:.1} writes each"),
    };
    let text = format!(
        "a flush was outstanding {} of the time: {:.0} a second, {:.3} ms each{each}",
        percent(flushes.share.min(1.0)),
        flushes.per_sec,
        flushes.mean_ns / 1e6
    );
    Some(line("all streams", flushes.share, text))
}

/// Only where the writes themselves wait: others' flushes are others' time.
fn of_synchronous_writes(observed: &Observed) -> Option<Evidence> {
    let writes = observed.flushes.synchronous.as_ref()?;
    let flushes = &observed.flushes.devices;
    let most = flushes.iter().max_by(|one, other| one.share.total_cmp(&other.share))?;
    // Fewer flushes than this cannot be those of the writes.
    if most.per_sec < FLUSHES_PER_WRITE * writes.per_sec {
        return None;
    }
    let in_flight = writes.in_flight.clamp(f64::MIN_POSITIVE, 1.0);
    let value = (most.share / in_flight).min(1.0);
    let text = format!(
        "each write is flushed, and {} had a flush outstanding {} of the time that writes took",
        most.name,
        percent(value)
    );
    Some(line(&most.name, value, text))
}

/// How the devices took part.
fn at_devices(observed: &Observed) -> Vec<Evidence> {
    let of = |device: &crate::judges::observed::DeviceFlushes| {
        let text = format!(
            "{} carried out {:.0} flushes a second, {:.3} ms each",
            device.name,
            device.per_sec,
            device.mean_ns / 1e6
        );
        line(&device.name, device.share, text)
    };
    observed.flushes.devices.iter().map(of).collect()
}

fn line(entity: &str, value: f64, text: String) -> Evidence {
    let entity = entity.to_owned();
    Evidence { entity, law: "flushes", value, threshold: FLUSHING_SHARE, text }
}
