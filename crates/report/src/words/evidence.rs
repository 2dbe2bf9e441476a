//! Lines of evidence as sentences.

use iopath_analysis::limit::{Cause, DepthChange, Evidence, Fact, Limiting, Nothing};
use iopath_units::{Op, System};

use super::percent;

mod capacity;
mod load;
mod members;

pub(crate) use members::others;

const NULL_ENGINE: &str =
    "the null engine does no I/O: this is the maximum of the load generator itself";
const NO_DEVICE: &str = "the file system is in memory, with no device below";

/// What kind of thing held a trial back, in a word: "device".
pub(crate) fn cause_alone(cause: Cause) -> &'static str {
    match cause {
        Cause::Unknown => "not identified",
        cause => cause.name(),
    }
}

/// The same with its name: "device (vda)".
pub(crate) fn cause(limit: &Limiting) -> String {
    match (limit.cause, &limit.entity) {
        (Cause::Unknown, _) => "not identified".to_owned(),
        (cause, Some(entity)) if entity == cause.name() => entity.clone(),
        (cause, Some(entity)) => format!("{} ({entity})", cause.name()),
        (cause, None) => cause.name().to_owned(),
    }
}

/// What a line says.
pub(crate) fn sentence(line: &Evidence, system: System) -> String {
    let Evidence { entity, value, .. } = line;
    let share = percent(*value);
    match line.fact.clone() {
        Fact::Completions(of) => nothing(of).to_owned(),
        Fact::WantedRate { achieved, wanted, measure } => {
            let reached = capacity::wanted([achieved, wanted], measure, system);
            format!("{reached} were reached: {share}")
        }
        Fact::FreeSlots { in_flight, slots } => {
            format!("{in_flight:.1} of {slots} slots were in use on average")
        }
        Fact::NullEngine => NULL_ENGINE.to_owned(),
        Fact::GeneratorCeiling { achieved, ceiling } => load::ceiling(line, achieved, ceiling),
        Fact::ThreadTime { user, system, is_limit } => load::threads(line, user, system, is_limit),
        Fact::ThrottledTime => format!("requests were throttled {share} of the time"),
        Fact::GroupLimit { achieved, limit } => capacity::group(line, achieved, &limit, system),
        Fact::HeldAbove { slots, busiest, spread } => load::above(line, slots, busiest, spread),
        Fact::Plateau(plateau) => capacity::plateau(line, plateau, system),
        Fact::NoDevice => NO_DEVICE.to_owned(),
        Fact::DeviceBytes(op) => format!("the devices saw {share} of the bytes {}", moved(op)),
        Fact::CachedShare { targets: 1 } => {
            format!("at least {share} of {entity} was in the page cache")
        }
        Fact::CachedShare { targets } => {
            format!("at least {share} of each of {targets} targets was in the page cache")
        }
        Fact::DirtyBytes => {
            format!("dirty memory of the whole machine grew by {share} of the bytes written")
        }
        Fact::ProcessorTime { count, own, steal } => load::processors(line, count, own, steal),
        Fact::ServedByProcessor { device, kernel } => load::serving(line, &device, kernel),
        Fact::ProcessorWait { waiting, is_held_back } => load::wait(line, waiting, is_held_back),
        Fact::Flushes(flushed) => load::flushes(line, flushed),
        Fact::Unqueued { slots, mean_ns, least_ns } => load::slots(line, slots, mean_ns, least_ns),
        Fact::Rating { achieved, limit } => capacity::rating(line, achieved, &limit, system),
        Fact::Utilisation { is_watched, in_flight } => load::busy(line, is_watched, in_flight),
        Fact::Residence => format!("requests spent {share} of their time in the devices"),
        Fact::Depth => load::depth(line),
        Fact::Capacity(used) => capacity::used(entity, &used, system),
        Fact::EmulatedPath { limit } => capacity::emulated(line, &limit, system),
        Fact::JoinWait => load::siblings(line),
        Fact::SlowestPart { volume } => load::slowest(line, &volume),
        Fact::Latency(way) => load::way(&way),
        Fact::AtDevices => {
            format!("for each of them {value:.2} requests were at the devices on average")
        }
        Fact::Member(fact) => members::of_volume(line, &fact),
        Fact::Rate(rates) => members::rates(line, rates, system),
        Fact::Service(times) => members::times(line, times),
        Fact::InFlight { fast, slow } => members::held(fast, slow),
        Fact::Policy => members::POLICY.to_owned(),
        Fact::DepthRate { from, to, change } => {
            format!("from depth {from} to {to} the rate {}", changed(line, change))
        }
        Fact::DepthBusy => {
            format!("the busiest device was busy {:.0} % of the time at most", value * 100.0)
        }
        Fact::DepthCause(cause) => {
            format!("at depth {value:.0} the limit is {}", cause.name())
        }
    }
}

fn nothing(of: Nothing) -> &'static str {
    match of {
        Nothing::Completed => "no request completed in the measured part",
        Nothing::Moved => "no I/O reached the watched devices; what the page cache serves does not",
    }
}

fn moved(op: Op) -> &'static str {
    match op {
        Op::Read => "read",
        Op::Write => "written",
    }
}

fn changed(line: &Evidence, change: DepthChange) -> String {
    match change {
        DepthChange::Stays { longer, more } => format!(
            "stayed within {:.1} %, and a request took {longer:.1} times as long with {more:.1} \
             times as many in flight",
            line.value * 100.0
        ),
        DepthChange::Grew { times } => {
            format!("grew {times:.2} times and had not settled: a higher depth may yield more")
        }
        DepthChange::Fell { times } => {
            format!(
                "fell to {:.1} % of the highest: more in flight costs throughput",
                times * 100.0
            )
        }
    }
}

#[cfg(test)]
mod tests;
