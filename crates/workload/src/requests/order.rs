//! The order of blocks within a region, one state machine for each pattern. Blocks are counted
//! from 0 at the region's start; a step takes constant time and no memory.
//!
//! Everything that ascends is one machine: it runs through lanes, each of which starts at a block
//! of its own and goes up by a fixed distance (`step`) to the end of the region.
//!
//! ```text
//! sequential        step 1, lane 0            0 1 2 3 4 5 6 7 | 0 1 …
//! staggered 1 of 2  step 1, lane 0, from 4    4 5 6 7 | 0 1 2 3 4 …
//! random start      step 1, lane 0, from any  6 7 | 0 1 2 3 4 5 6 7 | 0 …
//! interleaved 1/2   step 2, lane 1            1 3 5 7 | 1 3 …
//! stride of 3       step 3, lanes 0, 1, 2     0 3 6 | 1 4 7 | 2 5 | 0 …
//! ```
//!
//! So each round of a strided stream covers every block once. A stream on a region of its own has
//! nobody to stagger or interleave with: it runs in sequence.

use iopath_study::case::{Pattern, Sharing, Stream};
use iopath_units::{Bytes, Op, Ratio};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Seeds;
use super::scatter::Scatter;
use super::zipf::Zipf;
use crate::Span;
use crate::random::{Coin, Source};
use crate::unfit::Unfit;

/// Where a stream's blocks lie.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub span: Span,
    /// Whole blocks of the span.
    pub blocks: u64,
    pub seeds: Seeds,
}

/// State of one stream's pattern.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Ascent(Ascent),
    Descent { next: u64, blocks: u64 },
    Uniform { blocks: u64 },
    Zipf { ranks: Zipf, scatter: Scatter },
    Hot { coin: Coin, band: u64, blocks: u64 },
    Walk { at: u64, step: u64, blocks: u64 },
    Resident { hits: [Coin; 2], set: u64, misses: Ascent, scatter: Scatter },
}

/// Runs through lanes of ascending blocks.
#[derive(Clone, Debug)]
pub(super) struct Ascent {
    next: u64,
    step: u64,
    blocks: u64,
    lane: u64,
    first_lane: u64,
    end_lane: u64,
}

impl Order {
    pub(super) fn new(stream: &Stream, place: Place, source: &mut Source) -> Result<Self, Unfit> {
        let blocks = place.blocks;
        if blocks == 0 {
            let (region, block) = (Bytes(place.span.bytes), stream.block);
            let what = format!("a region of {region} has no room for a block of {block}");
            return Err(Unfit::of(stream, &what));
        }
        let (index, count) = turn(stream);
        Ok(match stream.pattern {
            Pattern::Sequential => Self::Ascent(Ascent::sequential(blocks, 0)),
            Pattern::Staggered => {
                let start = u128::from(blocks) * u128::from(index) / u128::from(count);
                Self::Ascent(Ascent::sequential(blocks, start as u64))
            }
            Pattern::RandomStart => Self::Ascent(Ascent::sequential(blocks, source.below(blocks))),
            Pattern::Interleaved => interleaved(stream, blocks)?,
            Pattern::Backwards => Self::Descent { next: blocks - 1, blocks },
            Pattern::Strided { stride } => strided(stream, stride, blocks)?,
            Pattern::Random => Self::Uniform { blocks },
            Pattern::Zipf { theta } => Self::Zipf {
                ranks: Zipf::new(blocks, theta.as_f64()),
                scatter: Scatter::new(blocks, scattering(stream, place, place.seeds.data)),
            },
            Pattern::Hot { share, band } => hot(share, band, blocks),
            Pattern::Walk { step } => walk(stream, step, blocks, source)?,
            Pattern::Resident { hits, write_hits, set } => {
                resident(stream, [hits, write_hits], set, place)?
            }
            Pattern::Spc1Like => unreachable!("the load makes its requests itself"),
        })
    }

    /// The next block, of a request that reads or writes.
    #[inline]
    pub(super) fn next(&mut self, op: Op, source: &mut Source) -> u64 {
        match self {
            Self::Ascent(ascent) => ascent.next(),
            Self::Descent { next, blocks } => {
                let at = *next;
                *next = if at == 0 { *blocks - 1 } else { at - 1 };
                at
            }
            Self::Uniform { blocks } => source.below(*blocks),
            Self::Zipf { ranks, scatter } => scatter.place(ranks.draw(source) - 1),
            Self::Hot { coin, band, blocks } => {
                if coin.toss(source) {
                    source.below(*band)
                } else {
                    *band + source.below(*blocks - *band)
                }
            }
            Self::Walk { at, step, blocks } => {
                *at = reflected(*at + source.below(2 * *step + 1), *step, *blocks);
                *at
            }
            Self::Resident { hits, set, misses, scatter } => {
                if hits[op.index()].toss(source) {
                    source.below(*set)
                } else {
                    *set + scatter.place(misses.next())
                }
            }
        }
    }

    /// How many requests cover the region of `blocks` once.
    pub(super) fn round(&self, blocks: u64) -> u64 {
        match self {
            // One lane of several: the other streams take theirs.
            Self::Ascent(Ascent { step, first_lane, end_lane, .. })
                if end_lane - first_lane == 1 =>
            {
                (blocks - first_lane).div_ceil(*step)
            }
            Self::Ascent(_)
            | Self::Descent { .. }
            | Self::Uniform { .. }
            | Self::Zipf { .. }
            | Self::Hot { .. }
            | Self::Walk { .. }
            | Self::Resident { .. } => blocks,
        }
    }
}

impl Ascent {
    fn sequential(blocks: u64, start: u64) -> Self {
        Self { next: start, step: 1, blocks, lane: 0, first_lane: 0, end_lane: 1 }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        let at = self.next;
        if self.step < self.blocks - at {
            self.next = at + self.step;
        } else {
            self.lane = if self.lane + 1 < self.end_lane { self.lane + 1 } else { self.first_lane };
            self.next = self.lane;
        }
        at
    }
}

/// Which stream of how many takes turns on this region.
fn turn(stream: &Stream) -> (u32, u32) {
    let region = stream.region;
    match region.sharing {
        Sharing::Own => (0, 1),
        Sharing::Shared => {
            assert!(region.index < region.count, "a stream has a place among those on its target");
            (region.index, region.count)
        }
    }
}

fn interleaved(stream: &Stream, blocks: u64) -> Result<Order, Unfit> {
    let (index, count) = turn(stream);
    let (step, lane) = (u64::from(count), u64::from(index));
    if blocks <= lane {
        let what = format!(
            "{count} streams interleave over {blocks} blocks, which leaves none for this one; \
             use a larger target, a smaller block or fewer streams"
        );
        return Err(Unfit::of(stream, &what));
    }
    let (first_lane, end_lane) = (lane, lane + 1);
    Ok(Order::Ascent(Ascent { next: lane, step, blocks, lane, first_lane, end_lane }))
}

fn strided(stream: &Stream, stride: Bytes, blocks: u64) -> Result<Order, Unfit> {
    let block = stream.block;
    if stride.0 == 0 || !stride.0.is_multiple_of(block.0) {
        let what = format!("a stride of {stride} is not a multiple of the block, {block}");
        return Err(Unfit::of(stream, &what));
    }
    let step = stride.0 / block.0;
    let end_lane = step.min(blocks);
    Ok(Order::Ascent(Ascent { next: 0, step, blocks, lane: 0, first_lane: 0, end_lane }))
}

/// The band has at least a block; requests that are not for it go to the rest, so that its share
/// is exactly the one given.
fn hot(share: Ratio, band: Ratio, blocks: u64) -> Order {
    let band = u128::from(blocks) * u128::from(band.0) / u128::from(Ratio::ONE.0);
    let band = u64::try_from(band).unwrap_or(blocks).max(1);
    if blocks <= band {
        return Order::Uniform { blocks };
    }
    Order::Hot { coin: Coin::new(share), band, blocks }
}

/// A walk begins anywhere. Every distance up to the step, 0 included, is equally likely.
fn walk(stream: &Stream, step: Bytes, blocks: u64, source: &mut Source) -> Result<Order, Unfit> {
    let block = stream.block;
    if step.0 < block.0 {
        let what = format!("a step of {step} is shorter than the block, {block}");
        return Err(Unfit::of(stream, &what));
    }
    // A longer step would only be reflected more than once.
    let step = (step.0 / block.0).min(blocks);
    Ok(Order::Walk { at: source.below(blocks), step, blocks })
}

/// The block `above` - `step`, reflected at the borders between blocks: -1 becomes 0 and `blocks`
/// becomes `blocks` - 1. That keeps every block equally likely in the long run.
#[inline]
fn reflected(above: u64, step: u64, blocks: u64) -> u64 {
    if above < step {
        step - above - 1
    } else if above - step < blocks {
        above - step
    } else {
        2 * blocks - 1 - (above - step)
    }
}

/// Misses take the rest once a round, in an order that no readahead can guess.
fn resident(stream: &Stream, hits: [Ratio; 2], set: Bytes, place: Place) -> Result<Order, Unfit> {
    let block = stream.block;
    let set_blocks = set.0 / block.0;
    let refused = |what: &str| {
        let region = Bytes(place.span.bytes);
        let what = format!(
            "with a resident set of {set} a region of {region} has no block of {block} to {what}; \
             the set needs one for hits, the rest of the region one for misses"
        );
        Err(Unfit::of(stream, &what))
    };
    if place.blocks < set_blocks || (set_blocks == 0 && hits != [Ratio(0); 2]) {
        return refused("hit");
    }
    let rest = place.blocks - set_blocks;
    if rest == 0 && hits.iter().any(|hits| *hits < Ratio::ONE) {
        return refused("miss");
    }
    let misses = Ascent::sequential(rest.max(1), 0);
    let scatter = Scatter::new(rest.max(1), scattering(stream, place, place.seeds.order));
    Ok(Order::Resident { hits: hits.map(Coin::new), set: set_blocks, misses, scatter })
}

/// What scatters blocks: the same for all streams on the same part of a target, since heat belongs
/// to the data and not to its reader.
fn scattering(stream: &Stream, place: Place, seed: u64) -> u64 {
    let mut part = [0; 16];
    part[..8].copy_from_slice(&(stream.target as u64).to_le_bytes());
    part[8..].copy_from_slice(&place.span.offset.to_le_bytes());
    xxh3_64_with_seed(&part, seed)
}
