//! The moves from today's placement to the best one: of those that lead there, always the one that
//! carries most then.

use super::search::{Site, Value};
use super::{Assignment, Standing, Step, Unit};

/// One move.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Which unit.
    pub unit: usize,
    /// What it does.
    pub step: Step,
    /// Where everything is before it.
    pub before: Standing,
    /// Where everything is after it.
    pub after: Standing,
    /// What that is worth.
    pub value: Value,
}

/// The moves from today's placement to another one.
pub fn walk(units: &[Unit], target: &[Assignment], site: &mut dyn Site) -> Vec<Moved> {
    let today: Vec<Assignment> = units.iter().map(Unit::today).collect();
    let mut at = Standing::of(units, &today);
    let mut moves: Vec<Moved> = Vec::new();
    while let Some((unit, step, value)) = next(&at.assignments, target, site) {
        let after = at.after(&units[unit], unit, step);
        moves.push(Moved { unit, step, before: at, after: after.clone(), value });
        at = after;
    }
    moves
}

/// The best of the moves that lead to the target; none where it is reached.
fn next(
    at: &[Assignment],
    target: &[Assignment],
    site: &mut dyn Site,
) -> Option<(usize, Step, Value)> {
    let mut best: Option<(usize, Step, Value)> = None;
    let units = site.units(at);
    let strain: u64 = units.iter().zip(at).map(|(unit, at)| unit.strain(at)).sum();
    for (turn, unit) in units.iter().enumerate() {
        let others = strain - unit.strain(&at[turn]);
        for step in unit.steps_towards(&at[turn], &target[turn]) {
            let mut after = at.to_vec();
            after[turn] = step.after(&at[turn]);
            let strain = others + unit.strain(&after[turn]);
            let value = Value { bound: site.bound(&after), strain };
            if best.is_none_or(|(_, _, best)| value.is_better(&best)) {
                best = Some((turn, step, value));
            }
        }
    }
    best
}
