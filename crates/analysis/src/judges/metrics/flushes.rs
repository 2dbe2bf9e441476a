//! Flushes: those that streams wait for, and those that devices carried out.
//!
//! A lane (one thread of a stream) has one flush out at a time, so the time of all of them over
//! the time of all lanes is the share for which a flush was out. A write that is synchronous by
//! itself (`RWF_DSYNC`) hides its flush; there the devices' own counters tell.

use std::collections::BTreeSet;

use iopath_record::{Entity, EntityId, Fact, Latency};
use iopath_units::Op;

use super::{StreamUse, seconds};
use crate::usage::Usage;
use crate::usage::pass::{Part, Pass};

/// What flushes cost a trial.
pub(crate) struct FlushUse {
    /// Whether streams kept to iopath's rule of one flush at a time, which others may not.
    pub one_at_a_time: bool,
    /// Whether writers in flight share one, rather than each thread flushing for itself.
    pub is_shared: bool,
    /// Where each write is on stable storage when it is done.
    pub synchronous: Option<SynchronousWrites>,
    /// Of flushes that streams issued; none where none did.
    pub own: Option<OwnFlushes>,
    /// By device, where one carried out any.
    pub devices: Vec<DeviceFlushes>,
}

/// Writes that contain their flush.
pub(crate) struct SynchronousWrites {
    pub in_flight: f64,
    pub per_sec: f64,
}

/// Flushes of the streams.
pub(crate) struct OwnFlushes {
    /// Those that may wait for them; none where these are all.
    pub of: Option<String>,
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
        let is_shared = !matches!(engine, "threads" | "mmap");
        // One that flushes nothing and has all that it wants is not held back.
        let is_held = |stream: &&StreamUse| stream.flushes || !stream.keeps_its_rate();
        let held: Vec<&StreamUse> = streams.iter().filter(is_held).collect();
        let lanes = held.iter().map(|stream| match is_shared {
            true => 1.0,
            false => stream.depth.unwrap_or(1).max(1) as f64,
        });
        let of = (held.len() < streams.len()).then(|| names(&held));
        let is_model = passes[0].record.technique.is_model();
        let sync = passes[0].fact(Fact::Sync);
        Self {
            one_at_a_time: is_model || sync.is_some(),
            is_shared,
            synchronous: sync.filter(|sync| is_synchronous(sync)).map(|_| writes(passes, best)),
            own: own(passes, best, lanes.sum(), of),
            devices: of_devices(passes),
        }
    }
}

/// Whether all ways in which writes are synced are of each write.
fn is_synchronous(syncs: &str) -> bool {
    syncs.split(", ").all(|sync| matches!(sync, "dsync" | "sync"))
}

/// How many latencies of a kind there are, and their sum.
fn summed(passes: &[Pass<'_>], best: Part, (what, op): (Latency, Op)) -> (u64, u64) {
    let all = passes.iter().map(|pass| pass.latency(best, what, Some(op)));
    all.fold((0, 0), |(count, ns), one| (count + one.count(), ns + one.sum_ns))
}

fn writes(passes: &[Pass<'_>], best: Part) -> SynchronousWrites {
    let (count, ns) = summed(passes, best, (Latency::Total, Op::Write));
    let seconds = seconds(passes, best);
    SynchronousWrites { in_flight: ns as f64 / 1e9 / seconds, per_sec: count as f64 / seconds }
}

/// Declarations of streams, each once.
fn names(streams: &[&StreamUse]) -> String {
    let names = streams.iter().filter_map(|stream| stream.name.split('[').next());
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Streams that do not flush count as lanes that never wait for one.
fn own(passes: &[Pass<'_>], best: Part, lanes: f64, of: Option<String>) -> Option<OwnFlushes> {
    let (count, ns) = summed(passes, best, (Latency::Flush, Op::Write));
    let covered = summed(passes, best, (Latency::Commit, Op::Write)).0;
    let seconds = seconds(passes, best);
    (count > 0).then(|| OwnFlushes {
        of,
        per_sec: count as f64 / seconds,
        mean_ns: ns as f64 / count as f64,
        share: ns as f64 / (seconds * 1e9 * lanes.max(1.0)),
        writes: (covered > 0).then(|| covered as f64 / count as f64),
    })
}

fn of_devices(passes: &[Pass<'_>]) -> Vec<DeviceFlushes> {
    let of = |(_, entity): &(EntityId, &Entity)| {
        let flush = Usage::of_passes(passes, entity).flush;
        let (per_sec, mean_ns) = flush.operations_per_sec.zip(flush.ns_mean)?;
        let share = (per_sec * mean_ns / 1e9).min(1.0);
        Some(DeviceFlushes { name: entity.name.clone(), per_sec, mean_ns, share })
    };
    super::devices(&passes[0]).iter().filter_map(of).collect()
}
