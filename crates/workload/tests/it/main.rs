//! The generators, seen from outside: what holds for every stream and seed.

mod arrivals;
mod behind;
mod generations;
mod journal;
mod order;
mod readahead;
mod shares;
mod span;
mod spc1;
mod stamp;

use iopath_study::case::{Advice, Pacing, Pattern, Region, Sharing, Stream};
use iopath_units::{Action, Bytes, Ratio};
use iopath_workload::{Requests, Span};

const KIB: u64 = 1024;

/// Stream `index` of `count` that reads the target with this pattern in blocks of 4 KiB.
fn stream(pattern: Pattern, sharing: Sharing, (index, count): (u32, u32)) -> Stream {
    Stream {
        name: format!("reader[{index}]"),
        group: "reader".into(),
        ordinal: 0,
        place: iopath_study::source::Place::default(),
        target: 0,
        action: Action::Transfer,
        reads: Ratio::ONE,
        pattern,
        region: Region { sharing, index, count },
        block: Bytes(4 * KIB),
        depth: 1,
        pacing: Pacing::Closed,
        advice: Advice::Normal,
        sync: iopath_study::case::SyncMode::None,
        after: None,
        modelled: iopath_study::case::Modelled::default(),
    }
}

/// The only stream of a target.
fn alone(pattern: Pattern) -> Stream {
    stream(pattern, Sharing::Own, (0, 1))
}

/// The stream's requests on a target of that many of its blocks.
fn requests(stream: &Stream, blocks: u64, seed: u64) -> Requests {
    let span = Span::of(stream, blocks * stream.block.0).unwrap();
    Requests::new(stream, span, seed).unwrap()
}

/// The next `count` blocks, counted from the target's start.
fn blocks_of(stream: &Stream, requests: &mut Requests, count: u64) -> Vec<u64> {
    (0..count).map(|_| requests.next_request().offset / stream.block.0).collect()
}
