//! The next upgrades: raise what binds until something else does, name that, and so on.
//!
//! A step takes the dearest group out of the way and finds the shares again. What it then uses is
//! how much is worth having: more gives nothing, and exactly so much gives the same shares. Where
//! no group alone gives anything, co-bottlenecks are raised together, and those of them that end
//! up using no more than they have are left as they are. Each step stands on those before; what
//! was raised before and is used more now is raised again with it.
//!
//! It leaves out prices in money and what cannot be bought.

use crate::fill::{Shares, TIE};
use crate::model::Model;
use crate::prices::{Binding, binding, groups, ppm};
use crate::terms::{Group, Terms, What};

/// How many steps are told (the record's format has room for three).
const STEPS: usize = 3;

/// How much more is taken of something where nothing else that is described would bind: chosen.
const WITHOUT_END: f64 = 2.0;

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// What is raised, and to how much.
    pub raise: Vec<(Group, f64)>,
    /// What everybody gets then.
    pub rates: Vec<f64>,
    /// What binds then.
    pub then_binds: Vec<Group>,
}

/// The next steps from a solution and what binds it.
pub(crate) fn ladder(model: &Model<'_>, terms: &Terms, found: (Shares, Vec<Binding>)) -> Vec<Step> {
    let mut ladder =
        Ladder { model, bought: terms.clone(), open: terms.clone(), raised: Vec::new() };
    let (mut shares, mut binds) = found;
    let mut steps = Vec::new();
    while steps.len() < STEPS {
        let Some((step, next)) = ladder.step(&shares, &binds) else { break };
        let is_last = step.then_binds.is_empty();
        steps.push(step);
        if is_last {
            break;
        }
        binds = binding(model, &ladder.open, &next);
        shares = next;
    }
    steps
}

/// Where the ladder stands.
struct Ladder<'a> {
    model: &'a Model<'a>,
    /// The terms with everything raised to what was told.
    bought: Terms,
    /// The same with everything raised out of the way.
    open: Terms,
    /// What was raised.
    raised: Vec<Group>,
}

impl Ladder<'_> {
    fn step(&mut self, shares: &Shares, binds: &[Binding]) -> Option<(Step, Shares)> {
        let before = self.total(&shares.rates);
        let raisable = binds.iter().filter(|binding| binding.group.what != What::Wanted);
        let alone = raisable.clone().take(1).filter(|binding| ppm(binding.price) > 0);
        let chosen: Vec<&Binding> = match alone.collect::<Vec<_>>() {
            alone if alone.is_empty() => raisable.collect(),
            alone => alone,
        };
        let mut open = self.open.clone();
        for binding in &chosen {
            open = open.without(&binding.group);
        }
        let next = open.solve(&self.model.demand);
        let after = self.total(&next.rates);
        if !after.is_finite() {
            return self.without_end(&chosen);
        }
        if after <= before * (1.0 + TIE) {
            return None;
        }
        self.open = open;
        self.raised.extend(chosen.iter().map(|binding| binding.group.clone()));
        let raise = self.raise(&next);
        let then_binds = groups(self.model, &self.open, &next);
        Some((Step { raise, rates: next.rates.clone(), then_binds }, next))
    }

    fn total(&self, rates: &[f64]) -> f64 {
        self.model.demand.bytes_per_sec(rates)
    }

    /// Of everything raised so far, what is used beyond what there is.
    fn raise(&mut self, shares: &Shares) -> Vec<(Group, f64)> {
        let mut raise = Vec::new();
        for group in &self.raised {
            let (has, wants) = (self.has(group), self.wants(group, shares));
            if wants > has * (1.0 + TIE) {
                raise.push((group.clone(), wants));
            }
        }
        for (group, to) in &raise {
            self.buy(group, *to);
        }
        raise
    }

    /// How much of a group there is, in its limit's own measure.
    fn has(&self, group: &Group) -> f64 {
        let at = group.members[0] as usize;
        match group.what {
            What::Limits => self.bought.capacity[at],
            What::Depth => self.bought.weights[at],
            What::Wanted => self.bought.wanted[at],
        }
    }

    /// How much of a group is used, by the one that uses most.
    fn wants(&self, group: &Group, shares: &Shares) -> f64 {
        let used = |member: &u32| match group.what {
            What::Limits => shares.used[*member as usize],
            What::Depth => self.in_flight(shares, *member as usize),
            What::Wanted => shares.rates[*member as usize],
        };
        group.members.iter().map(used).fold(0.0, f64::max)
    }

    /// Requests that a rate keeps in flight (Little), whole ones.
    fn in_flight(&self, shares: &Shares, class: usize) -> f64 {
        let seconds = self.bought.weights[class] / self.bought.depth[class];
        (shares.rates[class] * seconds * (1.0 - TIE)).ceil()
    }

    fn buy(&mut self, group: &Group, to: f64) {
        for member in group.members.iter().map(|member| *member as usize) {
            match group.what {
                What::Limits => self.bought.capacity[member] = to,
                What::Depth => {
                    self.bought.depth[member] *= to / self.bought.weights[member];
                    self.bought.weights[member] = to;
                }
                What::Wanted => self.bought.wanted[member] = to,
            }
        }
    }

    /// Nothing else would bind: there is no breakpoint to raise to.
    fn without_end(&mut self, chosen: &[&Binding]) -> Option<(Step, Shares)> {
        for binding in chosen {
            self.open = self.open.raised(&binding.group, WITHOUT_END);
            self.raised.push(binding.group.clone());
        }
        let next = self.open.solve(&self.model.demand);
        let raise = self.raise(&next);
        let step = Step { raise, rates: next.rates.clone(), then_binds: Vec::new() };
        let is_step = !step.raise.is_empty() && self.total(&next.rates).is_finite();
        is_step.then_some((step, next))
    }
}
