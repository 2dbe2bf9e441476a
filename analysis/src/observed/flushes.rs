//! Flushes: those that streams wait for, and those that devices carried out.
//!
//! A lane (one thread of a stream) has one flush out at a time, so the time of all of them over
//! the time of all lanes is the share for which a flush was out. A write that is synchronous by
//! itself (`RWF_DSYNC`) hides its flush; there the devices' own counters tell.

use iopath_record::{Counter, Latency};
use iopath_units::Op;

use super::{StreamUse, over, seconds};
use crate::pass::{Part, Pass};

/// What flushes cost a trial.
pub(crate) struct FlushUse {
    /// Whether streams kept to iopath's rule of one flush at a time, which others may not.
    pub one_at_a_time: bool,
    /// Writes in flight on average.
    pub writes_in_flight: f64,
    /// Writes completed a second.
    pub writes_per_sec: f64,
    /// Of flushes that streams issued; none where none did.
    pub own: Option<OwnFlushes>,
    /// By device, where one carried out any.
    pub devices: Vec<DeviceFlushes>,
}

/// Flushes of the streams.
pub(crate) struct OwnFlushes {
    pub per_sec: f64,
    pub mean_ns: f64,
    /// Share of the time for which one was out.
    pub share: f64,
    /// Writes that one covers; none of a single one at the end.
    pub writes: Option<f64>,
}

/// Flushes of a device.
pub(crate) struct DeviceFlushes {
    pub name: String,
    pub per_sec: f64,
    pub mean_ns: f64,
    /// Share of the time for which one was outstanding, at most 1: of a hardware queue the kernel
    /// has one at a time (Documentation/block/stat.rst).
    pub share: f64,
}

impl FlushUse {
    pub(super) fn of(passes: &[Pass<'_>], best: Part, streams: &[StreamUse], engine: &str) -> Self {
        let lanes = streams.iter().map(|stream| match engine {
            "threads" | "mmap" => stream.depth.unwrap_or(1).max(1) as f64,
            _ => 1.0,
        });
        let is_model = passes[0].record.technique.is_model();
        let writes = passes.iter().map(|pass| pass.latency(best, Latency::Total, Some(Op::Write)));
        let (count, ns) =
            writes.fold((0, 0), |(count, ns), one| (count + one.count(), ns + one.sum_ns));
        let seconds = seconds(passes, best);
        Self {
            one_at_a_time: is_model || passes[0].fact("workload.sync").is_some(),
            writes_in_flight: ns as f64 / 1e9 / seconds,
            writes_per_sec: count as f64 / seconds,
            own: own(passes, best, lanes.sum()),
            devices: of_devices(passes),
        }
    }
}

/// Streams that do not flush count as lanes that never wait for one.
fn own(passes: &[Pass<'_>], best: Part, lanes: f64) -> Option<OwnFlushes> {
    let sum = |what| {
        let all = passes.iter().map(|pass| pass.latency(best, what, None));
        all.fold((0, 0), |(count, ns), one| (count + one.count(), ns + one.sum_ns))
    };
    let (count, ns) = sum(Latency::Flush);
    let covered = sum(Latency::Commit).0;
    let seconds = seconds(passes, best);
    (count > 0).then(|| OwnFlushes {
        per_sec: count as f64 / seconds,
        mean_ns: ns as f64 / count as f64,
        share: ns as f64 / (seconds * 1e9 * lanes.max(1.0)),
        writes: (covered > 0).then(|| covered as f64 / count as f64),
    })
}

fn of_devices(passes: &[Pass<'_>]) -> Vec<DeviceFlushes> {
    let time_ns = seconds(passes, Part::Counted) * 1e9;
    let of = |(_, entity): &(iopath_record::EntityId, &iopath_record::Entity)| {
        let count = over(passes, entity, Counter::FlushOperations).filter(|count| *count > 0.0)?;
        let ns = over(passes, entity, Counter::FlushNs)?;
        Some(DeviceFlushes {
            name: entity.name.clone(),
            per_sec: count / time_ns * 1e9,
            mean_ns: ns / count,
            share: (ns / time_ns).min(1.0),
        })
    };
    super::devices(&passes[0]).iter().filter_map(of).collect()
}
