//! When an open loop means to issue each request: at equal distances, or as a Poisson process
//! with exponential distances. The rate holds exactly in the long run, because what does not fit
//! into a nanosecond is carried over to the next distance.
//!
//! The streams of a declaration share its rate. At equal distances they take turns: stream i of n
//! begins i/n of a distance after the first. Poisson streams are independent, and together they
//! are a Poisson process of the whole rate.

use iopath_study::case::{Arrivals, Pacing, Pattern, Rate, Stream};

use crate::random::{Purpose, Source};

/// Intended start times of one stream's requests, without end.
#[derive(Clone, Debug)]
pub struct ArrivalTimes(Times);

#[derive(Clone, Debug)]
enum Times {
    /// A rate of 0.
    Never,
    Constant(Constant),
    Poisson(Poisson),
}

/// The next time is `nanos` + `part`/`parts`.
#[derive(Clone, Debug)]
struct Constant {
    nanos: u64,
    part: u64,
    parts: u64,
    gap_nanos: u64,
    gap_part: u64,
}

#[derive(Clone, Debug)]
struct Poisson {
    source: Source,
    mean_gap: f64,
    nanos: u64,
    /// Less than a nanosecond.
    fraction: f64,
}

impl ArrivalTimes {
    /// The times of `stream`; none for closed loops. `seed` is the one of the study.
    #[must_use]
    pub fn of(stream: &Stream, seed: u64) -> Option<Self> {
        let Pacing::Open { rate, streams, arrivals } = stream.pacing else { return None };
        let streams = streams.max(1);
        let Some(gap) = Gap::of(rate, stream.mean_request()) else {
            return Some(Self(Times::Never));
        };
        // The sub-streams of that load are Poisson processes, so their sum is one, too.
        let arrivals =
            if stream.pattern == Pattern::Spc1Like { Arrivals::Poisson } else { arrivals };
        Some(Self(match arrivals {
            Arrivals::Constant => {
                Times::Constant(Constant::new(gap, stream.ordinal % streams, streams))
            }
            Arrivals::Poisson => Times::Poisson(Poisson {
                source: Source::of(seed, &stream.name, Purpose::Arrivals),
                mean_gap: gap.nanos as f64 / gap.parts as f64 * f64::from(streams),
                nanos: 0,
                fraction: 0.0,
            }),
        }))
    }

    /// The next intended start, in nanoseconds since the common start; never earlier than the
    /// one before. A rate of 0 gives `u64::MAX`.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        match &mut self.0 {
            Times::Never => u64::MAX,
            Times::Constant(constant) => constant.next(),
            Times::Poisson(poisson) => poisson.next(),
        }
    }
}

/// Distance of two requests of the whole declaration: `nanos`/`parts`.
#[derive(Clone, Copy)]
struct Gap {
    nanos: u128,
    parts: u64,
}

impl Gap {
    fn of(rate: Rate, request: f64) -> Option<Self> {
        const NANOS_PER_SEC: u128 = 1_000_000_000;
        let (nanos, parts) = match rate {
            Rate::Operations(per_1000_sec) => (NANOS_PER_SEC * 1000, per_1000_sec.0),
            Rate::Bytes(per_sec) => {
                // A product below 2^53 is exact.
                ((request * NANOS_PER_SEC as f64) as u128, per_sec.0)
            }
        };
        (parts != 0).then_some(Self { nanos, parts })
    }
}

impl Constant {
    fn new(gap: Gap, ordinal: u32, streams: u32) -> Self {
        let parts = u128::from(gap.parts);
        // No product can overflow: 2^30 × 2^64 × 2^32 at most.
        let split = |gaps: u32| {
            let all = gap.nanos * u128::from(gaps);
            (u64::try_from(all / parts).unwrap_or(u64::MAX), (all % parts) as u64)
        };
        let ((nanos, part), (gap_nanos, gap_part)) = (split(ordinal), split(streams));
        Self { nanos, part, parts: gap.parts, gap_nanos, gap_part }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        let now = self.nanos;
        let room = self.parts - self.gap_part;
        let carry = room <= self.part;
        // The sum of two parts may need 65 bits, so it is never made.
        self.part = if carry { self.part - room } else { self.part + self.gap_part };
        self.nanos = now.saturating_add(self.gap_nanos).saturating_add(u64::from(carry));
        now
    }
}

impl Poisson {
    #[inline]
    fn next(&mut self) -> u64 {
        let gap = self.fraction - self.source.unit().ln() * self.mean_gap;
        let whole = gap as u64;
        self.fraction = gap - whole as f64;
        self.nanos = self.nanos.saturating_add(whole);
        self.nanos
    }
}
