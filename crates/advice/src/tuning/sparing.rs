//! From the best setting to one that is as good and changes less: as many knobs as today as can be,
//! those first that take most to change, and the others at their smallest level.
//!
//! A knob stays as today where some setting with it, the others free, is as good as the best but
//! for the margin. Between its smallest level and the best, a knob is taken to get better only: the
//! smallest that is as good is found by halves. It leaves out that two knobs could go down further
//! together than one after the other.

use super::space::Setting;
use super::surrogate::Surrogate;
use super::{Expected, Fitted, Tuning, chance};

/// Below this chance of being as good a setting is not tried: chosen.
const LEAST_CHANCE: f64 = 0.1;
/// So many settings with a knob as today are tried however unlikely they are to be as good, as
/// what they spare may be worth much more than a trial: chosen.
const TRIED_ANYWAY: usize = 3;
/// So many standard deviations below what is as good a level is not tried: chosen. What is off at
/// one level only falls further than neighbours let expect.
const SURELY: f64 = 3.0;

/// Whether a walk may ask for trials, or takes what was not tried as no good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Untried {
    Ask,
    Pass,
}

/// A walk that needs to know how good this setting is.
struct Ask(Setting);

impl<'a> Fitted<'a> {
    /// What follows from what to expect.
    pub(super) fn of(
        tuning: &'a Tuning<'a>,
        score: Surrogate<'a>,
        slacks: Vec<Surrogate<'a>>,
    ) -> Self {
        let best = tuning.space.today().clone();
        let mut fitted = Self { tuning, score, slacks, winner: best.clone(), best, least: 0.0 };
        fitted.best = fitted.best();
        fitted.least = fitted.score_of(&fitted.best).mean - tuning.rules.margin;
        fitted.winner = fitted.walk(Untried::Pass).unwrap_or_else(|Ask(setting)| setting);
        fitted
    }

    fn best(&self) -> Setting {
        let tuning = self.tuning;
        let keeping = tuning.seen.keys().filter(|one| tuning.keeps(one));
        let slack = |one: &&Setting| tuning.worst_slack(one);
        let nearest =
            || tuning.seen.keys().max_by(|one, other| slack(one).total_cmp(&slack(other))).cloned();
        let best = self.highest(keeping).or_else(nearest);
        best.unwrap_or_else(|| tuning.space.today().clone())
    }

    /// The setting that must be tried to know what can be spared; none where that is known.
    pub(crate) fn sparing(&self) -> Option<Setting> {
        self.walk(Untried::Ask).err().map(|Ask(setting)| setting)
    }

    /// From the best as far as it goes.
    fn walk(&self, untried: Untried) -> Result<Setting, Ask> {
        let (space, mut reached) = (self.tuning.space, self.best.clone());
        if !self.tuning.keeps(&reached) {
            return Ok(reached);
        }
        let mut knobs: Vec<usize> = (0..reached.len()).collect();
        knobs.sort_by_key(|knob| std::cmp::Reverse(space.knobs()[*knob].effort));
        let mut fixed: Vec<usize> = Vec::new();
        for knob in &knobs {
            fixed.push(*knob);
            match self.as_today(&reached, &fixed, untried)? {
                Some(setting) => reached = setting,
                None => {
                    fixed.pop();
                }
            }
        }
        for knob in knobs.into_iter().filter(|knob| !fixed.contains(knob)) {
            let smaller = space.knobs()[knob].smaller(reached[knob]).into_iter();
            let smaller: Vec<Setting> = smaller.map(|place| with(&reached, knob, place)).collect();
            let first = self.first_good(&smaller, untried)?;
            reached = smaller.get(first).cloned().unwrap_or(reached);
        }
        Ok(reached)
    }

    /// A setting as good as the best with these knobs as today, if there is one: the one that was
    /// reached, else another that was tried, else what is most likely to be.
    fn as_today(
        &self,
        reached: &Setting,
        fixed: &[usize],
        untried: Untried,
    ) -> Result<Option<Setting>, Ask> {
        let (tuning, today) = (self.tuning, self.tuning.space.today());
        let is_fixed = |one: &Setting| fixed.iter().all(|knob| one[*knob] == today[*knob]);
        if is_fixed(reached) {
            return Ok(Some(reached.clone()));
        }
        let good = tuning.seen.keys().filter(|one| is_fixed(one) && self.is_good(one));
        if let Some(good) = self.highest(good) {
            return Ok(Some(good));
        }
        let mut nearest = reached.clone();
        fixed.iter().for_each(|knob| nearest[*knob] = today[*knob]);
        let others = self.untried().into_iter().filter(is_fixed);
        let first = std::iter::once(nearest).filter(|one| !tuning.is_known(one));
        let likely = first.chain(others).map(|one| (self.chance_of_good(&one), one));
        let likeliest = likely.reduce(|one, other| if other.0 > one.0 { other } else { one });
        let tried = tuning.seen.keys().filter(|one| is_fixed(one) && *one != today).count();
        let is_worth = |chance: f64| chance >= LEAST_CHANCE || tried < TRIED_ANYWAY;
        match likeliest.filter(|(chance, _)| is_worth(*chance)) {
            Some((_, setting)) if untried == Untried::Ask => Err(Ask(setting)),
            _ => Ok(None),
        }
    }

    /// Where the first as good is among levels that rise, by halves; their number where none is.
    fn first_good(&self, rising: &[Setting], untried: Untried) -> Result<usize, Ask> {
        if untried == Untried::Pass {
            let first = rising.iter().position(|one| self.is_good(one));
            return Ok(first.unwrap_or(rising.len()));
        }
        let (mut worse, mut good) = (0, rising.len());
        while worse < good {
            let middle = usize::midpoint(worse, good);
            let setting = &rising[middle];
            if !self.tuning.is_known(setting) && self.may_be_good(setting) {
                return Err(Ask(setting.clone()));
            }
            match self.is_good(setting) {
                true => good = middle,
                false => worse = middle + 1,
            }
        }
        Ok(good)
    }

    /// Of some settings the one of which most is expected.
    fn highest<'s>(&self, of: impl Iterator<Item = &'s Setting>) -> Option<Setting> {
        let scored = of.map(|one| (self.score_of(one).mean, one));
        scored.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, one)| one.clone())
    }

    /// Whether a setting was tried and is as good as the best.
    fn is_good(&self, setting: &Setting) -> bool {
        let tuning = self.tuning;
        let is_tried = tuning.seen.contains_key(setting);
        is_tried && tuning.keeps(setting) && self.score_of(setting).mean >= self.least
    }

    fn may_be_good(&self, setting: &Setting) -> bool {
        let Expected { mean, deviation } = self.score_of(setting);
        mean + SURELY * deviation >= self.least && self.chance_to_keep(setting) >= LEAST_CHANCE
    }

    fn chance_of_good(&self, setting: &[usize]) -> f64 {
        let Expected { mean, deviation } = self.score_of(setting);
        let above = Expected { mean: mean - self.least, deviation };
        chance::kept(above) * self.chance_to_keep(setting)
    }
}

pub(crate) fn with(setting: &Setting, knob: usize, place: usize) -> Setting {
    let mut other = setting.clone();
    other[knob] = place;
    other
}
