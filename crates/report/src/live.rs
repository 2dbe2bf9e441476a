//! A run under way, from what it tells once a second: what it does, how far it is, and throughput
//! between one sample and the next. Bytes are cumulative, so a sample that is missing makes an
//! interval longer and nothing wrong. It leaves out findings: those are made of records.

mod devices;
mod lines;

use iopath_record::{DevicesMoved, Live, Moved, Progress};
use iopath_units::System;

use crate::numbers::{rate, size};

pub use lines::following_lines;

/// A run under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// Its name in the store.
    pub id: String,
    /// Title of its study; none before it told anything.
    pub title: Option<String>,
    /// Which trial and pass, and how far; none before it told anything.
    pub place: Option<Place>,
    /// What it does, in words.
    pub doing: String,
    /// How far it is, in words; none where only bytes bound it.
    pub left: Option<String>,
    /// Which share of its estimated time has passed.
    pub done: Option<f64>,
    /// What to know of news that do not come, in words.
    pub silence: Option<String>,
    /// Throughput of the last interval, in words.
    pub now: Option<String>,
    /// Names of streams.
    pub streams: Vec<String>,
    /// Throughput over time.
    pub points: Vec<Point>,
    /// The busiest devices below the targets, the busiest first.
    pub devices: Vec<Device>,
    /// How many devices there are below the targets.
    pub device_count: u64,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Position of the trial, from 0.
    pub trial: u32,
    /// How many trials the run has.
    pub trials: u32,
    /// Which pass of the trial, from 0.
    pub pass: u32,
    /// Estimated time that is left, in ns; none where only bytes bound it.
    pub left_ns: Option<u64>,
}

/// What a device moved, by the kernel's counters, whoever caused it.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    pub name: String,
    /// Throughput in each interval of its samples, in bytes a second; none where it is not known.
    pub rates: Vec<Option<f64>>,
}

impl Device {
    /// Throughput in the last interval.
    #[must_use]
    pub fn now(&self) -> Option<f64> {
        self.rates.last().copied().flatten()
    }
}

/// Throughput in one interval of the pass under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its end, in seconds since the pass began.
    pub at_s: f64,
    /// Of all streams, in bytes a second.
    pub bytes_per_sec: f64,
    /// Of each.
    pub streams: Vec<f64>,
}

/// Streams up to which each has its own line and row: chosen, more are not told apart.
pub(crate) const STREAMS: usize = 16;

/// Samples come every second; longer silence is told (chosen: a store may be busy for a while).
const SILENCE_NS: u64 = 10_000_000_000;

impl Following {
    /// Of samples, oldest first, each with its age in ns.
    #[must_use]
    pub fn of(id: &str, told: &[(u64, Live)], system: System) -> Self {
        let id = id.to_owned();
        let Some((age_ns, live)) = told.last() else { return Self::unheard(id) };
        let points = points(told, live);
        let share = |whole: u64| (live.done_ns as f64 / whole as f64).min(1.0);
        let left_ns = live.whole_ns.map(|whole| whole.saturating_sub(live.done_ns));
        let silent = *age_ns > SILENCE_NS;
        Self {
            id,
            title: Some(live.title.clone()),
            place: Some(Place { trial: live.trial, trials: live.trials, pass: live.pass, left_ns }),
            doing: doing(live, system),
            left: left_ns.map(|left| format!("about {} left", whole_seconds(left))),
            done: live.whole_ns.map(share),
            silence: silent.then(|| silence(*age_ns)),
            now: points.last().map(|point| rate(point.bytes_per_sec, system)),
            streams: streams(live).iter().map(|stream| stream.name.clone()).collect(),
            points,
            devices: devices::of(&of_pass(told, live)),
            device_count: devices_of(live).map_or(0, |devices| devices.count),
        }
    }

    /// Throughput of the last interval, in bytes a second.
    #[must_use]
    pub fn throughput(&self) -> Option<f64> {
        self.points.last().map(|point| point.bytes_per_sec)
    }

    /// How far streams lie apart that are too many for a row each.
    pub(crate) fn spread(&self, system: System) -> Option<String> {
        let last = self.points.last().filter(|last| last.streams.len() > STREAMS)?;
        let least = last.streams.iter().copied().fold(f64::INFINITY, f64::min);
        let most = last.streams.iter().copied().fold(0.0, f64::max);
        let (count, least, most) = (last.streams.len(), rate(least, system), rate(most, system));
        Some(format!("{count} streams, from {least} to {most} each"))
    }

    /// What stands above rows of devices.
    pub(crate) fn device_title(&self) -> String {
        match self.devices.len() as u64 {
            shown if shown == self.device_count => "devices".to_owned(),
            shown => format!("devices, the busiest {shown} of {}", self.device_count),
        }
    }

    fn unheard(id: String) -> Self {
        let doing = "no news: a pass was just stored, the run only begins, or it was killed";
        Self {
            id,
            title: None,
            place: None,
            doing: doing.to_owned(),
            left: None,
            done: None,
            silence: None,
            now: None,
            streams: Vec::new(),
            points: Vec::new(),
            devices: Vec::new(),
            device_count: 0,
        }
    }
}

fn silence(age_ns: u64) -> String {
    let ago = whole_seconds(age_ns);
    format!("the last news came {ago} ago: the run was killed, or its storage hangs")
}

/// Nobody waits for fractions of a second.
fn whole_seconds(ns: u64) -> String {
    let seconds = ns.div_ceil(1_000_000_000);
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

fn doing(live: &Live, system: System) -> String {
    let of = format!("trial {} of {}: {}", live.trial + 1, live.trials, live.label);
    let bytes =
        |done: u64, total: u64| format!("{} of {}", size(done, system), size(total, system));
    match &live.progress {
        Progress::Preparing { target, done_bytes, total_bytes } => {
            format!("{of}: filling {target}, {}", bytes(*done_bytes, *total_bytes))
        }
        Progress::Files { target, are_removed, done, total } => {
            let doing = if *are_removed { "removing" } else { "making" };
            format!("{of}: {doing} files of {target}, {done} of {total}")
        }
        Progress::Verifying { done_bytes, total_bytes } => {
            format!("{of}: reading back, {}", bytes(*done_bytes, *total_bytes))
        }
        Progress::PassStarted { .. } | Progress::Running { .. } | Progress::PassEnded { .. } => {
            format!("{of}, pass {}", live.pass + 1)
        }
    }
}

fn streams(live: &Live) -> &[Moved] {
    match &live.progress {
        Progress::Running { streams, .. } => streams,
        Progress::Preparing { .. }
        | Progress::Files { .. }
        | Progress::PassStarted { .. }
        | Progress::PassEnded { .. }
        | Progress::Verifying { .. } => &[],
    }
}

/// The samples of the pass under way.
fn of_pass<'a>(told: &'a [(u64, Live)], last: &Live) -> Vec<&'a Live> {
    let place = |live: &Live| (live.trial, live.pass);
    told.iter().map(|(_, live)| live).filter(|live| place(live) == place(last)).collect()
}

fn points(told: &[(u64, Live)], last: &Live) -> Vec<Point> {
    let running: Vec<(u64, u64, &[Moved])> =
        of_pass(told, last).into_iter().filter_map(running).collect();
    running.windows(2).filter_map(|pair| point(pair[0], pair[1])).collect()
}

fn devices_of(live: &Live) -> Option<&DevicesMoved> {
    match &live.progress {
        Progress::Running { devices, .. } => Some(devices),
        Progress::Preparing { .. }
        | Progress::Files { .. }
        | Progress::PassStarted { .. }
        | Progress::PassEnded { .. }
        | Progress::Verifying { .. } => None,
    }
}

fn running(live: &Live) -> Option<(u64, u64, &[Moved])> {
    match &live.progress {
        Progress::Running { elapsed_ns, bytes, streams, .. } => {
            Some((*elapsed_ns, *bytes, streams.as_slice()))
        }
        Progress::Preparing { .. }
        | Progress::Files { .. }
        | Progress::PassStarted { .. }
        | Progress::PassEnded { .. }
        | Progress::Verifying { .. } => None,
    }
}

fn point(a: (u64, u64, &[Moved]), b: (u64, u64, &[Moved])) -> Option<Point> {
    let seconds = b.0.checked_sub(a.0).filter(|ns| *ns > 0)? as f64 / 1e9;
    let rate = |from: u64, to: u64| to.saturating_sub(from) as f64 / seconds;
    let streams = a.2.iter().zip(b.2).map(|(a, b)| rate(a.bytes, b.bytes)).collect();
    Some(Point { at_s: b.0 as f64 / 1e9, bytes_per_sec: rate(a.1, b.1), streams })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(pass: u32, elapsed_s: u64, bytes: [u64; 2]) -> (u64, Live) {
        let moved = |(name, bytes): (&str, u64)| Moved { name: name.to_owned(), bytes };
        let streams = ["a", "b"].into_iter().zip(bytes).map(moved).collect();
        let (elapsed_ns, bytes) = (elapsed_s * 1_000_000_000, bytes.iter().sum());
        let devices = DevicesMoved::default();
        let progress = Progress::Running { elapsed_ns, bytes, operations: 0, streams, devices };
        let text = str::to_owned;
        let (title, label) = (text("study"), text("reads"));
        let (done_ns, whole_ns) = (3_000_000_000, Some(12_000_000_000));
        (500, Live { title, label, trial: 0, trials: 2, pass, done_ns, whole_ns, progress })
    }

    #[test]
    fn rates_are_growth_over_time_within_the_pass_under_way() {
        let told = [
            live(0, 9, [500, 500]),
            live(1, 1, [100, 0]),
            live(1, 2, [1100, 0]),
            live(1, 4, [1100, 4000]),
        ];
        let following = Following::of("7", &told, System::Decimal);
        let totals: Vec<_> = following.points.iter().map(|point| point.bytes_per_sec).collect();
        assert_eq!(totals, [1000.0, 2000.0]);
        assert_eq!(following.points[1].streams, [0.0, 2000.0]);
        assert_eq!(following.doing, "trial 1 of 2: reads, pass 2");
        assert_eq!(following.done, Some(0.25));
        assert_eq!(following.left.as_deref(), Some("about 9 s left"));
        assert_eq!((following.silence, following.now.as_deref()), (None, Some("2.000 kB/s")));
    }

    #[test]
    fn silence_is_told() {
        let mut told = [live(0, 1, [0, 0])];
        told[0].0 = 75_000_000_000;
        let silence = Following::of("7", &told, System::Decimal).silence.unwrap();
        assert!(silence.contains("came 1 min 15 s ago"), "{silence}");
        let unheard = Following::of("7", &[], System::Decimal);
        assert!(unheard.doing.starts_with("no news"), "{}", unheard.doing);
    }
}
