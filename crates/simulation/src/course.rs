//! When warm-up ends, and when it is enough.
//!
//! Bytes done are looked at in equal steps of time, which grow with the run. Warm-up ends when the
//! start seems to be over, by the same rule that cuts it off ([`interval`]). From then on it goes
//! on until the 95 % interval of the window's throughput is as narrow as is wanted; a limit of time
//! and one of events end what does not become so. Events are looked at whenever so many of them
//! have been handled ([`CHECKS`]), since thousands of them may lie between two looks.
//!
//! Where warm-up is ended by events, thousands of streams may not have begun yet: they begin when
//! half of its share is spent ([`Next::Hurry`]), and the window opens once every stream has come
//! round. Before that queues still grow: what comes to them in the window would be taken for half
//! served at its end, and little of it was.

use crate::core::{Ps, interval};
use crate::settings::Settings;

/// Distance of the first looks.
const STEP: Ps = Ps(1_000_000_000);

/// Looks that are kept; more of them double their distance.
const LOOKS: usize = 512;

/// Warm-up lasts so long at least, where events allow.
const WARM_UP: Ps = Ps(2_000_000_000_000);

/// Warm-up uses up this share of the events at most: chosen.
const OF_EVENTS: f64 = 0.25;

/// Where nothing else ends it, events are looked at so many times: chosen, it costs nothing.
const CHECKS: u64 = 64;

/// The course of one epoch.
#[derive(Debug)]
pub(crate) struct Course {
    begin: Ps,
    settings: Settings,
    /// Events before it began, and after how many more it is over.
    first_event: u64,
    most_events: u64,
    /// At how many events to look at them next.
    check: u64,
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
    /// Streams that have not begun shall begin.
    Hurry,
    /// Warm-up is over, where every stream has begun.
    Open,
    /// The same where every stream has come round.
    OpenInRound,
    /// It is enough.
    Stop(StoppedBy),
}

/// What ended an epoch; the last one is the worst. The words are those of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum StoppedBy {
    Precision,
    Time,
    Events,
}

impl Course {
    pub(crate) fn new(begin: Ps, settings: &Settings, (events, most): (u64, u64)) -> Self {
        let (step, settings, most_events) = (STEP, *settings, most.max(1));
        let next = begin + step;
        let check = events + most_events.div_ceil(CHECKS);
        let (bytes, window) = (vec![0], None);
        Self { begin, settings, first_event: events, most_events, check, step, next, bytes, window }
    }

    /// When to look next.
    pub(crate) fn next(&self) -> Ps {
        self.next
    }

    /// The window opens now.
    pub(crate) fn open(&mut self, now: Ps) {
        self.window = Some(now);
    }

    /// Whether it is time to look at events, of which so many have been handled.
    #[inline]
    pub(crate) fn is_due(&mut self, events: u64) -> bool {
        let is_due = events >= self.check;
        if is_due {
            self.check = events + self.most_events.div_ceil(CHECKS);
        }
        is_due
    }

    /// So many events were handled until now.
    pub(crate) fn count(&self, now: Ps, events: u64) -> Next {
        let spent = (events - self.first_event) as f64 / self.most_events as f64;
        match self.window {
            // A window lasts, however little.
            Some(window) if spent >= 1.0 && now > window => Next::Stop(StoppedBy::Events),
            Some(_) => Next::Go,
            None if spent <= OF_EVENTS / 2.0 => Next::Go,
            None if spent <= OF_EVENTS => Next::Hurry,
            None if spent <= OF_EVENTS * 2.0 => Next::OpenInRound,
            None if spent < 2.0 => Next::Open,
            // Who waits for streams that cannot begin waits no longer than that.
            None => Next::Stop(StoppedBy::Events),
        }
    }

    /// Notes what was done until now, and whether everything is as full as it will be.
    pub(crate) fn look(&mut self, now: Ps, (bytes, is_full): (u64, bool)) -> Next {
        self.bytes.push(bytes);
        if self.bytes.len() > LOOKS && self.bytes.len() % 2 == 1 {
            self.bytes = self.bytes.iter().copied().step_by(2).collect();
            self.step = self.step + self.step;
        }
        self.next = now + self.step;
        match self.window {
            None if is_full && self.is_warm(now) => Next::Open,
            None if self.has_stopped(now) => Next::Open,
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

    /// Whether nothing has moved for half of a time that is long enough for all: it will not
    /// settle.
    fn has_stopped(&self, now: Ps) -> bool {
        let is_late = now - self.begin >= Ps::from(self.settings.longest) + WARM_UP;
        is_late && self.bytes[self.bytes.len() / 2..].windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Half the width of the 95 % interval of the window's throughput, as a share of it.
    pub(crate) fn half_width(&self) -> Option<f64> {
        let first = (self.window? - self.begin).0.div_ceil(self.step.0);
        self.half_width_since(first as usize)
    }

    fn half_width_since(&self, look: usize) -> Option<f64> {
        let looks = self.bytes.get(look..)?.windows(2);
        let grown: Vec<u64> = looks.map(|pair| pair[1] - pair[0]).collect();
        Some(interval(&grown)?.half_width)
    }
}
