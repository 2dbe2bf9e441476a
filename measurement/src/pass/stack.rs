//! The engines of a lane, from the bottom up: the way to the kernel, then what the lane's stream
//! and target need over it. Each layer is an engine over another; most lanes have none.

use std::io;

use iopath_study::case::BufferKind;

use super::crew::Arrival;
use crate::clock::Monotonic;
use crate::engine::Engine;
use crate::engine::readahead::{Ahead, ReadAhead, Units};
use crate::failure::Failure;
use crate::lane::{Lane, Means, Shared};

/// What is needed to read ahead of a lane.
pub(super) struct Layer {
    ahead: Ahead,
    units: Units,
}

impl Layer {
    /// Takes memory for reads of so many bytes, so many at once.
    pub(super) fn new(
        ahead: Ahead,
        kind: BufferKind,
        (depth, bytes): (u32, usize),
    ) -> io::Result<Self> {
        let block = u32::try_from(bytes).unwrap_or(u32::MAX);
        let units = ahead.units(kind, (depth, block))?;
        Ok(Self { ahead, units })
    }

    /// How many requests the engine below must take besides those of the lane, and their memory.
    pub(super) fn needs(&self) -> (u32, Option<(*mut u8, usize)>) {
        (self.units.count() as u32, Some(self.units.extent()))
    }
}

/// Sets the layers on the way to the kernel and works on top of them.
pub(super) fn work_on<E: Engine>(
    (base, ahead): (E, Option<Layer>),
    shared: Shared<'_, Monotonic>,
    means: Means<'_>,
    arrival: &mut Arrival<'_>,
) -> Result<(), Failure> {
    let (Some(Layer { ahead, units }), Some(counts)) = (ahead, &shared.cells.ahead) else {
        return go(base, shared, means, arrival);
    };
    let reader = (ahead.state(), units);
    let engine = ReadAhead::new(base, (shared.clock, counts), reader, means.depth);
    go(engine, shared, means, arrival)
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
