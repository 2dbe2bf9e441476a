//! A run under way as JSON: the values of its lines and of its page, unrounded.

use serde_json::{Value, json};

use super::{Following, Place};

/// One line of `iopath-following/1`.
#[must_use]
pub fn following_json(of: &Following) -> Value {
    let last = of.points.last();
    let moving =
        |name: &str, rate: Option<f64>| json!({ "name": name, "throughput_bytes_per_sec": rate });
    let stream = |(at, name): (usize, &String)| {
        moving(name, last.and_then(|point| point.streams.get(at)).copied())
    };
    let streams: Vec<Value> = of.streams.iter().enumerate().map(stream).collect();
    let devices = of.devices.iter().map(|device| moving(&device.name, device.now()));
    let devices: Vec<Value> = devices.collect();
    let place = |value: fn(&Place) -> u32| of.place.as_ref().map(value);
    json!({
        "format": "iopath-following/1",
        "run": of.id,
        "title": of.title,
        "doing": of.doing,
        "trial": place(|place| place.trial),
        "trials": place(|place| place.trials),
        "pass": place(|place| place.pass),
        "done": of.done,
        "left_ns": of.place.and_then(|place| place.left_ns),
        "elapsed_ns": last.map(|point| (point.at_s * 1e9).round() as u64),
        "throughput_bytes_per_sec": of.throughput(),
        "streams": streams,
        "devices": devices,
        "device_count": of.device_count,
        "silence": of.silence,
    })
}
