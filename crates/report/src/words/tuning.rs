//! The best setting in words: what it does, how sure that is, and how to get there.

use iopath_advice::tuning::{Aim, Figures, Goal};
use iopath_units::System;

use super::advice::{nothing, restart, udev, write};
use super::find_max::limit;
use super::percent;
use super::prediction::list;
use super::sizing::chosen;
use crate::document::AdviceText;
use crate::numbers::{UNKNOWN, maybe_time, operations, rate, time};
use crate::view::tuning::{Assigned, Gain, KernelSetting, SettingChange, Tuned, Way};

/// The answer.
pub(crate) fn sentence(tuned: &Tuned, system: System) -> String {
    let best =
        format!("{}: {}", chosen(&tuned.best.levels), figures(tuned, &tuned.best.figures, system));
    if !tuned.keeps_limits {
        let limits = list(&limits(&tuned.aim, system));
        return format!("no setting that was tried has {limits}; the nearest is {best}");
    }
    let Some(today) = &tuned.today else {
        return format!("best {best}; today's setting cannot be had");
    };
    if tuned.changes.is_empty() {
        return format!("nothing to change: nothing that was tried is better than today's, {best}");
    }
    let before = figures(tuned, &today.figures, system);
    let broken = if today.keeps_limits { "" } else { ", which breaks a limit" };
    let gain = tuned.gain.map_or_else(String::new, |gain| format!("; {}", self::gain(gain)));
    match tuned.is_proven {
        true => format!("best {best}, today {before}{broken}{gain}"),
        false => format!(
            "nothing is proven to be better than today's, {before}{broken}; the best that was \
             tried is {best}{gain}"
        ),
    }
}

/// By how much the value is higher than today's, and whether that may be chance.
fn gain(gain: Gain) -> String {
    let Gain { mean, low, high } = gain;
    let interval = format!("{} (95 %: {} to {})", signed(mean), signed(low), signed(high));
    match low <= 0.0 && high >= 0.0 {
        true => format!("{interval}, which may be chance"),
        false => interval,
    }
}

/// A share with its sign: "+3.2 %".
fn signed(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}

/// What matters of the figures of a setting.
fn figures(tuned: &Tuned, figures: &Figures, system: System) -> String {
    let Aim { goal, metric, latency, fairness } = &tuned.aim;
    let response = || format!("{} {}", metric.name(), maybe_time(figures.response_ns, system));
    let mut said = match goal {
        Goal::Throughput => vec![rate(figures.throughput_bytes_per_sec, system)],
        Goal::Iops => vec![operations(figures.operations_per_sec, system)],
        Goal::Latency => vec![response()],
    };
    if latency.is_some() && *goal != Goal::Latency {
        said.push(response());
    }
    let fairness = fairness.and(figures.fairness);
    said.extend(fairness.map(|index| format!("fairness {index:.3}")));
    list(&said)
}

/// The limits: "p99 ≤ 2.000 ms", "fairness ≥ 0.95".
fn limits(aim: &Aim, system: System) -> Vec<String> {
    let latency = aim.latency.map(|one| limit(one, system));
    latency.into_iter().chain(aim.fairness.map(|least| format!("fairness ≥ {least}"))).collect()
}

/// How it was found.
pub(crate) fn proof(tuned: &Tuned, system: System) -> String {
    let Tuned { combinations, trials, passes, technique, .. } = tuned;
    let share = percent(*trials as f64 / (*combinations).max(1) as f64);
    let screened = tuned.screened.map_or_else(String::new, |count| {
        format!(", after {count} simulations that say where to begin")
    });
    let limits = match limits(&tuned.aim, system).as_slice() {
        [] => String::new(),
        limits => format!("; limits: {}", list(limits)),
    };
    format!(
        "{trials} of {combinations} settings ({share}) tried by {technique} in {passes} \
         passes{screened}{limits}; less than {} worse counts as good",
        percent(tuned.margin)
    )
}

/// A value of what shall be best.
pub(crate) fn value(aim: &Aim, value: f64, system: System) -> String {
    match aim.goal {
        Goal::Throughput => rate(value, system),
        Goal::Iops => operations(value, system),
        Goal::Latency if value.is_finite() => time(value, system),
        Goal::Latency => UNKNOWN.to_owned(),
    }
}

/// What shall be best, as the head of a column.
pub(crate) fn goal(aim: &Aim) -> &'static str {
    match aim.goal {
        Goal::Throughput => "throughput",
        Goal::Iops => "requests",
        Goal::Latency => aim.metric.name(),
    }
}

/// What to do for one change.
pub(crate) fn advice(change: &SettingChange) -> AdviceText {
    let SettingChange { factor, from, to, gain, is_tried, way } = change;
    let how = if *is_tried { "as tried" } else { "as expected, not tried" };
    let text = match way {
        Way::Kernel(settings) => kernel(settings),
        Way::Load(all) => load(all),
        Way::Volume(all) => volume(all),
        Way::FileSystem(all) => file_system(all),
        Way::Path(all) => path(all),
    };
    let what = if text.what.is_empty() { String::new() } else { format!(": {}", text.what) };
    AdviceText {
        what: format!("{factor} {from} → {to}{what}"),
        gain: format!("{} {how}", signed(*gain)),
        ..text
    }
}

fn kernel(settings: &[KernelSetting]) -> AdviceText {
    let resets = settings.iter().any(|one| one.name == "scheduler");
    let resets =
        if resets { "; another scheduler resets nr_requests: set it afterwards" } else { "" };
    // Numbers of backing devices without a drive are others after each mount.
    let is_of_mount = |one: &KernelSetting| one.file.contains("/bdi/");
    let rule = |one: &KernelSetting| udev(&one.device, &one.name, &one.after);
    let persistent = match settings.iter().any(is_of_mount) {
        true => "the command after each mount, as in a unit of systemd after that of the mount"
            .to_owned(),
        false => settings.iter().map(rule).collect::<Vec<_>>().join(" and "),
    };
    AdviceText {
        rule: "kernel",
        what: String::new(),
        commands: settings.iter().map(|one| write(&one.after, &one.file)).collect(),
        persistent: Some(persistent),
        gain: String::new(),
        risk: format!("none for data; other users of the device have the setting too{resets}"),
        restart: restart(settings.iter().map(|one| one.name.as_str())).to_owned(),
        undo: settings.iter().map(|one| write(&one.before, &one.file)).collect(),
        undo_by_hand: None,
    }
}

fn load(all: &[Assigned]) -> AdviceText {
    AdviceText {
        rule: "load",
        what: format!("set {} of the application", properties(all)),
        persistent: Some("the application's own setting".to_owned()),
        risk: "none for data".to_owned(),
        restart: "the application".to_owned(),
        undo_by_hand: Some(set_back(all)),
        ..nothing()
    }
}

fn volume(all: &[Assigned]) -> AdviceText {
    AdviceText {
        rule: "volume",
        what: format!(
            "create it again with {} (`iopath layout` prints the commands of volumes)",
            properties(all)
        ),
        persistent: Some("what is created".to_owned()),
        risk: "all of its data: back it up, and restore it afterwards".to_owned(),
        restart: "everything that uses it".to_owned(),
        undo_by_hand: Some(set_back(all)),
        ..nothing()
    }
}

fn file_system(all: &[Assigned]) -> AdviceText {
    AdviceText {
        rule: "file-system",
        what: format!("set {}", properties(all)),
        persistent: Some(
            "the file system's own setting, such as an option in /etc/fstab, or read_nstream in \
             /etc/vx/tunefstab for readahead streams of VxFS"
                .to_owned(),
        ),
        risk: "none for data; other users of the file system have the setting too".to_owned(),
        restart: "usually a remount; vxtunefs changes VxFS while it is mounted".to_owned(),
        undo_by_hand: Some(set_back(all)),
        ..nothing()
    }
}

fn path(all: &[Assigned]) -> AdviceText {
    AdviceText {
        rule: "path",
        what: format!("change the path: {}", properties(all)),
        risk: "as of any change of hardware or of a controller's configuration".to_owned(),
        restart: "what uses the component".to_owned(),
        undo_by_hand: Some(set_back(all)),
        ..nothing()
    }
}

fn properties(all: &[Assigned]) -> String {
    let each = all.iter().map(|one| match &one.after {
        None => one.path.clone(),
        Some(after) => format!("{} = {after}", one.path),
    });
    list(&each.collect::<Vec<_>>())
}

fn set_back(all: &[Assigned]) -> String {
    let each = all.iter().map(|one| match &one.before {
        None => format!("{} as it was", one.path),
        Some(before) => format!("set {} = {before}", one.path),
    });
    list(&each.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(name: &str) -> KernelSetting {
        KernelSetting {
            device: "vda".to_owned(),
            name: name.to_owned(),
            file: format!("/sys/block/vda/queue/{name}"),
            before: "1".to_owned(),
            after: "2".to_owned(),
        }
    }

    #[test]
    fn only_readahead_is_kept_by_files_that_are_open() {
        let queue = ["scheduler", "max_sectors_kb", "nr_requests"].map(setting);
        assert_eq!(kernel(&queue).restart, "nothing");
        let both = [setting("scheduler"), setting("read_ahead_kb")];
        assert_eq!(kernel(&both).restart, "nothing; open files keep their setting");
    }
}
