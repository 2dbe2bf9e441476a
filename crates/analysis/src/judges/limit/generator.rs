//! The generator itself: near its own ceiling, or a thread that never rests in user mode.
//!
//! A ceiling below what the run reached was measured on a machine that was too busy then: it is
//! disproved, and says nothing.

use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::observed::Observed;
use crate::thresholds::limits::{CEILING_DISPROVED_RATIO, CEILING_SHARE, THREAD_BUSY_SHARE};

pub(super) fn judge(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Generator);
    if observed.engine == "null" {
        judgement.add(null_engine(), Weight::Proves);
    }
    let reached = observed.operations_per_sec;
    let is_possible =
        |ceiling: &f64| *ceiling > 0.0 && reached <= CEILING_DISPROVED_RATIO * ceiling;
    if let Some(ceiling) = observed.ceiling.filter(is_possible) {
        let line = ceiling_line(observed.operations_per_sec, ceiling);
        let proves = line.value >= CEILING_SHARE;
        judgement.add(line, Weight::of(proves));
    }
    // With mmap the copy of the data itself is user time: that is the processor's limit.
    if observed.engine != "mmap"
        && let Some(line) = threads(observed)
    {
        let user: f64 = observed.streams.iter().map(|s| s.user - s.system).sum();
        let proves = line.value >= THREAD_BUSY_SHARE && user > 0.0;
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

/// The stream's thread that rests most: only when even that one never rests are all of them busy.
pub(super) fn threads(observed: &Observed) -> Option<Evidence> {
    let on_cpu = |stream: &&crate::judges::observed::StreamUse| stream.user + stream.system;
    let rests = observed.streams.iter().min_by(|a, b| on_cpu(a).total_cmp(&on_cpu(b)))?;
    let value = rests.user + rests.system;
    (value > 0.0).then(|| Evidence {
        entity: rests.name.clone(),
        fact: Fact::ThreadTime { user: rests.user, system: rests.system, is_limit: false },
        value,
        threshold: THREAD_BUSY_SHARE,
    })
}
