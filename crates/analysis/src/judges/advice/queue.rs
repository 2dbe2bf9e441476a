//! Settings of the kernel's queues that stand between the load and the device.
//!
//! Source of what each does: Documentation/ABI/stable/sysfs-block and Documentation/block of the
//! kernel. Only of devices that have such a queue; loop devices and their like pass requests on.

use iopath_record::{Fact, restated};

use super::{Advice, Scene};
use crate::judges::evidence::Cause;
use crate::thresholds::trials::{READ_AHEAD_BYTES, READ_AHEAD_REQUESTS, SMALL_REQUEST_BYTES};

/// Requests that are larger than what the queue passes on are split, though the device takes more.
pub(super) fn transfer_limit(scene: &Scene<'_>) -> Option<Advice> {
    let block_kib = scene.block()? >> 10;
    let (device, now, most) = scene.devices().find_map(|device| {
        let now: u64 = scene.setting(device, "max_sectors_kb")?.parse().ok()?;
        let most: u64 = scene.setting(device, "max_hw_sectors_kb")?.parse().ok()?;
        (block_kib > now && most > now).then_some((device, now, most))
    })?;
    let setting = scene.change(device, "max_sectors_kb", [now, most.min(block_kib)])?;
    Some(Advice::TransferLimit { setting, block_kib })
}

/// More in flight than the queue has requests.
pub(super) fn requests(scene: &Scene<'_>) -> Option<Advice> {
    let in_flight = scene.metrics.in_flight();
    let (device, now) = scene.devices().find_map(|device| {
        let now: u64 = scene.setting(device, "nr_requests")?.parse().ok()?;
        (in_flight > now as f64).then_some((device, now))
    })?;
    let next = (in_flight.ceil() as u64).next_power_of_two();
    let setting = scene.change(device, "nr_requests", [now, next])?;
    Some(Advice::QueueRequests { setting, in_flight })
}

/// Buffered sequential reads with less read ahead than two requests, or than the kernel's default.
pub(super) fn readahead(scene: &Scene<'_>) -> Option<Advice> {
    let is_buffered = scene.metrics.targets.iter().any(|t| t.cache.as_deref() != Some("direct"));
    let reads = scene.metrics.application_bytes[0] > 0.0;
    let pattern = scene.pass.fact(Fact::Pattern)?;
    let is_sequential = restated(&Fact::Pattern.to_string(), pattern) == "sequential";
    let (block_kib, usual_kib) = (scene.block()? >> 10, READ_AHEAD_BYTES >> 10);
    let (device, now) = scene.devices().find_map(|device| {
        let now: u64 = scene.setting(device, "read_ahead_kb")?.parse().ok()?;
        (now < usual_kib.max(READ_AHEAD_REQUESTS * block_kib)).then_some((device, now))
    })?;
    if !is_buffered || !reads || !is_sequential || scene.limit.cause == Cause::PageCache {
        return None;
    }
    // Two requests ahead keep one in flight while the other is read.
    let next = usual_kib.max(2 * READ_AHEAD_REQUESTS * block_kib);
    scene.change(device, "read_ahead_kb", [now, next]).map(Advice::Readahead)
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
    let values = [now, "none"].map(str::to_owned);
    scene.change(device, "scheduler", values).map(Advice::Scheduler)
}
