//! A profile in words: its loads, what each component carries, and what limits the whole.

use iopath_analysis::capacities::{Carried, Figure, Load, REREAD_BYTES};
use iopath_analysis::thresholds::groups::LESS_THAN_ALONE;
use iopath_study::unindexed;
use iopath_units::{Bytes, Op, System};

use crate::numbers::{operations, rate, size, time};
use crate::view::profile::{
    AloneProfile, HostCosts, LevelProfile, LoadCarried, Profile, Stage, Widest,
};
use crate::words::evidence::cause_alone;

/// A load as fio would say it: `random read 4 KiB, depth 32`, or `cached read 1 MiB, one thread`.
#[must_use]
pub fn load(load: Load) -> String {
    let (op, block) = (load.op, Bytes(load.block));
    let threads = match load.figure {
        Figure::Reread => {
            let again = Bytes(REREAD_BYTES);
            return format!("{op} {block} of the same {again}, depth {}", load.depth);
        }
        Figure::Copy => "one thread",
        Figure::Copies => "as many threads as processors",
        _ => {
            let pattern = if load.is_random() { "random" } else { "sequential" };
            let flushed = if load.is_flushed() { ", each flushed" } else { "" };
            return format!("{pattern} {op} {block}, depth {}{flushed}", load.depth);
        }
    };
    format!("cached {op} {block}, {threads}")
}

/// A column of rates: `read`, `write-ops`.
pub(crate) fn column(load: Load) -> String {
    match (load.figure, load.op) {
        (Figure::Operations, op) => format!("{op} IOPS"),
        (Figure::Reread, op) => format!("re-{op}"),
        (_, op) => op.to_string(),
    }
}

/// A rate of a load in its unit.
pub(crate) fn amount(load: Load, per_sec: f64, system: System) -> String {
    match load.is_of_bytes() {
        true => rate(per_sec, system),
        false => operations(per_sec, system),
    }
}

/// A capacity, or the least that it must be.
pub(crate) fn carried(carried: Carried, rate: &str) -> String {
    match carried {
        Carried::Full(_) => rate.to_owned(),
        Carried::Perhaps(_) => format!("{rate} ?"),
        Carried::AtLeast(_) => format!("≥ {rate}"),
        Carried::Nothing => "-".to_owned(),
    }
}

/// What everything carries together, and what limits it.
pub(crate) fn sentence(profile: &Profile, system: System) -> String {
    let each = [Op::Read, Op::Write].into_iter().filter_map(|op| whole(profile, op, system));
    let each: Vec<String> = each.collect();
    match each.is_empty() {
        true => "no throughput was measured".to_owned(),
        false => each.join("; "),
    }
}

fn whole(profile: &Profile, op: Op, system: System) -> Option<String> {
    let widest = profile.widest(op)?;
    let full = |limits_all: bool| -> Vec<&str> {
        let is_full = |one: &LoadCarried| {
            one.load == widest.load
                && one.carried.capacity().is_some()
                && one.limits_all == limits_all
        };
        let shared = profile.components.iter().filter(|one| one.devices.len() > 1);
        shared.filter(|one| one.carried.iter().any(is_full)).map(|one| one.name.as_str()).collect()
    };
    let limit = match (widest.devices, &full(true)[..], &full(false)[..]) {
        (1, ..) => String::new(),
        (_, [], []) if widest.is_limited_by_host => {
            ", limited by this machine and not by the path".to_owned()
        }
        (_, [], []) if is_less_than_alone(profile, widest) => {
            ", less than each alone, and no component of the path explains it".to_owned()
        }
        (_, [], []) => ", each as much as alone: nothing that they share was full".to_owned(),
        (_, [], inner) => format!("; {} full with some of them", are(inner)),
        (_, limits, []) => format!(", limited by {}", shown(limits)),
        (_, limits, inner) => {
            format!(", limited by {}; {} full with fewer devices", shown(limits), are(inner))
        }
    };
    let what = devices(widest);
    let did = match op {
        Op::Read => "read",
        Op::Write => "write",
    };
    let rate = rate(widest.bytes_per_sec, system);
    Some(format!("{what} {did} {rate}{limit}{}", from_cache(profile, op, system)))
}

/// How many it uses: `one device`, `4 devices`.
pub(crate) fn devices(widest: &Widest) -> String {
    match widest.devices {
        1 => "one device".to_owned(),
        all => format!("{all} devices"),
    }
}

fn is_less_than_alone(profile: &Profile, widest: &Widest) -> bool {
    let of_load = profile.alone.iter().filter(|one| one.load == widest.load);
    let alone: f64 = of_load.map(|one| one.bytes_per_sec).sum();
    widest.bytes_per_sec < (1.0 - LESS_THAN_ALONE) * alone
}

/// What the same devices read again and again, where a cache served it.
fn from_cache(profile: &Profile, op: Op, system: System) -> String {
    let mut read = profile.components.iter().filter_map(|one| one.of_bytes(op));
    let served = read.find(|read| read.load.is_reread()).map(|read| read.load);
    let again = profile.widest.iter().find(|one| Some(one.load) == served);
    again.map_or_else(String::new, |again| {
        format!("; from a cache {}", rate(again.bytes_per_sec, system))
    })
}

fn are(names: &[&str]) -> String {
    format!("{} {}", shown(names), if names.len() == 1 { "is" } else { "are" })
}

fn shown(names: &[&str]) -> String {
    let rest = names.len().saturating_sub(MOST_SHOWN);
    let first = names[..names.len() - rest].join(", ");
    if rest == 0 { first } else { format!("{first} and {rest} more") }
}

/// Names in one sentence.
const MOST_SHOWN: usize = 4;

/// What scales, under which load.
pub(crate) fn level_name(level: &LevelProfile) -> String {
    let names: Vec<&str> = level.names.iter().map(String::as_str).collect();
    let of = if names.is_empty() { "all devices".to_owned() } else { shown(&names) };
    format!("{of}, {}", load(level.load))
}

/// The unit of a load's figure, at the end of names of columns.
pub(crate) fn unit(load: Load) -> &'static str {
    match load.figure {
        Figure::Operations => "operations_per_sec",
        _ => "bytes_per_sec",
    }
}

/// How a level scales: `1: 100 MB/s, 2: 200 MB/s (100 %), 4: 250 MB/s (63 %); scales to 2`.
pub(crate) fn level(level: &LevelProfile, system: System) -> String {
    let steps = level.scaling.steps.iter().map(|step| {
        let share = match step.parts {
            1 => String::new(),
            _ => format!(" ({:.0} %)", 100.0 * step.efficiency),
        };
        format!("{}: {}{share}", step.parts, amount(level.load, step.rate, system))
    });
    let steps = steps.collect::<Vec<_>>().join(", ");
    let (knee, last) = (level.scaling.knee(), level.scaling.steps.last().map_or(1, |s| s.parts));
    let scales =
        if knee == last { "scales to all".to_owned() } else { format!("scales to {knee}") };
    format!("{}: {steps}; {scales}", level_name(level))
}

/// What limits next: `read: the limit after hba (150 MB/s) is hba.disk (2) at 200 MB/s, +33 %`.
pub(crate) fn next(stages: &[Stage], system: System) -> Option<String> {
    let [first, second, ..] = stages else { return None };
    let names = |stage: &Stage| {
        let names: Vec<String> = stage.names.iter().map(|name| unindexed(name)).collect();
        match &names[..] {
            [only] => only.clone(),
            all => format!("{} ({})", all[0], all.len()),
        }
    };
    let [now, then] = [first, second].map(|one| amount(one.load, one.bytes_per_sec, system));
    let more = 100.0 * (second.bytes_per_sec / first.bytes_per_sec - 1.0);
    let (op, first, second) = (first.load.op, names(first), names(second));
    Some(format!("{op}: the limit after {first} ({now}) is {second} at {then}, {more:+.0} %"))
}

/// What copies cost: `a copy from the page cache takes one second of processor time for each 4.5
/// GB; as many threads as processors copied 8.1 GB/s`; why it is not known, where it was tried.
pub(crate) fn copies(profile: &Profile, costs: HostCosts, system: System) -> Option<String> {
    let of = |one: &&AloneProfile| one.load.figure == Figure::Copy;
    let tried = profile.alone.iter().find(of)?;
    if costs.copied_byte_s.is_none() {
        let limit = cause_alone(tried.limit);
        return Some(format!(
            "what a copy from the page cache takes was not measured: limit {limit}"
        ));
    }
    let one = size(costs.copied_byte_s?.recip() as u64, system);
    let together = costs.copied_bytes_per_sec.map(|all| rate(all, system));
    let together = together
        .map_or_else(String::new, |all| format!("; as many threads as processors copied {all}"));
    Some(format!(
        "a copy from the page cache takes one second of processor time for each {one}{together}"
    ))
}

/// "vda: a write that is flushed takes 47.30 µs longer, one at a time".
pub(crate) fn flush(profile: &Profile, device: &str, system: System) -> Option<String> {
    let longer = time(profile.flush_s(device)? * 1e9, system);
    Some(format!("{device}: a write that is flushed takes {longer} longer, one at a time"))
}

/// Where the time of one request at a time goes.
pub(crate) fn layers(alone: &AloneProfile, system: System) -> Option<String> {
    let (whole, processor) = (alone.latency_ns_p50? as f64, alone.cpu_ns?);
    let below = (whole > processor).then_some(whole - processor)?;
    let [whole, processor, below] = [whole, processor, below].map(|ns| time(ns, system));
    let (device, load) = (&alone.device, load(alone.load));
    Some(format!("{device}, {load}: {whole}, {processor} of it processor time, {below} below"))
}
