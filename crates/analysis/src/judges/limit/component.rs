//! A component of the path whose capacity is used up, by its counters against its rating; in a
//! model's record devices and processors, too.
//!
//! Capacities of components that are called alike are one line. Tokens are only the cause where no
//! rate is: they are all taken as well where what lies behind them is full.
//! What carries the devices of a measurement has the sum of their traffic, and is judged before
//! they are: behind a component that is full each of its devices may be busy all the time. A rating
//! that is assumed proves nothing there, nor does one that was exceeded.
//! It leaves out whether more of the capacity would help: several components may be full at once.
//! Devices of a measurement are judged by what the kernel says of them.

use super::{Cause, Evidence, Judgement, Weight, percent};
use crate::judges::observed::{CapacityClass, Fullest, Observed};
use crate::prediction::LimitClass;
use crate::thresholds::limits::RATING_EXCEEDED_RATIO;
use iopath_record::{Measure, Origin};
use iopath_units::{ByteRate, Human, System};

/// As many classes of full components as are told: chosen.
const TOLD: usize = 3;

pub(super) fn judge(observed: &Observed) -> Judgement {
    judge_fullest(&observed.fullest, &|_| true)
}

/// What carries the devices of a measurement.
pub(super) fn judge_carriers(observed: &Observed) -> Judgement {
    let is_known = |one: &CapacityClass| {
        one.class.limit.origin != Origin::Assumed && one.most < RATING_EXCEEDED_RATIO
    };
    judge_fullest(&observed.carriers, &is_known)
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
        let mut line = line(one, *threshold);
        if others > 0 {
            line.text.push_str(&format!("; {others} others are full, too"));
        }
        let is_full = line.value >= *threshold;
        judgement.add(line, Weight::of(is_full && is_known(one)));
    }
    judgement
}

fn line(one: &CapacityClass, threshold: f64) -> Evidence {
    let LimitClass { name, count, of, limit, .. } = &one.class;
    let share = match (percent(one.least), percent(one.most)) {
        (least, most) if least == most => most,
        (least, most) => format!("{least} to {most}"),
    };
    let (each, among) = match (count, of) {
        (1, 1) => ("", String::new()),
        (count, of) if count == of => ("each of ", format!(" ({count})")),
        (count, of) => ("each of ", format!(" ({count} of {of})")),
    };
    let origin = &limit.origin;
    let what = match (limit.tokens, limit.measure) {
        (Some(tokens), _) => format!("{share} of the {tokens} requests it takes at once"),
        (None, Measure::BusyNs) => format!("{share} of its time"),
        (None, Measure::Bytes) => {
            let each = ByteRate(limit.per_sec).human(System::Decimal);
            format!("{share} of what it can do: {each}")
        }
        (None, measure) => {
            format!("{share} of what it can do: {} {measure} a second", limit.per_sec)
        }
    };
    let text = format!("{each}{name}{among} used {what}, {origin}");
    let (value, entity) = (one.most, name.clone());
    Evidence { entity, law: "capacity", value, threshold, text }
}
