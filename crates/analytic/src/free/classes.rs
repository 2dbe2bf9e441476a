//! A linear program folded to its classes, and unfolded again.
//!
//! Rows and columns that colour refinement finds alike get one row and one column. The optimum is
//! the same: a solution spread evenly over each class stays one (Grohe, Kersting, Mladenov and
//! Selman, Dimension reduction via colour refinement, ESA 2014). The price of a folded row is what
//! one more unit in every row of its class gives; each has an equal part of it.

use iopath_path::fold::{label, refine};

use super::program::{Program, Relation, Solution};

/// A folded program with the class of each row and column.
pub(super) struct Classes {
    /// The program of the classes.
    pub folded: Program,
    row_class: Vec<u32>,
    column_class: Vec<u32>,
    rows_of_class: Vec<u32>,
}

/// Marks in the low bits of a colour, which labels of numbers leave free.
const COLUMN: u64 = 1;
const LIMIT: u64 = 2;
const BALANCE: u64 = 3;

impl Classes {
    pub(super) fn of(program: &Program) -> Self {
        let (row_class, column_class) = classify(program);
        let rows_of_class = sizes(&row_class);
        let folded = fold(program, &row_class, &column_class);
        Self { folded, row_class, column_class, rows_of_class }
    }

    /// The solution of the program, of that of its classes.
    pub(super) fn unfold(&self, solution: &Solution) -> Solution {
        let values = self.column_class.iter().map(|&class| solution.values[class as usize]);
        let prices = self.row_class.iter().map(|&class| {
            solution.prices[class as usize] / f64::from(self.rows_of_class[class as usize])
        });
        Solution { total: solution.total, values: values.collect(), prices: prices.collect() }
    }
}

/// The classes of rows and of columns, each numbered from 0 by their first member.
fn classify(program: &Program) -> (Vec<u32>, Vec<u32>) {
    let rows = program.relations.len();
    let relations = program.relations.iter().map(|relation| match relation {
        Relation::AtMost(limit) => label(*limit) | LIMIT,
        Relation::Balanced => BALANCE,
    });
    let colours: Vec<u64> =
        relations.chain(program.worth.iter().map(|&worth| label(worth) | COLUMN)).collect();
    let edges = program.entries.iter();
    let edges: Vec<(u32, u32, u64)> =
        edges.map(|entry| (entry.row, rows as u32 + entry.column, label(entry.factor))).collect();
    let mut row_class = refine(&colours, &edges);
    let mut column_class = row_class.split_off(rows);
    let first = row_class.iter().max().map_or(0, |last| last + 1);
    column_class.iter_mut().for_each(|class| *class -= first);
    (row_class, column_class)
}

fn sizes(class: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; class.iter().max().map_or(0, |last| *last as usize + 1)];
    for &class in class {
        sizes[class as usize] += 1;
    }
    sizes
}

/// One row of each class with its factors summed by class, and what each class of columns is
/// worth together.
fn fold(program: &Program, row_class: &[u32], column_class: &[u32]) -> Program {
    let mut folded = Program::default();
    for (&class, &worth) in column_class.iter().zip(&program.worth) {
        if class as usize == folded.worth.len() {
            folded.add_column(0.0);
        }
        folded.worth[class as usize] += worth;
    }
    let mut first = vec![false; row_class.len()];
    for ((&class, &relation), first) in row_class.iter().zip(&program.relations).zip(&mut first) {
        *first = class as usize == folded.relations.len();
        if *first {
            folded.add_row(relation);
        }
    }
    for entry in program.entries.iter().filter(|entry| first[entry.row as usize]) {
        let row = row_class[entry.row as usize];
        folded.add(row, column_class[entry.column as usize], entry.factor);
    }
    folded.tidied()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::program::Entry;
    use super::super::solve::solve;
    use super::*;

    /// Several alike parts of four columns each, with a limit on all columns, limits that parts
    /// share and limits of their own, and perhaps a balance in each part.
    fn programs() -> impl Strategy<Value = Program> {
        let factors = || vec(0..4_u8, 4);
        let limits = vec((any::<bool>(), 1..4_u8, factors()), 0..5);
        let worth = vec(1..4_u8, 4);
        let balance = proptest::option::of(factors());
        (2..6_u32, worth, limits, balance).prop_map(|(parts, worth, limits, balance)| {
            let mut program = Program::default();
            for worth in worth.repeat(parts as usize) {
                program.add_column(f64::from(worth));
            }
            let all = program.add_row(Relation::AtMost(7.0));
            (0..parts).for_each(|part| add_part(&mut program, all, part, &[1; 4]));
            for (shared, limit, factors) in &limits {
                let limit = Relation::AtMost(f64::from(*limit));
                let mut row = program.add_row(limit);
                for part in 0..parts {
                    add_part(&mut program, row, part, factors);
                    row = if *shared { row } else { program.add_row(limit) };
                }
            }
            for part in (0..parts).filter(|_| balance.is_some()) {
                let row = program.add_row(Relation::Balanced);
                add_part(&mut program, row, part, balance.as_ref().unwrap());
                program.add(row, part * 4 + 3, -4.0);
            }
            program.tidied()
        })
    }

    fn add_part(program: &mut Program, row: u32, part: u32, factors: &[u8]) {
        for (column, &factor) in (part * 4..).zip(factors) {
            program.add(row, column, f64::from(factor));
        }
    }

    fn sums(program: &Program, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; program.relations.len()];
        for Entry { row, column, factor } in &program.entries {
            sums[*row as usize] += factor * values[*column as usize];
        }
        sums
    }

    proptest! {
        #[test]
        fn folding_changes_no_optimum_and_unfolds_to_one(program in programs()) {
            let classes = Classes::of(&program);
            prop_assert!(classes.folded.worth.len() <= 4);
            let plain = solve(&program).unwrap();
            let unfolded = classes.unfold(&solve(&classes.folded).unwrap());
            let near = |one: f64, other: f64| (one - other).abs() <= 1e-6 * one.abs().max(1.0);
            prop_assert!(near(plain.total, unfolded.total), "{plain:?} {unfolded:?}");
            let worth = program.worth.iter().zip(&unfolded.values).map(|(w, v)| w * v).sum();
            prop_assert!(near(worth, unfolded.total), "{unfolded:?}");
            let sums = sums(&program, &unfolded.values);
            let mut cost = 0.0;
            let rows = program.relations.iter().zip(sums).zip(&unfolded.prices);
            for ((relation, sum), price) in rows {
                match relation {
                    Relation::AtMost(limit) => {
                        prop_assert!(sum <= limit + 1e-6 && *price >= 0.0);
                        cost += price * limit;
                    }
                    Relation::Balanced => prop_assert!(sum.abs() <= 1e-6),
                }
            }
            prop_assert!(near(cost, unfolded.total), "prices pay for all: {unfolded:?}");
        }
    }
}
