//! When warm-up ends, and when it is enough.
//!
//! Bytes done are looked at in equal steps of time. Warm-up ends when two successive quarters of
//! the time so far have moved the same within the wanted precision. From then on the 95 %
//! half-width comes from batch means (Law, Simulation Modeling and Analysis, section 9.5.3).

use crate::core::Ps;
use crate::settings::Settings;

/// Distance of the first looks.
const STEP: Ps = Ps(1_000_000_000);

/// Looks that are kept; more of them double their distance.
const LOOKS: usize = 512;

/// Warm-up lasts so long at least, where events allow.
const WARM_UP: Ps = Ps(2_000_000_000_000);

/// Batches of a confidence interval, and Student's t for them at 95 %.
const BATCHES: usize = 20;
const STUDENT: f64 = 2.093;

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
    /// The look at which the window opened.
    window: Option<Ps>,
}

/// What to do after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Go,
    /// Warm-up is over.
    Open,
    /// It is enough.
    Stop,
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

    pub(crate) fn look(&mut self, now: Ps, bytes: u64, events: u64) -> Next {
        let first = *self.first_event.get_or_insert(events);
        self.bytes.push(bytes);
        if self.bytes.len() > LOOKS && self.bytes.len() % 2 == 1 {
            self.bytes = self.bytes.iter().copied().step_by(2).collect();
            self.step = self.step + self.step;
        }
        self.next = now + self.step;
        let spent = (events - first) as f64 / (self.last_event - first).max(1) as f64;
        let least = Ps::from(self.settings.least);
        match self.window {
            None if spent > 0.25 || self.is_warm(now) => {
                self.window = Some(now);
                Next::Open
            }
            None => Next::Go,
            Some(_) if spent >= 1.0 => Next::Stop,
            Some(window) => {
                let open = now - window;
                let enough = open >= least && self.half_width() <= self.settings.precision;
                if enough || open >= Ps::from(self.settings.longest) {
                    Next::Stop
                } else {
                    Next::Go
                }
            }
        }
    }

    fn is_warm(&self, now: Ps) -> bool {
        let quarter = (self.bytes.len() - 1) / 4;
        if now - self.begin < WARM_UP || quarter == 0 {
            return false;
        }
        let last = self.bytes.len() - 1;
        let moved = |from: usize| (self.bytes[from + quarter] - self.bytes[from]) as f64;
        let (third, fourth) = (moved(last - 2 * quarter), moved(last - quarter));
        (third - fourth).abs() <= self.settings.precision * fourth.max(third)
    }

    /// The relative half-width so far.
    pub(crate) fn half_width(&self) -> f64 {
        let Some(window) = self.window else { return f64::INFINITY };
        let first = ((window - self.begin).0 / self.step.0) as usize;
        let looks = &self.bytes[first.min(self.bytes.len() - 1)..];
        let size = (looks.len() - 1) / BATCHES;
        if size == 0 {
            return f64::INFINITY;
        }
        let means: Vec<f64> =
            (0..BATCHES).map(|at| (looks[(at + 1) * size] - looks[at * size]) as f64).collect();
        let mean = means.iter().sum::<f64>() / BATCHES as f64;
        let squares = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        let deviation = (squares / (BATCHES - 1) as f64).sqrt();
        STUDENT * deviation / (BATCHES as f64).sqrt() / mean
    }
}
