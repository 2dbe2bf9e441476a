//! Parts that wait for one another: nothing is full, because a request is only done, and the next
//! one issued, when the last of its parts is.
//!
//! Only of models, where everything that could be full is described and counted.
//! It leaves out what made parts unequal; it names the member whose parts take longest.

use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::{JoinUse, TrialMetrics};
use crate::thresholds::limits::{JOIN_WAIT_SHARE, SLOW_PART_RATIO, VOLUME_SHARE};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Synchronisation);
    let in_flight = metrics.in_flight();
    let on_the_way = metrics.joins.iter().filter(|one| one.in_flight >= VOLUME_SHARE * in_flight);
    let Some(worst) = on_the_way.max_by(|a, b| a.waited.total_cmp(&b.waited)) else {
        return judgement;
    };
    judgement.add(waited(worst), Weight::of(worst.waited >= JOIN_WAIT_SHARE));
    judgement.evidence.extend(slowest(worst));
    judgement
}

fn waited(one: &JoinUse) -> Evidence {
    let entity = one.name.clone();
    Evidence { entity, fact: Fact::JoinWait, value: one.waited, threshold: JOIN_WAIT_SHARE }
}

fn slowest(one: &JoinUse) -> Option<Evidence> {
    let (entity, value) = one.slowest.clone().filter(|(_, times)| *times >= SLOW_PART_RATIO)?;
    let fact = Fact::SlowestPart { volume: one.name.clone() };
    Some(Evidence { entity, fact, value, threshold: SLOW_PART_RATIO })
}
