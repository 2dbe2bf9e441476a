//! A run under way, `iopath-following/1`: the values of its lines and of its page.

use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::following::{Following, Place};

#[derive(Serialize)]
struct Line<'a> {
    run: &'a str,
    title: Option<&'a str>,
    doing: &'a str,
    trial: Option<u32>,
    trials: Option<u32>,
    pass: Option<u32>,
    done: Option<f64>,
    left_ns: Option<u64>,
    elapsed_ns: Option<u64>,
    throughput_bytes_per_sec: Option<f64>,
    streams: Vec<Moving<'a>>,
    devices: Vec<Moving<'a>>,
    device_count: u64,
    silence: Option<&'a str>,
}

#[derive(Serialize)]
struct Moving<'a> {
    name: &'a str,
    throughput_bytes_per_sec: Option<f64>,
}

/// One line of the format.
#[must_use]
pub fn following_json(of: &Following) -> Value {
    let last = of.points.last();
    let place = |value: fn(&Place) -> u32| of.place.as_ref().map(value);
    let devices = of.devices.iter().map(|device| moving(&device.name, device.now()));
    let streams = of.streams.iter().enumerate();
    let stream_rate = |at: usize| last.and_then(|point| point.streams.get(at)).copied();
    let following = Line {
        run: &of.id,
        title: of.title.as_deref(),
        doing: &of.doing,
        trial: place(|place| place.trial),
        trials: place(|place| place.trials),
        pass: place(|place| place.pass),
        done: of.done,
        left_ns: of.place.and_then(|place| place.left_ns),
        elapsed_ns: last.map(|point| (point.at_s * 1e9).round() as u64),
        throughput_bytes_per_sec: of.throughput(),
        streams: streams.map(|(at, name)| moving(name, stream_rate(at))).collect(),
        devices: devices.collect(),
        device_count: of.device_count,
        silence: of.silence.as_deref(),
    };
    versioned("iopath-following/1", &following)
}

fn moving(name: &str, throughput_bytes_per_sec: Option<f64>) -> Moving<'_> {
    Moving { name, throughput_bytes_per_sec }
}
