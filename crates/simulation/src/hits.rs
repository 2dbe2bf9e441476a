//! What a study says of hits: each request of a stream is served by the next cache or not, by its
//! share. Also the order in which streams start: whatever a seed decides before any request.

use iopath_study::Case;
use iopath_study::case::Pattern;
use iopath_units::{Op, Ratio};
use iopath_workload::{Coin, Purpose, Source};

use crate::streams::Streams;

/// The hits of all streams.
#[derive(Debug)]
pub(crate) struct Hits {
    of: Vec<([Coin; 2], Source)>,
    order: Source,
}

impl Hits {
    pub(crate) fn new(case: &Case, streams: &Streams, seed: u64) -> Self {
        let of = streams.all.iter().map(|one| {
            let stream = &case.streams[one.case];
            let coins = match stream.pattern {
                Pattern::Resident { hits, write_hits, .. } if stream.modelled.hit == Ratio(0) => {
                    [hits, write_hits]
                }
                _ => [stream.modelled.hit; 2],
            };
            (coins.map(Coin::new), Source::of(seed, &stream.name, Purpose::Hits))
        });
        Self { of: of.collect(), order: Source::of(seed, "start", Purpose::Order) }
    }

    /// Whether the next cache serves the next request of a stream.
    #[inline]
    pub(crate) fn toss(&mut self, stream: u32, op: Op) -> bool {
        let (coins, source) = &mut self.of[stream as usize];
        coins[op.index()].toss(source)
    }

    /// Puts streams into the order in which they start (Fisher and Yates; Durstenfeld, Algorithm
    /// 235, CACM 7, 1964).
    pub(crate) fn shuffle(&mut self, streams: &mut [u32]) {
        for last in (1..streams.len()).rev() {
            let other = self.order.below(last as u64 + 1) as usize;
            streams.swap(last, other);
        }
    }
}
