//! iostat: started with a run, and what its JSON says of the devices while they were at work.

use std::ops::RangeInclusive;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::bench::statistics::median;
use crate::limits::rig::said;

/// Shares of the median interval's bytes: below, the load has not begun, or has ended; above, a
/// file is filled for it.
const AT_WORK: RangeInclusive<f64> = 0.5..=2.0;

/// iostat, at work.
pub(crate) struct Watch(Child);

#[derive(Deserialize)]
struct Output {
    sysstat: Hosts,
}

#[derive(Deserialize)]
struct Hosts {
    hosts: Vec<Host>,
}

#[derive(Deserialize)]
struct Host {
    statistics: Vec<Interval>,
}

#[derive(Clone, Debug, Deserialize)]
struct Interval {
    #[serde(rename = "avg-cpu")]
    processors: Processors,
    #[serde(default)]
    disk: Vec<Line>,
}

#[derive(Clone, Debug, Deserialize)]
struct Processors {
    iowait: f64,
    idle: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Line {
    disk_device: String,
    #[serde(rename = "rkB/s")]
    read_kib: f64,
    #[serde(rename = "wkB/s")]
    write_kib: f64,
    #[serde(rename = "r/s")]
    reads: f64,
    #[serde(rename = "w/s")]
    writes: f64,
    #[serde(rename = "aqu-sz")]
    queue: f64,
    util: f64,
}

/// Means over the intervals in which the load ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    /// Percent of the processors' time in which nothing ran.
    pub idle: f64,
    /// In the order in which they were asked for.
    pub devices: Vec<Device>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Device {
    /// As the kernel calls it.
    pub name: String,
    pub bytes_per_sec: f64,
    pub operations_per_sec: f64,
    /// `aqu-sz`.
    pub queue: f64,
    /// `%util`.
    pub util: f64,
}

impl Device {
    /// Of the mean request.
    pub(crate) fn request_kib(&self) -> f64 {
        self.bytes_per_sec / self.operations_per_sec / 1024.0
    }
}

impl Seen {
    pub(crate) fn bytes_per_sec(&self) -> f64 {
        self.devices.iter().map(|device| device.bytes_per_sec).sum()
    }

    /// `%util` of the busiest.
    pub(crate) fn most(&self) -> f64 {
        self.devices.iter().map(|device| device.util).fold(0.0, f64::max)
    }
}

impl Watch {
    pub(crate) fn begin() -> Result<Self> {
        let child = Command::new("iostat")
            .args(["-o", "JSON", "-x", "-y", "1"])
            .env("LC_ALL", "C")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Ok(Self(child.context("iostat (Debian: sysstat)")?))
    }

    /// Ends it, and gives what it says of these devices in the last seconds of a load: before them
    /// a file may have been filled.
    pub(crate) fn end(self, devices: &[String], seconds: u64) -> Result<Seen> {
        // Interrupted, it closes the brackets of its JSON.
        said("kill", &["-INT", &self.0.id().to_string()])?;
        let output = self.0.wait_with_output()?;
        read(&output.stdout, devices, seconds as usize)
    }
}

fn read(stdout: &[u8], devices: &[String], seconds: usize) -> Result<Seen> {
    let output: Output = serde_json::from_slice(stdout).context("iostat prints another JSON")?;
    let host = output.sysstat.hosts.into_iter().next().context("iostat names no host")?;
    let steady = steady(&host.statistics, devices);
    let steady = &steady[steady.len().saturating_sub(seconds)..];
    let all = |of: &dyn Fn(&Interval) -> f64| -> f64 {
        steady.iter().map(of).sum::<f64>() / steady.len().max(1) as f64
    };
    let device = |name: &String| {
        let mean = |of: fn(&Line) -> f64| all(&|one| line(one, name).map_or(0.0, of));
        Device {
            name: name.clone(),
            bytes_per_sec: mean(bytes),
            operations_per_sec: mean(|line| line.reads + line.writes),
            queue: mean(|line| line.queue),
            util: mean(|line| line.util),
        }
    };
    Ok(Seen {
        idle: all(&|one| one.processors.idle + one.processors.iowait),
        devices: devices.iter().map(device).collect(),
    })
}

/// The intervals between the first and the last of those in which these devices were at work;
/// without devices those between the first and the last of all.
fn steady<'i>(all: &'i [Interval], devices: &[String]) -> &'i [Interval] {
    let moved = |one: &Interval| -> f64 {
        devices.iter().filter_map(|name| line(one, name)).map(bytes).sum()
    };
    let some: Vec<f64> = all.iter().map(moved).filter(|bytes| *bytes > 0.0).collect();
    let works = |one: &Interval| match median(&some) {
        Some(median) => AT_WORK.contains(&(moved(one) / median)),
        None => true,
    };
    let first = all.iter().position(works).unwrap_or_default();
    let after = all.iter().rposition(works).map_or(all.len(), |last| last + 1);
    match &all[first..after] {
        [_, between @ .., _] if !between.is_empty() => between,
        few => few,
    }
}

fn line<'i>(interval: &'i Interval, name: &str) -> Option<&'i Line> {
    interval.disk.iter().find(|line| line.disk_device == name)
}

fn bytes(line: &Line) -> f64 {
    (line.read_kib + line.write_kib) * 1024.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(read_kib: f64, util: f64, idle: f64) -> String {
        format!(
            r#"{{"avg-cpu": {{"user": 1.0, "nice": 0.0, "system": 2.0, "iowait": 1.5, "steal": 0.0,
            "idle": {idle}}}, "disk": [{{"disk_device": "loop0", "r/s": 587.00, "w/s": 1.00,
            "rkB/s": {read_kib}, "wkB/s": 1.0, "r_await": 2.22, "aqu-sz": 1.30, "util": {util}}},
            {{"disk_device": "vda", "r/s": 0.0, "w/s": 0.0, "rkB/s": 0.0, "wkB/s": 9e9,
            "aqu-sz": 0.0, "util": 0.0}}]}}"#
        )
    }

    fn text(intervals: &[String]) -> String {
        let all = intervals.join(", ");
        format!(r#"{{"sysstat": {{"hosts": [{{"nodename": "vm", "statistics": [{all}]}}]}}}}"#)
    }

    #[test]
    fn means_are_of_the_intervals_between_begin_and_end() {
        let all = [
            interval(0.0, 0.0, 97.0),
            interval(900.0, 100.0, 10.0),
            interval(80.0, 50.0, 80.0),
            interval(80.0, 50.0, 80.0),
            interval(159.0, 100.0, 40.0),
            interval(41.0, 90.0, 20.0),
            interval(90.0, 60.0, 50.0),
            interval(10.0, 5.0, 90.0),
        ];
        let seen = read(text(&all).as_bytes(), &["loop0".to_owned()], 2).unwrap();
        let device = Device {
            name: "loop0".to_owned(),
            bytes_per_sec: 101.0 * 1024.0,
            operations_per_sec: 588.0,
            queue: 1.3,
            util: 95.0,
        };
        assert_eq!(seen, Seen { idle: 31.5, devices: vec![device] });
        assert!((seen.most() - 95.0).abs() < 1e-9);
    }

    #[test]
    fn without_devices_only_the_ends_are_left_out() {
        let all = [90.0, 4.0, 2.0, 80.0].map(|idle| interval(0.0, 0.0, idle));
        let seen = read(text(&all).as_bytes(), &[], 9).unwrap();
        assert_eq!(seen, Seen { idle: 4.5, devices: Vec::new() });
    }

    #[test]
    fn another_text_is_refused() {
        let error = read(b"Linux 6.18", &[], 9).unwrap_err().to_string();
        assert_eq!(error, "iostat prints another JSON");
    }
}
