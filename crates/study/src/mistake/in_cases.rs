//! Mistakes that only some cases of an experiment have, each place once: 25 to 32 drives in 24
//! slots are one mistake, with the levels that lead to it and those that do not.

use std::collections::BTreeMap;

use super::{Collected, MistakeKind, Raised};
use crate::print::quoted;
use crate::source::Span;
use crate::vary::{Factor, Level};

/// The mistakes of the cases looked at so far.
pub(crate) struct InCases<'a> {
    factors: &'a [Factor],
    seen: Tally,
    found: BTreeMap<Same, Found>,
}

/// What mistakes of two cases have in common: all but the numbers in their messages. Those of one
/// case differ by their order.
type Same = (Span, MistakeKind, String, usize);

struct Found {
    raised: Raised,
    /// The levels of the first case that has it, by their places.
    first: Vec<usize>,
    tally: Tally,
}

/// How many cases, and how many of each level of each factor.
struct Tally {
    cases: usize,
    levels: Vec<Vec<usize>>,
}

impl Tally {
    fn of(factors: &[Factor]) -> Self {
        let levels = factors.iter().map(|factor| vec![0; factor.levels.len()]);
        Self { cases: 0, levels: levels.collect() }
    }

    fn count(&mut self, places: &[usize]) {
        self.cases += 1;
        for (levels, place) in self.levels.iter_mut().zip(places) {
            levels[*place] += 1;
        }
    }
}

impl<'a> InCases<'a> {
    pub(crate) fn new(factors: &'a [Factor]) -> Self {
        Self { factors, seen: Tally::of(factors), found: BTreeMap::new() }
    }

    /// Mistakes at different places.
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// Adds what is wrong with the case of these levels.
    pub(crate) fn add(&mut self, places: &[usize], mut wrong: Collected) {
        self.seen.count(places);
        wrong.tidy();
        let mut orders: BTreeMap<(Span, MistakeKind, String), usize> = BTreeMap::new();
        for raised in wrong.0 {
            let message = raised.message.replace(|c: char| c.is_ascii_digit(), "");
            let order = orders.entry((raised.span, raised.kind, message.clone())).or_default();
            let same = (raised.span, raised.kind, message, *order);
            *order += 1;
            let new = || Found { raised, first: places.to_vec(), tally: Tally::of(self.factors) };
            self.found.entry(same).or_insert_with(new).tally.count(places);
        }
    }

    /// The mistakes, each with the cases that have it where others do not, and how to choose these.
    pub(crate) fn into_collected(self, choice: CaseChoice) -> Collected {
        let Self { factors, seen, found } = self;
        let mistakes = found.into_values().map(|found| match found.tally.cases < seen.cases {
            true if !is_at_level(factors, found.raised.span) => found.raise(factors, &seen, choice),
            _ => found.raised,
        });
        Collected(mistakes.collect())
    }
}

/// Whether cases can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseChoice {
    /// By `--case`.
    Names,
    /// Not by this command.
    All,
}

impl Found {
    fn raise(mut self, factors: &[Factor], seen: &Tally, choice: CaseChoice) -> Raised {
        let name = |factor: &Factor, level: usize| {
            quoted(&format!("{}={}", factor.name, factor.levels[level].title()))
        };
        let explains = |at: &usize| self.tally.levels[*at].iter().zip(&seen.levels[*at]);
        let by_itself = |at: &usize| explains(at).all(|(wrong, seen)| *wrong == 0 || wrong == seen);
        let Some(at) = (0..factors.len()).find(by_itself) else {
            let levels =
                factors.iter().zip(&self.first).map(|(factor, level)| name(factor, *level));
            let more = more(self.tally.cases - 1, "case");
            let levels: Vec<String> = levels.collect();
            self.raised.message.push_str(&format!(" (where {}{more})", levels.join(", ")));
            return self.raised;
        };
        let levels = explains(&at).filter(|(wrong, _)| **wrong > 0).count();
        let first = name(&factors[at], self.first[at]);
        self.raised.message.push_str(&format!(" (where {first}{})", more(levels - 1, "level")));
        let right = explains(&at).position(|(wrong, seen)| *wrong == 0 && *seen > 0);
        if let (CaseChoice::Names, Some(right)) = (choice, right) {
            let other = format!("choose other cases: --case {}", name(&factors[at], right));
            let hint = self.raised.hint.take();
            self.raised.hint =
                Some(hint.map_or(other.clone(), |hint| format!("{hint}, or {other}")));
        }
        self.raised
    }
}

fn more(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!(" or 1 more {what}"),
        _ => format!(" or {count} more {what}s"),
    }
}

/// Whether a mistake is at a level, which says by itself which cases have it.
fn is_at_level(factors: &[Factor], span: Span) -> bool {
    let is_at = |level: &Level| {
        level.entry.span == span || level.edits.iter().any(|edit| edit.value.span == span)
    };
    factors.iter().flat_map(|factor| &factor.levels).any(is_at)
}
