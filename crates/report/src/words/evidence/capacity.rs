//! Evidence of rates and of what limits them: what was asked for, ratings, throttles, components.

use iopath_analysis::limit::{CapacityUse, Evidence, Plateau, RateOf};
use iopath_record::{Direction, Limit, Measure};
use iopath_units::{ByteRate, Human, System};

use super::super::{PerSecond, between, percent};

/// The achieved and the wanted rate.
pub(super) fn wanted(rates: [f64; 2], measure: RateOf, system: System) -> String {
    let per_second = PerSecond::of(&measure, system);
    let [achieved, wanted] = rates.map(|rate| per_second.amount(rate));
    format!("{achieved} of the wanted {wanted}{}", per_second.unit)
}

pub(super) fn group(line: &Evidence, achieved: f64, limit: &Limit, system: System) -> String {
    let measure = if limit.measure == Measure::Bytes { RateOf::Bytes } else { RateOf::Requests };
    let per_second = PerSecond::of(&measure, system);
    let moved = if limit.direction == Direction::Read { "read" } else { "written" };
    format!(
        "{}{} were {moved} on {}, {} of what its {} allows ({})",
        per_second.amount(achieved),
        per_second.unit,
        line.entity,
        percent(line.value),
        limit.origin,
        per_second.amount(limit.per_sec as f64)
    )
}

pub(super) fn rating(line: &Evidence, achieved: f64, limit: &Limit, system: System) -> String {
    let per_second = PerSecond::of(&limit.measure, system);
    format!(
        "{} moved {}{}, {} of its rating ({}, {})",
        line.entity,
        per_second.amount(achieved),
        per_second.unit,
        percent(line.value),
        per_second.amount(limit.per_sec as f64),
        limit.origin
    )
}

pub(super) fn plateau(line: &Evidence, plateau: Plateau, system: System) -> String {
    let Plateau { level, measure, times, intervals, may_be_a_full_cache } = plateau;
    let per_second = PerSecond::of(&measure, system);
    let doubt = match may_be_a_full_cache {
        true => {
            "; a full write cache on a steady device looks the same, and only a second depth \
             separates the two"
        }
        false => "",
    };
    format!(
        "after {times:.1} times as much, {}{} for {intervals} intervals, within {} of an interval \
         of a straight line: typical of an empty token bucket{doubt}",
        per_second.amount(level),
        per_second.unit,
        percent(line.value)
    )
}

pub(super) fn used(entity: &str, capacity: &CapacityUse, system: System) -> String {
    let CapacityUse { count, of, limit, used, others } = capacity;
    let share = between(*used, percent);
    let (each, among) = match (count, of) {
        (1, 1) => ("", String::new()),
        (count, of) if count == of => ("each of ", format!(" ({count})")),
        (count, of) => ("each of ", format!(" ({count} of {of})")),
    };
    let what = match (limit.tokens, limit.measure) {
        (Some(tokens), _) => format!("{share} of its {tokens} concurrent requests"),
        (None, Measure::BusyNs) => format!("{share} of its time"),
        (None, Measure::Bytes) => {
            format!("{share} of its capacity: {}", ByteRate(limit.per_sec).human(system))
        }
        (None, measure) => {
            format!("{share} of its capacity: {} {measure} a second", limit.per_sec)
        }
    };
    let others = match others {
        0 => String::new(),
        others => format!("; {others} others are also full"),
    };
    format!("{each}{entity}{among} used {what}, {}{others}", limit.origin)
}

/// A record has the limit as a rate in words, such as `265 MB/s read, rated`.
pub(super) fn emulated(line: &Evidence, limit: &str, system: System) -> String {
    let ends = [" read", " write", ", "].into_iter().filter_map(|end| limit.find(end));
    let (amount, rest) = limit.split_at(ends.min().unwrap_or(limit.len()));
    let limit = match (system, amount.parse::<ByteRate>()) {
        (System::Binary, Ok(rate)) => format!("{}{rest}", rate.human(system)),
        _ => limit.to_owned(),
    };
    format!(
        "all streams reached {} of the load that saturates {} on the emulated path ({limit})",
        percent(line.value),
        line.entity
    )
}
