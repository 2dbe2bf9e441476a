//! Whether what iopath says of a situation is what fio and iostat show of it.
//!
//! Nothing of iopath's own is taken for the truth: the figure is compared with fio's, the device
//! that it names with the one that iostat saw busiest, its bytes below with iostat's. iostat must
//! also show that the situation is the one that was meant.

use super::catalogue::{Situation, Truth};
use super::iostat::{Device, Seen};
use super::said::Said;
use crate::bench::statistics::{median, ratios};
use crate::errors::off;

/// `%util` from which a device counts as full, and up to which it counts as resting.
const FULL: f64 = 90.0;
const RESTING: f64 = 50.0;
/// Points of `%util` within which two devices are equally busy.
const AS_BUSY: f64 = 5.0;
/// Percent of the processors' time that may be left where they have none.
const NONE_LEFT: f64 = 10.0;
/// `aqu-sz` of a reader that waits for what is read ahead: one request, and the next begun.
const WAITED_FOR: f64 = 2.5;
/// Times as fast that the same reader must be with a larger window.
const FASTER: f64 = 2.0;
/// Percent by which bytes below may be off what the layout makes of them: a file system writes of
/// its own.
const OWN_WRITES: f64 = 10.0;

/// One run of each program, with what iostat saw during iopath's.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub said: Said,
    pub seen: Seen,
    pub fio: f64,
}

/// What came of all pairs.
pub(crate) struct Judged {
    pub iopath: f64,
    pub fio: f64,
    /// Percent by which iopath's figure is off fio's, the median of the pairs.
    pub off: f64,
    /// Why it is wrong; nothing where it is right.
    pub wrong: Vec<String>,
}

/// `wider` is how many times as fast fio is with a larger window, where that is asked.
pub(crate) fn judge(situation: &Situation, pairs: &[Pair], wider: Option<f64>) -> Judged {
    let said: Vec<f64> = pairs.iter().map(|pair| pair.said.together).collect();
    let fio: Vec<f64> = pairs.iter().map(|pair| pair.fio).collect();
    let of = |values: &[f64]| median(values).unwrap_or(f64::NAN);
    let off = off(of(&ratios(&said, &fio)), 1.0);
    let mut wrong = Vec::new();
    if off.is_nan() || off.abs() > situation.tolerance {
        wrong.push(format!("the figure is {off:+.1} % off fio's"));
    }
    for pair in pairs {
        let found = [premise(situation.truth, &pair.seen), verdict(situation.truth, pair)];
        wrong.extend(found.into_iter().flatten());
        wrong.extend(layers(situation, pair));
    }
    if wider.is_some_and(|times| times < FASTER) {
        wrong.push("a larger window makes fio no faster".to_owned());
    }
    wrong.dedup();
    Judged { iopath: of(&said), fio: of(&fio), off, wrong }
}

/// Why iostat does not show the situation that was meant: on a machine that others keep busy a slow
/// disk may wait for a processor, and proves nothing then.
pub(crate) fn premise(truth: Truth, seen: &Seen) -> Option<String> {
    let is_met = match truth {
        Truth::Busiest => seen.most() >= FULL,
        Truth::Slow(slow) => seen.devices.iter().enumerate().all(|(index, device)| {
            if index == slow { device.util >= FULL } else { device.util <= RESTING }
        }),
        Truth::Held => seen.most() <= RESTING,
        Truth::Memory => seen.devices.is_empty(),
        Truth::Processors => seen.idle <= NONE_LEFT,
        Truth::Window { kib, .. } => seen
            .devices
            .iter()
            .all(|device| device.queue <= WAITED_FOR && device.request_kib() <= kib as f64),
    };
    (!is_met).then(|| format!("iostat shows another situation: {}", shown(truth, seen)))
}

/// Why the verdict is not the truth.
fn verdict(truth: Truth, pair: &Pair) -> Option<String> {
    let Pair { said, seen, .. } = pair;
    let is_cause = |cause: &str| said.cause == cause;
    let is_right = match truth {
        Truth::Busiest => is_cause("device") && is_busiest(said, seen) && said.slow.is_empty(),
        Truth::Slow(slow) => {
            let name = &seen.devices[slow].name;
            is_cause("device") && said.entity == *name && said.slow == [name.clone()]
        }
        Truth::Held => is_cause("throttle") && is_busiest(said, seen),
        Truth::Memory => is_cause("page-cache"),
        Truth::Processors => is_cause("cpu"),
        // Both are true of a disk that does one request at a time; the advice makes the difference.
        Truth::Window { .. } => {
            (is_cause("latency") || is_cause("device"))
                && said.advice.iter().any(|rule| rule == "readahead")
        }
    };
    (!is_right).then(|| format!("it says {}", named(said)))
}

/// Whether the device that is named is as busy as the busiest. A device that is the target itself
/// has the target's name.
fn is_busiest(said: &Said, seen: &Seen) -> bool {
    let is_named = |device: &&Device| match seen.devices.as_slice() {
        [_] => said.entity == device.name || said.entity == "target",
        _ => said.entity == device.name,
    };
    let named = seen.devices.iter().find(is_named);
    named.is_some_and(|device| device.util + AS_BUSY >= seen.most())
}

/// Why the bytes below are not those of iostat, or not those that the layout makes.
fn layers(situation: &Situation, pair: &Pair) -> Option<String> {
    let expected = situation.below?;
    let counted = pair.seen.bytes_per_sec() / pair.said.together;
    let Some(below) = pair.said.below else { return Some("it says nothing of devices".to_owned()) };
    if off(below, counted).abs() > situation.tolerance {
        return Some(format!("it says {below:.2} bytes below for each, iostat {counted:.2}"));
    }
    (off(below, expected).abs() > OWN_WRITES)
        .then(|| format!("{below:.2} bytes below for each instead of {expected}"))
}

/// The verdict in some words.
pub(crate) fn named(said: &Said) -> String {
    let advice = |rule: &str| said.advice.iter().any(|one| one == rule);
    let more = if advice("readahead") { ", advice: readahead" } else { "" };
    format!("{} {}{more}", said.cause, said.entity)
}

/// What iostat saw, as far as the truth depends on it.
pub(crate) fn shown(truth: Truth, seen: &Seen) -> String {
    let device =
        |one: &Device| format!("{} {:.0} % busy, queue {:.1}", one.name, one.util, one.queue);
    let busiest = seen.devices.iter().max_by(|a, b| a.util.total_cmp(&b.util));
    let busiest = busiest.map(device);
    let others = || {
        let mut all: Vec<f64> = seen.devices.iter().map(|device| device.util).collect();
        all.sort_by(f64::total_cmp);
        all.pop();
        let range = all.first().zip(all.last());
        range.map(|(least, most)| format!("others {least:.0} to {most:.0} %"))
    };
    match truth {
        Truth::Memory | Truth::Processors => format!("processors {:.0} % idle", seen.idle),
        Truth::Window { .. } => {
            let one = seen.devices.first();
            let kib = one.map_or(0.0, Device::request_kib);
            format!("{}, requests of {kib:.0} KiB", busiest.unwrap_or_default())
        }
        Truth::Busiest | Truth::Slow(_) | Truth::Held => {
            busiest.into_iter().chain(others()).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::ALL;
    use super::*;

    fn device(name: &str, util: f64) -> Device {
        Device {
            name: name.to_owned(),
            bytes_per_sec: 50.0,
            operations_per_sec: 0.01,
            queue: 1.0,
            util,
        }
    }

    fn pair(cause: &str, entity: &str, utils: &[f64]) -> Pair {
        let devices: Vec<Device> = utils
            .iter()
            .enumerate()
            .map(|(at, util)| device(&format!("loop{at}"), *util))
            .collect();
        let throughput = 50.0 * utils.len().max(1) as f64;
        let below = Some(1.0).filter(|_| !utils.is_empty());
        let (cause, entity) = (cause.to_owned(), entity.to_owned());
        let said = Said { together: throughput, cause, entity, below, ..Said::default() };
        Pair { said, seen: Seen { idle: 3.0, devices }, fio: throughput }
    }

    fn wrong(name: &str, pair: Pair) -> Vec<String> {
        let situation = ALL.iter().find(|one| one.name == name).unwrap();
        judge(situation, &[pair], None).wrong
    }

    #[test]
    fn the_busiest_device_and_its_equals_may_be_named() {
        let utils = [99.0, 97.0, 98.0, 80.0];
        let right = [] as [&str; 0];
        assert_eq!(wrong("btrfs-raid0", pair("device", "loop1", &utils)), right);
        let says = ["it says device loop3"];
        assert_eq!(wrong("btrfs-raid0", pair("device", "loop3", &utils)), says);
        assert_eq!(wrong("btrfs-raid0", pair("cpu", "cpu", &utils)), ["it says cpu cpu"]);
        assert_eq!(wrong("xfs", pair("device", "target", &[95.0])), right);
        let other = wrong("xfs", pair("device", "loop0", &[60.0]));
        assert_eq!(other, ["iostat shows another situation: loop0 60 % busy, queue 1.0"]);
    }

    #[test]
    fn a_slow_member_is_named_twice() {
        let utils = [2.0, 3.0, 100.0, 2.0];
        let mut right = pair("device", "loop2", &utils);
        assert_eq!(wrong("slow-member", right.clone()), ["it says device loop2"]);
        right.said.slow = vec!["loop2".to_owned()];
        assert_eq!(wrong("slow-member", right), [] as [&str; 0]);
    }

    #[test]
    fn a_small_window_needs_its_advice_and_proof() {
        let mut right = pair("latency", "all streams", &[99.0]);
        assert_eq!(wrong("small-readahead", right.clone()), ["it says latency all streams"]);
        right.said.advice = vec!["readahead".to_owned()];
        let situation = ALL.iter().find(|one| one.name == "small-readahead").unwrap();
        assert_eq!(judge(situation, &[right.clone()], Some(4.0)).wrong, [] as [&str; 0]);
        let unproved = judge(situation, &[right], Some(1.1)).wrong;
        assert_eq!(unproved, ["a larger window makes fio no faster"]);
    }

    #[test]
    fn figures_are_those_of_fio_and_bytes_those_of_iostat() {
        let mut off = pair("device", "loop0", &[99.0]);
        off.fio = 40.0;
        assert_eq!(wrong("xfs", off), ["the figure is +25.0 % off fio's"]);
        let mut more = pair("device", "loop0", &[99.0]);
        more.said.below = Some(1.2);
        assert_eq!(wrong("xfs", more), ["it says 1.20 bytes below for each, iostat 1.00"]);
        let single = pair("device", "loop0", &[99.0, 99.0]);
        assert_eq!(wrong("btrfs-raid1", single), ["1.00 bytes below for each instead of 2"]);
    }

    #[test]
    fn memory_processors_and_throttles_are_no_devices() {
        let right = [] as [&str; 0];
        assert_eq!(wrong("tmpfs", pair("page-cache", "target", &[])), right);
        assert_eq!(wrong("zram", pair("cpu", "cpu0", &[70.0])), right);
        assert_eq!(wrong("throttled", pair("throttle", "target", &[3.0])), right);
        assert_eq!(wrong("throttled", pair("device", "loop0", &[3.0])), ["it says device loop0"]);
    }
}
