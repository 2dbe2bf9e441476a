//! The loads of a profile: what each is for, and how it is known again in a record.
//!
//! Chosen: 1 MiB fills what is limited in bytes, 4 KiB what is limited in operations; 8 and 128 in
//! flight fill a drive, one shows its response alone. Between them: how the response grows with
//! requests in flight (4 KiB) and with their size (128 in flight). The same 16 MiB again and again
//! come from the cache of an array, a drive or a hypervisor, where there is one, and load what lies
//! above it more than media can. Last: what a processor copies, by 1 MiB reads that the page cache
//! serves.

use iopath_study::case::Stream;
use iopath_units::{Op, Ratio};

/// Every figure.
const FIGURES: [Figure; 8] = [
    Figure::Throughput,
    Figure::Reread,
    Figure::Operations,
    Figure::Latency,
    Figure::Flush,
    Figure::Curve,
    Figure::Copy,
    Figure::Copies,
];

impl Figure {
    /// Its word in names of streams and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Reread => "reread",
            Self::Operations => "operations",
            Self::Latency => "latency",
            Self::Flush => "flush",
            Self::Curve => "curve",
            Self::Copy => "copy",
            Self::Copies => "copies",
        }
    }
}

/// What one experiment does to each of its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// What its figure is for.
    pub figure: Figure,
    pub op: Op,
    /// Bytes of a request.
    pub block: u64,
    /// Requests in flight.
    pub depth: u32,
}

/// What a load is measured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Bytes per second, of sequential requests.
    Throughput,
    /// Bytes per second of the same [`REREAD_BYTES`] read again and again, past the page cache.
    Reread,
    /// Operations per second, of random requests.
    Operations,
    /// Response of one random request at a time.
    Latency,
    /// Response of one write that is flushed.
    Flush,
    /// One point of the response over requests in flight and size.
    Curve,
    /// Bytes per second that one thread copies from the page cache.
    Copy,
    /// The same of as many threads as there are processors.
    Copies,
}

const fn load(figure: Figure, op: Op, kib: u64, depth: u32) -> Load {
    Load { figure, op, block: kib << 10, depth }
}

/// A request that is limited in operations.
const SMALL_KIB: u64 = 4;

/// Requests in flight while their size varies.
const SIZES_DEPTH: u32 = 128;

/// What is read again and again: of many devices together less than the cache of an array holds.
pub const REREAD_BYTES: u64 = 16 << 20;

/// The loads of a profile, of devices that may be written those of writes too. Writes come first: a
/// scratch file is read where it was written. Large requests say what the path carries, so they
/// come before others.
const LOADS: [Load; 14] = [
    load(Figure::Throughput, Op::Write, 1024, 8),
    load(Figure::Operations, Op::Write, SMALL_KIB, 128),
    load(Figure::Latency, Op::Write, SMALL_KIB, 1),
    load(Figure::Flush, Op::Write, SMALL_KIB, 1),
    load(Figure::Throughput, Op::Read, 1024, 8),
    load(Figure::Reread, Op::Read, 1024, 8),
    load(Figure::Operations, Op::Read, SMALL_KIB, 128),
    load(Figure::Latency, Op::Read, SMALL_KIB, 1),
    load(Figure::Curve, Op::Read, SMALL_KIB, 4),
    load(Figure::Curve, Op::Read, SMALL_KIB, 16),
    load(Figure::Curve, Op::Read, SMALL_KIB, 64),
    load(Figure::Curve, Op::Read, 16, SIZES_DEPTH),
    load(Figure::Curve, Op::Read, 64, SIZES_DEPTH),
    load(Figure::Curve, Op::Read, 256, SIZES_DEPTH),
];

/// What is measured once, of the machine.
const COPIES: [Load; 2] =
    [load(Figure::Copy, Op::Read, 1024, 1), load(Figure::Copies, Op::Read, 1024, 1)];

/// The loads of a profile, in their order.
pub fn loads(writes: bool, longer: bool) -> impl Iterator<Item = Load> {
    let is_longer = |load: &Load| matches!(load.figure, Figure::Reread | Figure::Curve);
    let of_op = LOADS.into_iter().filter(move |load| writes || load.op == Op::Read);
    of_op.filter(move |load| longer || !is_longer(load)).chain(COPIES)
}

impl Load {
    /// The load that a stream makes: its name begins with what the figure is, so that a stored
    /// profile is read whatever sizes and depths it was measured with.
    #[must_use]
    pub fn of(stream: &Stream) -> Option<Self> {
        let (word, _) = stream.group.split_once('-')?;
        let figure = FIGURES.into_iter().find(|figure| figure.name() == word)?;
        let op = if stream.reads == Ratio::ONE { Op::Read } else { Op::Write };
        Some(Self { figure, op, block: stream.block.0, depth: stream.depth })
    }

    /// Whether it fills a device with requests of a size between those of the others.
    #[must_use]
    pub fn is_of_size(self) -> bool {
        self.figure == Figure::Curve && self.block > SMALL_KIB << 10
    }

    /// Whether sets of devices are measured together, and not only each alone.
    #[must_use]
    pub fn is_of_sets(self) -> bool {
        matches!(self.figure, Figure::Throughput | Figure::Reread | Figure::Operations)
    }

    /// Whether the page cache serves it, so that it is of the machine and not of a device.
    #[must_use]
    pub fn is_cached(self) -> bool {
        matches!(self.figure, Figure::Copy | Figure::Copies)
    }

    #[must_use]
    pub fn is_random(self) -> bool {
        self.figure != Figure::Throughput
    }

    /// Whether each write is flushed (`RWF_DSYNC`).
    #[must_use]
    pub fn is_flushed(self) -> bool {
        self.figure == Figure::Flush
    }

    /// Whether it is of bytes, and not of operations.
    #[must_use]
    pub fn is_of_bytes(self) -> bool {
        self.figure == Figure::Throughput || self.is_reread()
    }

    /// Whether the same bytes are read again and again.
    #[must_use]
    pub fn is_reread(self) -> bool {
        self.figure == Figure::Reread
    }

    /// The property of a component that states what it carries of this load.
    #[must_use]
    pub fn property(self) -> Option<&'static str> {
        match (self.figure, self.op) {
            (Figure::Throughput | Figure::Reread, Op::Read) => Some("read"),
            (Figure::Throughput | Figure::Reread, Op::Write) => Some("write"),
            (Figure::Operations, Op::Read) => Some("read-ops"),
            (Figure::Operations, Op::Write) => Some("write-ops"),
            (Figure::Latency | Figure::Flush | Figure::Curve, _)
            | (Figure::Copy | Figure::Copies, _) => None,
        }
    }
}
