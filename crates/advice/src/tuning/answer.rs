//! What a tuning came to: the best setting, how sure that is, the way to it from today's, and what
//! each level of each knob does at it.

use iopath_analysis::statistics::{Difference, mean};

use super::space::Setting;
use super::sparing::with;
use super::{Expected, Fitted, Tuning};

/// What a tuning came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The best setting that keeps the limits; where none does, the one that comes nearest.
    pub best: Setting,
    /// Whether it keeps every limit.
    pub keeps_limits: bool,
    /// By how much its score is above that of today's; none where it is today's, or where a single
    /// pass is known of one of them.
    pub gain: Option<Difference>,
    /// Whether passes that came once it was chosen say that it keeps the limits, and that today's
    /// breaks one, or has a lower score by more than chance.
    pub is_proven: bool,
    /// One knob after the other from today's setting to the best, each time that which gains most
    /// where those before it are turned.
    pub changes: Vec<Change>,
    /// What every level of each knob does where the others are as in the best.
    pub levels: Vec<Vec<Shown>>,
}

/// One knob that is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub knob: usize,
    /// Its level before.
    pub from: usize,
    /// Its level after.
    pub to: usize,
    /// What it gains, as a logarithm.
    pub gain: f64,
    /// Whether both ends were tried; else it is what the surrogate expects.
    pub is_tried: bool,
}

/// What is known of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// Its score.
    pub score: f64,
    /// Where it was tried, and what it came to; else what is expected of it.
    pub how: Reached,
}

/// How something is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reached {
    /// It was tried.
    Tried {
        /// Whether it keeps every limit.
        keeps_limits: bool,
    },
    /// It is expected, give or take this standard deviation of the score.
    Expected {
        /// Of the score.
        deviation: f64,
        /// How likely it keeps every limit.
        chance_to_keep: f64,
    },
}

impl Tuning<'_> {
    /// The answer as far as it is known; none where nothing was tried.
    #[must_use]
    pub fn answer(&self) -> Option<Answer> {
        let fitted = self.fitted()?;
        let best = fitted.winner.clone();
        let is_today = best == *self.space.today();
        let levels = self.space.knobs().iter().enumerate();
        let levels = levels.map(|(at, knob)| {
            let shown = |place| fitted.shown(&with(&best, at, place));
            (0..knob.levels).map(shown).collect()
        });
        Some(Answer {
            keeps_limits: self.keeps(&best),
            gain: self.gain(&best).filter(|_| !is_today),
            is_proven: self.is_proven(&best, 0.0),
            changes: fitted.changes(&best),
            levels: levels.collect(),
            best,
        })
    }
}

impl Fitted<'_> {
    fn shown(&self, setting: &Setting) -> Shown {
        let tuning = self.tuning;
        let scores = tuning.scores(setting);
        match mean(&scores) {
            Some(score) => {
                let keeps_limits = tuning.keeps(setting);
                Shown { score, how: Reached::Tried { keeps_limits } }
            }
            None => {
                let Expected { mean: score, deviation } = self.score_of(setting);
                let chance_to_keep = self.chance_to_keep(setting);
                Shown { score, how: Reached::Expected { deviation, chance_to_keep } }
            }
        }
    }

    fn changes(&self, best: &Setting) -> Vec<Change> {
        let mut reached = self.tuning.space.today().clone();
        let mut changes = Vec::new();
        loop {
            let open = (0..best.len()).filter(|knob| reached[*knob] != best[*knob]);
            let change = |knob| self.change(&reached, knob, best[knob]);
            let next = open.map(change).max_by(|one, other| one.gain.total_cmp(&other.gain));
            let Some(next) = next else { return changes };
            reached[next.knob] = next.to;
            changes.push(next);
        }
    }

    fn change(&self, before: &Setting, knob: usize, to: usize) -> Change {
        let (one, other) = (self.shown(before), self.shown(&with(before, knob, to)));
        let tried = |shown: &Shown| matches!(shown.how, Reached::Tried { .. });
        let (from, gain) = (before[knob], other.score - one.score);
        Change { knob, from, to, gain, is_tried: tried(&one) && tried(&other) }
    }
}
