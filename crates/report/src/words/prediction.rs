//! A prediction in words: short forms of limits, bounds and figures, and its sentence.

use iopath_analysis::prediction::{Binding, LimitClass, LimitFinding, Prediction};
use iopath_analysis::thresholds::reports::RAISE_GAIN;
use iopath_record::{BoundKind, Direction, Fact, Measure, Origin};
use iopath_study::unindexed;
use iopath_units::System;

use crate::numbers::{UNKNOWN, is_small, operations, rate};

mod sentence;
mod wanted;

pub(crate) use sentence::sentence;

/// As many names as a list tells before it counts the rest: chosen, a line of text.
const NAMED: usize = 3;

pub(crate) fn kind(kind: BoundKind) -> &'static str {
    match kind {
        BoundKind::FreeSplit => "free split",
        BoundKind::FixedSplit => "fixed split",
        BoundKind::ClosedLoop => "closed loop",
        BoundKind::Synchronised => "synchronised",
    }
}

/// Why every stream has stopped, where they have.
pub(crate) fn nothing_left(prediction: &Prediction) -> Option<&str> {
    Fact::NothingLeft.of(&prediction.facts)
}

/// Whether the record says how much there is.
fn is_known(prediction: &Prediction) -> bool {
    !prediction.bounds.is_empty() || nothing_left(prediction).is_some()
}

pub(crate) fn throughput(prediction: &Prediction, system: System) -> String {
    match is_known(prediction) {
        true => rate(prediction.throughput_bytes_per_sec, system),
        false => UNKNOWN.to_owned(),
    }
}

pub(crate) fn requests(prediction: &Prediction, system: System) -> String {
    match is_known(prediction) {
        true => operations(prediction.operations_per_sec, system),
        false => UNKNOWN.to_owned(),
    }
}

/// The figure that matters: bytes, or requests where they are small.
pub(crate) fn figure(bytes: f64, requests: f64, system: System) -> String {
    if is_small(bytes, requests) {
        format!("{} requests", operations(requests, system))
    } else {
        rate(bytes, system)
    }
}

/// An amount of what a limit counts.
pub(crate) fn amount(limit: &LimitFinding, value: f64, system: System) -> String {
    match limit.measure {
        Measure::FlushNs => match value / 1e9 {
            1.0 => "one at a time".to_owned(),
            outstanding => format!("{} at a time", plain(outstanding)),
        },
        Measure::Bytes => rate(value, system),
        Measure::Operations => operations(value, system),
        // Time of service a second, of one server.
        Measure::BusyNs => format!("{} busy", percent(value / 1e9)),
        Measure::Requests => format!("{} in flight", plain(value)),
    }
}

/// Whether it is that a stream waits for its flushes.
pub(crate) fn is_flush(limit: &LimitFinding) -> bool {
    limit.measure == Measure::FlushNs
}

/// Whether it is what streams keep in flight, and no pool of a component.
pub(crate) fn is_depth(limit: &LimitFinding) -> bool {
    limit.tokens.is_some() && limit.origin == Origin::Study
}

/// What a limit allows, with its direction.
pub(crate) fn allowed(limit: &LimitFinding, per_sec: u64, system: System) -> String {
    let value = limit.tokens.map_or(per_sec as f64, |tokens| tokens as f64);
    let direction = match limit.direction {
        // Only writes are flushed.
        _ if is_flush(limit) => String::new(),
        Direction::Both => String::new(),
        direction => format!(" {direction}"),
    };
    format!("{}{direction}", amount(limit, value, system))
}

/// What limits of one component allow, with direction and origin, which is said once where it is
/// the same.
pub(crate) fn rated(limits: &[&LimitFinding], system: System) -> String {
    let allowed: Vec<String> =
        limits.iter().map(|limit| allowed(limit, limit.per_sec, system)).collect();
    let mut origins: Vec<&str> = limits.iter().map(|limit| origin(limit)).collect();
    origins.dedup();
    let origins = origins.join(", ");
    let allowed = list(&allowed);
    if origins.is_empty() { allowed } else { format!("{allowed}, {origins}") }
}

/// Without the parentheses that the language puts around it.
pub(crate) fn origin(limit: &LimitFinding) -> &str {
    if limit.origin.is_inferred() {
        return "inferred";
    }
    limit.origin.as_str().trim_start_matches('(').trim_end_matches(')')
}

/// Who or what it is that binds: "all 14 p690.drawer.planar", "flushes of wal".
pub(crate) fn binder(class: &LimitClass) -> String {
    match is_flush(&class.limit) {
        true => format!("flushes of {}", members(class)),
        false => members(class),
    }
}

/// How many of which: "all 14 p690.drawer.planar", "3 of 14 …", the name alone where there is one.
pub(crate) fn members(class: &LimitClass) -> String {
    let name = short(&class.name);
    match (class.count, class.of) {
        (1, _) => class.name.clone(),
        (2, 2) => format!("both {name}"),
        (count, of) if count == of => format!("all {count} {name}"),
        // The indices in the name already say which of them.
        (count, _) if name.contains('[') => format!("{count} {name}"),
        (count, of) => format!("{count} of {of} {name}"),
    }
}

/// A name that is a list of selectors, without the indices that make it one.
pub(crate) fn short(name: &str) -> String {
    match name.split_once(", ") {
        Some((first, _)) => unindexed(first),
        None => name.to_owned(),
    }
}

/// A list with "and", the rest counted.
pub(crate) fn list(names: &[String]) -> String {
    match names {
        [] => UNKNOWN.to_owned(),
        [one] => one.clone(),
        all if all.len() <= NAMED => {
            let (last, first) = all.split_last().unwrap_or((&all[0], &[]));
            format!("{} and {last}", first.join(", "))
        }
        all if all.len() == NAMED + 1 => format!("{} and 1 other", all[..NAMED].join(", ")),
        all => format!("{} and {} others", all[..NAMED].join(", "), all.len() - NAMED),
    }
}

/// Limits of equal components that bind, and whether more of them gives anything.
pub(crate) struct Bound<'a> {
    pub class: &'a LimitClass,
    pub limits: Vec<&'a LimitFinding>,
    pub gives: bool,
}

/// How many of which, for tables: "p690.drawer.planar ×14".
pub(crate) fn times(class: &LimitClass) -> String {
    let name = longer(class);
    if class.count == 1 { name } else { format!("{name} ×{}", class.count) }
}

/// What a request spends time in: a component by its name, "flushes of w".
pub(crate) fn longer(class: &LimitClass) -> String {
    let name = short(&class.name);
    if is_flush(&class.limit) { format!("flushes of {name}") } else { name }
}

/// What binds, each component once: a port that is full both ways is one.
pub(crate) fn bound(bottlenecks: &[Binding]) -> Vec<Bound<'_>> {
    let mut all: Vec<Bound<'_>> = Vec::new();
    for Binding { limits: class, gain, .. } in bottlenecks {
        let gives = *gain > RAISE_GAIN;
        let key = |class: &LimitClass| (class.name.clone(), class.count, is_flush(&class.limit));
        let is_same = |one: &&mut Bound<'_>| key(one.class) == key(class);
        match all.iter_mut().find(is_same) {
            Some(one) => {
                one.limits.push(&class.limit);
                one.gives |= gives;
            }
            None => all.push(Bound { class, limits: vec![&class.limit], gives }),
        }
    }
    all
}

/// Those that are used up; all, where each only makes requests longer.
pub(crate) fn decisive(bottlenecks: &[Binding]) -> Vec<Binding> {
    let used_up: Vec<Binding> = bottlenecks.iter().filter(|one| !one.shortens).cloned().collect();
    if used_up.is_empty() { bottlenecks.to_vec() } else { used_up }
}

/// What decides, in a cell of a table: what gives something, else all that binds together.
pub(crate) fn bottleneck(prediction: &Prediction, system: System) -> String {
    if let Some(why) = nothing_left(prediction) {
        return why.to_owned();
    }
    let besides = wanted::besides(&prediction.bottlenecks);
    if besides.is_empty() && wanted::of(prediction).is_some_and(|wanted| wanted.reached) {
        return "none: wanted rate reached".to_owned();
    }
    let decisive = decisive(&besides);
    let all = bound(&decisive);
    let any = all.iter().any(|one| one.gives);
    let decides = all.iter().filter(|one| one.gives || !any);
    let each = decides.map(|one| {
        let allowed: Vec<String> =
            one.limits.iter().map(|limit| allowed(limit, limit.per_sec, system)).collect();
        format!("{} ({})", times(one.class), list(&allowed))
    });
    list(&each.collect::<Vec<_>>())
}

pub(crate) fn percent(share: f64) -> String {
    let decimals = usize::from(share < 0.9995);
    format!("{:.decimals$} %", share * 100.0)
}

/// A number with no more digits than it needs, three at most behind the point.
fn plain(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
