//! The free-split bound in the words of a record.
//!
//! Its prices are duals, found with the bound; those of one limit of the record are added up and
//! made relative. It has no upgrades: whoever may choose freely takes the other bounds' first.

use std::collections::BTreeMap;

use iopath_entities::Table;
use iopath_record::{Bound, BoundKind, LimitId, Price, Warning};

use super::bounds::whole;
use crate::free::{FreeSplit, Unsolved, free_split};
use crate::leaves_out::leaves_out;
use crate::model::Model;
use crate::prices::ppm;

/// The bound, or a warning why there is none; what nothing limits has its own. What forced shares
/// carry a free split carries too, so rounding does not put it below this, `least`.
pub(super) fn bound(model: &Model<'_>, table: &Table, least: u64) -> (Option<Bound>, Vec<Warning>) {
    match over_epochs(model) {
        Ok(found) => {
            let bound = worded(model, table, &found);
            let bytes_per_sec = bound.bytes_per_sec.max(least);
            (Some(Bound { bytes_per_sec, ..bound }), Vec::new())
        }
        Err(Unsolved::Unlimited) => (None, Vec::new()),
        Err(why @ Unsolved::Unproven { .. }) => {
            let text = format!("there is no free-split bound: {why}");
            (None, vec![Warning { kind: "free-split-unsolved".to_owned(), text }])
        }
    }
}

/// The mean over epochs, each of which has the path to itself.
fn over_epochs(model: &Model<'_>) -> Result<FreeSplit, Unsolved> {
    let epochs = model.demand.epochs;
    if epochs == 1 {
        return free_split(model.network);
    }
    let mut mean = FreeSplit { bytes_per_sec: 0.0, operations_per_sec: 0.0, prices: Vec::new() };
    let share = 1.0 / f64::from(epochs);
    for epoch in 0..epochs {
        let mut network = model.network.clone();
        network.streams.retain(|load| load.epoch == epoch);
        let found = free_split(&network)?;
        mean.bytes_per_sec += found.bytes_per_sec * share;
        mean.operations_per_sec += found.operations_per_sec * share;
        mean.prices.extend(found.prices.iter().map(|(row, price)| (*row, price * share)));
    }
    Ok(mean)
}

fn worded(model: &Model<'_>, table: &Table, found: &FreeSplit) -> Bound {
    let mut gains: BTreeMap<LimitId, f64> = BTreeMap::new();
    for (row, price) in &found.prices {
        if let Some(limit) = table.limits[row.0 as usize] {
            let share = price * model.network.row(*row).capacity / found.bytes_per_sec;
            *gains.entry(limit).or_default() += share;
        }
    }
    let mut binding: Vec<Price> =
        gains.into_iter().map(|(of, gain)| Price { of, gain_ppm: ppm(gain) }).collect();
    binding.sort_by_key(|price| std::cmp::Reverse(price.gain_ppm));
    Bound {
        kind: BoundKind::FreeSplit,
        bytes_per_sec: whole(found.bytes_per_sec),
        operations_milli_per_sec: whole(found.operations_per_sec * 1e3),
        binding,
        upgrades: Vec::new(),
        leaves_out: leaves_out(model, BoundKind::FreeSplit),
    }
}
