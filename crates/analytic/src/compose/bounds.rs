//! Bounds in the words of a record.

use std::collections::BTreeMap;

use iopath_entities::{Table, per_server};
use iopath_record::{Bound, LimitId, Price, Raise, Upgrade, Warning};

use crate::model::Model;
use crate::prices::{Binding, ppm};
use crate::solution::Solution;
use crate::terms::{Group, What};
use crate::upgrades::Step;

/// A finite solution as a bound.
pub(super) fn bound(model: &Model<'_>, table: &Table, solution: &Solution) -> Bound {
    let demand = &model.demand;
    let rates = &solution.shares.rates;
    let upgrade = |step: &Step| upgrade(model, table, step);
    Bound {
        kind: solution.kind,
        bytes_per_sec: whole(demand.bytes_per_sec(rates)),
        operations_milli_per_sec: whole(demand.operations_per_sec(rates) * 1e3),
        binding: solution.binding.iter().flat_map(|found| prices(model, table, found)).collect(),
        upgrades: solution.upgrades.iter().filter_map(upgrade).collect(),
        leaves_out: solution.leaves_out.clone(),
    }
}

pub(super) fn whole(value: f64) -> u64 {
    value.round() as u64
}

fn prices(model: &Model<'_>, table: &Table, found: &Binding) -> Vec<Price> {
    let gain_ppm = ppm(found.price);
    ids(model, table, &found.group).into_iter().map(|of| Price { of, gain_ppm }).collect()
}

/// A step; none where the record has none of what it raises.
fn upgrade(model: &Model<'_>, table: &Table, step: &Step) -> Option<Upgrade> {
    let mut most: BTreeMap<LimitId, u64> = BTreeMap::new();
    for (group, to) in &step.raise {
        for of in ids(model, table, group) {
            let known = most.entry(of).or_default();
            *known = (*known).max(measured(model, group, *to));
        }
    }
    let raise = most.into_iter().map(|(of, to_per_sec)| Raise { of, to_per_sec });
    let raise: Vec<Raise> = raise.collect();
    let mut then_binds: Vec<LimitId> =
        step.then_binds.iter().flat_map(|group| ids(model, table, group)).collect();
    then_binds.sort_unstable();
    then_binds.dedup();
    (!raise.is_empty()).then(|| Upgrade {
        raise,
        then_bytes_per_sec: whole(model.demand.bytes_per_sec(&step.rates)),
        then_operations_milli_per_sec: whole(model.demand.operations_per_sec(&step.rates) * 1e3),
        then_binds,
    })
}

/// The limits of the record that a group is, each once.
fn ids(model: &Model<'_>, table: &Table, group: &Group) -> Vec<LimitId> {
    let members = group.members.iter().map(|member| *member as usize);
    let mut ids: Vec<LimitId> = match group.what {
        What::Limits => {
            let all = members.flat_map(|member| &model.limits[member]);
            all.filter_map(|limit| table.limits[*limit as usize]).collect()
        }
        What::Depth => members.filter_map(|class| table.of_class[class].depth).collect(),
        What::Wanted => members.filter_map(|class| table.of_class[class].wanted).collect(),
        What::Thread => members.filter_map(|class| table.of_class[class].thread).collect(),
        What::Flush => members.filter_map(|class| table.of_class[class].flush).collect(),
    };
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// How much of a group in the measure of its limit.
fn measured(model: &Model<'_>, group: &Group, amount: f64) -> u64 {
    let first = model.limits.get(group.members[0] as usize).map(|all| all[0]);
    let row = first.filter(|_| group.what == What::Limits);
    match row.and_then(|limit| model.network.rows.get(limit as usize)) {
        Some(row) if row.measure == iopath_path::Measure::Busy => whole(per_server(row, amount)),
        _ => whole(amount),
    }
}

/// What a reader must know where no bound holds.
pub(super) fn warnings(is_unlimited: bool) -> Vec<Warning> {
    let text = "some streams have no described limit, neither a capacity on their path nor a \
        delay; the record has no figures";
    let warning = || Warning { kind: "no-limit".to_owned(), text: text.to_owned() };
    is_unlimited.then(warning).into_iter().collect()
}
