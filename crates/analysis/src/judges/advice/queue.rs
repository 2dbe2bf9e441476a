//! Settings of the kernel's queues that stand between the load and the device.
//!
//! Source of what each does: Documentation/ABI/stable/sysfs-block and Documentation/block of the
//! kernel. Only of devices that have such a queue; loop devices and their like pass requests on.

use super::{Advice, Scene, write};
use crate::judges::evidence::Cause;
use crate::thresholds::trials::{READ_AHEAD_REQUESTS, SMALL_REQUEST_BYTES};

/// Requests that are larger than what the queue passes on are split, though the device takes more.
pub(super) fn transfer_limit(scene: &Scene<'_>) -> Option<Advice> {
    let block_kib = scene.block()? >> 10;
    let (device, now, most) = scene.devices().find_map(|device| {
        let now: u64 = scene.setting(device, "max_sectors_kb")?.parse().ok()?;
        let most: u64 = scene.setting(device, "max_hw_sectors_kb")?.parse().ok()?;
        (block_kib > now && most > now).then_some((device, now, most))
    })?;
    let next = most.min(block_kib);
    let file = scene.queue_file(device, "max_sectors_kb")?;
    Some(Advice {
        rule: "transfer-limit",
        what: format!("let {device} take {next} KiB in one request instead of {now} KiB"),
        commands: vec![write(&next.to_string(), &file)],
        persistent: Some(udev(device, &format!("ATTR{{queue/max_sectors_kb}}=\"{next}\""))),
        gain: format!(
            "{} instead of {} requests at the device for each of {block_kib} KiB; in throughput \
             what fewer requests save",
            block_kib.div_ceil(next),
            block_kib.div_ceil(now)
        ),
        risk: "none for data; a large request holds up a small one behind it for longer".to_owned(),
        restart: "nothing".to_owned(),
        undo: vec![write(&now.to_string(), &file)],
    })
}

/// More in flight than the queue has requests.
pub(super) fn requests(scene: &Scene<'_>) -> Option<Advice> {
    let in_flight = scene.observed.in_flight();
    let (device, now) = scene.devices().find_map(|device| {
        let now: u64 = scene.setting(device, "nr_requests")?.parse().ok()?;
        (in_flight > now as f64).then_some((device, now))
    })?;
    let next = (in_flight.ceil() as u64).next_power_of_two();
    let file = scene.queue_file(device, "nr_requests")?;
    Some(Advice {
        rule: "queue-requests",
        what: format!(
            "let {device} queue {next} requests instead of {now}: {in_flight:.0} are in flight"
        ),
        commands: vec![write(&next.to_string(), &file)],
        persistent: Some(udev(device, &format!("ATTR{{queue/nr_requests}}=\"{next}\""))),
        gain: "not known before it is tried: requests no longer wait for a place in the queue"
            .to_owned(),
        risk: "none for data; requests that wait longer, and some memory for each".to_owned(),
        restart: "nothing; where the kernel refuses, the device's own queue is no longer"
            .to_owned(),
        undo: vec![write(&now.to_string(), &file)],
    })
}

/// Buffered sequential reads with less read ahead than one request.
pub(super) fn readahead(scene: &Scene<'_>) -> Option<Advice> {
    let is_buffered = scene.observed.targets.iter().any(|t| t.cache.as_deref() != Some("direct"));
    let reads = scene.observed.application_bytes[0] > 0.0;
    let is_sequential = scene.pass.fact("workload.pattern")?.starts_with("Sequential");
    let block_kib = scene.block()? >> 10;
    let (device, now) = scene.devices().find_map(|device| {
        let now: u64 = scene.setting(device, "read_ahead_kb")?.parse().ok()?;
        (now < READ_AHEAD_REQUESTS * block_kib).then_some((device, now))
    })?;
    if !is_buffered || !reads || !is_sequential || scene.limit.cause == Cause::PageCache {
        return None;
    }
    // Two requests ahead keep one in flight while the other is read.
    let next = 4 * block_kib;
    let file = scene.queue_file(device, "read_ahead_kb")?;
    Some(Advice {
        rule: "readahead",
        what: format!("read {next} KiB ahead on {device} instead of {now} KiB"),
        commands: vec![write(&next.to_string(), &file)],
        persistent: Some(udev(device, &format!("ATTR{{queue/read_ahead_kb}}=\"{next}\""))),
        gain: "not known before it is tried: the device works while the application does"
            .to_owned(),
        risk: "none for data; random readers of the same device read in vain, and streams that \
               share it may become unfair"
            .to_owned(),
        restart: "nothing; files that are open keep what they had".to_owned(),
        undo: vec![write(&now.to_string(), &file)],
    })
}

/// A scheduler that sorts small requests for a device without arms, while processors are short.
pub(super) fn scheduler(scene: &Scene<'_>) -> Option<Advice> {
    let is_small = scene.block().is_some_and(|block| block <= SMALL_REQUEST_BYTES);
    if scene.limit.cause != Cause::Cpu || !is_small {
        return None;
    }
    let (device, now) = scene.devices().find_map(|device| {
        let rotates = scene.setting(device, "rotational")? != "0";
        let now = scene.setting(device, "scheduler")?;
        (!rotates && now != "none").then_some((device, now))
    })?;
    let file = scene.queue_file(device, "scheduler")?;
    Some(Advice {
        rule: "scheduler",
        what: format!("let requests to {device} pass without the scheduler {now}"),
        commands: vec![write("none", &file)],
        persistent: Some(udev(device, "ATTR{queue/scheduler}=\"none\"")),
        gain: "not known before it is tried: processor time for each request".to_owned(),
        risk: "none for data; nobody keeps one process from starving another".to_owned(),
        restart: "nothing".to_owned(),
        undo: vec![write(now, &file)],
    })
}

/// A line for a file below /etc/udev/rules.d.
fn udev(device: &str, assignment: &str) -> String {
    format!("udev: ACTION==\"add|change\", KERNEL==\"{device}\", {assignment}")
}
