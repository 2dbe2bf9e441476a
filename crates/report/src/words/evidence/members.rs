//! Evidence of members that share a load.

use iopath_analysis::limit::{Evidence, Fact, MemberFact, MemberRates, MemberTimes, Range};
use iopath_units::System;

use super::super::{PerSecond, between, ms, percent};

pub(super) const POLICY: &str = "equal rates on unequal members: requests are distributed \
                                 round-robin, regardless of service time; a policy by queue depth \
                                 or service time would send less to slow members";

/// What a member of a volume did.
pub(super) fn of_volume(line: &Evidence, fact: &MemberFact) -> String {
    let entity = &line.entity;
    match fact {
        MemberFact::Odd { .. } => {
            format!("{entity} was {}", others(line).unwrap_or_default())
        }
        MemberFact::Alone { member, busy } => {
            format!("{member} alone carries the load of {entity}, busy {}", percent(*busy))
        }
        MemberFact::Even { members, busy, is_balanced } => {
            let share = if *is_balanced { " share its load evenly, each" } else { " are" };
            let busy = between(*busy, percent);
            format!("the {members} members of {entity}{share} busy {busy}")
        }
    }
}

/// How a member differs from the others; none of one that does not.
pub(crate) fn others(line: &Evidence) -> Option<String> {
    let Fact::Member(MemberFact::Odd { volume, others, busy, times_ns }) = &line.fact else {
        return None;
    };
    let time = |ns: f64| format!("{:.2} ms", ms(ns));
    let times = times_ns.map(|(own, others)| {
        format!("; its requests took {}, theirs {}", time(own), between(others, time))
    });
    Some(format!(
        "busy {} of the time, the other {others} of {volume} {}{}",
        percent(line.value),
        between(*busy, percent),
        times.unwrap_or_default()
    ))
}

pub(super) fn rates(line: &Evidence, all: MemberRates, system: System) -> String {
    let MemberRates { rates: Range { least, most }, measure, members, idle } = all;
    let per_second = PerSecond::of(&measure, system);
    let idle = match idle {
        0 => String::new(),
        idle => format!("; {idle} idle"),
    };
    format!(
        "{members} members carry {} to {}{}, highest to lowest {:.2}{idle}",
        per_second.amount(least),
        per_second.amount(most),
        per_second.unit,
        line.value
    )
}

pub(super) fn times(line: &Evidence, times: MemberTimes) -> String {
    let MemberTimes { fast_ns, slow_ns, slow, others } = times;
    let [fast_ms, slow_ms] = [fast_ns, slow_ns].map(ms);
    match slow {
        0 => format!(
            "a request takes {fast_ms:.2} ms in the faster half, {slow_ms:.2} ms in the \
                      slower"
        ),
        _ => format!(
            "{slow} of them take {slow_ms:.2} ms for a request, the other {others} {fast_ms:.2} \
             ms: {:.1} times",
            line.value
        ),
    }
}

pub(super) fn held(fast: f64, slow: f64) -> String {
    format!("a slow member has {slow:.2} requests in flight on average, another {fast:.2}")
}
