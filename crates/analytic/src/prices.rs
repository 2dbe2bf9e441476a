//! What binds, and what a little more of it would give.
//!
//! Limits that one declaration states, equal in capacity and use, are one group: nobody buys one
//! adapter of sixteen equal ones. The price of a group is one-sided and relative: the shares are
//! found again with one percent more of it, and the growth of the total is divided by that. One
//! percent is that of the record's definition; a dual variable would be the limit of smaller
//! steps, but means nothing where several limits bind in a tie, which is usual in systems built
//! of equal parts. Such co-bottlenecks have the price 0 each: raising only one gives nothing.
//!
//! In systems of unequal parts hundreds may bind. Then only those with the greatest derivative
//! ([`crate::derivative`]) are priced by a step, and the others by it.

use std::collections::BTreeMap;

use iopath_path::fold::label;

use crate::derivative::Derivative;
use crate::fill::Shares;
use crate::model::Model;
use crate::terms::{Group, Law, Terms, What};

/// How much more of a capacity a price is found with.
const STEP: f64 = 0.01;

/// How many groups are priced by a step (chosen: each takes one filling, and whoever asks for more
/// than the eight dearest asks for a list).
const STEPPED: usize = 8;

/// How many limits, legs and classes may be looked at to price all of a closed loop by steps
/// (chosen: a hundredth of a second): there a capacity may also make requests shorter, which the
/// derivative leaves out.
const LOOKS: usize = 400_000;

/// A group that binds, and its price.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    pub group: Group,
    /// Relative growth of the total over relative growth of the capacity.
    pub price: f64,
}

/// Everything that binds, dearest first.
pub(crate) fn binding(model: &Model<'_>, terms: &Terms, shares: &Shares) -> Vec<Binding> {
    let total = model.demand.bytes_per_sec(&shares.rates);
    let stepped = |group: &Group| {
        let raised = model.raised(terms, group, 1.0 + STEP).solve(&model.demand);
        let growth = model.demand.bytes_per_sec(&raised.rates) / total - 1.0;
        if growth.is_finite() { (growth / STEP).max(0.0) } else { 0.0 }
    };
    let steps = match terms.service.law {
        Law::Split => STEPPED,
        Law::Closed | Law::Synchronised => {
            let size = model.network.legs.len() + model.plain.matrix.limits();
            (LOOKS / (size + model.plain.classes.len()).max(1)).max(STEPPED)
        }
    };
    let groups = groups(model, terms, shares);
    let mut all: Vec<Binding> = if groups.len() > steps {
        let prices = Derivative::of(model, terms, shares);
        groups.into_iter().map(|group| prices.of_group(group)).collect()
    } else {
        groups.into_iter().map(|group| Binding { group, price: 0.0 }).collect()
    };
    all.sort_by(|one, other| other.price.total_cmp(&one.price));
    for binding in all.iter_mut().take(steps) {
        binding.price = stepped(&binding.group);
    }
    // What is not used up binds only if more of it makes requests shorter.
    let is_used_up = |group: &Group| {
        group.members.iter().any(|at| terms.binds(&model.demand, shares, group.what, *at as usize))
    };
    all.retain(|binding| ppm(binding.price) > 0 || is_used_up(&binding.group));
    // Prices that differ by rounding only keep the order of the groups.
    all.sort_by_key(|binding| std::cmp::Reverse(ppm(binding.price)));
    all
}

/// In millionths.
pub(crate) fn ppm(price: f64) -> u64 {
    (price * 1e6).round() as u64
}

/// Everything that binds or makes requests take as long as they do, equal things together.
fn groups(model: &Model<'_>, terms: &Terms, shares: &Shares) -> Vec<Group> {
    let mut known: BTreeMap<(What, u32, [u64; 2]), Vec<u32>> = BTreeMap::new();
    let Model { demand, stated_by, groups, .. } = model;
    let mut add = |what, stated_by, [most, used]: [f64; 2], member: usize| {
        let key = (what, stated_by, [label(most), label(used)]);
        known.entry(key).or_default().push(member as u32);
    };
    let binds = |at: &usize| {
        terms.binds(demand, shares, What::Limits, *at) || model.hastens(terms, shares, *at)
    };
    for at in (0..stated_by.len()).filter(binds) {
        add(What::Limits, stated_by[at], [terms.capacity[at], shares.used[at]], at);
    }
    let caps = [
        (What::Depth, &terms.depth),
        (What::Wanted, &terms.wanted),
        (What::Thread, &terms.thread),
        (What::Flush, &terms.flush),
    ];
    for (what, caps) in caps {
        for at in (0..groups.len()).filter(|at| terms.binds(demand, shares, what, *at)) {
            add(what, groups[at], [caps[at], shares.rates[at]], at);
        }
    }
    let groups = known.into_iter().map(|((what, ..), members)| Group { what, members });
    let mut groups: Vec<Group> = groups.map(|group| in_all_epochs(model, group)).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// What is raised is raised for all epochs.
fn in_all_epochs(model: &Model<'_>, group: Group) -> Group {
    if model.demand.epochs == 1 || group.what != What::Limits {
        return group;
    }
    let limits = group.members.iter().flat_map(|member| &model.limits[*member as usize]);
    let mut members: Vec<u32> =
        limits.flat_map(|limit| &model.limit_of[*limit as usize]).copied().collect();
    members.sort_unstable();
    members.dedup();
    Group { members, ..group }
}
