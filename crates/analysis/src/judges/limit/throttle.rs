//! A limit that somebody set: counted by the kernel, or a token bucket's plateau after a burst.

mod above;
mod group;

use super::plateau;
use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::TrialMetrics;
use crate::thresholds::limits::{GROUP_LIMIT_SHARE, THROTTLED_SHARE};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Throttle);
    for (entity, share) in &metrics.throttled {
        judgement.add(held(entity, *share), Weight::of(*share >= THROTTLED_SHARE));
    }
    for line in metrics.devices.iter().chain(&metrics.members).flat_map(group::lines) {
        let reached = line.value >= GROUP_LIMIT_SHARE;
        judgement.add(line, Weight::of(reached));
    }
    if let Some(line) = above::line(metrics) {
        judgement.add(line, Weight::Proves);
    }
    if let Some(line) = plateau::line(metrics) {
        let proves = !plateau::may_be_a_full_cache(metrics);
        judgement.add(line, Weight::of(proves));
    }
    judgement
}

fn held(entity: &str, share: f64) -> Evidence {
    Evidence {
        entity: entity.to_owned(),
        fact: Fact::ThrottledTime,
        value: share,
        threshold: THROTTLED_SHARE,
    }
}
