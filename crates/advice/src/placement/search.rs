//! The best placement: uphill by single steps, from today's and from places by chance.
//!
//! Of the steps from a placement the one that carries most is taken, until none carries more. Where
//! steps carry the same, those behind them are looked at, too ([`PATIENCE`]): some gain only
//! together. Before that, those that talk are brought together, which needs no prediction. Units
//! take turns until none finds anything. It leaves out steps of two units at once, which the starts
//! at random stand in for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Assignment, Unit};

/// How many placements as good as the best are looked behind before a search ends (chosen).
const PATIENCE: usize = 12;

/// Bounds that differ by less are the same, as a share (chosen, above the solver's tolerance).
const SAME: f64 = 1e-6;

/// Where things are placed.
pub trait Site {
    /// The units with these assignments: the same ones, told apart as they are then.
    fn units(&mut self, of: &[Assignment]) -> Vec<Unit>;

    /// What a placement carries; none where it is impossible.
    fn bound(&mut self, of: &[Assignment]) -> Option<f64>;
}

/// Where searches begin besides today's placement.
#[derive(Clone, Copy, Debug)]
pub struct Starts {
    /// How many placements at random.
    pub number: usize,
    /// What they are drawn by.
    pub seed: u64,
}

/// How good a placement is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// What it carries; none where it is impossible.
    pub bound: Option<f64>,
    /// How far apart are those that talk to one another.
    pub strain: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Where everything is, unit by unit; as today where nothing carries more.
    pub assignments: Vec<Assignment>,
    /// How good that is.
    pub value: Value,
    /// How good today's placement is.
    pub today: Value,
    /// How many of the starts at random came to a placement that is as good.
    pub reached: usize,
}

impl Value {
    /// Whether it carries more, or as much with less strain.
    #[must_use]
    pub fn is_better(&self, other: &Self) -> bool {
        match self.carries_more(other) {
            true => true,
            false => !other.carries_more(self) && self.strain < other.strain,
        }
    }

    /// Whether it carries more.
    #[must_use]
    pub fn carries_more(&self, other: &Self) -> bool {
        match (self.bound, other.bound) {
            (Some(own), Some(other)) => own > other * (1.0 + SAME),
            (own, other) => own.is_some() && other.is_none(),
        }
    }
}

/// Searches the best placement.
pub fn best(units: &[Unit], starts: Starts, site: &mut dyn Site) -> Best {
    let today: Vec<Assignment> = units.iter().map(Unit::today).collect();
    let known = BTreeMap::new();
    let enough = Value { bound: None, strain: u64::MAX };
    let mut search = Search { units, site, known, enough };
    let value = search.value(&today);
    let mut found = vec![search.uphill(today.clone())];
    let mut source = SplitMix64::seed_from_u64(starts.seed);
    for _ in 0..starts.number {
        let start = units.iter().map(|unit| unit.random(&mut source)).collect();
        found.push(search.uphill(start));
    }
    found.extend(search.behind(&found));
    let best = highest(&found).value;
    let is_best = |one: &&Top| !best.is_better(&one.value);
    let started = found[1..].iter().take(starts.number);
    let reached = started.filter(|one| !best.carries_more(&one.value)).count();
    let mut aligned = |top: &Top| -> Vec<Assignment> {
        let at: Vec<Assignment> =
            units.iter().zip(&top.at).map(|(unit, at)| unit.aligned(at)).collect();
        // Groups that look equal may differ in what else hangs on them.
        if best.is_better(&search.value(&at)) { top.at.clone() } else { at }
    };
    // What was found from today's comes first: it has no step without a gain.
    let nearest = found.iter().filter(is_best).map(&mut aligned);
    let nearest = nearest.min_by_key(|at| moved(units, at));
    let assignments = match best.carries_more(&value) {
        true => nearest.unwrap_or_default(),
        false => today,
    };
    Best { assignments, value: best, today: value, reached }
}

/// The best of some; the first where several are.
fn highest(found: &[Top]) -> &Top {
    found
        .iter()
        .fold(&found[0], |best, one| if one.value.is_better(&best.value) { one } else { best })
}

/// How many are not where they are today.
fn moved(units: &[Unit], at: &[Assignment]) -> usize {
    let differing = |(unit, at): (&Unit, &Assignment)| {
        unit.today().iter().zip(at).map(|(one, other)| one.abs_diff(*other).min(1)).sum::<usize>()
    };
    units.iter().zip(at).map(differing).sum()
}

/// Below a number that is not 0.
pub(super) fn below(source: &mut SplitMix64, number: usize) -> usize {
    // The share of 2^64 that is left over is too small to matter.
    usize::try_from(source.next_u64() % number.max(1) as u64).unwrap_or(0)
}

/// Brings those of a unit together that talk, for as long as a step does.
fn together(unit: &Unit, mut at: Assignment) -> Assignment {
    loop {
        let strain = unit.strain(&at);
        if strain == 0 {
            return at;
        }
        let after = unit.steps(&at).into_iter().map(|step| step.after(&at));
        let Some(least) = after.min_by_key(|after| unit.strain(after)) else { return at };
        if unit.strain(&least) >= strain {
            return at;
        }
        at = least;
    }
}

/// A placement from which no step leads up.
struct Top {
    at: Vec<Assignment>,
    value: Value,
}

/// A unit and where everything else is: what one key of the unit stands for.
type Around = (usize, Vec<Assignment>);

struct Search<'a> {
    units: &'a [Unit],
    site: &'a mut dyn Site,
    /// By what is around it and by key, what a unit's assignment carries.
    known: BTreeMap<Around, BTreeMap<u64, Option<f64>>>,
    /// The best so far.
    enough: Value,
}

impl Search<'_> {
    /// What is behind the best, where no other search has found that there is more: all may have
    /// ended where two steps gain only together.
    fn behind(&mut self, found: &[Top]) -> Option<Top> {
        let best = highest(found);
        self.enough = Value { bound: Some(f64::INFINITY), strain: 0 };
        let behind = self.uphill(best.at.clone());
        behind.value.is_better(&best.value).then_some(behind)
    }

    /// Units take turns for as long as any finds something better.
    fn uphill(&mut self, start: Vec<Assignment>) -> Top {
        let units = self.units.iter().zip(&start);
        let near: Vec<Assignment> = units.map(|(unit, at)| together(unit, at.clone())).collect();
        let is_worse = self.value(&start).is_better(&self.value(&near));
        let mut at = if is_worse { start } else { near };
        let mut rest = self.units.len();
        for turn in (0..self.units.len()).cycle() {
            if rest == 0 {
                break;
            }
            let better = self.turn(turn, &at);
            rest = if better.is_some() { self.units.len() - 1 } else { rest - 1 };
            if let Some(better) = better {
                at[turn] = better;
            }
        }
        let value = self.value(&at);
        if value.is_better(&self.enough) {
            self.enough = value;
        }
        Top { at, value }
    }

    /// What a placement is worth, asked for itself.
    fn value(&mut self, at: &[Assignment]) -> Value {
        let strain = self.units.iter().zip(at).map(|(unit, at)| unit.strain(at)).sum();
        Value { bound: self.site.bound(at), strain }
    }

    /// A better assignment of one unit.
    fn turn(&mut self, turn: usize, at: &[Assignment]) -> Option<Assignment> {
        let unit = self.site.units(at).into_iter().nth(turn)?;
        let mut others = at.to_vec();
        others[turn].clear();
        let known = self.known.remove(&(turn, others.clone())).unwrap_or_default();
        let rest = self.units.iter().zip(at).enumerate().filter(|(place, _)| *place != turn);
        let mut climb = Climb {
            unit: &unit,
            turn,
            all: at.to_vec(),
            others: rest.map(|(_, (unit, at))| unit.strain(at)).sum(),
            enough: self.enough,
            site: self.site,
            known,
        };
        let start = at[turn].clone();
        let top = climb.top(&start);
        let better = climb.value(&top).is_better(&climb.value(&start));
        let known = climb.known;
        self.known.insert((turn, others), known);
        better.then_some(top)
    }
}

/// The way up of one unit.
struct Climb<'a> {
    unit: &'a Unit,
    turn: usize,
    all: Vec<Assignment>,
    site: &'a mut dyn Site,
    known: BTreeMap<u64, Option<f64>>,
    /// The strain of all other units.
    others: u64,
    /// The best that other searches have found: nothing is looked for behind what is as good.
    enough: Value,
}

impl Climb<'_> {
    fn top(&mut self, start: &Assignment) -> Assignment {
        let mut top = start.clone();
        while let Some(higher) = self.higher(&top) {
            top = higher;
        }
        top
    }

    /// The best of the steps that lead up, else of those behind placements that are as good. None
    /// is looked for where all is together that talks, and another search found nothing better.
    fn higher(&mut self, from: &Assignment) -> Option<Assignment> {
        let floor = self.value(from);
        let is_enough = !self.enough.is_better(&floor);
        if is_enough && self.unit.talks() && self.unit.strain(from) == 0 {
            return None;
        }
        let patience = if is_enough { 1 } else { PATIENCE };
        let mut seen = BTreeSet::from([self.unit.key(from)]);
        let mut level = VecDeque::from([from.clone()]);
        for _ in 0..patience {
            let next = level.pop_front()?;
            let mut best: Option<(Value, Assignment)> = None;
            for step in self.unit.steps(&next) {
                let after = step.after(&next);
                let value = self.value(&after);
                if value.is_better(best.as_ref().map_or(&floor, |(best, _)| best)) {
                    best = Some((value, after));
                } else if !floor.is_better(&value) && seen.insert(self.unit.key(&after)) {
                    level.push_back(after);
                }
            }
            if let Some((_, best)) = best {
                return Some(best);
            }
        }
        None
    }

    /// What an assignment of the unit is worth; asked once of those that come to the same.
    fn value(&mut self, at: &Assignment) -> Value {
        let key = self.unit.key(at);
        let strain = self.others + self.unit.strain(at);
        let bound = match self.known.get(&key) {
            Some(bound) => *bound,
            None => {
                self.all[self.turn].clone_from(at);
                let bound = self.site.bound(&self.all);
                self.known.insert(key, bound);
                bound
            }
        };
        Value { bound, strain }
    }
}
