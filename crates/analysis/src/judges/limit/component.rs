//! A component of the path whose capacity is used up, by its counters against its rating; in a
//! model's record devices and processors, too.
//!
//! Capacities of components that are called alike are one line. Tokens are only the cause where no
//! rate is: they are all taken as well where what lies behind them is full.
//! What carries the devices of a measurement has the sum of their traffic, and is judged before
//! they are: behind a component that is full each of its devices may be busy all the time. A rating
//! that is assumed or inferred proves nothing there, nor does one that was exceeded.
//! It leaves out whether more of the capacity would help: several components may be full at once.
//! Devices of a measurement are judged by what the kernel says of them.

use super::generator::rests_most;
use super::{CapacityUse, Cause, Evidence, Fact, Judgement, Range, Weight};
use crate::judges::metrics::{CapacityClass, Fullest, StreamUse, TrialMetrics};
use crate::prediction::LimitClass;
use crate::thresholds::limits::{EQUALLY_FULL_IN_MODEL, RATING_EXCEEDED_RATIO, THREAD_BUSY_SHARE};

/// As many classes of full components as are told: chosen.
const TOLD: usize = 3;

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    // What is nearly full takes what threads of a model that never rest hand on.
    let busy = rests_most(metrics).filter(|_| metrics.is_model).map_or(0.0, StreamUse::busy);
    let threads = if busy >= THREAD_BUSY_SHARE { busy.min(1.0) } else { 0.0 };
    let least = threads * (1.0 - EQUALLY_FULL_IN_MODEL);
    judge_fullest(&metrics.fullest, &|one| one.most >= least)
}

/// What carries the devices of a measurement.
pub(super) fn judge_carriers(metrics: &TrialMetrics) -> Judgement {
    let is_known = |one: &CapacityClass| {
        !one.class.limit.origin.is_hypothetical() && one.most < RATING_EXCEEDED_RATIO
    };
    judge_fullest(&metrics.carriers, &is_known)
}

fn judge_fullest(fullest: &Fullest, is_known: &dyn Fn(&CapacityClass) -> bool) -> Judgement {
    let Fullest { threshold, classes } = fullest;
    let cause = classes.first().map_or(Cause::Component, |fullest| fullest.cause);
    let mut judgement = Judgement::open(cause);
    let full = |one: &&CapacityClass| one.most >= *threshold;
    let others = classes.iter().filter(full).skip(TOLD);
    let others: u64 = others.map(|one| one.class.count).sum();
    let told = classes.iter().filter(full).count().clamp(1, TOLD);
    for one in classes.iter().take(told) {
        let line = line(one, *threshold, others);
        let is_full = line.value >= *threshold;
        judgement.add(line, Weight::of(is_full && is_known(one)));
    }
    judgement
}

fn line(one: &CapacityClass, threshold: f64, others: u64) -> Evidence {
    let LimitClass { name, count, of, limit, .. } = one.class.clone();
    let used = Range { least: one.least, most: one.most };
    let fact = Fact::Capacity(CapacityUse { count, of, limit, used, others });
    Evidence { entity: name, fact, value: one.most, threshold }
}
