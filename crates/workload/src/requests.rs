//! The endless sequence of one stream's requests: offsets by its pattern, reads and writes mixed
//! by a random source of their own, so that a changed mix leaves the offsets as they are.
//!
//! Left out: when requests are issued ([`ArrivalTimes`](crate::ArrivalTimes)) and what they carry
//! ([`stamp`](crate::stamp)).

mod order;
mod scatter;
mod spc1;
mod zipf;

use iopath_study::case::Stream;
use iopath_units::Op;

use self::order::{Order, Place};
use self::spc1::Spc1;
use crate::Span;
use crate::random::{Coin, Purpose, Source};
use crate::unfit::Unfit;

/// One request of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whether it reads or writes.
    pub op: Op,
    /// Where it starts on the target, in bytes.
    pub offset: u64,
    /// Its length in bytes: the stream's block, or some blocks where the load has sizes.
    pub bytes: u32,
    /// Which sub-stream of the load it belongs to, in the order of its table; 0 where there is
    /// only one.
    pub sub: u8,
}

/// Roots of what a stream's requests draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Which data are hot: they stay so from pass to pass.
    pub data: u64,
    /// The order of requests: each pass has its own.
    pub order: u64,
}

impl From<u64> for Seeds {
    fn from(seed: u64) -> Self {
        Self { data: seed, order: seed }
    }
}

/// The requests of one stream, without end.
#[derive(Clone, Debug)]
pub struct Requests {
    kind: Kind,
    offsets: Source,
    operations: Source,
    start: u64,
    block: u32,
    round: u64,
}

/// Equal requests in some order, or a load that knows more.
#[derive(Clone, Debug)]
enum Kind {
    Equal { order: Order, reads: Coin },
    Spc1(Box<Spc1>),
}

impl Requests {
    /// The requests of `stream` on its part of the target.
    ///
    /// # Panics
    /// Where the stream's place is not among those that share the target.
    pub fn new(stream: &Stream, span: Span, seeds: impl Into<Seeds>) -> Result<Self, Unfit> {
        let seeds = seeds.into();
        let fits = stream.largest_request().is_some_and(|bytes| u32::try_from(bytes).is_ok());
        let block = u32::try_from(stream.block.0).ok().filter(|bytes| fits && *bytes != 0);
        let block = block.ok_or_else(|| {
            let what = format!(
                "a block of {} is not a valid request size; use 1 B to 4 GiB less 1 B",
                stream.block
            );
            Unfit::of(stream, &what)
        })?;
        let place = Place { span, blocks: span.bytes / u64::from(block), seeds };
        let mut offsets = Source::of(seeds.order, &stream.name, Purpose::Offsets);
        let (kind, round) = if spc1::is(stream) {
            let load = Spc1::new(stream, span, &mut offsets)?;
            (Kind::Spc1(Box::new(load)), place.blocks)
        } else {
            let order = Order::new(stream, place, &mut offsets)?;
            let round = order.round(place.blocks);
            (Kind::Equal { order, reads: Coin::new(stream.reads) }, round)
        };
        Ok(Self {
            kind,
            round,
            offsets,
            operations: Source::of(seeds.order, &stream.name, Purpose::Operations),
            start: span.offset,
            block,
        })
    }

    /// The next request; after a round it begins again or goes on, as the pattern says.
    #[inline]
    pub fn next_request(&mut self) -> Request {
        let (offsets, operations) = (&mut self.offsets, &mut self.operations);
        let (op, block, blocks, sub) = match &mut self.kind {
            Kind::Equal { order, reads } => {
                let op = if reads.toss(operations) { Op::Read } else { Op::Write };
                (op, order.next(op, offsets), 1, 0)
            }
            Kind::Spc1(load) => {
                let drawn = load.next(offsets, operations);
                (drawn.op, drawn.block, drawn.blocks, drawn.sub)
            }
        };
        let offset = self.start + block * u64::from(self.block);
        Request { op, offset, bytes: self.block * blocks, sub }
    }

    /// How many requests cover the region once; for random patterns, how many it has room for.
    /// A stream that interleaves with others counts its own blocks only.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round
    }
}
