//! The endless sequence of one stream's requests: offsets by its pattern, reads and writes mixed
//! by a random source of their own, so that a changed mix leaves the offsets as they are.
//!
//! Left out: when requests are issued ([`ArrivalTimes`](crate::ArrivalTimes)) and what they carry
//! ([`stamp`](crate::stamp)).

mod error;
mod order;
mod scatter;
mod zipf;

pub use error::PatternError;

use iopath_study::case::Stream;
use iopath_units::Op;

use self::order::{Order, Place};
use crate::Span;
use crate::random::{Coin, Purpose, Source};

/// One request of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whether it reads or writes.
    pub op: Op,
    /// Where it starts on the target, in bytes.
    pub offset: u64,
    /// Its length in bytes: the stream's block.
    pub bytes: u32,
}

/// The requests of one stream, without end.
#[derive(Clone, Debug)]
pub struct Requests {
    order: Order,
    offsets: Source,
    reads: Coin,
    operations: Source,
    start: u64,
    block: u32,
    round: u64,
}

impl Requests {
    /// The requests of `stream` on its part of the target. `seed` is the one of the study.
    ///
    /// # Panics
    /// Where the stream's place is not among those that share the target.
    pub fn new(stream: &Stream, span: Span, seed: u64) -> Result<Self, PatternError> {
        let block = u32::try_from(stream.block.0).ok().filter(|bytes| *bytes != 0);
        let block = block.ok_or_else(|| PatternError::Block {
            stream: stream.name.clone(),
            block: stream.block,
        })?;
        let place = Place { span, blocks: span.bytes / u64::from(block), seed };
        let mut offsets = Source::of(seed, &stream.name, Purpose::Offsets);
        let order = Order::new(stream, place, &mut offsets)?;
        Ok(Self {
            round: order.round(place.blocks),
            order,
            offsets,
            reads: Coin::new(stream.reads),
            operations: Source::of(seed, &stream.name, Purpose::Operations),
            start: span.offset,
            block,
        })
    }

    /// The next request; after a round it begins again or goes on, as the pattern says.
    #[inline]
    pub fn next_request(&mut self) -> Request {
        let block = self.order.next(&mut self.offsets);
        let read = self.reads.toss(&mut self.operations);
        Request {
            op: if read { Op::Read } else { Op::Write },
            offset: self.start + block * u64::from(self.block),
            bytes: self.block,
        }
    }

    /// How many requests cover the region once; for random patterns, how many it has room for.
    /// A stream that interleaves with others counts its own blocks only.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round
    }
}
