//! The part of an emulated path that is full: its groups of tokens let through what the description
//! says and no more, so a run that moves what the path can carry has filled what binds there.
//!
//! A run that moves more refutes the description, and proves nothing. It leaves out parts that are
//! full where the run moves less, for reasons that are not the path's.

use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::TrialMetrics;
use crate::thresholds::limits::{FULL_SHARE, RATING_EXCEEDED_RATIO};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Component);
    let Some(full) = &metrics.full_when_emulated else { return judgement };
    let value = metrics.bytes_per_sec / full.bytes_per_sec;
    let line = Evidence {
        entity: full.name.clone(),
        fact: Fact::EmulatedPath { limit: full.limit.clone() },
        value,
        threshold: FULL_SHARE,
    };
    judgement.add(line, Weight::of((FULL_SHARE..RATING_EXCEEDED_RATIO).contains(&value)));
    judgement
}
