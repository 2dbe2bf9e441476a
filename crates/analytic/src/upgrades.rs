//! The next upgrades: raise what binds until something else does, name that, and so on.
//!
//! A step takes the dearest group out of the way and finds the shares again. What it then uses is
//! how much is worth having: more gives nothing, and exactly so much gives the same shares. Where
//! no group alone gives anything, co-bottlenecks are raised together, and those of them that end
//! up using no more than they have are left as they are. Each step stands on those before; what
//! was raised before and is used more now is raised again with it.
//!
//! What is raised also serves with what is used of it, which decides how long requests take
//! ([`crate::settle`]); found from above, by repeated setting. What a step promises is what
//! everybody gets on the terms as they are then.
//!
//! It leaves out prices in money and what cannot be bought.

use crate::fill::{Shares, TIE};
use crate::model::Model;
use crate::prices::{Binding, binding, ppm};
use crate::settle::follows;
use crate::terms::{Group, Law, Terms, What};

/// What a step raises, each to how much.
type Bill = Vec<(Group, f64)>;

/// How many steps are told (the record's format has room for three).
const STEPS: usize = 3;

/// How much more is taken of something where nothing else that is described would bind: chosen.
const WITHOUT_END: f64 = 2.0;

/// From so many times of what there is on a raise is as if nothing else would bind: nobody buys
/// that in one step, however far away the processor time of a request is. Chosen.
const OUT_OF_REACH: f64 = 50.0;

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// What is raised, and to how much.
    pub raise: Bill,
    /// What everybody gets then.
    pub rates: Vec<f64>,
    pub then_binds: Vec<Group>,
}

/// How often what serves is set to what is used before it is taken for settled (chosen: with
/// Aitken's steps it is within rounding after five; what is promised holds in any case).
const ROUNDS: usize = 9;

/// The next steps from a solution and what binds it.
pub(crate) fn upgrades(
    model: &Model<'_>,
    terms: &Terms,
    found: (Shares, Vec<Binding>),
) -> Vec<Step> {
    let (shares, mut binds) = found;
    let total = model.demand.bytes_per_sec(&shares.rates);
    let mut raised =
        Upgrades { model, bought: terms.clone(), open: terms.clone(), raised: Vec::new(), total };
    let mut steps = Vec::new();
    while steps.len() < STEPS {
        let Some((next, step)) = raised.step(&binds) else { break };
        raised = next;
        binds = step.binds;
        let then_binds: Vec<Group> = binds.iter().map(|binding| binding.group.clone()).collect();
        let is_last = then_binds.is_empty();
        steps.push(Step { raise: step.raise, rates: step.rates, then_binds });
        if is_last {
            break;
        }
    }
    steps
}

/// What was raised so far.
#[derive(Clone)]
struct Upgrades<'a> {
    model: &'a Model<'a>,
    /// The terms with everything raised to what was told.
    bought: Terms,
    /// The same with everything raised out of the way, but serving as it does.
    open: Terms,
    /// What was raised.
    raised: Vec<Group>,
    /// Bytes per second with what was told.
    total: f64,
}

/// A step, and what binds after it.
struct Taken {
    raise: Bill,
    rates: Vec<f64>,
    binds: Vec<Binding>,
}

impl Upgrades<'_> {
    fn step(&self, binds: &[Binding]) -> Option<(Self, Taken)> {
        // Parts give little where flushes give most.
        if binds.first().is_some_and(|dearest| dearest.group.what == What::Flush) {
            return None;
        }
        // What streams ask for, and their having one thread, is no part to buy.
        let is_part = |what| matches!(what, What::Limits | What::Depth);
        let raisable = binds.iter().filter(|binding| is_part(binding.group.what));
        let alone = raisable.clone().take(1).filter(|binding| ppm(binding.price) > 0);
        let chosen: Vec<&Group> = match alone.collect::<Vec<_>>() {
            alone if alone.is_empty() => raisable.map(|binding| &binding.group).collect(),
            alone => alone.into_iter().map(|binding| &binding.group).collect(),
        };
        let mut next = self.clone();
        for group in &chosen {
            next.take_away(group);
        }
        let is_alone = chosen.len() == 1;
        match next.settle().filter(|shares| !next.is_out_of_reach(shares)) {
            None => self
                .without_end(&chosen)
                .map(|(next, raise, rates)| (next, Taken { raise, rates, binds: Vec::new() })),
            Some(shares) => {
                let taken = next.buy(&shares).map(|(raise, rates)| (next, raise, rates));
                let taken = match taken {
                    None if is_alone => self.without_end(&chosen),
                    taken => taken,
                };
                taken.map(|(next, raise, rates)| {
                    let binds =
                        binding(self.model, &next.open, &next.open.solve(&self.model.demand));
                    (next, Taken { raise, rates, binds })
                })
            }
        }
    }

    /// Whether something is used more than anybody would raise it to.
    fn is_out_of_reach(&self, shares: &Shares) -> bool {
        let capacities = self.raised.iter().filter(|group| group.what == What::Limits);
        let mut growth = capacities.map(|group| self.wants(group, shares) / self.has(group));
        growth.any(|growth| growth > OUT_OF_REACH)
    }

    /// Takes a group out of the way.
    fn take_away(&mut self, group: &Group) {
        self.open = self.open.without(group);
        self.raised.push(group.clone());
    }

    /// What everybody gets when of everything raised there is what is used of it; `None` where
    /// there is no end to it.
    fn settle(&mut self) -> Option<Shares> {
        // From above, so that what is used only falls until it is what serves.
        for group in self.raised.iter().filter(|group| group.what == What::Limits) {
            for member in &group.members {
                self.open.service.served[*member as usize] = f64::INFINITY;
            }
        }
        self.open = self.model.settled(self.open.clone());
        let mut shares = self.open.solve(&self.model.demand);
        let mut before: Vec<Vec<f64>> = Vec::new();
        for _ in 0..ROUNDS {
            if !self.model.demand.bytes_per_sec(&shares.rates).is_finite() {
                return None;
            }
            if self.open.service.law == Law::Split {
                break;
            }
            let wants =
                self.raised.iter().map(|group| self.wants(group, &shares).max(self.has(group)));
            let wants: Vec<f64> = wants.collect();
            let is_settled = before.last().is_some_and(|last| {
                last.iter().zip(&wants).all(|(one, other)| (one - other).abs() <= TIE * other)
            });
            if is_settled {
                break;
            }
            before.push(wants);
            if let [.., first, second, third] = &before[..] {
                let ends: Vec<f64> = first
                    .iter()
                    .zip(second)
                    .zip(third)
                    .map(|((first, second), third)| aitken([*first, *second, *third]))
                    .collect();
                before = vec![ends];
            }
            self.serve(before.last().map_or(&[], Vec::as_slice));
            shares = self.open.solve(&self.model.demand);
        }
        Some(shares)
    }

    /// Lets everything raised serve with so much.
    fn serve(&mut self, to: &[f64]) {
        let mut is_settled = true;
        for (group, to) in self.raised.iter().zip(to) {
            let to = to.max(self.has(group));
            let list = match group.what {
                What::Limits => &mut self.open.service.served,
                What::Depth => &mut self.open.weights,
                What::Wanted | What::Thread | What::Flush => continue,
            };
            let now = list[group.members[0] as usize];
            group.members.iter().for_each(|member| list[*member as usize] = to);
            let is_new = (now - to).abs() > TIE * to || !now.is_finite();
            is_settled &= !is_new || (to > now && !follows(&self.open, group));
        }
        if !is_settled {
            self.open = self.model.settled(self.open.clone());
        }
    }

    /// Of everything raised so far, as much as is used; none where that gives nothing.
    fn buy(&mut self, shares: &Shares) -> Option<(Bill, Vec<f64>)> {
        let wants = self.raised.iter().map(|group| (group.clone(), self.wants(group, shares)));
        let wants: Bill =
            wants.filter(|(group, wants)| *wants > self.has(group) * (1.0 + TIE)).collect();
        self.pay(wants)
    }

    fn pay(&mut self, raise: Bill) -> Option<(Bill, Vec<f64>)> {
        for (group, to) in &raise {
            let factor = to / self.has(group);
            self.bought = self.bought.raised(group, factor);
        }
        self.bought = self.model.settled(self.bought.clone());
        let rates = self.bought.solve(&self.model.demand).rates;
        let total = self.model.demand.bytes_per_sec(&rates);
        let is_more = !raise.is_empty() && total > self.total * (1.0 + TIE) && total.is_finite();
        self.total = total;
        is_more.then_some((raise, rates))
    }

    /// How much of a group there is, in its limit's own measure.
    fn has(&self, group: &Group) -> f64 {
        let at = group.members[0] as usize;
        match group.what {
            What::Limits => self.bought.service.served[at],
            What::Depth => self.bought.weights[at],
            What::Wanted => self.bought.wanted[at],
            What::Thread => self.bought.thread[at],
            What::Flush => self.bought.flush[at],
        }
    }

    /// How much of a group is used, by the one that uses most.
    fn wants(&self, group: &Group, shares: &Shares) -> f64 {
        let used = |member: &u32| {
            let at = *member as usize;
            match group.what {
                What::Limits => shares.used[at] / self.open.service.kept[at],
                What::Depth => self.in_flight(shares, at),
                What::Wanted | What::Thread | What::Flush => shares.rates[at],
            }
        };
        group.members.iter().map(used).fold(0.0, f64::max)
    }

    /// Requests that a rate keeps in flight (Little), whole ones.
    fn in_flight(&self, shares: &Shares, class: usize) -> f64 {
        (self.open.service.in_flight(class, shares.rates[class]) * (1.0 - TIE)).ceil()
    }

    /// There is no breakpoint to raise to: twice as much of one, of several what is used then.
    fn without_end(&self, chosen: &[&Group]) -> Option<(Self, Bill, Vec<f64>)> {
        let mut next = self.clone();
        for group in chosen {
            next.open = self.model.raised(&next.open, group, WITHOUT_END);
        }
        let shares = next.settle()?;
        next.raised.extend(chosen.iter().map(|group| (*group).clone()));
        let (raise, rates) = match chosen {
            [only] => {
                let to = next.has(only) * WITHOUT_END;
                let again = self.raised.iter().filter(|group| group != only);
                let again = again.map(|group| (group.clone(), next.wants(group, &shares)));
                let mut raise: Bill =
                    again.filter(|(group, to)| *to > next.has(group) * (1.0 + TIE)).collect();
                raise.push(((*only).clone(), to));
                next.pay(raise)?
            }
            _ => next.buy(&shares)?,
        };
        Some((next, raise, rates))
    }
}

/// Where a sequence that nears its end by a constant share ends (Aitken, Proceedings of the Royal
/// Society of Edinburgh 46, 1926).
fn aitken([first, second, third]: [f64; 3]) -> f64 {
    let (before, last) = (second - first, third - second);
    let end = third - last * last / (last - before);
    if end.is_finite() && end > 0.0 && end < third { end } else { third }
}
