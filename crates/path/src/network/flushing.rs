//! What a stream waits for until its writes are on stable storage.

use iopath_units::Nanos;

use super::{ComponentId, LegId};

/// A flush of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flushing {
    /// What it takes at least: the longest `flush-time` of the caches nearest to each member of
    /// the target, else of its devices.
    pub takes: Nanos,
    /// The cache or device that takes so long; none where nothing takes any time.
    pub longest: Option<ComponentId>,
    /// The first cache that it empties; none where it waits for no cache.
    pub empties: Option<ComponentId>,
    /// A write of the page cache that one waits for first: part of what it covers.
    pub writes_back: Option<WriteBack>,
    /// The queues that it is sent through by itself; none where no device states any, or where
    /// several flushes may be sent as one.
    pub queues: Option<FlushQueues>,
    /// Which writes one is for.
    pub covers: Covers,
}

/// Hardware queues of a device, as a host sees them: of several devices those of the slowest flush.
///
/// Each has one flush under way, and those that come meanwhile share the next (Linux,
/// `block/blk-flush.c`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlushQueues {
    /// Where the flushes come from: each host has its own queues.
    pub from: Option<ComponentId>,
    pub device: ComponentId,
    pub count: u32,
    /// What the device takes for a flush.
    pub takes: Nanos,
}

/// A write of the page cache that a flush waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteBack {
    /// What goes to the volume: as much as is sure to be written at once.
    pub leg: LegId,
    /// Millionths of flushes that have anything to write.
    pub share_ppm: u32,
}

/// What a flush takes: its own time, the cache that it empties, what is written first, the queues
/// that it is sent through.
pub type FlushFigures = (Nanos, Option<ComponentId>, Option<WriteBack>, Option<FlushQueues>);

impl Flushing {
    /// Whether one takes any time.
    #[must_use]
    pub fn takes_time(&self) -> bool {
        self.takes > Nanos(0) || self.empties.is_some() || self.writes_back.is_some()
    }

    /// What tells flushes of one declaration apart.
    #[must_use]
    pub fn figures(&self) -> FlushFigures {
        (self.takes, self.empties, self.writes_back, self.queues)
    }
}

/// Which writes a flush is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// The one that contains it.
    Itself,
    /// At least so many of its stream.
    Writes(u32),
    /// So many of one of the stream's threads.
    WritesOfThread(u32),
}

impl Covers {
    /// Flushes that a stream may have outstanding: a thread has one at a time.
    #[must_use]
    pub fn outstanding(self, in_flight: f64) -> f64 {
        match self {
            Self::Writes(_) => 1.0,
            Self::Itself | Self::WritesOfThread(_) => in_flight,
        }
    }
}
