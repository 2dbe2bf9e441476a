//! Knobs to the setting that is best within limits, with few trials.
//!
//! The law is that of efficient global optimisation (Jones, Schonlau, Welch, J. Global Optimization
//! 13, 1998): a `surrogate` says what to expect of every setting, and the next trial is the one
//! with the greatest expected improvement, times the chance that it keeps the limits (Gardner et
//! al., ICML 2014). Where nothing more is to be gained, knobs stay as today where a setting as good
//! has them so, and the others go down to their smallest level as far as it stays as good. At last
//! today's setting and the best are tried in turn until they differ by more than chance (Welch).
//!
//! A tuning is a state machine of plain values: [`Tuning::next`] says what to try, and
//! [`Tuning::observe`] takes what that came to. It leaves out who tries, and levels that a study
//! does not state.

mod ahead;
mod answer;
mod chance;
mod goal;
mod promising;
mod space;
mod sparing;
mod surrogate;

use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::statistics::{Difference, Estimate, mean, welch};
use iopath_analysis::thresholds::trials::LEAST_PASSES;
use serde::Serialize;

pub use answer::{Answer, Change, Reached, Shown};
pub use goal::{Aim, Figures, Goal};
pub use space::{Knob, Setting, Space};
pub use surrogate::Expected;

use surrogate::{Surrogate, Tried};

/// What a pass came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The logarithm of what shall be high, or less that of what shall be low.
    pub score: f64,
    /// By how much each limit is kept; negative where it is not.
    pub slacks: Vec<f64>,
}

/// Why a setting is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// It is what is set today.
    Today,
    /// It is far from all that was tried.
    Spread,
    /// The bounds say that it is best.
    Bound,
    /// Most is to be gained there.
    Promising,
    /// It may be as good with a knob as today, or lower.
    Sparing,
    /// To tell it from today's, or today's from it.
    Confirm,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Try this.
    Try {
        /// What to set.
        setting: Setting,
        /// Why.
        purpose: Purpose,
    },
    /// The answer is known, or trials are used up.
    Done,
}

impl Step {
    fn of(setting: Setting, purpose: Purpose) -> Self {
        Self::Try { setting, purpose }
    }
}

/// When enough was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Settings that may be tried.
    pub trials: usize,
    /// A share by which a setting may be worse and still count as good.
    pub margin: f64,
    /// Passes that the best and today's get at most to tell them apart, each.
    pub passes: usize,
}

/// A search under way.
pub struct Tuning<'a> {
    space: &'a Space,
    /// What bounds say of a setting, as a score; 0 where they say nothing.
    bound: &'a dyn Fn(&[usize]) -> f64,
    rules: Rules,
    /// Every pass of each setting.
    seen: BTreeMap<Setting, Vec<Sample>>,
    /// Passes that came once the best was chosen: what chose it is no proof of it.
    fresh: BTreeMap<Setting, Vec<Sample>>,
    /// What cannot be set.
    impossible: BTreeSet<Setting>,
}

/// What was seen, with what to expect of the rest.
pub(crate) struct Fitted<'a> {
    tuning: &'a Tuning<'a>,
    score: Surrogate<'a>,
    slacks: Vec<Surrogate<'a>>,
    /// The setting of which most is expected among those that were tried and keep the limits; where
    /// none does, the one that comes nearest.
    best: Setting,
    /// The score from which on a setting is as good.
    least: f64,
    /// The best, with what can be spared as far as that is known.
    winner: Setting,
}

impl<'a> Tuning<'a> {
    /// A search that has tried nothing yet.
    pub fn new(space: &'a Space, bound: &'a dyn Fn(&[usize]) -> f64, rules: Rules) -> Self {
        Self {
            space,
            bound,
            rules,
            seen: BTreeMap::new(),
            fresh: BTreeMap::new(),
            impossible: BTreeSet::new(),
        }
    }

    /// A setting came to this, pass by pass.
    pub fn observe(&mut self, setting: &Setting, purpose: Purpose, passes: Vec<Sample>) {
        if passes.is_empty() {
            return self.exclude(setting);
        }
        if purpose == Purpose::Confirm {
            self.fresh.entry(setting.clone()).or_default().extend(passes.iter().cloned());
        }
        self.seen.entry(setting.clone()).or_default().extend(passes);
    }

    /// A setting cannot be had.
    pub fn exclude(&mut self, setting: &Setting) {
        self.impossible.insert(setting.clone());
    }

    /// How many settings were tried.
    #[must_use]
    pub fn trials(&self) -> usize {
        self.seen.len()
    }

    /// What to expect of settings, as scores; none where nothing was tried.
    #[must_use]
    pub fn expected(&self, settings: &[Setting]) -> Option<Vec<f64>> {
        let fitted = self.fitted()?;
        Some(settings.iter().map(|setting| fitted.score_of(setting).mean).collect())
    }

    /// What to try next.
    #[must_use]
    pub fn next(&self) -> Step {
        let today = self.space.today();
        if !self.is_known(today) {
            return Step::of(today.clone(), Purpose::Today);
        }
        let possible = self.space.combinations() - self.impossible.len();
        let has_more = self.trials() < self.rules.trials.min(possible);
        let Some(fitted) = self.fitted() else { return self.anything(has_more) };
        let sparing = || fitted.sparing().map(|one| Step::of(one, Purpose::Sparing));
        let reserve = self.space.knobs().len() + SPARED;
        let new = || {
            let first = fitted.first().or_else(|| fitted.promising(reserve)).or_else(sparing);
            first.or_else(|| fitted.promising(0))
        };
        let new = has_more.then(new).flatten();
        new.unwrap_or_else(|| self.confirm(&fitted.winner))
    }

    /// The first setting that may be possible, where today's is not.
    fn anything(&self, has_more: bool) -> Step {
        let mut all = self.space.candidates(self.space.today()).into_iter();
        let first = all.find(|one| has_more && !self.is_known(one));
        first.map_or(Step::Done, |one| Step::of(one, Purpose::Spread))
    }

    /// Whether a setting was tried or cannot be.
    pub(crate) fn is_known(&self, setting: &[usize]) -> bool {
        self.seen.contains_key(setting) || self.impossible.contains(setting)
    }

    /// The best so far and today's in turn, until they differ.
    fn confirm(&self, winner: &Setting) -> Step {
        let today = self.space.today();
        let used: usize = self.fresh.values().map(Vec::len).sum();
        let (own, other) = (self.fresh(winner).len(), self.fresh(today).len());
        // Looked at twice only, and before all passes for more than the margin: a difference that
        // is looked for often enough is found by chance.
        let is_look = own == other && own == LEAST_PASSES;
        let is_over = used >= (2 + CHANGES_OF_MIND) * self.rules.passes
            || own.min(other) >= self.rules.passes;
        if winner == today
            || self.impossible.contains(today)
            || is_over
            || is_look && self.is_proven(winner, self.rules.margin)
        {
            return Step::Done;
        }
        let setting = if other < own { today } else { winner };
        Step::of(setting.clone(), Purpose::Confirm)
    }

    /// Whether passes that came once it was chosen say that a setting keeps the limits, and that
    /// today's breaks one each time, or has a score that is lower by more than chance and this.
    pub(crate) fn is_proven(&self, setting: &[usize], by: f64) -> bool {
        let today = self.fresh(self.space.today());
        let is_broken = today.iter().all(|pass| worst(std::slice::from_ref(pass)) < 0.0);
        worst(self.fresh(setting)) >= 0.0
            && self.gain(setting).is_some_and(|gain| is_broken || gain.low > by)
    }

    /// By how much a setting is above today's, by passes that came once it was chosen; none where
    /// there are too few.
    pub(crate) fn gain(&self, setting: &[usize]) -> Option<Difference> {
        let of = |setting: &[usize]| {
            let fresh = Some(self.fresh(setting)).filter(|fresh| fresh.len() >= LEAST_PASSES)?;
            Estimate::of(&fresh.iter().map(|sample| sample.score).collect::<Vec<_>>())
        };
        Some(welch(of(self.space.today())?, of(setting)?))
    }

    pub(crate) fn samples(&self, setting: &[usize]) -> &[Sample] {
        self.seen.get(setting).map_or(&[], Vec::as_slice)
    }

    /// Passes of a setting that came once the best was chosen.
    fn fresh(&self, setting: &[usize]) -> &[Sample] {
        self.fresh.get(setting).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn scores(&self, setting: &[usize]) -> Vec<f64> {
        self.samples(setting).iter().map(|sample| sample.score).collect()
    }

    /// Whether a setting that was tried keeps every limit.
    #[must_use]
    pub fn keeps(&self, setting: &[usize]) -> bool {
        self.worst_slack(setting) >= 0.0
    }

    pub(crate) fn worst_slack(&self, setting: &[usize]) -> f64 {
        worst(self.samples(setting))
    }

    fn limits(&self) -> usize {
        self.seen.values().flatten().next().map_or(0, |sample| sample.slacks.len())
    }

    fn fitted(&self) -> Option<Fitted<'_>> {
        let through = |value: &dyn Fn(&Setting) -> Option<f64>| {
            let tried = self.seen.iter().filter_map(|(setting, passes)| {
                let (prior, value) = ((self.bound)(setting), value(setting)?);
                Some(Tried { setting, prior, value, passes: passes.len() })
            });
            Surrogate::fit(self.space, tried.collect())
        };
        let all = self.seen.keys().filter_map(|setting| mean(&self.scores(setting)));
        let least = all.reduce(f64::max)? - FAR_BELOW;
        let score = through(&|setting| Some(mean(&self.scores(setting))?.max(least)))?;
        let near = |slack: f64| slack.clamp(-FAR, FAR);
        let slacks = (0..self.limits())
            .map(|limit| through(&|one| slack(self.samples(one), limit).map(near)));
        let slacks = slacks.collect::<Option<_>>()?;
        Some(Fitted::of(self, score, slacks))
    }
}

/// By how much passes keep a limit, on average; none of none.
fn slack(passes: &[Sample], limit: usize) -> Option<f64> {
    mean(&passes.iter().map(|pass| pass.slacks[limit]).collect::<Vec<_>>())
}

/// The same of the limit that they keep least; infinite without any.
fn worst(passes: &[Sample]) -> f64 {
    let limits = passes.first().map_or(0, |pass| pass.slacks.len());
    let slacks = (0..limits).filter_map(|limit| slack(passes, limit));
    slacks.fold(f64::INFINITY, f64::min)
}

/// Limits are kept or broken by this at most, for what is expected of other settings: how far
/// beyond that says little of where one gives way to the other. Chosen.
const FAR: f64 = 0.05;

/// Trials besides one for each knob that are left to find what can be spared: chosen.
const SPARED: usize = 1;

/// Scores count as no further below the best than this, for what is expected of other settings: a
/// hundredth, as how far nothing at all is below something says nothing. Chosen.
const FAR_BELOW: f64 = 4.6;

/// How often another setting may prove to be the best while that is confirmed: chosen.
const CHANGES_OF_MIND: usize = 1;

#[cfg(test)]
mod tests;
