//! The engines of a worker, from the bottom up: the way to the kernel, then what the worker's
//! stream and target need over it. Each layer is an engine over another; most workers have none.

use std::io;

use iopath_study::case::BufferKind;

use super::stream_workers::Arrival;
use crate::clock::Monotonic;
use crate::engine::Engine;
use crate::engine::readahead::{Ahead, ReadAhead, Units};
use crate::engine::volume::{self, Composed, most_inside};
use crate::failure::Failure;
use crate::target::OpenTarget;
use crate::worker::{Means, Shared, Worker};

/// How a worker asks: how many requests at once, and how large they are.
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

    /// Pieces of memory, each for a request, that the layers need besides the worker's own.
    pub(super) fn extra_pieces(target: Option<&OpenTarget>) -> u32 {
        u32::from(target.is_some_and(|target| target.volume.is_some()))
    }
}

/// What is needed to read ahead of a worker.
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

    /// What is asked of the layer below: the worker's requests and all units.
    pub(super) fn asks(&self, worker: Asks) -> Asks {
        let depth = worker.depth + self.units.count() as u32;
        Asks { depth, bytes: worker.bytes.max(self.ahead.settings.unit.0) }
    }
}

/// What is done over the way to the kernel: layers, then the worker on top of them.
pub(super) struct Work<'w, 'gate> {
    pub target: Option<&'w OpenTarget>,
    /// How the layer over the target asks.
    pub asks: Asks,
    pub ahead: Option<Layer>,
    pub shared: Shared<'w, Monotonic>,
    pub means: Means<'w>,
    pub arrival: &'w mut Arrival<'gate>,
}

impl Work<'_, '_> {
    /// Sets the layers on the way to the kernel and works on top of them: the target's volume
    /// first, then what is read ahead.
    pub(super) fn over<E: Engine>(self, base: E) -> Result<(), Failure> {
        let Some(volume) = self.target.and_then(|target| target.volume.as_ref()) else {
            return self.read_ahead(base);
        };
        let ground = volume::Ground {
            layout: &volume.layout,
            clock: self.shared.clock,
            action: self.shared.counters.action,
            shard: volume.tally.shard(volume.labels.len()),
            // Behind those of the worker's own requests.
            scratch: self.means.buffers.address(self.means.depth),
        };
        let engine = Composed::new(base, ground, (self.asks.depth, self.asks.bytes));
        self.read_ahead(engine)
    }

    fn read_ahead<E: Engine>(mut self, base: E) -> Result<(), Failure> {
        let (Some(layer), Some(counts)) = (self.ahead.take(), &self.shared.counters.ahead) else {
            return self.go(base);
        };
        let reader = (layer.ahead.state(), layer.units);
        let clock = (self.shared.clock, counts);
        let engine = ReadAhead::new(base, clock, reader, self.means.depth);
        self.go(engine)
    }

    /// Arrives with everything ready, and works when the gate opens.
    fn go<E: Engine>(self, engine: E) -> Result<(), Failure> {
        let worker = Worker::new(engine, self.shared, self.means);
        self.arrival.arrive();
        worker.run()
    }
}
