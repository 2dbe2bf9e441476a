//! Builds that have fewer of a component than what is needed keeps busy: short, without asking.
//!
//! Law: a load keeps as many components busy as its rate times what each request demands of them
//! over what one serves with (utilisation law; Denning and Buzen, ACM Computing Surveys 10, 1978).
//! With fewer it is not carried, however it spreads.
//!
//! What a request demands may follow from what is chosen: a write to a RAID from its width, the
//! share of one adapter from the number of others. So the number is known only for builds with the
//! same alternatives, and with the same counts of what it was seen to follow from: for each
//! combination of alternatives, by raising one count at a time. Each build that is asked later is
//! compared with what is known; a limit that contradicts it is not judged by any more. Left out:
//! what two counts change only together, until a build is asked that shows it.

use std::collections::BTreeMap;

use crate::choice::Choice;
use crate::count::Count;

/// How many of a component are busy at least with what is needed, by one of its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Busy {
    /// Which component, by its place in [`crate::Search::counts`].
    pub component: usize,
    /// Which of its limits: the same number in all builds.
    pub limit: usize,
    /// How many.
    pub least: f64,
    /// What that follows from: what requests of each kind demand.
    pub demands: Vec<f64>,
}

/// What is known of all components.
pub(crate) struct Floors<'a> {
    choices: &'a [Choice],
    counts: &'a [Count],
    /// By alternatives: what each limit follows from. Nothing of a limit that contradicted itself.
    follows: BTreeMap<Vec<usize>, BTreeMap<Limit, Option<Follows>>>,
    known: BTreeMap<(Limit, At), (Floor, Vec<f64>)>,
}

/// What a limit was seen to follow from.
struct Follows {
    /// The build that was raised to see it: of builds with less, nothing is known.
    from: Vec<usize>,
    /// By choice.
    on: Vec<bool>,
}

/// A component and which of its limits.
type Limit = (usize, usize);

/// By choice, the level that something is known for; none where that does not matter.
type At = Vec<Option<usize>>;

/// How many of a component there must be at least in some builds.
pub(crate) struct Floor {
    component: usize,
    at: At,
    /// The levels from which on it was looked at: below them, requests may go another way.
    from: Vec<usize>,
    least: f64,
}

/// Numbers that differ by less, as a share, are equal: sums over components in binary fractions.
const EQUAL: f64 = 1e-6;

impl<'a> Floors<'a> {
    /// Nothing known yet.
    pub(crate) fn new(choices: &'a [Choice], counts: &'a [Count]) -> Self {
        Self { choices, counts, follows: BTreeMap::new(), known: BTreeMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open().is_empty()
    }

    /// Whether it was seen what follows from what with the alternatives of a build.
    pub(crate) fn has_probed(&self, build: &[usize]) -> bool {
        self.follows.contains_key(&alternatives(build, self.choices))
    }

    /// The build with the fewest of everything, and the alternatives of another one.
    pub(crate) fn lowest(&self, build: &[usize]) -> Vec<usize> {
        let lowest = |(level, choice): (&usize, &Choice)| if choice.is_more { 0 } else { *level };
        build.iter().zip(self.choices).map(lowest).collect()
    }

    /// The same with as many as leave some of all that may fail: of nothing, nothing can be learnt.
    pub(crate) fn lowest_left(&self, build: &[usize]) -> Vec<usize> {
        let mut lowest = self.lowest(build);
        for count in self.counts.iter().filter(|count| count.may_fail()) {
            // A factor that comes later usually counts what is within the others.
            for (at, choice) in self.choices.iter().enumerate().rev() {
                let is_left = |level: &usize| {
                    let mut build = lowest.clone();
                    build[at] = *level;
                    count.at_most(&build) > 0.0
                };
                let mut levels = lowest[at]..if choice.is_more { choice.levels } else { 0 };
                lowest[at] = levels.find(is_left).unwrap_or(lowest[at]);
            }
        }
        lowest
    }

    /// Learns what follows from what: of a build, and of others that differ from it in one choice;
    /// from a choice of which a build says nothing, everything may follow.
    pub(crate) fn probe(
        &mut self,
        build: &[usize],
        busy: &[Busy],
        others: &[(usize, Option<Vec<Busy>>)],
    ) {
        let limits = self.follows.entry(alternatives(build, self.choices)).or_default();
        for one in busy {
            let mut on: Vec<bool> = self.choices.iter().map(|choice| !choice.is_more).collect();
            for (choice, other) in others {
                let same = other.iter().flatten().find(|other| other.key() == one.key());
                on[*choice] |= same.is_none_or(|same| !equal(&same.demands, &one.demands));
            }
            limits.entry(one.key()).or_insert_with(|| Some(Follows { from: build.to_vec(), on }));
        }
        self.learn(build, busy);
    }

    /// Adds what a build keeps busy; whether that contradicts what was known.
    pub(crate) fn learn(&mut self, build: &[usize], busy: &[Busy]) -> bool {
        let Some(limits) = self.follows.get_mut(&alternatives(build, self.choices)) else {
            return false;
        };
        let mut contradicted = Vec::new();
        for one in busy {
            let Some(Some(follows)) = limits.get(&one.key()) else { continue };
            if build.iter().zip(&follows.from).any(|(level, from)| level < from) {
                continue;
            }
            let level = |(level, follows): (&usize, &bool)| follows.then_some(*level);
            let at: At = build.iter().zip(&follows.on).map(level).collect();
            match self.known.get(&(one.key(), at.clone())) {
                Some((_, known)) if equal(known, &one.demands) => {}
                Some(_) => contradicted.push(one.key()),
                None => {
                    let (component, least, from) = (one.component, one.least, follows.from.clone());
                    let floor = Floor { component, at: at.clone(), from, least };
                    self.known.insert((one.key(), at), (floor, one.demands.clone()));
                }
            }
        }
        for key in &contradicted {
            limits.insert(*key, None);
            self.known.retain(|(limit, at), _| limit != key || !is_of(at, build, self.choices));
        }
        !contradicted.is_empty()
    }

    /// Those that some build may be below, but for those that say something of one build only.
    pub(crate) fn open(&self) -> Vec<&Floor> {
        let may_lack = |floor: &&Floor| {
            floor.at.iter().any(Option::is_none)
                && self.counts[floor.component].at_least(&[]) < floor.least
        };
        self.known.values().map(|(floor, _)| floor).filter(may_lack).collect()
    }

    /// Whether all builds that begin with these levels have too few.
    pub(crate) fn are_short(&self, floor: &Floor, begun: &[usize]) -> bool {
        let is_any = |(at, from): (&Option<usize>, &usize)| at.is_none() && *from == 0;
        let is_for_all = floor.at.iter().zip(&floor.from).skip(begun.len()).all(is_any);
        is_for_all && self.counts[floor.component].at_most(begun) < floor.least * (1.0 - EQUAL)
    }
}

impl Floor {
    /// Whether it says something of builds with this level.
    pub(crate) fn is_of(&self, choice: usize, level: usize) -> bool {
        level >= self.from[choice] && self.at[choice].is_none_or(|of| of == level)
    }
}

impl Busy {
    fn key(&self) -> Limit {
        (self.component, self.limit)
    }
}

/// The levels of a build that are alternatives.
fn alternatives(build: &[usize], choices: &[Choice]) -> Vec<usize> {
    let levels = build.iter().zip(choices);
    levels.filter(|(_, choice)| !choice.is_more).map(|(level, _)| *level).collect()
}

/// Whether something is known for the alternatives of a build.
fn is_of(at: &At, build: &[usize], choices: &[Choice]) -> bool {
    let all = at.iter().zip(build).zip(choices);
    all.into_iter().all(|((at, level), choice)| choice.is_more || *at == Some(*level))
}

fn equal(one: &[f64], other: &[f64]) -> bool {
    let equal =
        |(one, other): (&f64, &f64)| (one - other).abs() <= EQUAL * one.abs().max(other.abs());
    one.len() == other.len() && one.iter().zip(other).all(equal)
}
