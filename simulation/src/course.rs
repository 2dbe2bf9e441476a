//! When warm-up ends, and when it is enough.
//!
//! Bytes done are looked at in equal steps of time, which grow with the run. Warm-up ends when the
//! start seems to be over, by the same rule that cuts it off ([`Batches`]). From then on it goes on
//! until the 95 % interval of the window's throughput is as narrow as is wanted; a limit of time
//! and one of events end what does not become so.

use crate::core::{Batches, Ps};
use crate::settings::Settings;

/// Distance of the first looks.
const STEP: Ps = Ps(1_000_000_000);

/// Looks that are kept; more of them double their distance.
const LOOKS: usize = 512;

/// Warm-up lasts so long at least, where events allow.
const WARM_UP: Ps = Ps(2_000_000_000_000);

/// Warm-up uses up this share of the events at most: chosen.
const OF_EVENTS: f64 = 0.25;

/// The course of one epoch.
#[derive(Debug)]
pub(crate) struct Course {
    begin: Ps,
    settings: Settings,
    /// Events after which it is over, and those before it began.
    last_event: u64,
    first_event: Option<u64>,
    step: Ps,
    next: Ps,
    /// Bytes at each look.
    bytes: Vec<u64>,
    /// When the window opened.
    window: Option<Ps>,
}

/// What to do after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Go,
    /// Warm-up is over.
    Open,
    /// It is enough.
    Stop(StoppedBy),
}

/// What ended an epoch; the last one is the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StoppedBy {
    Precision,
    Time,
    Events,
}

impl StoppedBy {
    /// The word in records.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Precision => "precision",
            Self::Time => "time",
            Self::Events => "events",
        }
    }
}

impl Course {
    pub(crate) fn new(begin: Ps, settings: &Settings, last_event: u64) -> Self {
        let (step, settings) = (STEP, *settings);
        let next = begin + step;
        let bytes = vec![0];
        let (first_event, window) = (None, None);
        Self { begin, settings, last_event, first_event, step, next, bytes, window }
    }

    /// When to look next.
    pub(crate) fn next(&self) -> Ps {
        self.next
    }

    /// The window opens now.
    pub(crate) fn open(&mut self, now: Ps) {
        self.window = Some(now);
    }

    /// Notes what was done until now, and whether everything is as full as it will be.
    pub(crate) fn look(&mut self, now: Ps, (bytes, is_full): (u64, bool), events: u64) -> Next {
        let first = *self.first_event.get_or_insert(events);
        self.bytes.push(bytes);
        if self.bytes.len() > LOOKS && self.bytes.len() % 2 == 1 {
            self.bytes = self.bytes.iter().copied().step_by(2).collect();
            self.step = self.step + self.step;
        }
        self.next = now + self.step;
        let spent = (events - first) as f64 / self.last_event.saturating_sub(first).max(1) as f64;
        match self.window {
            // Who waits for streams that have not begun waits no longer than that.
            None if spent >= 2.0 => Next::Stop(StoppedBy::Events),
            Some(_) if spent >= 1.0 => Next::Stop(StoppedBy::Events),
            None if spent > OF_EVENTS || (is_full && self.is_warm(now)) => Next::Open,
            None => Next::Go,
            Some(window) => self.judge(now - window),
        }
    }

    /// Whether a window of this length is enough.
    fn judge(&self, open: Ps) -> Next {
        let least = Ps::from(self.settings.least);
        let is_precise = || self.half_width().is_some_and(|half| half <= self.settings.precision);
        if open >= least && is_precise() {
            Next::Stop(StoppedBy::Precision)
        } else if open >= Ps::from(self.settings.longest) {
            Next::Stop(StoppedBy::Time)
        } else {
            Next::Go
        }
    }

    fn is_warm(&self, now: Ps) -> bool {
        now - self.begin >= WARM_UP && self.half_width_since(0).is_some()
    }

    /// Half the width of the 95 % interval of the window's throughput, as a share of it.
    pub(crate) fn half_width(&self) -> Option<f64> {
        let first = (self.window? - self.begin).0.div_ceil(self.step.0);
        self.half_width_since(first as usize)
    }

    fn half_width_since(&self, look: usize) -> Option<f64> {
        let mut batches = Batches::new();
        for pair in self.bytes.get(look..)?.windows(2) {
            batches.push(pair[1] - pair[0]);
        }
        Some(batches.interval()?.half_width)
    }
}
