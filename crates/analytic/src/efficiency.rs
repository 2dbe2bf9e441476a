//! Which share of their capacity servers keep when each request waits for all of its parts.
//!
//! A request leads to one part on each of N servers; so many requests are in flight that each
//! server has W parts, and a new request is issued when one is done. With W = 1 nobody works
//! before the slowest has ended: the share is 1 over the mean of the greatest of N service times,
//! which is exact ([`greatest`]). For more, the loss falls; how fast was found by simulation
//! (shared MODELS, section 6.1: lognormal service, N of 8 to 96, variability of 0.1 to 1). There
//! the six rows of the table fall onto one curve for each W when they are drawn over their loss at
//! W = 1, so that is what is interpolated, linearly, and over the logarithm of W. It leaves out
//! that the servers do other work in between.

use crate::lognormal::greatest;

/// Parts in flight on each server, of the columns of [`LOSSES`].
const DEPTHS: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// Share of the capacity that is lost, in the order of the loss at W = 1: N and variability are
/// 24 and 0.1, 8 and 0.25, 24 and 0.25, 24 and 0.5, 96 and 0.5, 24 and 1. A loss that the
/// simulation found larger at a greater depth is set to that before.
const LOSSES: [[f64; 6]; 6] = [
    [0.173, 0.020, 0.008, 0.005, 0.002, 0.002],
    [0.282, 0.068, 0.024, 0.011, 0.009, 0.007],
    [0.365, 0.104, 0.040, 0.017, 0.012, 0.006],
    [0.567, 0.307, 0.148, 0.070, 0.036, 0.011],
    [0.663, 0.410, 0.204, 0.093, 0.045, 0.029],
    [0.749, 0.587, 0.406, 0.254, 0.127, 0.071],
];

/// The share of `servers` that work, each with a coefficient of variation and `depth` parts in
/// flight.
pub(crate) fn efficiency(servers: f64, variation: f64, depth: f64) -> f64 {
    let first = 1.0 - 1.0 / greatest(servers, variation);
    if first <= 0.0 {
        return 1.0;
    }
    let depth = depth.max(1.0);
    let column = depth.log2().min(5.0);
    let (left, right) = (column.floor() as usize, column.ceil() as usize);
    let [low, high] = [left, right].map(|column| loss(first, column));
    let loss = low + (high - low) * column.fract();
    // Beyond the table the loss falls on as one over the depth, the slowest that is seen in it.
    1.0 - loss * (DEPTHS[5] / depth).min(1.0)
}

/// The loss in a column of the table, for a loss at W = 1.
fn loss(first: f64, column: usize) -> f64 {
    let known = LOSSES.iter().map(|row| (row[0], row[column]));
    let mut before = (0.0, 0.0);
    for point in known.chain([(1.0, 1.0)]) {
        if first <= point.0 {
            let share = (first - before.0) / (point.0 - before.0);
            return before.1 + (point.1 - before.1) * share;
        }
        before = point;
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as it was simulated: N, variability, share by depth.
    const SIMULATED: [(f64, f64, [f64; 6]); 6] = [
        (8.0, 0.25, [0.718, 0.932, 0.976, 0.989, 0.991, 0.993]),
        (24.0, 0.10, [0.827, 0.980, 0.992, 0.995, 0.998, 0.997]),
        (24.0, 0.25, [0.635, 0.896, 0.960, 0.983, 0.988, 0.994]),
        (24.0, 0.50, [0.433, 0.693, 0.852, 0.930, 0.964, 0.989]),
        (24.0, 1.00, [0.251, 0.413, 0.594, 0.746, 0.873, 0.929]),
        (96.0, 0.50, [0.337, 0.590, 0.796, 0.907, 0.955, 0.971]),
    ];

    #[test]
    fn the_law_of_one_part_agrees_with_the_simulation() {
        // Its own noise: 0.4 % of the share.
        for (servers, variation, shares) in SIMULATED {
            let found = efficiency(servers, variation, 1.0);
            assert!((found / shares[0] - 1.0).abs() < 0.01, "{servers} {variation}: {found}");
        }
    }

    #[test]
    fn the_table_is_met_where_it_was_simulated() {
        for (servers, variation, shares) in SIMULATED {
            for (depth, share) in DEPTHS.iter().zip(shares) {
                let found = efficiency(servers, variation, *depth);
                assert!((found - share).abs() < 0.006, "{servers} {variation} {depth}: {found}");
            }
        }
    }

    #[test]
    fn more_in_flight_loses_less_and_more_servers_or_variation_more() {
        let steps = |share: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..60).map(|step| share(f64::from(step) / 6.0)).collect()
        };
        let rising = steps(&|x| efficiency(24.0, 0.5, x.exp2()));
        assert!(rising.is_sorted() && rising[59] < 1.0, "{rising:?}");
        for falling in
            [steps(&|x| efficiency(x.exp2(), 0.5, 3.0)), steps(&|x| efficiency(24.0, x / 4.0, 3.0))]
        {
            assert!(falling.is_sorted_by(|one, next| one >= next), "{falling:?}");
        }
    }
}
