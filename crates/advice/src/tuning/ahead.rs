//! Settings that are likely to be tried next, for whoever can try several at once.
//!
//! Each is taken to come to what is expected of it (the kriging believer of Ginsbourger, Le Riche
//! and Carraro, 2010, for expected improvement with several points at once). What they really come
//! to decides what is tried, as if they were tried one after the other: a guess that was wrong
//! costs its trial and changes nothing.

use super::{Purpose, Sample, Setting, Step, Tuning};

impl Tuning<'_> {
    /// At most so many new settings, the next one first.
    #[must_use]
    pub fn ahead(&self, most: usize) -> Vec<Setting> {
        let mut believed = Tuning {
            space: self.space,
            bound: self.bound,
            rules: self.rules,
            seen: self.seen.clone(),
            fresh: self.fresh.clone(),
            impossible: self.impossible.clone(),
        };
        let mut all = Vec::new();
        while all.len() < most {
            let Step::Try { setting, purpose } = believed.next() else { break };
            if purpose == Purpose::Confirm {
                break;
            }
            let sample = believed.sample_expected_of(&setting);
            believed.observe(&setting, purpose, vec![sample]);
            all.push(setting);
        }
        all
    }

    /// What a pass of a setting will come to, by all that was seen.
    fn sample_expected_of(&self, setting: &[usize]) -> Sample {
        let prior = (self.bound)(setting);
        let none = Sample { score: prior, slacks: Vec::new() };
        self.fitted().map_or(none, |fitted| Sample {
            score: fitted.score_of(setting).mean,
            slacks: fitted.slacks.iter().map(|one| one.expected(setting, prior).mean).collect(),
        })
    }
}
