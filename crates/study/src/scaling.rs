//! A case made smaller, so that one machine can carry it.
//!
//! * **Scale** 1:S divides rates in bytes and every size alike: requests, units, caches, media,
//!   regions. Operations per second, what is in flight, and times stay those of the original.
//! * **Stretch** N divides all rates, operations included, and multiplies the times of the system
//!   (not the length of a run); sizes stay. It is for requests that are too small to be divided.
//!
//! Requests stay whole: a size that requests are made of divides evenly, and not below a page
//! where a host splits it; else the case is refused. What else is rounded, is by less than a byte
//! or a byte per second. Units, segments and blocks that the study leaves out become values,
//! divided like stated ones; of other sizes and times that models assume, the system says how small
//! it is ([`System::scale`](crate::System::scale)). Left out: loads that bring sizes of their own
//! (`spc1-like`).

mod checks;
mod left_out;
mod parts;

use std::fmt;
use std::str::FromStr;

use iopath_units::{ByteRate, Bytes, Nanos, OperationRate};
use thiserror::Error;

use crate::case::{Case, KernelSettings, Pacing, Pattern, Rate, Stream, Target, Until, Workload};
use crate::source::Span;

/// The largest divisor (chosen: a rate of 1 TB/s is then 1 kB/s).
const MOST_SCALE: u64 = 1 << 30;

/// The largest stretch (chosen).
const MOST_STRETCH: u64 = 1_000_000;

/// How much smaller and slower a case is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    divisor: u64,
    stretch: u64,
}

/// A scale that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoScale {
    /// Not a power of two, or too large a one.
    #[error("a scale is a power of two up to 1:{MOST_SCALE}, such as 1:32; not {0}")]
    Divisor(String),
    /// No whole number, or too large a one.
    #[error("a stretch is a whole number from 1 to {MOST_STRETCH}; not {0}")]
    Stretch(u64),
}

/// Why a case cannot be made that small.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CannotScale {
    /// A size that requests are made of would be too small, or no whole number.
    #[error(
        "{what} is {size}, which 1:{asked} {}; the largest scale that works is 1:{largest}, and \
         --stretch makes rates smaller without sizes",
        too_small(*.size, *.asked)
    )]
    TooSmall {
        /// Whose size: the smallest that is in the way.
        what: String,
        /// How much it is.
        size: Bytes,
        /// Where it is written.
        span: Span,
        /// The scale that was asked for.
        asked: u64,
        /// The largest scale that works.
        largest: u64,
    },
    /// A load that brings its own sizes.
    #[error("requests of {stream} have fixed sizes, which cannot be scaled; use --stretch")]
    OwnSizes {
        /// The group of streams.
        stream: String,
        /// Where it is declared.
        span: Span,
    },
}

/// What a scale would make of a size that is too small for it.
fn too_small(size: Bytes, scale: u64) -> String {
    let least = checks::PAGE;
    match size.0 / scale {
        becomes if becomes < least && size.0.is_multiple_of(scale) => {
            format!("makes {}, less than {}", Bytes(becomes), Bytes(least))
        }
        _ => "does not divide into whole sectors".to_owned(),
    }
}

impl CannotScale {
    /// Where in the study the reason is written.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::TooSmall { span, .. } | Self::OwnSizes { span, .. } => *span,
        }
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::ONE
    }
}

impl Scale {
    /// As it is.
    pub const ONE: Self = Self { divisor: 1, stretch: 1 };

    /// Rates and sizes divided by `divisor`, rates besides by `stretch`.
    ///
    /// # Errors
    /// [`NoScale`]: the divisor is no power of two, the stretch is 0, or either is too large.
    pub fn new(divisor: u64, stretch: u64) -> Result<Self, NoScale> {
        if !divisor.is_power_of_two() || divisor > MOST_SCALE {
            return Err(NoScale::Divisor(divisor.to_string()));
        }
        if !(1..=MOST_STRETCH).contains(&stretch) {
            return Err(NoScale::Stretch(stretch));
        }
        Ok(Self { divisor, stretch })
    }

    /// What rates and sizes are divided by.
    #[must_use]
    pub fn divisor(self) -> u64 {
        self.divisor
    }

    /// What rates are divided by besides, and times multiplied.
    #[must_use]
    pub fn stretch(self) -> u64 {
        self.stretch
    }

    /// The same scale, stretched so many times.
    ///
    /// # Errors
    /// [`NoScale::Stretch`]: 0, or too large.
    pub fn stretched(self, stretch: u64) -> Result<Self, NoScale> {
        Self::new(self.divisor, stretch)
    }

    /// This much of what is this scale already.
    fn of(self, before: Self) -> Self {
        let (divisor, stretch) = (before.divisor, before.stretch);
        Self {
            divisor: self.divisor.saturating_mul(divisor),
            stretch: self.stretch.saturating_mul(stretch),
        }
    }

    /// A size at this scale; it need not divide evenly, and nothing becomes nothing.
    #[must_use]
    pub fn size(self, size: Bytes) -> Bytes {
        Bytes((size.0 / self.divisor).max(size.0.min(1)))
    }

    /// A time at this scale.
    #[must_use]
    pub fn time(self, time: Nanos) -> Nanos {
        // What is longer than 584 years is as good as for ever.
        Nanos(time.0.saturating_mul(self.stretch))
    }

    fn byte_rate(self, rate: ByteRate) -> ByteRate {
        ByteRate(nearest(rate.0, u128::from(self.divisor) * u128::from(self.stretch)))
    }

    fn rate(self, rate: Rate) -> Rate {
        match rate {
            Rate::Bytes(rate) => Rate::Bytes(self.byte_rate(rate)),
            Rate::Operations(rate) => {
                Rate::Operations(OperationRate(nearest(rate.0, u128::from(self.stretch))))
            }
        }
    }
}

/// The nearest whole quotient; a rate does not become none.
fn nearest(value: u64, divisor: u128) -> u64 {
    let quotient = (u128::from(value) + divisor / 2) / divisor;
    u64::try_from(quotient).unwrap_or(u64::MAX).max(value.min(1))
}

impl FromStr for Scale {
    type Err = NoScale;

    /// `1:32`, or `32` alone.
    fn from_str(text: &str) -> Result<Self, NoScale> {
        let number = text.trim().strip_prefix("1:").unwrap_or(text.trim());
        let divisor = number.parse().map_err(|_| NoScale::Divisor(text.to_owned()))?;
        Self::new(divisor, 1)
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1:{}", self.divisor)?;
        match self.stretch {
            1 => Ok(()),
            times => write!(f, ", stretched {times} times"),
        }
    }
}

impl Case {
    /// The same case, smaller. Its text stays that of the original.
    ///
    /// # Errors
    /// [`CannotScale`]: requests would not stay whole.
    pub fn scaled(&self, scale: Scale) -> Result<Self, CannotScale> {
        checks::check(self, scale)?;
        let target = |target: &Target| Target {
            size: target.size.map(|size| scale.size(size)),
            ..target.clone()
        };
        Ok(Self {
            system: parts::scaled(&self.system, scale),
            targets: self.targets.iter().map(target).collect(),
            workload: workload(&self.workload, scale),
            streams: self.streams.iter().map(|one| stream(one, scale)).collect(),
            ..self.clone()
        })
    }
}

fn workload(workload: &Workload, scale: Scale) -> Workload {
    let amount = workload.until.amount.map(|amount| scale.size(amount));
    let readahead = workload.kernel.readahead.map(|ahead| scale.size(ahead));
    let kernel = KernelSettings { readahead, ..workload.kernel };
    Workload { until: Until { amount, ..workload.until }, kernel, ..workload.clone() }
}

fn stream(stream: &Stream, scale: Scale) -> Stream {
    let pacing = match stream.pacing {
        Pacing::Closed => Pacing::Closed,
        Pacing::Open { rate, streams, arrivals } => {
            Pacing::Open { rate: scale.rate(rate), streams, arrivals }
        }
    };
    let pattern = match stream.pattern {
        Pattern::Strided { stride } => Pattern::Strided { stride: scale.size(stride) },
        Pattern::Walk { step } => Pattern::Walk { step: scale.size(step) },
        Pattern::Resident { hits, write_hits, set } => {
            Pattern::Resident { hits, write_hits, set: scale.size(set) }
        }
        same @ (Pattern::Sequential
        | Pattern::Staggered
        | Pattern::RandomStart
        | Pattern::Interleaved
        | Pattern::Backwards
        | Pattern::Random
        | Pattern::Zipf { .. }
        | Pattern::Hot { .. }
        | Pattern::Spc1Like) => same,
    };
    Stream { block: scale.size(stream.block), pacing, pattern, ..stream.clone() }
}
