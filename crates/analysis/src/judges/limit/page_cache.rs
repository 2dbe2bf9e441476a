//! Main memory: proved by what the devices did not do, and by what the kernel says is cached.
//! Sizes of files and memory are never taken as proof.

use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::{TargetUse, TrialMetrics};
use crate::thresholds::limits::{
    CACHED_SHARE, MINOR_OPERATION_SHARE, READS_AT_DEVICE_SHARE, WRITES_AT_DEVICE_SHARE,
};
use iopath_units::Op;

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::PageCache);
    // With other targets on devices the sum is neither memory's nor theirs, and nothing is proved.
    let only_memory = metrics.targets.iter().all(|target| target.in_memory);
    for target in metrics.targets.iter().filter(|target| target.in_memory) {
        judgement.add(no_device(&target.name), Weight::of(only_memory));
    }
    if judgement.proved.is_some() {
        return judgement;
    }
    let below = device_shares(metrics);
    let is_direct = metrics.targets.iter().all(|t| t.cache.as_deref() == Some("direct"));
    let absorbed = !below.is_empty() && below.iter().all(|line| line.value <= line.threshold);
    // Writes need not find their pages in the cache to be taken by it.
    let reads = metrics.application_bytes[0] > 0.0;
    let cached = if reads { cached_lines(&metrics.targets) } else { Vec::new() };
    // Direct requests pass the cache by, so missing device bytes are holes or compression then; and
    // where nobody says how targets were opened, caches of the path may have answered.
    let is_told = metrics.targets.iter().any(|target| target.cache.is_some());
    let proves = absorbed && !is_direct && is_told;
    let alone = below.is_empty() && !is_direct && metrics.application_bytes[1] == 0.0;
    let is_cached = |target: &TargetUse| target.cached.is_some_and(|share| share >= CACHED_SHARE);
    let all_cached = metrics.targets.iter().all(is_cached);
    for line in below {
        judgement.add(line, Weight::of(proves));
    }
    for line in cached {
        judgement.add(line, Weight::of(alone && all_cached));
    }
    judgement.evidence.extend(dirty(metrics));
    judgement
}

fn no_device(target: &str) -> Evidence {
    Evidence { entity: target.to_owned(), fact: Fact::NoDevice, value: 0.0, threshold: 0.0 }
}

/// For each operation that matters: the share of its bytes which the devices saw.
fn device_shares(metrics: &TrialMetrics) -> Vec<Evidence> {
    let Some(seen) = seen_below(metrics) else {
        return Vec::new();
    };
    let all: f64 = metrics.application_bytes.iter().sum();
    let matters = |op: &Op| metrics.application_bytes[op.index()] > MINOR_OPERATION_SHARE * all;
    let line = |op: Op| {
        let value = seen[op.index()] / metrics.application_bytes[op.index()];
        let threshold = match op {
            Op::Read => READS_AT_DEVICE_SHARE,
            Op::Write => WRITES_AT_DEVICE_SHARE,
        };
        let entity = "page cache".to_owned();
        Evidence { entity, fact: Fact::DeviceBytes(op), value, threshold }
    };
    Op::BOTH.into_iter().filter(matters).map(line).collect()
}

/// What all devices moved; none when there is no device, or one that cannot be watched.
fn seen_below(metrics: &TrialMetrics) -> Option<[f64; 2]> {
    let each = metrics.devices.iter().map(|device| device.bytes);
    each.reduce(|sum, next| Some([sum?[0] + next?[0], sum?[1] + next?[1]])).flatten()
}

/// One line for the targets that were cached, and one for those that were not: each tells the least
/// share of them.
fn cached_lines(targets: &[TargetUse]) -> Vec<Evidence> {
    let known = targets.iter().filter_map(|target| Some((target, target.cached?)));
    let (cached, not): (Vec<_>, Vec<_>) = known.partition(|(_, share)| *share >= CACHED_SHARE);
    [cached, not].iter().filter_map(|alike| cached_line(alike)).collect()
}

fn cached_line(alike: &[(&TargetUse, f64)]) -> Option<Evidence> {
    let value = alike.iter().map(|(_, share)| *share).reduce(f64::min)?;
    let entity = match alike {
        [(target, _)] => &target.name,
        _ => "page cache",
    };
    let fact = Fact::CachedShare { targets: alike.len() };
    Some(Evidence { entity: entity.to_owned(), fact, value, threshold: CACHED_SHARE })
}

fn dirty(metrics: &TrialMetrics) -> Option<Evidence> {
    let [_, written] = metrics.application_bytes;
    let value = metrics.dirty_growth.filter(|grown| written > 0.0 && *grown > 0.0)? / written;
    let (entity, threshold) = ("memory".to_owned(), 1.0 - WRITES_AT_DEVICE_SHARE);
    Some(Evidence { entity, fact: Fact::DirtyBytes, value, threshold })
}
