//! A run under way, in words: what it does, how far it is, why there is no news of it.

use iopath_record::{Live, Progress};
use iopath_units::System;

use crate::numbers::{rate, size};
use crate::view::following::{Following, Place, STREAMS, device_count, devices, points, streams};

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
            devices: devices(told, live),
            device_count: device_count(live),
        }
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

#[cfg(test)]
mod tests {
    use iopath_record::{DevicesMoved, Moved};

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
