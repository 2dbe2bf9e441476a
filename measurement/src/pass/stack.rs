//! The engines of a lane, from the bottom up: the way to the kernel, then what the lane's stream
//! and target need over it. Each layer is an engine over another; most lanes have none.

use super::crew::Arrival;
use crate::clock::Monotonic;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::lane::{Lane, Means, Shared};

/// Sets the layers on the way to the kernel and works on top of them.
pub(super) fn work_on<E: Engine>(
    base: E,
    shared: Shared<'_, Monotonic>,
    means: Means<'_>,
    arrival: &mut Arrival<'_>,
) -> Result<(), Failure> {
    go(base, shared, means, arrival)
}

/// Arrives with everything ready, and works when the gate opens.
fn go<E: Engine>(
    engine: E,
    shared: Shared<'_, Monotonic>,
    means: Means<'_>,
    arrival: &mut Arrival<'_>,
) -> Result<(), Failure> {
    let lane = Lane::new(engine, shared, means);
    arrival.arrive();
    lane.run()
}
