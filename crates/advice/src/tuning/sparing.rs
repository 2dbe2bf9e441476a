//! From the best setting to one that is as good and spares something: each knob as it is today, or
//! else at its smallest level, as far as that is no worse than the margin allows.
//!
//! Between its smallest level and the best, a knob is taken to get better only: the smallest that
//! is as good is found by halves. It leaves out that two knobs could go further together than one
//! after the other.

use super::space::Setting;
use super::{Expected, Fitted};

/// Below this chance of keeping the limits a setting is not tried to spare something: chosen.
const LEAST_CHANCE: f64 = 0.2;

/// So many standard deviations below what is as good a setting is not tried: chosen. What is off at
/// one level only falls further than neighbours let expect.
const SURELY: f64 = 3.0;

/// Whether a setting is as good as the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AsGood {
    Yes,
    No,
    /// It was not tried, and may be.
    Maybe,
}

impl Fitted<'_> {
    /// The setting of which most is expected among those that were tried and keep the limits; where
    /// none does, the one that comes nearest.
    pub(crate) fn best(&self) -> Setting {
        let tuning = self.tuning;
        let tried = || tuning.seen.keys();
        let score = |one: &&Setting| self.score_of(one).mean;
        let keeping = tried().filter(|one| tuning.keeps(one));
        let slack = |one: &&Setting| tuning.worst_slack(one);
        let best = keeping.max_by(|one, other| score(one).total_cmp(&score(other)));
        let nearest = || tried().max_by(|one, other| slack(one).total_cmp(&slack(other)));
        best.or_else(nearest).unwrap_or_else(|| tuning.space.today()).clone()
    }

    /// The setting that must be tried to know what can be spared; none where that is known.
    pub(crate) fn sparing(&self) -> Option<Setting> {
        self.walk().err()
    }

    /// The best, with what can be spared as far as that is known.
    pub(crate) fn winner(&self) -> Setting {
        let mut reached = self.best();
        if !self.tuning.keeps(&reached) {
            return reached;
        }
        for knob in 0..reached.len() {
            let others = self.ways(&reached, knob);
            let good = others.into_iter().find(|one| self.as_good(one) == AsGood::Yes);
            reached = good.unwrap_or(reached);
        }
        reached
    }

    /// The same with one knob as today, then at each smaller level, the smallest first.
    fn ways(&self, of: &Setting, knob: usize) -> Vec<Setting> {
        let space = self.tuning.space;
        let today = space.today()[knob];
        if of[knob] == today {
            return Vec::new();
        }
        let places = std::iter::once(today).chain(space.knobs()[knob].smaller(of[knob]));
        places.map(|place| with(of, knob, place)).collect()
    }

    /// Where the walk ends, or the setting that it needs to know of.
    fn walk(&self) -> Result<Setting, Setting> {
        let mut reached = self.best();
        if !self.tuning.keeps(&reached) {
            return Ok(reached);
        }
        for knob in 0..reached.len() {
            let ways = self.ways(&reached, knob);
            let Some((today, smaller)) = ways.split_first() else { continue };
            if self.is_as_good(today)? {
                reached = today.clone();
                continue;
            }
            let first = self.first_good(smaller)?;
            reached = smaller.get(first).cloned().unwrap_or(reached);
        }
        Ok(reached)
    }

    /// Where the first as good is among levels that rise, by halves; their number where none is.
    fn first_good(&self, rising: &[Setting]) -> Result<usize, Setting> {
        let (mut worse, mut good) = (0, rising.len());
        while worse < good {
            let middle = usize::midpoint(worse, good);
            match self.is_as_good(&rising[middle])? {
                true => good = middle,
                false => worse = middle + 1,
            }
        }
        Ok(good)
    }

    fn is_as_good(&self, setting: &Setting) -> Result<bool, Setting> {
        match self.as_good(setting) {
            AsGood::Maybe => Err(setting.clone()),
            known => Ok(known == AsGood::Yes),
        }
    }

    fn as_good(&self, setting: &Setting) -> AsGood {
        let tuning = self.tuning;
        let least = self.score_of(&self.best()).mean - tuning.rules.margin;
        let Expected { mean, deviation } = self.score_of(setting);
        if tuning.seen.contains_key(setting) {
            let is_good = tuning.keeps(setting) && mean >= least;
            return if is_good { AsGood::Yes } else { AsGood::No };
        }
        let may_be =
            mean + SURELY * deviation >= least && self.chance_to_keep(setting) >= LEAST_CHANCE;
        if may_be { AsGood::Maybe } else { AsGood::No }
    }
}

pub(crate) fn with(setting: &Setting, knob: usize, place: usize) -> Setting {
    let mut other = setting.clone();
    other[knob] = place;
    other
}
