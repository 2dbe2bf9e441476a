//! Which cases a figure is about: names of factors select levels or ranges of levels; a factor that
//! is not named leaves all of its levels.

use std::collections::BTreeMap;

use iopath_record::Record;
use iopath_study::published::{Choice, Figure};
use iopath_study::vary::Factor;

use super::{Answers, Note, OpenLevel};

/// The cases of a figure.
pub(super) struct Selected<'a> {
    factors: &'a [Factor],
    answers: &'a [Answers],
    /// Those that the figure names.
    pub cases: Vec<&'a Answers>,
    chosen: &'a [Choice],
    against: Option<&'a [Choice]>,
}

impl<'a> Selected<'a> {
    pub(super) fn new(factors: &'a [Factor], figure: &'a Figure, answers: &'a [Answers]) -> Self {
        let (chosen, against) = (figure.chosen.as_slice(), figure.against.as_deref());
        let mut selected = Self { factors, answers, cases: Vec::new(), chosen, against };
        selected.cases = selected.matching(&chosen.iter().collect::<Vec<_>>());
        selected
    }

    /// The same of some of its cases.
    pub(super) fn only(&self, cases: Vec<&'a Answers>) -> Self {
        Self { cases, ..*self }
    }

    fn matching(&self, choices: &[&Choice]) -> Vec<&'a Answers> {
        let fits =
            |answers: &&Answers| choices.iter().all(|choice| self.is_within(choice, answers));
        self.answers.iter().filter(fits).collect()
    }

    fn is_within(&self, choice: &Choice, answers: &Answers) -> bool {
        let Some(at) = self.position(&choice.factor, self.level(answers, &choice.factor)) else {
            return false;
        };
        // Nothing is before or behind a level that was left out.
        let is_at = |title: &Option<String>, is: &dyn Fn(usize) -> bool| {
            let Some(title) = title else { return true };
            self.position(&choice.factor, title).is_some_and(is)
        };
        is_at(&choice.first, &|first| first <= at) && is_at(&choice.last, &|last| at <= last)
    }

    fn level<'b>(&self, answers: &'b Answers, factor: &str) -> &'b str {
        let mut levels = answers.case.levels.iter();
        levels.find(|level| level.factor == factor).map_or("", |level| level.level.as_str())
    }

    fn position(&self, factor: &str, title: &str) -> Option<usize> {
        let factor = self.factors.iter().find(|other| other.name == factor)?;
        factor.levels.iter().position(|level| level.title() == title)
    }

    /// The cases, those together that differ only in a factor of which the figure names a range (or
    /// along which it goes): of these one must meet it, but of every group one must.
    pub(super) fn groups(&self, along: Option<&str>) -> Vec<Vec<&'a Answers>> {
        let mut groups: BTreeMap<Vec<&str>, Vec<&'a Answers>> = BTreeMap::new();
        for &answers in &self.cases {
            let is_open = |factor: &str| {
                Some(factor) != along && !self.chosen.iter().any(|c| c.factor == factor)
            };
            let levels = answers.case.levels.iter().filter(|level| is_open(&level.factor));
            let key = levels.map(|level| level.level.as_str()).collect();
            groups.entry(key).or_default().push(answers);
        }
        groups.into_values().collect()
    }

    /// The case that a ratio of this one is taken against: the same but for the factors named.
    pub(super) fn against(&self, of: &Answers) -> Option<&'a Answers> {
        let changed = self.against?;
        let is_changed = |factor: &str| changed.iter().any(|choice| choice.factor == factor);
        let same = |other: &&&Answers| {
            let levels = of.case.levels.iter().zip(&other.case.levels);
            let mut kept = levels.filter(|(level, _)| !is_changed(&level.factor));
            kept.all(|(level, other)| level == other)
        };
        let candidates = self.matching(&changed.iter().collect::<Vec<_>>());
        candidates.iter().find(same).copied()
    }

    /// For each selected case, the cases that differ from it in a factor only, in the order of its
    /// levels; for a trend within the range that is chosen, or over all levels.
    pub(super) fn along(&self, of: &Answers, factor: &str, everywhere: bool) -> Vec<&'a Answers> {
        let own: Vec<&Choice> =
            self.chosen.iter().filter(|c| !everywhere || c.factor != factor).collect();
        let same = |other: &&Answers| {
            let levels = of.case.levels.iter().zip(&other.case.levels);
            let mut kept = levels.filter(|(level, _)| level.factor != factor);
            kept.all(|(level, other)| level == other)
        };
        self.matching(&own).into_iter().filter(same).collect()
    }

    /// The levels of a case that a figure leaves open; none where it fixes all.
    pub(super) fn open_levels(&self, of: &Answers) -> Option<Note> {
        let is_fixed = |factor: &str| {
            let mut choices = self.chosen.iter();
            choices.any(|c| c.factor == factor && c.first.is_some() && c.first == c.last)
        };
        let levels = of.case.levels.iter().filter(|level| !is_fixed(&level.factor));
        let open = levels
            .map(|one| OpenLevel { factor: one.factor.clone(), level: one.level.clone() })
            .collect::<Vec<_>>();
        (!open.is_empty()).then_some(Note::Levels(open))
    }
}

/// What decides a case and no bound accounts for, from the analytic record.
pub(super) fn decisive(record: &Record) -> Vec<&str> {
    let warnings = record.warnings.iter();
    warnings.filter(|w| w.kind == super::NEEDS_SIMULATION).map(|w| w.text.as_str()).collect()
}

/// What decides who gets how much, and no bound accounts for: windows that grow as streams race.
pub(super) fn unfair(record: &Record) -> Vec<&str> {
    let left_out = record.bounds.iter().flat_map(|bound| &bound.leaves_out);
    let mut found: Vec<&str> =
        left_out.map(String::as_str).filter(|text| text.starts_with("readahead")).collect();
    found.dedup();
    found.truncate(1);
    found
}
