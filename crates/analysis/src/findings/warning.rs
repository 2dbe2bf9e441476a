//! What a reader of the figures must know, as data: `report` has the words. It leaves out how it is
//! found, which is in `warnings`.

use iopath_record::BadBlocks;
use strum::{IntoStaticStr, VariantNames};

use crate::judges::evidence::Evidence;
use crate::judges::intensity::Intensity;
use crate::statistics::Confidence;

/// Something that a reader of the figures must know. The name of a variant is its kind.
#[derive(Clone, Debug, PartialEq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Warning {
    /// As the record has it, with a kind of its own.
    Recorded(iopath_record::Warning),
    /// What verification found.
    BadBlocks(BadBlocks),
    /// Passes in which there was no time with every stream active.
    EmptyWindow {
        /// How many.
        empty: usize,
        /// Of so many.
        passes: usize,
    },
    /// The shortest window is mostly beginning and end.
    ShortWindow {
        /// How long it was.
        length_ns: u64,
    },
    /// Streams began or ended far apart.
    Skew {
        /// Latest first issue less earliest.
        front_ns: u64,
        /// Latest last completion less earliest.
        back_ns: u64,
        /// The longer of the two, of the window.
        share: f64,
    },
    /// Clocks of several hosts may be too far apart for the shortest window.
    ClockBound {
        /// How far.
        bound_ns: u64,
        /// Of that window.
        share: f64,
    },
    /// Requests failed.
    FailedRequests(u64),
    /// One request took much of the window.
    LongStall {
        /// The slowest request.
        max_ns: u64,
        /// The shortest window.
        window_ns: u64,
    },
    /// More requests were in flight at the end of the window than at its beginning, and count by
    /// the share of their time in it.
    Backlog {
        /// At its beginning.
        before: u64,
        /// At its end.
        after: u64,
        /// Requests a second that completed in it.
        completed_per_sec: f64,
    },
    /// Processor time that the hypervisor gave to others, a share.
    CpuSteal(f64),
    /// Processor time of other processes and interrupts, a share.
    OtherLoad(f64),
    /// Devices moved more than was asked for.
    OtherTraffic {
        /// All of them.
        devices: Vec<String>,
        /// What they moved over what was asked for.
        ratio: f64,
    },
    /// Streams that read one region one after another mostly re-read what the first has fetched.
    SharedRegion {
        /// How many share it.
        streams: usize,
        /// Bytes that the devices read over those that the streams read, if both are known.
        at_devices: Option<f64>,
    },
    /// Streams of one declaration got different shares: a row for each such declaration.
    Unfair(Vec<UnfairStreams>),
    /// The wanted rate was not reached.
    RateMissed(Evidence),
    /// Sub-streams that had not their share of the requests.
    IntensityMissed {
        /// Those.
        missed: Vec<Intensity>,
        /// Of so many.
        sub_streams: usize,
    },
    /// Files were opened without direct I/O, as their file system refuses it.
    DirectRefused(Vec<String>),
    /// Direct reads that ended above the devices: the share of the bytes that the devices saw.
    HolesOrCache(f64),
    /// Repeated until precise, and it never was.
    NotPrecise {
        /// Half of the interval that was wanted, in percent of the mean.
        wanted_percent: f64,
        /// What was reached; none where it is not known.
        reached: Option<Confidence>,
    },
}

/// Streams of one declaration of which some get less than half of the mean.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfairStreams {
    /// Their declaration.
    pub name: String,
    /// How many there are.
    pub streams: usize,
    /// How many of them got less than half of the mean.
    pub slow: usize,
    /// The mean of those.
    pub slow_bytes_per_sec: f64,
    /// The mean of the others.
    pub other_bytes_per_sec: f64,
    /// Jain's index over all.
    pub jain: f64,
}

impl Warning {
    /// Its name in `docs/warnings.md`.
    #[must_use]
    pub fn kind(&self) -> &str {
        if let Self::Recorded(own) = self { &own.kind } else { self.into() }
    }
}
