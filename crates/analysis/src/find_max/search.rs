//! Which load to try next, and when the highest load within a limit is known: a state machine of
//! plain values, which knows nothing of who tries.
//!
//! First the lightest load, which tells whether the limit can be kept at all; then a guess of where
//! the system is used up, and more until one is beyond; then the middle, on a geometric scale, of
//! the highest load within the limit and the lowest beyond it. Response time rises with load, so
//! nothing below a load within is tried again. Where a load cannot be told from the limit it stays
//! undecided, and the search goes on at both sides of those: they are the interval in which the
//! highest load is. It leaves out systems that respond faster to more load.

use serde::Serialize;

use crate::thresholds::find_max::{LEAST_SHARE, LIGHTEST_SHARE, MOST_RATIO, RAISE};

/// What a load came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The limit was kept.
    Within,
    /// It was not.
    Beyond(Reason),
    /// The figure cannot be told from the limit.
    Undecided,
}

impl Outcome {
    /// Whether more passes may tell more.
    #[must_use]
    pub fn is_undecided(self) -> bool {
        self == Self::Undecided
    }
}

/// What a load beyond the limit is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The figure is above the limit.
    Latency,
    /// Fewer requests completed than were to.
    NotAchieved,
    /// Requests took longer and longer.
    Growing,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Try this load, in requests a second.
    Try(f64),
    /// It is known.
    Done(Answer),
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Answer {
    /// The highest load is between two.
    Between {
        /// The highest load that was within the limit.
        within_per_sec: f64,
        /// The lowest load that was beyond it.
        beyond_per_sec: f64,
        /// How that is known.
        reason: Reason,
        /// Whether loads between them could not be told from the limit.
        has_undecided: bool,
    },
    /// Even the lightest load was not within the limit.
    Never {
        /// That load.
        lightest_per_sec: f64,
    },
    /// Every load was within the limit.
    Always {
        /// The highest that was tried.
        highest_per_sec: f64,
    },
}

/// A search under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    guess: f64,
    /// How far apart the ends may be, as a share.
    precision: f64,
    /// Loads with what they came to.
    seen: Vec<(f64, Outcome)>,
}

impl Search {
    /// A search from a guess of the load that uses the system up, in requests a second.
    #[must_use]
    pub fn new(guess: f64, precision: f64) -> Self {
        Self { guess: round(guess.max(1e-3)), precision, seen: Vec::new() }
    }

    /// A load came to something.
    pub fn observe(&mut self, per_sec: f64, outcome: Outcome) {
        self.seen.push((per_sec, outcome));
    }

    /// The next load, or the answer.
    #[must_use]
    pub fn next(&self) -> Step {
        let lightest = self.seen.iter().copied().min_by(|one, other| one.0.total_cmp(&other.0));
        let Some((lightest_per_sec, outcome)) = lightest else {
            return Step::Try(round(self.guess * LIGHTEST_SHARE));
        };
        match outcome {
            Outcome::Within => {}
            // The guess was far too high: what is not achieved says nothing of an idle system.
            Outcome::Beyond(Reason::NotAchieved | Reason::Growing)
                if lightest_per_sec > self.guess * LEAST_SHARE =>
            {
                return Step::Try(round(lightest_per_sec * LIGHTEST_SHARE));
            }
            Outcome::Beyond(_) | Outcome::Undecided => {
                return Step::Done(Answer::Never { lightest_per_sec });
            }
        }
        let highest_per_sec = self.seen.iter().map(|(rate, _)| *rate).fold(0.0, f64::max);
        match self.ends() {
            Some(ends) => self.between(&ends),
            None if highest_per_sec < self.guess => Step::Try(self.guess),
            None if highest_per_sec * RAISE > self.guess * MOST_RATIO => {
                Step::Done(Answer::Always { highest_per_sec })
            }
            None => Step::Try(round(highest_per_sec * RAISE)),
        }
    }

    fn between(&self, ends: &Ends) -> Step {
        let gaps = match ends.undecided {
            None => [(ends.within, ends.beyond); 2],
            Some((low, high)) => [(ends.within, low), (high, ends.beyond)],
        };
        let wider =
            |one: &(f64, f64), other: &(f64, f64)| (one.1 / one.0).total_cmp(&(other.1 / other.0));
        let gap = gaps.into_iter().max_by(wider).unwrap_or(gaps[0]);
        let middle = round((gap.0 * gap.1).sqrt());
        if gap.1 <= gap.0 * (1.0 + self.precision) || middle <= gap.0 || middle >= gap.1 {
            return Step::Done(Answer::Between {
                within_per_sec: ends.within,
                beyond_per_sec: ends.beyond,
                reason: ends.reason,
                has_undecided: ends.undecided.is_some(),
            });
        }
        Step::Try(middle)
    }

    /// The ends of what is not known; none where no load was beyond.
    fn ends(&self) -> Option<Ends> {
        let beyond = self.seen.iter().filter_map(|(rate, outcome)| match outcome {
            Outcome::Beyond(reason) => Some((*rate, *reason)),
            Outcome::Within | Outcome::Undecided => None,
        });
        let (beyond, reason) = beyond.min_by(|one, other| one.0.total_cmp(&other.0))?;
        let below = self.seen.iter().filter(|(rate, _)| *rate < beyond);
        let of = |wanted| below.clone().filter(move |(_, found)| *found == wanted);
        let within = of(Outcome::Within).map(|(rate, _)| *rate).fold(0.0, f64::max);
        let undecided =
            || of(Outcome::Undecided).map(|(rate, _)| *rate).filter(|rate| *rate > within);
        let ends = undecided().reduce(f64::min).zip(undecided().reduce(f64::max));
        Some(Ends { within, beyond, reason, undecided: ends })
    }
}

/// What encloses the highest load.
struct Ends {
    within: f64,
    beyond: f64,
    reason: Reason,
    /// The lowest and the highest of those between that are undecided.
    undecided: Option<(f64, f64)>,
}

/// A load that reads well: four digits, at least a thousandth.
fn round(per_sec: f64) -> f64 {
    let step = 10f64.powf(per_sec.log10().floor() - 3.0).max(1e-3);
    ((per_sec / step).round() * step * 1e3).round().max(1.0) / 1e3
}

#[cfg(test)]
mod tests;
