//! The free-split bound: what the path carries when requests may take any route and any member.
//!
//! A linear program over the legs of a network. How often each stream asks, which way each request
//! takes and which alternative of a choice it hits are free; what must be done for a request is
//! not: copies, parity, both sides of a mirrored write. No row carries more than its capacity, an
//! open stream asks no more than it wants, and the bytes of all streams together are greatest.
//!
//! It is an upper bound of whatever software may do, and no more than that. Streams may starve one
//! another in it: the optimum asks only for the greatest total, so it is no prediction of shares,
//! and it gives what is scarce to the stream that makes the most bytes of it. Left out are
//! requests in flight, delays, waiting for the slowest part, and the order of requests.
//!
//! The program is folded first ([`classes`]), which changes no result, and then solved and checked
//! ([`solve`]).

mod classes;
mod flows;
mod program;
mod scale;
mod solve;

use iopath_path::{Network, RowId};
use thiserror::Error;

use self::classes::Classes;
use self::flows::Flows;
use self::program::{Program, Solution};

/// The free-split bound of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeSplit {
    /// Bytes per second of all streams together, rounded to eight digits: the solver is held to
    /// one part in 10^8.
    pub bytes_per_sec: f64,
    /// Requests per second of all streams together at one of the optima, rounded like that. Where
    /// requests differ in size there may be other optima with more of them or fewer.
    pub operations_per_sec: f64,
    /// What one more unit per second of a row's capacity would give, in bytes per second, rounded
    /// to five digits; by row, rows without a price left out.
    ///
    /// A price is a derivative. Where it jumps, and at co-bottlenecks it always does, it is a
    /// value between the one on the left and the one on the right: raising one alone of
    /// several co-bottlenecks may give nothing. What a step gives is known by taking it.
    pub prices: Vec<(RowId, f64)>,
}

/// Why there is no bound.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Unsolved {
    /// A stream can go where no row is.
    #[error("it has no described limit")]
    Unlimited,
    /// The solution does not prove itself.
    #[error("the solver of its linear program stopped at {stop} with a gap of {gap:.0e}")]
    Unproven {
        /// How the solver says that it ended.
        stop: String,
        /// By how much of the total the solution may be off.
        gap: f64,
    },
}

/// Below this share of the total, a price times its capacity is the solver's noise (chosen: a
/// hundred times what the solver is held to).
const LEAST_SHARE: f64 = 1e-6;

/// Finds the free-split bound.
///
/// # Errors
///
/// [`Unsolved`] when nothing limits some stream, or the solver did not converge.
pub fn free_split(network: &Network) -> Result<FreeSplit, Unsolved> {
    let flows = Flows::of(network);
    let solution = solve_folded(&flows.program)?;
    let operations = flows.streams.iter().map(|&column| solution.values[column as usize]);
    let prices = flows.rows.iter().filter_map(|&(row, position)| {
        let price = solution.prices[position as usize];
        let share = price * network.row(row).capacity / solution.total;
        (share > LEAST_SHARE).then(|| (row, rounded::<5>(price)))
    });
    let mut prices: Vec<_> = prices.collect();
    prices.sort_unstable_by_key(|&(row, _)| row);
    Ok(FreeSplit {
        bytes_per_sec: rounded::<8>(solution.total),
        operations_per_sec: rounded::<8>(operations.sum()),
        prices,
    })
}

fn solve_folded(program: &Program) -> Result<Solution, Unsolved> {
    let classes = Classes::of(program);
    Ok(classes.unfold(&solve::solve(&classes.folded)?))
}

/// The nearest number of so many significant digits.
fn rounded<const DIGITS: usize>(value: f64) -> f64 {
    let text = format!("{value:.*e}", DIGITS - 1);
    text.parse().expect("what a number prints as is a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_their_digits() {
        let table = [(0.0, 0.0), (1_332_000_000.7, 1_332_000_000.0), (0.123_456_784, 0.123_456_78)];
        for (value, expected) in table {
            assert_eq!(rounded::<8>(value), expected);
        }
    }
}
