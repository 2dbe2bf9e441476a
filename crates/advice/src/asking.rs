//! Asks a model for builds: as few as show what else is short, and what the load keeps busy.

use std::collections::BTreeSet;

use crate::choice::{Choice, Region, up_to};
use crate::floors::{Busy, Floors};
use crate::search::{Answer, Builds, Model, Search};

/// A model, and what was learnt by asking.
pub(crate) struct Asking<'a> {
    choices: &'a [Choice],
    search: &'a Search<'a>,
    pub model: &'a mut dyn Model,
    pub asked: usize,
    /// All that were asked for.
    seen: BTreeSet<Vec<usize>>,
    /// What the last build that was short lacked.
    lacked: Vec<bool>,
    /// None where they are of no use.
    floors: Option<Floors<'a>>,
    /// Builds that were looked at for what they keep busy.
    probed: usize,
    is_contradicted: bool,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(search: &'a Search<'a>, model: &'a mut dyn Model) -> Self {
        Self {
            choices: search.choices,
            search,
            model,
            asked: 0,
            seen: BTreeSet::new(),
            lacked: vec![false; search.choices.len()],
            floors: Some(Floors::new(search.choices, search.counts)),
            probed: 0,
            is_contradicted: false,
        }
    }

    pub(crate) fn of(&mut self, build: &[usize]) -> Answer {
        let answer = self.model.answer(build);
        self.note_asked(build);
        answer
    }

    fn is_short(&mut self, build: &[usize]) -> bool {
        let is_short = self.model.is_short(build);
        self.note_asked(build);
        is_short
    }

    fn note_asked(&mut self, build: &[usize]) {
        self.asked += 1;
        if self.seen.insert(build.to_vec()) {
            self.learn(build);
        }
    }

    fn learn(&mut self, build: &[usize]) {
        if let Some(floors) = &mut self.floors
            && floors.has_probed(build)
            && let Some(busy) = self.model.busy(build)
        {
            self.is_contradicted |= floors.learn(build, &busy);
        }
    }

    pub(crate) fn floors(&self) -> Option<&Floors<'a>> {
        self.floors.as_ref()
    }

    /// What was found, and how.
    pub(crate) fn found(
        &self,
        builds: Vec<Vec<usize>>,
        rest_costs_at_least: Option<f64>,
    ) -> Builds {
        let by_busy = self.floors.as_ref().is_some_and(|floors| !floors.is_empty());
        Builds { builds, asked: self.asked, rest_costs_at_least, by_busy }
    }

    /// Leaves out what is known by floors; whether there were any.
    pub(crate) fn goes_on_without_floors(&mut self) -> bool {
        self.floors.take().is_some_and(|floors| !floors.is_empty())
    }

    /// Whether a build contradicted a floor since this was asked last.
    pub(crate) fn takes_contradiction(&mut self) -> bool {
        std::mem::take(&mut self.is_contradicted)
    }

    /// Learns floors for the alternatives of a build: not before as many builds were asked as that
    /// looks at, so that a search at most takes twice as long for it.
    pub(crate) fn learn_floors(&mut self, build: &[usize]) {
        let Some(floors) = &mut self.floors else { return };
        if floors.has_probed(build) {
            return;
        }
        let counts = self.choices.iter().filter(|choice| choice.is_more).count();
        let lowest = floors.lowest(build);
        let left = Some(floors.lowest_left(build)).filter(|left| *left != lowest);
        let firsts: Vec<Vec<usize>> = std::iter::once(lowest).chain(left).collect();
        let takes = firsts.len() * (1 + 2 * counts);
        if self.probed + takes > self.asked {
            return;
        }
        self.probed += takes;
        for first in firsts {
            let busy = self.model.busy(&first).unwrap_or_default();
            let mut others = Vec::new();
            for (choice, of) in self.choices.iter().enumerate().filter(|(_, of)| of.is_more) {
                let all = (first[choice] + 1)..of.levels;
                let ends = all.clone().take(1).chain(all.skip(1).last());
                let raised = |level| (choice, raised(self.model, &first, choice, level));
                others.extend(ends.map(raised));
            }
            floors.probe(&first, &busy, &others);
        }
        // What two counts change only together shows in builds that have more of both.
        self.seen.clone().iter().for_each(|build| self.learn(build));
    }

    /// All that is short because this build is: with as much as possible of everything. Builds
    /// that cost about the same lack the same, so all else is given at once first.
    pub(crate) fn short_up_to(&mut self, mut build: Vec<usize>) -> Region {
        let others = self.with_all_else(&build);
        if others != build && self.may_ask() && self.is_short(&others) {
            build = others;
        }
        for choice in 0..build.len() {
            if self.choices[choice].is_more {
                build[choice] = self.highest_short(&build, choice);
                self.lacked[choice] = build[choice] + 1 < self.choices[choice].levels;
            }
        }
        up_to(self.choices, &build)
    }

    fn may_ask(&self) -> bool {
        self.asked < self.search.most_asked
    }

    /// The build with the most of everything that the last one did not lack.
    fn with_all_else(&self, build: &[usize]) -> Vec<usize> {
        let most = |(at, level): (usize, &usize)| {
            let choice = &self.choices[at];
            if choice.is_more && !self.lacked[at] { choice.levels - 1 } else { *level }
        };
        build.iter().enumerate().map(most).collect()
    }

    /// The highest level of a choice at which a build that is short stays so. Of what the last one
    /// lacked one more is asked for first, of all else the most.
    fn highest_short(&mut self, build: &[usize], choice: usize) -> usize {
        let (mut short, mut beyond) = (build[choice], self.choices[choice].levels);
        let mut at = if self.lacked[choice] { short + 1 } else { beyond - 1 };
        while short + 1 < beyond && self.may_ask() {
            let mut more = build.to_vec();
            more[choice] = at;
            if self.is_short(&more) {
                short = at;
            } else {
                beyond = at;
            }
            at = usize::midpoint(short, beyond);
        }
        short
    }
}

/// What a build keeps busy with one choice raised: to this level, or the highest lower one with
/// which it can be made, half at a time.
fn raised(
    model: &mut dyn Model,
    first: &[usize],
    choice: usize,
    mut level: usize,
) -> Option<Vec<Busy>> {
    while level > first[choice] {
        let mut build = first.to_vec();
        build[choice] = level;
        if let Some(busy) = model.busy(&build) {
            return Some(busy);
        }
        level = usize::midpoint(first[choice], level);
    }
    None
}
