//! How long a request waits for all that its leg leads to, from the time of each.
//!
//! * Phases add up, and so do the parts of a leg that issues them one after the other.
//! * A request smaller than a stripe visits its members in turn: it puts `at_once` parts on the
//!   member that it hits, not its average share on every one.
//! * Of alternatives, a request waits for the mean one or, if that is later, for the slowest as
//!   often as it is hit, where it leads to any of them; of copies and parity for the slowest. Both
//!   are lower bounds of the mean of the greatest.
//!
//! It leaves out that the slowest of several is slower than each of them on average.

use crate::network::{Leg, Next};

/// A part of the time of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RequestTime {
    /// Without a queue, in seconds.
    pub delay: f64,
    /// At the slowest stage, in seconds.
    pub transfer: f64,
}

impl RequestTime {
    fn total(self) -> f64 {
        self.delay + self.transfer
    }

    fn times(self, factor: f64) -> Self {
        Self { delay: self.delay * factor, transfer: self.transfer * factor }
    }

    fn plus(self, other: Self) -> Self {
        Self { delay: self.delay + other.delay, transfer: self.transfer + other.transfer }
    }

    fn longer(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }
}

/// What decides how long what a leg leads to takes.
pub trait NextTimes {
    /// Of so many requests that begin at once; none where no request waits for them.
    fn of(&self, next: &Next, requests: f64) -> Option<RequestTime>;

    /// How much longer than one part the slowest of a phase's parts takes.
    fn stretch(&self, _phase: u8) -> f64 {
        1.0
    }
}

/// What a leg leads to, phase after phase.
pub fn below(leg: &Leg, times: &impl NextTimes) -> RequestTime {
    let mut room = Vec::new();
    let of = |phase| {
        let parts = leg.next.iter().filter(move |next| next.phase == phase);
        if leg.serial {
            return in_turn(parts, times);
        }
        let RequestTime { delay, transfer } = at_once(parts, times, &mut room);
        RequestTime { delay, transfer: transfer * times.stretch(phase) }
    };
    phases(leg).map(of).fold(RequestTime::default(), RequestTime::plus)
}

/// From the first to the last. There are few, so looking for the next one is cheaper than sorting.
fn phases(leg: &Leg) -> impl Iterator<Item = u8> {
    let after = |last: Option<u8>| {
        let phases = leg.next.iter().map(|next| next.phase);
        phases.filter(|phase| Some(*phase) > last).min()
    };
    std::iter::successors(after(None), move |phase| after(Some(*phase)))
}

fn in_turn<'a>(phase: impl Iterator<Item = &'a Next>, times: &impl NextTimes) -> RequestTime {
    let all = phase.filter_map(|next| Some(times.of(next, 1.0)?.times(next.times)));
    all.fold(RequestTime::default(), RequestTime::plus)
}

/// `room` is used again for each phase.
fn at_once<'a>(
    phase: impl Iterator<Item = &'a Next>,
    times: &impl NextTimes,
    room: &mut Vec<Part>,
) -> RequestTime {
    room.clear();
    let mut longest = RequestTime::default();
    for next in phase {
        let Some(part) = Part::of(next, times) else { continue };
        match part.choice {
            Some(_) => room.push(part),
            None => longest = longest.longer(part.time.times(part.hit)),
        }
    }
    // Stable: of one choice they stay in their order.
    room.sort_by_key(|part| part.choice);
    let choices = room.chunk_by(|one, other| one.choice == other.choice);
    choices.map(chosen).fold(longest, RequestTime::longer)
}

/// One of the legs that a leg leads to.
#[derive(Clone, Copy)]
struct Part {
    choice: Option<u16>,
    /// Share of the requests that lead to it.
    hit: f64,
    /// Share of the requests that lead to any like it.
    often: f64,
    /// Its time when they do.
    time: RequestTime,
}

impl Part {
    fn of(next: &Next, times: &impl NextTimes) -> Option<Self> {
        let together = next.at_once.max(next.times);
        let hit = if together > 0.0 { next.times / together } else { 0.0 };
        let Next { choice, often, .. } = *next;
        Some(Self { choice, hit, often, time: times.of(next, together)? })
    }
}

/// The time of a request that leads to some of these.
fn chosen(parts: &[Part]) -> RequestTime {
    let hits: f64 = parts.iter().map(|part| part.hit).sum();
    if hits <= 0.0 {
        return RequestTime::default();
    }
    let weighed = parts.iter().map(|part| part.time.times(part.hit / hits));
    let mean = weighed.fold(RequestTime::default(), RequestTime::plus);
    let by_total = |left: &&Part, right: &&Part| left.time.total().total_cmp(&right.time.total());
    let often = parts.iter().map(|part| part.often).fold(0.0, f64::max);
    let happens = hits.min(often).min(1.0);
    let Some(fastest) = parts.iter().min_by(by_total) else { return mean };
    let slowest = parts.iter().map(|part| {
        let hit = (part.hit / happens).min(1.0);
        part.time.times(hit).plus(fastest.time.times(1.0 - hit))
    });
    slowest.fold(mean, RequestTime::longer).times(happens)
}
