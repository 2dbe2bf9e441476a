//! Which cases are asked for: by the title of their experiment, or by a level (`--case`). All names
//! must hold; no name means every case.

use crate::case::Case;
use crate::experiment::{Experiment, MOST_CASES};
use crate::vary::{Factor, Level};

impl Case {
    /// Whether every name means this case.
    #[must_use]
    pub fn is_meant_by(&self, names: &[String]) -> bool {
        let levels = || self.levels.iter().map(|chosen| (&*chosen.factor, &*chosen.level));
        names.iter().all(|name| means(name, &self.experiment, levels()))
    }
}

impl Experiment {
    /// Whether every name means one of its cases.
    pub(crate) fn is_meant_by(&self, names: &[String]) -> bool {
        let mut tries = MOST_CASES;
        self.has_case(names, &mut vec![None; self.factors.len()], &mut tries)
    }

    /// The cases that every name means, by their index.
    pub(crate) fn asked(&self, names: &[String]) -> impl Iterator<Item = usize> {
        let count = if self.is_meant_by(names) { self.case_count() } else { 0 };
        (0..count).filter(move |index| self.is_case(&self.levels(*index), names))
    }

    /// Whether every name means the case with these levels.
    pub(crate) fn is_case(&self, levels: &[&Level], names: &[String]) -> bool {
        let factors = self.factors.iter().zip(levels);
        let levels = || factors.clone().map(|(factor, level)| (&*factor.name, level.title()));
        names.iter().all(|name| means(name, &self.title, levels()))
    }

    /// Whether levels that are still open can be chosen so that every name means the case; yes
    /// where that takes too many tries, as its cases are asked for their names once more.
    fn has_case(&self, names: &[String], chosen: &mut [Option<usize>], tries: &mut usize) -> bool {
        let Some((name, others)) = names.split_first() else { return true };
        *tries = tries.saturating_sub(1);
        if *tries == 0 {
            return true;
        }
        if *name == self.title {
            return self.has_case(others, chosen, tries);
        }
        for (at, factor) in self.factors.iter().enumerate() {
            for (level, one) in factor.levels.iter().enumerate() {
                let before = chosen[at];
                if is_level(name, &factor.name, one.title()) && before.is_none_or(|is| is == level)
                {
                    chosen[at] = Some(level);
                    if self.has_case(others, chosen, tries) {
                        return true;
                    }
                    chosen[at] = before;
                }
            }
        }
        false
    }
}

impl Experiment {
    /// Where it has more cases than a study may: leaves out levels that no case with these names
    /// has. A name that may mean several factors leaves out nothing.
    pub(crate) fn narrow(&mut self, names: &[String]) {
        let before = self.case_count();
        if before <= MOST_CASES {
            return;
        }
        for name in names.iter().filter(|name| **name != self.title) {
            let has = |factor: &Factor, level: &Level| is_level(name, &factor.name, level.title());
            let is_meant = |factor: &&mut Factor| factor.levels.iter().any(|one| has(factor, one));
            let mut meant = self.factors.iter_mut().filter(is_meant);
            if let (Some(factor), None) = (meant.next(), meant.next()) {
                let Factor { name: of, levels, .. } = factor;
                levels.retain(|level| is_level(name, of, level.title()));
            }
        }
        // What one name leaves out may decide what another one means.
        if self.case_count() < before {
            self.narrow(names);
        }
    }

    /// The same with only those levels that are named, of factors of which any is; none where a
    /// name is neither its title nor a level.
    #[must_use]
    pub fn with_levels(&self, names: &[String]) -> Option<Self> {
        let mut chosen = self.clone();
        for factor in &mut chosen.factors {
            let Factor { name: of, levels, .. } = factor;
            let is_named =
                |level: &Level| names.iter().any(|name| is_level(name, of, level.title()));
            if levels.iter().any(is_named) {
                levels.retain(is_named);
            }
        }
        let is_known = |name: &String| {
            let mut factors = self.factors.iter();
            let has = |level: &Level, of: &str| is_level(name, of, level.title());
            *name == self.title
                || factors.any(|of| of.levels.iter().any(|level| has(level, &of.name)))
        };
        names.iter().all(is_known).then_some(chosen)
    }
}

/// Whether a name is the title of the experiment or one of the levels, each behind its factor.
fn means<'a>(
    name: &str,
    experiment: &str,
    mut levels: impl Iterator<Item = (&'a str, &'a str)>,
) -> bool {
    name == experiment || levels.any(|(factor, level)| is_level(name, factor, level))
}

/// `factor=level` and, shorter, the level alone.
fn is_level(name: &str, factor: &str, level: &str) -> bool {
    let behind = name.strip_prefix(factor).and_then(|rest| rest.strip_prefix('='));
    is_same(name, level) || behind.is_some_and(|name| is_same(name, level))
}

/// Numbers are compared by value, 0.1 is 0.10, and a unit need not be apart: 4KiB is 4 KiB.
fn is_same(name: &str, level: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let letters = |text: &'_ str| text.bytes().filter(|byte| *byte != b' ').collect::<Vec<_>>();
    name == level
        || name.len() != level.len() && letters(name) == letters(level)
        || matches!((number(name), number(level)), (Some(a), Some(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value_and_words_without_blanks() {
        for (name, level, expected) in [
            ("0.1", "0.10", true),
            ("1e1", "10", true),
            ("0.1", "0.2", false),
            ("64 KiB", "64 KiB", true),
            ("64KiB", "64 KiB", true),
            ("64 KiB", "64 MiB", false),
            ("64", "64 KiB", false),
        ] {
            assert_eq!(is_same(name, level), expected, "{name} {level}");
        }
    }
}
