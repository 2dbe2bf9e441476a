//! A component of the path whose capacity is used up, by its counters against its rating.
//!
//! It leaves out devices below the targets, which are judged by what the kernel says of them, and
//! whether more of the capacity would help: several components may be full at once.

use super::{Cause, Evidence, Judgement, Weight, percent};
use crate::observed::{ComponentUse, Observed};
use crate::prediction::FULL;

/// As many full components as are told: chosen; those of one kind are alike.
const TOLD: usize = 3;

pub(super) fn judge(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Component);
    let mut fullest: Vec<&ComponentUse> = observed.components.iter().collect();
    fullest.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation));
    let full = fullest.iter().filter(|one| one.utilisation >= FULL).count();
    for one in fullest.iter().take(full.clamp(1, TOLD)) {
        judgement.add(line(one, full), Weight::of(one.utilisation >= FULL));
    }
    judgement
}

fn line(one: &ComponentUse, full: usize) -> Evidence {
    let others = match full {
        0 | 1 => String::new(),
        full => format!("; {full} capacities are full in all"),
    };
    let text = format!(
        "{} used {} of what it can do: {} {} a second, {}{others}",
        one.name,
        percent(one.utilisation),
        one.most,
        one.measure,
        one.origin,
    );
    let (value, entity) = (one.utilisation, one.name.clone());
    Evidence { entity, law: "capacity", value, threshold: FULL, text }
}
