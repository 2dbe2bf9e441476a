//! Advice as sentences and commands. What each rule looks at is in `docs/findings.md`.
//!
//! Sizes are in the kernel's own unit, KiB, and rates of control groups as their files have them,
//! whatever the system of units: they are typed, not read.

use std::fmt::Display;

use iopath_analysis::Advice;
use iopath_analysis::advice::{Again, GroupLimit, Setting};

use crate::document::AdviceText;

/// Advice in words, each that says the same once.
pub(crate) fn texts<'a>(all: impl Iterator<Item = &'a Advice>) -> Vec<AdviceText> {
    let mut texts: Vec<AdviceText> = Vec::new();
    for text in all.map(text) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

fn text(advice: &Advice) -> AdviceText {
    let text = match advice {
        Advice::MoreInFlight { again, slots, depth, times } => {
            more_in_flight(again, [*slots, *depth, *times])
        }
        Advice::ShareFlushes { again, writers } => share_flushes(again, *writers),
        Advice::PastTheCache(again) => past_the_cache(again),
        Advice::MoreStreams { again, streams, times, idle } => {
            more_streams(again, *streams, *times, *idle)
        }
        Advice::LiftGroupLimit { device, limit, busy } => lift(device, limit, *busy),
        Advice::TransferLimit { setting, block_kib } => transfer_limit(setting, *block_kib),
        Advice::QueueRequests { setting, in_flight } => queue_requests(setting, *in_flight),
        Advice::Readahead(setting) => readahead(setting),
        Advice::Scheduler(setting) => scheduler(setting),
    };
    AdviceText { rule: advice.rule(), ..text }
}

fn more_in_flight(again: &Again, [slots, depth, times]: [u64; 3]) -> AdviceText {
    AdviceText {
        what: format!(
            "keep {} requests in flight instead of {slots}: a depth of {depth} for each stream, \
             or {times} times the streams",
            times * slots
        ),
        persistent: Some("the application's own setting of depth, threads or jobs".to_owned()),
        gain: format!(
            "up to {times} times the throughput, as long as requests do not queue \
             (Little's law)"
        ),
        restart: "the application".to_owned(),
        ..of_load(again, "once a component is saturated, only latency grows")
    }
}

fn share_flushes(again: &Again, writers: u64) -> AdviceText {
    AdviceText {
        what: format!(
            "let writers share flushes (group commit): {writers} in flight for each stream, of \
             which those that complete during one flush are covered by the next"
        ),
        persistent: Some("the application's own group commit or number of writers".to_owned()),
        gain: format!(
            "half of {writers} times the commits and more: K writers alternating between two \
             flushes commit K / (2 flushes) times a second, K in step K / (write + flush)"
        ),
        restart: "the application".to_owned(),
        ..of_load(again, "each commit takes up to two flushes")
    }
}

fn past_the_cache(again: &Again) -> AdviceText {
    let risk = "the page cache serves an application that re-reads data well";
    AdviceText {
        what: "to measure the device, bypass the page cache".to_owned(),
        gain: "a figure of the device; the application itself gains nothing".to_owned(),
        ..of_load(again, risk)
    }
}

fn more_streams(again: &Again, streams: usize, times: u64, idle: f64) -> AdviceText {
    AdviceText {
        what: format!(
            "spread the load over {} streams instead of {streams}: {idle:.1} processors are idle",
            times as usize * streams
        ),
        persistent: Some("the application's own number of threads or jobs".to_owned()),
        gain: format!(
            "up to {:.1} times, as far as idle processors go",
            (1.0 + idle / streams as f64).min(times as f64)
        ),
        restart: "the application".to_owned(),
        ..of_load(again, "takes processors from other processes")
    }
}

fn lift(device: &str, limit: &GroupLimit, busy: Option<f64>) -> AdviceText {
    let GroupLimit { file, number, key, per_sec, measure } = limit;
    let [lifted, back] = match key {
        Some(key) => [format!("{number} {key}=max"), format!("{number} {key}={per_sec}")],
        None => [format!("{number} 0"), format!("{number} {per_sec}")],
    };
    let command = |line: &str| vec![write(&format!("'{line}'"), file)];
    let gain = busy.map(|share| {
        format!(
            "at most {:.0} times as much: {device} was busy {:.1} % of the time (utilisation law)",
            1.0 / share,
            100.0 * share
        )
    });
    AdviceText {
        what: format!("lift the limit of {per_sec} {measure} a second"),
        commands: command(&lifted),
        persistent: Some(
            "the unit or container that sets it (man systemd.resource-control; docker: \
             --device-read-bps and its like)"
                .to_owned(),
        ),
        gain: gain.unwrap_or_else(|| "not known: the device showed no busy time".to_owned()),
        risk: "none for data; other users of the device get less".to_owned(),
        undo: command(&back),
        ..nothing()
    }
}

fn transfer_limit(setting: &Setting<u64>, block_kib: u64) -> AdviceText {
    let Setting { device, now, next, .. } = setting;
    AdviceText {
        what: format!("raise the maximum request size of {device} from {now} KiB to {next} KiB"),
        gain: format!(
            "{} instead of {} requests at the device for each of {block_kib} KiB; throughput \
             gains what fewer requests save",
            block_kib.div_ceil(*next),
            block_kib.div_ceil(*now)
        ),
        risk: "none for data; a large request delays the small ones behind it".to_owned(),
        ..of_queue(setting)
    }
}

fn queue_requests(setting: &Setting<u64>, in_flight: f64) -> AdviceText {
    let Setting { device, now, next, .. } = setting;
    AdviceText {
        what: format!(
            "raise the request queue of {device} from {now} to {next}: {in_flight:.0} are in flight"
        ),
        gain: "unknown until tried: requests no longer wait for a place in the queue".to_owned(),
        risk: "none for data; requests may wait longer, and each takes some memory".to_owned(),
        restart: "nothing; if the kernel refuses, the device's own queue is no deeper".to_owned(),
        ..of_queue(setting)
    }
}

fn readahead(setting: &Setting<u64>) -> AdviceText {
    let Setting { device, now, next, .. } = setting;
    AdviceText {
        what: format!("raise readahead of {device} from {now} KiB to {next} KiB"),
        gain: "unknown until tried: the device works while the application does".to_owned(),
        risk: "none for data; random readers of the device waste I/O, and streams that share it \
               may become unfair"
            .to_owned(),
        restart: restart([setting.name]).to_owned(),
        ..of_queue(setting)
    }
}

fn scheduler(setting: &Setting<String>) -> AdviceText {
    let Setting { device, now, .. } = setting;
    AdviceText {
        what: format!("disable the I/O scheduler of {device} (now {now})"),
        gain: "unknown until tried: processor time for each request".to_owned(),
        risk: "none for data; one process may starve another".to_owned(),
        ..of_queue(setting)
    }
}

/// The run once more with one property changed, at a risk other than that for data.
fn of_load(again: &Again, risk: &str) -> AdviceText {
    let Again { command, paths, value, is_writing } = again;
    let sets: String = paths.iter().map(|path| format!(" --set {path}={value}")).collect();
    let data = if *is_writing { "it writes to its targets again" } else { "none for data" };
    AdviceText {
        commands: vec![format!("{command}{sets}")],
        risk: format!("{data}; {risk}"),
        undo: vec![command.clone()],
        ..nothing()
    }
}

/// A setting of a queue written to its file, and as a line for a file below /etc/udev/rules.d.
fn of_queue(setting: &Setting<impl Display>) -> AdviceText {
    let Setting { device, name, file, now, next } = setting;
    AdviceText {
        commands: vec![write(next, file)],
        persistent: Some(udev(device, name, next)),
        undo: vec![write(now, file)],
        ..nothing()
    }
}

/// What must be started again for settings to hold. The kernel copies readahead to each file that
/// it opens (`file_ra_state_init` in mm/readahead.c); the others are of the queue and hold for the
/// next request.
pub(super) fn restart<'a>(names: impl IntoIterator<Item = &'a str>) -> &'static str {
    match names.into_iter().any(|name| name == "read_ahead_kb") {
        true => "nothing; open files keep their setting",
        false => NO_RESTART,
    }
}

const NO_RESTART: &str = "nothing";

/// A line for a file below /etc/udev/rules.d that sets the queue of a drive.
pub(super) fn udev(device: &str, name: &str, value: &(impl Display + ?Sized)) -> String {
    format!("udev: ACTION==\"add|change\", KERNEL==\"{device}\", ATTR{{queue/{name}}}=\"{value}\"")
}

/// A command that writes a text into a file of the kernel.
pub(super) fn write(text: &(impl Display + ?Sized), file: &str) -> String {
    format!("echo {text} | sudo tee {file}")
}

/// Nothing to type, to keep or to start again.
pub(super) fn nothing() -> AdviceText {
    AdviceText {
        rule: "",
        what: String::new(),
        commands: Vec::new(),
        persistent: None,
        gain: String::new(),
        risk: String::new(),
        restart: NO_RESTART.to_owned(),
        undo: Vec::new(),
        undo_by_hand: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(value: &str, is_writing: bool) -> Again {
        let command = "iopath measure job.kdl".to_owned();
        let paths = vec!["a.depth".to_owned(), "b.depth".to_owned()];
        Again { command, paths, value: value.to_owned(), is_writing }
    }

    fn setting<T>(name: &'static str, now: T, next: T) -> Setting<T> {
        let file = format!("/queues/vda/{name}");
        Setting { device: "vda".to_owned(), name, file, now, next }
    }

    #[test]
    fn a_load_is_repeated_with_every_declaration_changed() {
        let found = text(&Advice::ShareFlushes { again: again("8", false), writers: 8 });
        let changed = "iopath measure job.kdl --set a.depth=8 --set b.depth=8";
        assert_eq!((found.rule, found.commands), ("share-flushes", vec![changed.to_owned()]));
        assert_eq!(found.undo, ["iopath measure job.kdl"]);
        assert!(found.risk.starts_with("none for data; "), "{}", found.risk);
        let writing = text(&Advice::PastTheCache(again("direct", true)));
        assert!(writing.risk.starts_with("it writes to its targets again; "), "{}", writing.risk);
    }

    #[test]
    fn a_group_s_limit_is_lifted_and_set_again() {
        let lift = |file: &str, key| {
            let limit = GroupLimit {
                file: file.to_owned(),
                number: "7:0".to_owned(),
                key,
                per_sec: 2000,
                measure: iopath_record::Measure::Operations,
            };
            text(&Advice::LiftGroupLimit { device: "vda".to_owned(), limit, busy: Some(0.5) })
        };
        let first = lift("/g/blkio.throttle.read_iops_device", None);
        let file = "/g/blkio.throttle.read_iops_device";
        assert_eq!(first.commands, [format!("echo '7:0 0' | sudo tee {file}")]);
        assert_eq!(first.undo, [format!("echo '7:0 2000' | sudo tee {file}")]);
        assert!(first.gain.contains("at most 2 times"), "{}", first.gain);
        let second = lift("/g/io.max", Some("riops"));
        assert_eq!(second.commands, ["echo '7:0 riops=max' | sudo tee /g/io.max"]);
        assert_eq!(second.undo, ["echo '7:0 riops=2000' | sudo tee /g/io.max"]);
    }

    #[test]
    fn settings_are_written_kept_and_taken_back() {
        let setting = setting("max_sectors_kb", 64, 128);
        let found = text(&Advice::TransferLimit { setting, block_kib: 128 });
        assert_eq!(found.commands, ["echo 128 | sudo tee /queues/vda/max_sectors_kb"]);
        assert_eq!(found.undo, ["echo 64 | sudo tee /queues/vda/max_sectors_kb"]);
        assert!(found.gain.starts_with("1 instead of 2 requests"), "{}", found.gain);
        let kept =
            "udev: ACTION==\"add|change\", KERNEL==\"vda\", ATTR{queue/max_sectors_kb}=\"128\"";
        assert_eq!(found.persistent.as_deref(), Some(kept));
    }

    #[test]
    fn what_says_the_same_is_said_once() {
        let idle =
            |idle| Advice::MoreStreams { again: again("4", false), streams: 2, times: 2, idle };
        let all = [idle(3.01), idle(3.02), idle(4.0)];
        assert_eq!(texts(all.iter()).len(), 2);
    }

    #[test]
    fn a_scheduler_is_named_before_it_is_left_out() {
        let setting = setting("scheduler", "mq-deadline".to_owned(), "none".to_owned());
        let found = text(&Advice::Scheduler(setting));
        assert_eq!(found.commands, ["echo none | sudo tee /queues/vda/scheduler"]);
        assert_eq!(found.what, "disable the I/O scheduler of vda (now mq-deadline)");
    }
}
