//! The generator itself: near its own ceiling, or a thread that never rests in user mode.
//!
//! A ceiling below what the run reached was measured on a machine that was too busy then: it is
//! disproved, and says nothing.

use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::{StreamUse, TrialMetrics};
use crate::thresholds::limits::{CEILING_DISPROVED_RATIO, CEILING_SHARE, THREAD_BUSY_SHARE};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Generator);
    if metrics.engine == "null" {
        judgement.add(null_engine(), Weight::Proves);
    }
    let reached = metrics.operations_per_sec;
    let is_possible =
        |ceiling: &f64| *ceiling > 0.0 && reached <= CEILING_DISPROVED_RATIO * ceiling;
    if let Some(ceiling) = metrics.ceiling.filter(is_possible) {
        let line = ceiling_line(metrics.operations_per_sec, ceiling);
        let proves = line.value >= CEILING_SHARE;
        judgement.add(line, Weight::of(proves));
    }
    // With mmap the copy of the data itself is user time: that is the processor's limit.
    if metrics.engine != "mmap"
        && let Some(line) = threads(metrics, |_| false)
    {
        let proves = line.value >= THREAD_BUSY_SHARE && is_mostly_user(metrics);
        judgement.add(line, Weight::of(proves));
    }
    judgement
}

fn null_engine() -> Evidence {
    Evidence { entity: "process".to_owned(), fact: Fact::NullEngine, value: 1.0, threshold: 1.0 }
}

fn ceiling_line(achieved: f64, ceiling: f64) -> Evidence {
    Evidence {
        entity: "process".to_owned(),
        fact: Fact::GeneratorCeiling { achieved, ceiling },
        value: achieved / ceiling,
        threshold: CEILING_SHARE,
    }
}

/// Whether the streams' threads compute more than they are in the kernel.
pub(super) fn is_mostly_user(metrics: &TrialMetrics) -> bool {
    metrics.streams.iter().map(|stream| stream.user - stream.system).sum::<f64>() > 0.0
}

/// The stream whose thread rests most: only when even that one never rests are all of them busy.
pub(super) fn rests_most(metrics: &TrialMetrics) -> Option<&StreamUse> {
    metrics.streams.iter().min_by(|a, b| a.busy().total_cmp(&b.busy()))
}

/// Its time, where it was counted; `is_limit` judges the share in which it is busy.
pub(super) fn threads(metrics: &TrialMetrics, is_limit: impl Fn(f64) -> bool) -> Option<Evidence> {
    let StreamUse { name, user, system, .. } = rests_most(metrics)?;
    let value = user + system;
    (value > 0.0).then(|| Evidence {
        entity: name.clone(),
        fact: Fact::ThreadTime { user: *user, system: *system, is_limit: is_limit(value) },
        value,
        threshold: THREAD_BUSY_SHARE,
    })
}
