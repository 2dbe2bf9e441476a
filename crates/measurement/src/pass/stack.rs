//! The engines of a lane, from the bottom up: the way to the kernel, then what the lane's stream
//! and target need over it. Each layer is an engine over another; most lanes have none.

use std::io;

use iopath_study::case::BufferKind;

use super::crew::Arrival;
use crate::clock::Monotonic;
use crate::engine::Engine;
use crate::engine::readahead::{Ahead, ReadAhead, Units};
use crate::engine::volume::{self, Composed, most_inside};
use crate::failure::Failure;
use crate::lane::{Lane, Means, Shared};
use crate::target::OpenTarget;

/// How a lane asks: how many requests at once, and how large they are.
#[derive(Clone, Copy)]
pub(super) struct Asks {
    pub depth: u32,
    pub bytes: u64,
}

impl Asks {
    /// How many requests the way to the kernel must take at once.
    pub(super) fn of_kernel(self, target: Option<&OpenTarget>) -> u32 {
        let volume = target.and_then(|target| target.volume.as_ref());
        volume.map_or(self.depth, |volume| most_inside(&volume.layout, self.depth, self.bytes))
    }

    /// Pieces of memory, each for a request, that the layers need besides the lane's own.
    pub(super) fn pieces_beside(target: Option<&OpenTarget>) -> u32 {
        u32::from(target.is_some_and(|target| target.volume.is_some()))
    }
}

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

    /// The memory of its units.
    pub(super) fn memory(&self) -> (*mut u8, usize) {
        self.units.extent()
    }

    /// What is asked of the layer below: the lane's requests and all units.
    pub(super) fn asks(&self, lane: Asks) -> Asks {
        let depth = lane.depth + self.units.count() as u32;
        Asks { depth, bytes: lane.bytes.max(self.ahead.settings.unit.0) }
    }
}

/// What the layers stand on.
pub(super) struct Ground<'p> {
    pub target: Option<&'p OpenTarget>,
    /// How the layer over the target asks.
    pub asks: Asks,
}

/// Sets the layers on the way to the kernel and works on top of them: the target's volume first,
/// then what is read ahead.
pub(super) fn work_on<E: Engine>(
    base: E,
    (Ground { target, asks }, ahead): (Ground<'_>, Option<Layer>),
    shared: Shared<'_, Monotonic>,
    means: Means<'_>,
    arrival: &mut Arrival<'_>,
) -> Result<(), Failure> {
    let Some(volume) = target.and_then(|target| target.volume.as_ref()) else {
        return read_ahead(base, ahead, shared, means, arrival);
    };
    let ground = volume::Ground {
        layout: &volume.layout,
        clock: shared.clock,
        action: shared.cells.action,
        shard: volume.tally.shard(volume.labels.len()),
        // Behind those of the lane's own requests.
        beside: means.buffers.address(means.depth),
    };
    let engine = Composed::new(base, ground, (asks.depth, asks.bytes));
    read_ahead(engine, ahead, shared, means, arrival)
}

fn read_ahead<E: Engine>(
    base: E,
    ahead: Option<Layer>,
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
