//! The requests of the load like that of SPC-1 (never to be called SPC-1), after its table
//! `iopath_study::spc1`.
//!
//! The published generator gives each business scaling unit (50 requests a second) eight
//! sub-streams, each a Poisson process, and merges them by their next times. Independent Poisson
//! processes together are one Poisson process of their summed rate, of which each event belongs to
//! one of them with probability rate / sum, independent of all others (Kingman: Poisson Processes,
//! 1993, section 2.4). So the times are those of one process
//! ([`ArrivalTimes`](crate::ArrivalTimes)), and unit and sub-stream of each request are drawn: the
//! law is the same, and no heap is needed.
//! In a closed loop the requests come in the same order.
//!
//! A stream is a context: its units share the state of the walks' leaves. Places are those of the
//! generator's "fixed" style.

mod walk;

use iopath_study::case::{Pacing, Pattern, Rate, Stream};
use iopath_study::spc1::{
    LEAST_BLOCKS, MIX, MIXED, SPACES, STREAMS, UNIT, WALK_PERCENT, Way, mean_blocks,
};
use iopath_units::{Bytes, Op, Ratio};

use self::walk::{Forest, Walker};
use crate::Span;
use crate::random::{Coin, Source};
use crate::unfit::Unfit;

/// Units that a stream has at most: chosen, 3 million requests a second.
const MOST_UNITS: u64 = 1 << 16;

/// State of all sub-streams of one context.
#[derive(Clone, Debug)]
pub(super) struct Spc1 {
    /// Shares of the sub-streams added up, in millionths.
    borders: [u64; 8],
    reads: [Coin; 8],
    lengths: [u32; MIXED as usize],
    places: [Placed; 8],
    /// Of each unit the states of its eight sub-streams.
    units: Vec<[State; 8]>,
}

/// Where a sub-stream goes, in blocks of the stream's region.
#[derive(Clone, Debug)]
enum Placed {
    Uniform { from: u64, blocks: u64 },
    Walk(Forest),
    Sequence { from: u64, starts: u64, length: u64 },
}

/// What one unit remembers of one sub-stream.
#[derive(Clone, Copy, Debug)]
enum State {
    Nothing,
    Walker(Walker),
    /// The block after the last request, and where the run ends; a run is over at first.
    Run {
        next: u64,
        end: u64,
    },
}

/// One request, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    pub sub: u8,
    pub op: Op,
    pub block: u64,
    pub blocks: u32,
}

impl Spc1 {
    pub(super) fn new(stream: &Stream, span: Span, source: &mut Source) -> Result<Self, Unfit> {
        let blocks = span.bytes / stream.block.0;
        if blocks < LEAST_BLOCKS {
            let least = Bytes(LEAST_BLOCKS.saturating_mul(stream.block.0));
            let what = format!(
                "spc1-like needs a region of {least} at least, and has {}; use a larger target or \
                 fewer streams",
                Bytes(span.bytes)
            );
            return Err(Unfit::of(stream, &what));
        }
        let places = places(blocks);
        let state = |place: &Placed, source: &mut Source| match place {
            Placed::Uniform { .. } => State::Nothing,
            Placed::Walk(forest) => State::Walker(forest.walker(source)),
            Placed::Sequence { .. } => State::Run { next: 0, end: 0 },
        };
        let units = (0..units_of(stream))
            .map(|_| std::array::from_fn(|sub| state(&places[sub], source)))
            .collect();
        let mut border = 0;
        let borders = STREAMS.map(|one| {
            border += one.share.0;
            border
        });
        Ok(Self {
            borders,
            reads: STREAMS.map(|one| Coin::new(one.reads)),
            lengths: lengths(),
            places,
            units,
        })
    }

    /// The next request; `offsets` draws all but reads and writes.
    #[inline]
    pub(super) fn next(&mut self, offsets: &mut Source, operations: &mut Source) -> Drawn {
        let unit = offsets.below(self.units.len() as u64) as usize;
        let drawn = offsets.below(Ratio::ONE.0);
        let sub = self.borders.iter().position(|border| drawn < *border).unwrap_or(7);
        let read = self.reads[sub].toss(operations);
        let op = if read { Op::Read } else { Op::Write };
        let (block, blocks) = match (&mut self.places[sub], &mut self.units[unit][sub]) {
            (Placed::Walk(forest), State::Walker(walker)) => (forest.step(walker, op, offsets), 1),
            (Placed::Sequence { from, starts, length }, State::Run { next, end }) => {
                let blocks = self.lengths[offsets.below(MIXED) as usize];
                if *next + u64::from(blocks) >= *end {
                    *next = *from + offsets.below(*starts);
                    *end = *next + *length;
                }
                let at = *next;
                *next += u64::from(blocks);
                (at, blocks)
            }
            (Placed::Uniform { from, blocks }, _) => (*from + offsets.below(*blocks), 1),
            (Placed::Walk(_) | Placed::Sequence { .. }, _) => {
                unreachable!("a unit's states were made for these places")
            }
        };
        Drawn { sub: sub as u8, op, block, blocks }
    }
}

/// How many business scaling units make up the stream's share of the rate.
fn units_of(stream: &Stream) -> u64 {
    let Pacing::Open { rate, streams, .. } = stream.pacing else { return 1 };
    let per_1000_sec = match rate {
        Rate::Operations(rate) => rate.0 as f64,
        Rate::Bytes(rate) => rate.0 as f64 * 1000.0 / (stream.block.0 as f64 * mean_blocks()),
    };
    let units = per_1000_sec / f64::from(streams.max(1)) / UNIT.0 as f64;
    (units.round() as u64).clamp(1, MOST_UNITS)
}

/// The sub-streams' places in a region of `blocks`.
fn places(blocks: u64) -> [Placed; 8] {
    let border = |space: usize| percent(blocks, SPACES[..space].iter().sum());
    STREAMS.map(|one| {
        let (start, end) = (border(one.space), border(one.space + 1));
        let size = end - start;
        match one.way {
            Way::Uniform => Placed::Uniform { from: start, blocks: size },
            Way::Walk { from } => {
                Placed::Walk(Forest::new(start + percent(size, from), percent(size, WALK_PERCENT)))
            }
            Way::Sequence { from, within, length } => Placed::Sequence {
                from: start + percent(size, from),
                starts: percent(size, within),
                length: percent(size, length),
            },
        }
    })
}

fn percent(of: u64, percent: u64) -> u64 {
    // A share of `of`, so it fits into 64 bits again.
    (u128::from(of) * u128::from(percent) / 100) as u64
}

/// The sizes, as often as they come.
fn lengths() -> [u32; MIXED as usize] {
    let mut each = MIX.iter().flat_map(|(blocks, count)| (0..*count).map(|_| *blocks));
    std::array::from_fn(|_| each.next().unwrap_or(1))
}

/// Whether a stream's requests are made here.
pub(super) fn is(stream: &Stream) -> bool {
    stream.pattern == Pattern::Spc1Like
}
