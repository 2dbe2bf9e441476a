//! What the writes of a stream wait for until they are on stable storage.

use iopath_study::System;
use iopath_study::case::{Case, Pattern, Stream};
use iopath_units::{Op, Ratio};

use super::mistakes::Trouble;
use crate::legs::{Asked, Builder, FlushTime, Offsets, Request, merged};
use crate::network::{ComponentId, Covers, Flushing, WriteBack};
use crate::running::Running;

/// The writes of a stream.
pub(super) struct Written {
    pub request: Request,
    /// Whether no other stream uses its target.
    pub is_alone: bool,
}

/// The flushes of a stream with such writes; none where it wants none.
pub(super) fn flushing(
    case: &Case,
    builder: &mut Builder<'_>,
    (running, to): (&Running, ComponentId),
    written: &Written,
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
    let FlushTime { takes, longest, empties, queues } =
        builder.flush_time(running.place, to).map_err(Trouble::Legs)?;
    let queues = queues.filter(|_| builder.sends_one_by_one(to, sync));
    // What was written before the last of them may be below by then.
    let hit_ppm = u32::try_from(written.request.hit_ppm).unwrap_or(u32::MAX);
    let share_ppm = 1_000_000_u32.saturating_sub(hit_ppm);
    let leg = match share_ppm {
        0 => None,
        _ => {
            let request = written.at_once(&case.system, stream);
            builder.writes_back(running.place, to, request).map_err(Trouble::Legs)?
        }
    };
    let writes_back = leg.map(|leg| WriteBack { leg, share_ppm });
    Ok(Some(Flushing { takes, longest, empties, writes_back, queues, covers }))
}

impl Written {
    /// What of the writes that a flush is for is sure to go to the volume as one: all of them,
    /// where a stream that has the target for itself writes them one behind the other and the page
    /// cache merges as much; else a single one.
    fn at_once(&self, system: &System, stream: &Stream) -> Request {
        let request = self.request;
        let is_plain = stream.pattern == Pattern::Sequential && stream.reads == Ratio(0);
        let is_plain = is_plain && request.hit_ppm == 0 && self.is_alone;
        let every = stream.sync.every().filter(|every| is_plain && stream.depth <= *every);
        let all = every.map_or(0, |every| u64::from(every) * stream.block.0);
        let is_merged = all > 0 && all == request.run && all == merged(system, all);
        if !is_merged {
            return request;
        }
        let asked = Asked { op: Op::Write, bytes: all, at: Offsets::new(0, all) };
        Request { asked, ..request }
    }
}
