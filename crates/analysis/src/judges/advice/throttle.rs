//! Limits of control groups that were reached.

use iopath_record::Limit;

use super::{Advice, Scene, write};
use crate::judges::evidence::Cause;
use crate::judges::observed::DeviceUse;

/// Lifts the limit that was reached.
pub(super) fn lift(scene: &Scene<'_>) -> Option<Advice> {
    if scene.limit.cause != Cause::Throttle {
        return None;
    }
    let named = scene.limit.entity.as_deref()?;
    let device = scene.observed.devices.iter().find(|device| device.name == named)?;
    let (limit, file, number) = device.ratings.iter().find_map(|limit| of_group(scene, limit))?;
    let (lifted, back) = texts(limit, file, number)?;
    let idle = device.usage.utilisation.filter(|used| *used > 0.0).map(|used| 1.0 / used);
    Some(Advice {
        rule: "lift-group-limit",
        what: format!("lift the limit of {} {} a second", limit.per_sec, limit.measure),
        commands: vec![write(&lifted, file)],
        persistent: Some(
            "the unit or container that sets it (man systemd.resource-control; docker: \
             --device-read-bps and its like)"
                .to_owned(),
        ),
        gain: gain(device, idle),
        risk: "none for data; who shares the device loses what this load takes".to_owned(),
        restart: "nothing".to_owned(),
        undo: vec![write(&back, file)],
    })
}

fn gain(device: &DeviceUse, times: Option<f64>) -> String {
    match times {
        Some(times) => format!(
            "at most {times:.0} times as much: {} was busy {:.1} % of the time (utilisation law)",
            device.name,
            100.0 / times
        ),
        None => "not known: the device showed no busy time".to_owned(),
    }
}

/// A limit with its file and the number of its device.
fn of_group<'a>(scene: &'a Scene<'_>, limit: &'a Limit) -> Option<(&'a Limit, &'a str, &'a str)> {
    let rest = limit.origin.strip_prefix(Limit::CONTROL_GROUP)?.strip_prefix(", ")?;
    let (file, number) = rest.split_once(", device ")?;
    let lines = &scene.limit.evidence;
    let line = lines.iter().find(|line| line.law == "group-limit" && line.text.contains(file))?;
    (line.value >= line.threshold).then_some((limit, file, number))
}

/// What is written into the file to lift the limit, and to set it again.
fn texts(limit: &Limit, file: &str, number: &str) -> Option<(String, String)> {
    if !file.ends_with("io.max") {
        return Some((format!("{number} 0"), format!("{number} {}", limit.per_sec)))
            .map(|(lifted, back)| (quoted(&lifted), quoted(&back)));
    }
    let key = match (limit.direction.as_str(), limit.measure.as_str()) {
        ("read", "bytes") => "rbps",
        ("write", "bytes") => "wbps",
        ("read", "operations") => "riops",
        ("write", "operations") => "wiops",
        _ => return None,
    };
    let back = format!("{number} {key}={}", limit.per_sec);
    Some((quoted(&format!("{number} {key}=max")), quoted(&back)))
}

fn quoted(text: &str) -> String {
    format!("'{text}'")
}
