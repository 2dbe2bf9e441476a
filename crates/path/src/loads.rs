//! What each stream asks for: its first legs with their shares, its size, what it keeps in flight.
//!
//! A stream is closed (the next request when one is done) or wants a rate, which the streams of its
//! declaration that count share. Offsets are those of its pattern; patterns that jump are random to
//! an arm, whatever their order.
//!
//! Left out: hot bands and power laws (to a layout every block is as likely), and what follows from
//! the order of streams in time: who is `behind` or `after` whom.

mod flushing;
mod groups;
mod mistakes;
mod overwritten;
mod processors;
mod revokes;
mod spc1;
mod unrated;

use std::collections::BTreeSet;

use iopath_study::case::{Case, Pacing, Pattern, Rate, Stream};
use iopath_study::unindexed;
use iopath_units::{Op, Ratio};

use self::flushing::{Written, flushing};
use self::groups::Groups;
use self::mistakes::{Mistakes, Trouble};
use self::overwritten::overwritten;
use self::processors::{unpriced, unpriced_servers};
use self::revokes::Revokes;
use self::unrated::{controllers, media};
use crate::legs::{Ask, Asked, Builder, Offsets, Reach, Renumbered, Request, interleaved};
use crate::mistake::PathMistake;
use crate::network::{
    ComponentId, Flushing, LegId, Mechanism, Network, Row, StreamLoad, WriteBack,
};
use crate::routes::Routes;
use crate::running::{Running, unmodelled};

/// Legs whose routes are not handed over yet.
pub(crate) struct Laid {
    /// For each leg whether it follows none before it.
    is_random: Vec<bool>,
    groups: Groups,
}

/// Lays legs and streams into a network.
///
/// # Errors
/// Members that make up no volume, and hits that no cache serves.
pub(crate) fn lay(
    case: &Case,
    network: &mut Network,
    routes: &mut Routes,
    running: &[Running],
) -> Result<Laid, Vec<PathMistake>> {
    let groups = Groups::new(case, running);
    let mut builder = Builder::new(case, network, routes);
    let unpriced = unpriced(case, &builder, running);
    let (mut loads, mut mistakes) = (Vec::new(), Mistakes::default());
    let mut repeated = BTreeSet::new();
    let mut revokes = Revokes::new(case, running, &groups);
    for one in running {
        match load(case, &mut builder, &mut revokes, one, &groups) {
            Ok((load, is_repeated)) => {
                loads.push(load);
                repeated.extend(is_repeated.then_some(case.streams[one.stream].group.as_str()));
            }
            Err(trouble) => mistakes.add(case, one.stream, &trouble),
        }
    }
    let (names, notes) = builder.finish();
    network.streams = loads.into_iter().map(|load| renamed(load, names)).collect();
    network.mechanisms.extend(groups.mechanisms(case, &repeated));
    network.mechanisms.extend(unpriced);
    let ends = network.legs.iter().map(|leg| leg.to.into());
    network.mechanisms.extend(unpriced_servers(&case.system, ends, running));
    network.mechanisms.extend(revokes.mechanisms);
    network.mechanisms.extend(unmodelled(case));
    network.mechanisms.extend(buckets(network));
    network.mechanisms.extend(overwritten(case, network));
    mistakes.none_or()?;
    Ok(Laid { is_random: notes.iter().map(|note| note.is_random).collect(), groups })
}

impl Laid {
    /// Adds the mechanisms that only a whole network shows; its routes are there now.
    pub(crate) fn finish(&self, case: &Case, network: &mut Network) {
        let streams = network
            .streams
            .iter()
            .map(|load| (load.epoch, self.groups.runs(&case.streams[load.stream])));
        let streams: Vec<(u32, f64)> = streams.collect();
        let mechanisms = interleaved(&case.system, network, &self.is_random, &streams);
        network.mechanisms.extend(mechanisms);
        network.mechanisms.extend(controllers(&case.system, network));
        network.mechanisms.extend(media(&case.system, network));
        network.mechanisms.sort();
        network.mechanisms.dedup();
    }
}

fn renamed(load: StreamLoad, names: Renumbered) -> StreamLoad {
    let StreamLoad { roots, flushing, .. } = load;
    let roots = roots.into_iter().map(|(leg, share)| (names.of(leg), share)).collect();
    let back = |one: WriteBack| WriteBack { leg: names.of(one.leg), ..one };
    let flushing = flushing.map(|one| Flushing { writes_back: one.writes_back.map(back), ..one });
    StreamLoad { roots, flushing, ..load }
}

/// What a stream asks for, and whether it asks media for what others ask them for, too.
fn load(
    case: &Case,
    builder: &mut Builder<'_>,
    revokes: &mut Revokes<'_>,
    running: &Running,
    groups: &Groups,
) -> Result<(StreamLoad, bool), Trouble> {
    let stream = &case.streams[running.stream];
    let to = ComponentId::from(case.targets[stream.target].part);
    let mut roots: Vec<(LegId, f64)> = Vec::new();
    let (mut bytes, mut thread_s) = (0.0, 0.0);
    let (mut is_unserved, mut is_repeated) = (false, false);
    let run = if builder.merges(to) { groups.run(case, running) } else { 0 };
    let requests = requests(stream, groups, running);
    for &(request, share) in &requests {
        let request = Request { run, ..request };
        let request = revokes.priced(builder, running, groups.epoch(stream), request);
        let ask = Ask::first(running.place, to, request);
        let leg = builder.leg(ask).map_err(Trouble::Legs)?;
        is_unserved |= builder.note(leg).is_unserved;
        is_repeated |= builder.note(leg).is_repeated;
        bytes += share * request.asked.bytes as f64;
        let thread = |from| builder.thread_s(leg, (to, from), &request, stream.depth);
        thread_s += share * running.place.component().map_or(0.0, thread);
        roots.push((leg, share));
    }
    if is_unserved && stream.modelled.hit > Ratio(0) {
        return Err(Trouble::NoCache);
    }
    let mut written = requests.iter().filter(|(request, _)| request.asked.op == Op::Write);
    let flushing = match written.next() {
        Some(&(request, _)) => {
            let request = Request { run, ..request };
            let is_alone = groups.is_alone(stream);
            flushing(case, builder, (running, to), &Written { request, is_alone })?
        }
        None => None,
    };
    let load = StreamLoad {
        stream: running.stream,
        roots,
        bytes,
        in_flight: in_flight(builder, stream, to, bytes),
        wants_per_sec: wants(stream, bytes, groups),
        thread_s,
        epoch: groups.epoch(stream),
        rewrites: groups.rewrites(stream),
        run,
        flushing,
    };
    Ok((load, is_repeated))
}

/// The kinds of requests of a stream, each with its share.
fn requests(stream: &Stream, groups: &Groups, running: &Running) -> Vec<(Request, f64)> {
    if stream.pattern == Pattern::Spc1Like {
        return spc1::requests(stream);
    }
    let reads = stream.reads.as_f64();
    let request = |op| request(stream, groups, running, op);
    let both = [(request(Op::Read), reads), (request(Op::Write), 1.0 - reads)];
    both.into_iter().filter(|(_, share)| *share > 0.0).collect()
}

/// One kind of request of a stream.
fn request(stream: &Stream, groups: &Groups, running: &Running, op: Op) -> Request {
    Request {
        asked: Asked { op, bytes: stream.block.0, at: offsets(stream) },
        is_random: is_random(stream),
        apart: groups.apart(stream),
        hit_ppm: hits(stream, op).0,
        revokes_ppm: 0,
        sharers: groups.sharers(stream, running.place),
        rewrites: groups.rewrites(stream),
        is_flushed: stream.sync.is_durable() && op == Op::Write,
        reach: Reach::Seek,
        pieces: 1,
        scans: stream.reads == Ratio::ONE,
        gap: None,
        is_first: true,
        run: 0,
    }
}

fn offsets(stream: &Stream) -> Offsets {
    let block = stream.block.0;
    let region = stream.region;
    match stream.pattern {
        Pattern::Interleaved => {
            Offsets::new(u64::from(region.index) * block, u64::from(region.count.max(1)) * block)
        }
        Pattern::Strided { stride } => Offsets::new(0, stride.0),
        Pattern::Sequential
        | Pattern::Staggered
        | Pattern::RandomStart
        | Pattern::Backwards
        | Pattern::Random
        | Pattern::Zipf { .. }
        | Pattern::Hot { .. }
        | Pattern::Walk { .. }
        | Pattern::Resident { .. }
        | Pattern::Spc1Like => Offsets::new(0, block),
    }
}

/// Whether a request does not follow the one before, of its own or of its neighbours.
fn is_random(stream: &Stream) -> bool {
    match stream.pattern {
        Pattern::Sequential | Pattern::Staggered | Pattern::RandomStart | Pattern::Interleaved => {
            false
        }
        Pattern::Strided { stride } => stride > stream.block,
        Pattern::Backwards
        | Pattern::Random
        | Pattern::Zipf { .. }
        | Pattern::Hot { .. }
        | Pattern::Walk { .. }
        | Pattern::Resident { .. }
        | Pattern::Spc1Like => true,
    }
}

/// The share that the first cache serves: stated, or that of a resident set.
fn hits(stream: &Stream, op: Op) -> Ratio {
    match stream.pattern {
        Pattern::Resident { hits, write_hits, .. } if stream.modelled.hit == Ratio(0) => match op {
            Op::Read => hits,
            Op::Write => write_hits,
        },
        _ => stream.modelled.hit,
    }
}

/// Requests in flight: its depth, or what is read ahead of it.
fn in_flight(builder: &Builder<'_>, stream: &Stream, target: ComponentId, bytes: f64) -> f64 {
    let depth = f64::from(stream.depth);
    let Some(file_system) = builder.file_system_of(target) else { return depth };
    let is_flushed = stream.sync.is_durable() && stream.reads < Ratio::ONE;
    if is_random(stream) || is_flushed || !builder.is_buffered(file_system) {
        return depth;
    }
    let ahead = builder.ahead(file_system).filter(|_| stream.reads == Ratio::ONE);
    let ahead = ahead.map_or(0, |ahead| ahead.unit * ahead.requests);
    let threads = builder.prefetched(file_system).unwrap_or(0);
    depth.max(ahead.max(threads) as f64 / bytes)
}

fn wants(stream: &Stream, bytes: f64, groups: &Groups) -> Option<f64> {
    let Pacing::Open { rate, .. } = stream.pacing else { return None };
    let all = match rate {
        Rate::Operations(rate) => rate.per_sec(),
        Rate::Bytes(rate) => rate.0 as f64 / bytes,
    };
    Some(all / groups.count(stream) as f64)
}

/// Token buckets: a bound is the rate when they are empty.
fn buckets(network: &Network) -> Vec<Mechanism> {
    let with_burst = network.rows.iter().filter(|row| row.burst.is_some());
    let tell = |row: &Row| {
        let name = unindexed(&network.component(row.component).name);
        let property = row.property;
        let text = format!("a full bucket of {name} allows more than its {property}=");
        Mechanism { kind: "token-bucket", text, decides: false }
    };
    with_burst.map(tell).collect()
}
