//! A linear program in units of its own: limits are 1, and no column can exceed 1.
//!
//! Capacities of one path differ by 10^9 (operations of a disk, bytes of a backplane), more than a
//! solver's own scaling evens out. What a column can be at most follows from each limit that it
//! meets alone, and from balances: no sum exceeds what its parts can be together. Where many parts
//! meet behind something narrow that is far too much, and the values of the optimum are too small
//! to be told from nothing; then a first bound of the total gives better units ([`narrow`]).
//!
//! That no column exceeds 1 also makes a bound of prices that are not quite optimal: what a column
//! is worth beyond its cost counts at most once (Neumaier and Shcherbina, Safe bounds in linear and
//! mixed-integer linear programming, Mathematical Programming 99, 2004).

use super::program::{Entry, Program, Relation, Solution};

/// A program in its own units, and these.
pub(super) struct Scaled {
    /// Limits are 1; the largest worth is 1, and the largest factor of a balance.
    pub program: Program,
    /// How much of each column of the original one unit is; 0 where it can only be 0.
    columns: Vec<f64>,
    /// Whether one unit is the most that a column can be; otherwise nothing is known of it.
    bounded: Vec<bool>,
    /// How much of each row of the original one unit is.
    rows: Vec<f64>,
    /// How much worth one unit is; 0 where nothing can flow.
    pub worth: f64,
}

/// How near a solution is to the optimum.
pub(super) struct Proof {
    /// No solution is worth more.
    pub at_most: f64,
    /// By how much of that the solution may be off: its distance from `at_most`, or how far it
    /// breaks a relation.
    pub gap: f64,
}

impl Scaled {
    /// `most` is what each column can be at most, from [`most`] or [`narrow`].
    pub(super) fn of(original: &Program, most: &[f64]) -> Self {
        let mut columns = most.to_vec();
        let bounded = columns.iter().map(|most| most.is_finite()).collect();
        let largest = columns.iter().copied().filter(|most| most.is_finite()).fold(0.0, f64::max);
        for unit in columns.iter_mut().filter(|unit| unit.is_infinite()) {
            *unit = if largest > 0.0 { largest } else { 1.0 };
        }
        let mut rows = vec![1.0; original.relations.len()];
        for (relation, entries) in original.rows() {
            let factors = entries.iter().map(|e| (e.factor * columns[e.column as usize]).abs());
            rows[entries[0].row as usize] = match relation {
                Relation::AtMost(limit) => limit,
                Relation::Balanced => factors.fold(0.0, f64::max),
            };
        }
        let values = original.worth.iter().zip(&columns).map(|(worth, unit)| worth * unit);
        let worth = values.fold(0.0, f64::max);
        let program = in_units(original, &columns, &rows, worth);
        Self { program, columns, bounded, rows, worth }
    }

    /// What a solution in these units proves.
    pub(super) fn prove(&self, values: &[f64], prices: &[f64]) -> Proof {
        let mut excess = self.program.worth.clone();
        let mut broken: f64 = 0.0;
        let mut cost = 0.0;
        for (relation, entries) in self.program.rows() {
            let price = prices[entries[0].row as usize];
            let mut sum = 0.0;
            for entry in entries {
                sum += entry.factor * values[entry.column as usize];
                excess[entry.column as usize] -= entry.factor * price;
            }
            match relation {
                Relation::AtMost(limit) => {
                    cost += limit * price;
                    broken = broken.max(sum - limit);
                }
                Relation::Balanced => broken = broken.max(sum.abs()),
            }
        }
        let mut at_most = cost;
        for (excess, &bounded) in excess.iter().zip(&self.bounded) {
            if bounded {
                at_most += excess.max(0.0);
            } else {
                broken = broken.max(*excess);
            }
        }
        let reached: f64 = self.program.worth.iter().zip(values).map(|(w, value)| w * value).sum();
        Proof { at_most, gap: broken.max((at_most - reached) / at_most) }
    }

    /// A solution in the units of the original.
    pub(super) fn unscale(&self, at_most: f64, values: &[f64], prices: &[f64]) -> Solution {
        let values = values.iter().zip(&self.columns).map(|(value, unit)| value * unit).collect();
        let prices = prices.iter().zip(&self.rows).map(|(price, &unit)| {
            // Nothing can use a row of no capacity, so nothing is known of its price.
            if unit > 0.0 { price * self.worth / unit } else { 0.0 }
        });
        let prices = prices.collect();
        Solution { total: at_most * self.worth, values, prices }
    }
}

fn in_units(original: &Program, columns: &[f64], rows: &[f64], worth: f64) -> Program {
    let entries = original.entries.iter().filter_map(|entry| {
        let unit = columns[entry.column as usize] / rows[entry.row as usize];
        (unit > 0.0).then_some(Entry { factor: entry.factor * unit, ..*entry })
    });
    let relations = original.relations.iter().map(|relation| match relation {
        Relation::AtMost(_) => Relation::AtMost(1.0),
        Relation::Balanced => Relation::Balanced,
    });
    let values = original.worth.iter().zip(columns).map(|(value, &unit)| {
        // What can only be 0 stays there if it costs something.
        if unit > 0.0 { value * unit / worth } else { -1.0 }
    });
    Program { worth: values.collect(), relations: relations.collect(), entries: entries.collect() }
}

/// How often balances are gone through at most: chains of them are as long as volumes lie upon
/// one another (chosen: far more than anybody stacks).
const ROUNDS: usize = 100;

/// The most that each column can be; infinite where no row tells.
pub(super) fn most(program: &Program) -> Vec<f64> {
    let mut most = vec![f64::INFINITY; program.worth.len()];
    for (relation, entries) in program.rows() {
        if let Relation::AtMost(limit) = relation {
            for entry in entries {
                let most = &mut most[entry.column as usize];
                *most = most.min(limit / entry.factor);
            }
        }
    }
    tighten_all(program, &mut most);
    most
}

/// Lowers what columns can be at most by an upper bound of the worth; whether that lowered any.
pub(super) fn narrow(program: &Program, worth: f64, most: &mut [f64]) -> bool {
    let mut narrowed = false;
    for (&each, most) in program.worth.iter().zip(&mut *most) {
        if worth < 0.5 * each * *most {
            *most = worth / each;
            narrowed = true;
        }
    }
    tighten_all(program, most);
    narrowed
}

fn tighten_all(program: &Program, most: &mut [f64]) {
    for _ in 0..ROUNDS {
        let balances = program.rows().filter(|(relation, _)| *relation == Relation::Balanced);
        let mut tightened = false;
        for (_, entries) in balances {
            tightened |= tighten(entries, most);
        }
        if !tightened {
            break;
        }
    }
}

/// Lowers what the columns of a balance can be to what the other side can be, where that is less
/// than half of it; whether it lowered any.
fn tighten(entries: &[Entry], most: &mut [f64]) -> bool {
    let side = |sign: f64, most: &[f64]| -> f64 {
        let parts = entries.iter().filter(|entry| entry.factor * sign > 0.0);
        parts.map(|entry| entry.factor * sign * most[entry.column as usize]).sum()
    };
    let (into, out) = (side(1.0, most), side(-1.0, most));
    let mut tightened = false;
    for entry in entries {
        let other = if entry.factor > 0.0 { out } else { into };
        let bound = other / entry.factor.abs();
        let most = &mut most[entry.column as usize];
        if bound < 0.5 * *most {
            *most = bound;
            tightened = true;
        }
    }
    tightened
}
