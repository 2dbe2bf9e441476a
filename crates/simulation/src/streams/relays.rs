//! Reading behind writing: pairs that wait for one another, by [`iopath_workload::behind`].
//!
//! Whenever a request of one side is done, the others look whether it is their turn. What a side
//! waits for its partner is its `pool_wait_ns`, as in a measurement. A follower whose writer does
//! not count, or that has another part of the target, runs on its own: what is wrong with it is
//! said where studies are checked.

use iopath_study::Case;
use iopath_workload::Span;
use iopath_workload::behind::{Pairing, Relay, Side, pairings};

use super::Stream;
use super::stream::UNKNOWN;

/// The place of a stream in a relay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelaySide {
    pub relay: u32,
    pub side: Side,
}

/// A writer and its followers.
#[derive(Debug)]
pub(crate) struct CoupledStreams {
    pub relay: Relay,
    /// Those in it: the writer, then its followers.
    pub streams: Vec<u32>,
}

/// Gives the streams of a case their sides in relays. `bytes` tells the size of a stream's target.
pub(super) fn couple(
    case: &Case,
    all: &mut [Stream],
    bytes: impl Fn(usize) -> u64,
) -> Vec<CoupledStreams> {
    let mut relays = Vec::new();
    for pairing in &pairings(case).0 {
        let size = bytes(pairing.writer);
        let size =
            if Span::of(&case.streams[pairing.writer], size).is_ok() { size } else { UNKNOWN };
        let Some(coupled) = coupled(case, all, pairing, size) else { continue };
        for (place, stream) in coupled.streams.iter().enumerate() {
            let side = place.checked_sub(1).map_or(Side::Writer, Side::Follower);
            let relay = relays.len() as u32;
            all[*stream as usize].relay_side = Some(RelaySide { relay, side });
        }
        relays.push(coupled);
    }
    relays
}

/// A relay of those that count; none where no stream leads or none follows.
fn coupled(case: &Case, all: &[Stream], pairing: &Pairing, bytes: u64) -> Option<CoupledStreams> {
    pairing.fits(&case.streams, bytes).ok()?;
    let region = Span::of(&case.streams[pairing.writer], bytes).ok()?.bytes;
    let position = |stream: usize| Some(all.iter().position(|one| one.case == stream)? as u32);
    let writer = position(pairing.writer)?;
    let ends = |stream: usize| (case.streams[stream].block.0, case.streams[stream].depth);
    let mut streams = vec![writer];
    let mut followers = Vec::new();
    for one in &pairing.followers {
        let Some(at) = position(one.stream) else { continue };
        streams.push(at);
        followers.push((ends(one.stream), one.lag));
    }
    let relay = Relay::new(region, ends(pairing.writer), &followers);
    (!followers.is_empty()).then_some(CoupledStreams { relay, streams })
}
