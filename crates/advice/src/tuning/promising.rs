//! Which setting to try next: of the first few those far apart, then that from which most is to be
//! gained.

use super::space::Setting;
use super::surrogate::Expected;
use super::{Fitted, Purpose, Step, chance};

/// A gain of less than this part of the margin is not worth a trial: chosen.
const LEAST_GAIN: f64 = 10.0;

impl Fitted<'_> {
    /// Of the first few: the one that bounds say is best, then those far from all others.
    pub(super) fn first(&self) -> Option<Step> {
        let tuning = self.tuning;
        let few = (tuning.space.knobs().len() + 2).min(tuning.rules.trials.div_ceil(2));
        if tuning.trials() >= few {
            return None;
        }
        let candidates = self.untried();
        let bounds: Vec<f64> = candidates.iter().map(|one| (tuning.bound)(one)).collect();
        let is_told = bounds.iter().any(|bound| *bound != bounds[0]);
        let (values, purpose) = match is_told && tuning.trials() == 1 {
            true => (bounds, Purpose::Bound),
            false => (candidates.iter().map(|one| self.apart(one)).collect(), Purpose::Spread),
        };
        let best = first_highest(&values)?;
        Some(Step::of(candidates[best].clone(), purpose))
    }

    /// How far a setting is from the nearest that was tried.
    fn apart(&self, setting: &[usize]) -> f64 {
        let space = self.tuning.space;
        let square = |other: &Setting| -> f64 {
            space.distances(setting, other).map(|distance| distance.powi(2)).sum()
        };
        self.tuning.seen.keys().map(square).fold(f64::INFINITY, f64::min)
    }

    /// The setting from which most is to be gained; none where that is too little, or where no more
    /// trials than the reserve are left though something keeps the limits. Where trials suffice for
    /// every setting, any is worth one.
    pub(super) fn promising(&self, reserve: usize) -> Option<Step> {
        let tuning = self.tuning;
        let left = tuning.rules.trials.saturating_sub(tuning.trials());
        let best = tuning.seen.keys().filter(|one| tuning.keeps(one));
        let best = best.map(|one| self.score_of(one).mean).reduce(f64::max);
        if best.is_some() && left <= reserve {
            return None;
        }
        let candidates = self.untried();
        let gains: Vec<f64> = candidates.iter().map(|one| self.worth(one, best)).collect();
        let highest = first_highest(&gains)?;
        let suffice = reserve == 0 && candidates.len() <= left;
        let least = tuning.rules.margin / LEAST_GAIN;
        let is_worth = suffice || best.is_none() || gains[highest] >= least;
        is_worth.then(|| Step::of(candidates[highest].clone(), Purpose::Promising))
    }

    /// What a trial may gain; where nothing keeps the limits yet, the chance that it does.
    fn worth(&self, setting: &[usize], best: Option<f64>) -> f64 {
        let kept = self.chance_to_keep(setting);
        best.map_or(kept, |best| kept * chance::improvement(self.score_of(setting), best))
    }

    pub(crate) fn chance_to_keep(&self, setting: &[usize]) -> f64 {
        let prior = (self.tuning.bound)(setting);
        self.slacks.iter().map(|slack| chance::kept(slack.expected(setting, prior))).product()
    }

    pub(crate) fn score_of(&self, setting: &[usize]) -> Expected {
        self.score.expected(setting, (self.tuning.bound)(setting))
    }

    pub(super) fn untried(&self) -> Vec<Setting> {
        let tuning = self.tuning;
        let candidates = tuning.space.candidates(&self.best);
        candidates.into_iter().filter(|one| !tuning.is_known(one)).collect()
    }
}

/// Where the highest is; the first of several.
fn first_highest(values: &[f64]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (at, value) in values.iter().enumerate() {
        if best.is_none_or(|best| *value > values[best]) {
            best = Some(at);
        }
    }
    best
}
