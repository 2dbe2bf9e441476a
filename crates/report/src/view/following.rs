//! A run under way, from what it tells once a second: what it does, how far it is, and throughput
//! between one sample and the next. Bytes are cumulative, so a sample that is missing makes an
//! interval longer and nothing wrong. It leaves out findings: those are made of records.

mod devices;

use iopath_record::{DevicesMoved, Live, Moved, Progress};

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

impl Following {
    /// Throughput of the last interval, in bytes a second.
    #[must_use]
    pub fn throughput(&self) -> Option<f64> {
        self.points.last().map(|point| point.bytes_per_sec)
    }
}

/// Streams and what they moved; none where nothing runs.
pub(crate) fn streams(live: &Live) -> &[Moved] {
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

/// Throughput over the pass under way.
pub(crate) fn points(told: &[(u64, Live)], last: &Live) -> Vec<Point> {
    let running: Vec<(u64, u64, &[Moved])> =
        of_pass(told, last).into_iter().filter_map(running).collect();
    running.windows(2).filter_map(|pair| point(pair[0], pair[1])).collect()
}

/// The busiest devices of the pass under way.
pub(crate) fn devices(told: &[(u64, Live)], last: &Live) -> Vec<Device> {
    devices::of(&of_pass(told, last))
}

/// How many devices there are below the targets.
pub(crate) fn device_count(live: &Live) -> u64 {
    devices_of(live).map_or(0, |devices| devices.count)
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
