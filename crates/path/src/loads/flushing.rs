//! What the writes of a stream wait for until they are on stable storage.

use iopath_study::System;
use iopath_study::case::{Case, Pattern, Sharing, Stream};
use iopath_units::{Op, Ratio};

use super::mistakes::Trouble;
use crate::legs::{Asked, Builder, Offsets, Request, merged};
use crate::network::{ComponentId, Covers, Flushing, WriteBack};
use crate::running::Running;

/// The flushes of a stream whose writes are such requests; none where it wants none.
pub(super) fn flushing(
    case: &Case,
    builder: &mut Builder<'_>,
    (running, to): (&Running, ComponentId),
    request: Request,
) -> Result<Option<Flushing>, Trouble> {
    let stream = &case.streams[running.stream];
    let sync = stream.sync;
    if !sync.is_durable() {
        return Ok(None);
    }
    let covers = match sync.every() {
        None => Covers::Itself,
        Some(every) if case.workload.has_thread_per_request() => Covers::WritesOfThread(every),
        Some(every) => Covers::Writes(every),
    };
    let (takes, longest) = builder.flush_time(running.place, to).map_err(Trouble::Legs)?;
    // All of N writes are there already with the Nth power of the chance of one.
    let hits = (request.hit_ppm as f64 / 1e6).powf(sync.every().unwrap_or(1).into());
    let share_ppm = ((1.0 - hits) * 1e6).round() as u32;
    let leg = match share_ppm {
        0 => None,
        _ => {
            let request = at_once(&case.system, stream, request);
            builder.writes_back(running.place, to, request).map_err(Trouble::Legs)?
        }
    };
    let writes_back = leg.map(|leg| WriteBack { leg, share_ppm });
    Ok(Some(Flushing { takes, longest, writes_back, covers }))
}

/// What of the writes that a flush is for is sure to go to the volume as one: all of them, where
/// they lie one behind the other from a multiple of their bytes on and the page cache merges as
/// much; else a single one.
fn at_once(system: &System, stream: &Stream, request: Request) -> Request {
    let begins_at_0 = stream.region.count <= 1 || stream.region.sharing == Sharing::Shared;
    let is_plain = stream.pattern == Pattern::Sequential && stream.reads == Ratio(0) && begins_at_0;
    let every = stream.sync.every().filter(|every| is_plain && stream.depth <= *every);
    let all = every.map_or(0, |every| u64::from(every) * stream.block.0);
    let is_merged = all == request.run && all == merged(system, all);
    let bytes = if is_merged { all.max(request.asked.bytes) } else { request.asked.bytes };
    let asked = Asked { op: Op::Write, bytes, at: Offsets::new(0, bytes) };
    Request { asked, ..request }
}
