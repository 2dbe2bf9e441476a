//! Files and file systems.
//!
//! * **Readahead** turns sequential buffered reads into requests of its unit.
//! * A **record** is read and written as a whole: a random request costs all of the records that it
//!   touches, sequential buffered ones make up records, and so do writes that go backwards through
//!   the page cache. Changing part of a record that is there reads it first; one that is written as
//!   a whole is not read.
//! * **Buffered writes** are done when they are copied; the page cache writes them in the
//!   background, unless threads of the file system do (`prefetch`). It merges what lies one behind
//!   the other up to [`MERGED`], and software RAID gathers full stripes of it.
//! * What the **page cache** serves is copied and no more: no device moves it, no thread fetches
//!   it. Threads are held by the mean over hits and misses for the mean time of both: a bound, and
//!   a loose one where both are many.
//! * **Serial issue** hands the blocks of a request down one after the other.
//!
//! Left out: windows of readahead as they grow, writing as memory fills, journals.

use iopath_study::System;
use iopath_study::words::Issue;
use iopath_units::{Bytes, Op};

use super::shares::{Asked, Offsets, gcd};
use super::standing::Standing;
use super::{Ask, Builder, Request, Why, is_read};
use crate::network::{ComponentId, Leg, Next};
use crate::routes::Place;

/// What a page cache merges at most where no record says: assumed, about what kernels hand down.
pub const MERGED: Bytes = Bytes(1 << 20);

/// Bytes of the largest request that a page cache makes of a run of writes.
pub(crate) fn merged(system: &System, run: u64) -> u64 {
    run.min(system.scale.size(MERGED).0)
}

/// Requests that a file system makes of one request.
#[derive(Clone, Copy, Debug)]
struct Made {
    asked: Asked,
    /// How many for one, on average.
    times: f64,
    /// How many of them at once.
    at_once: f64,
    phase: u8,
    is_background: bool,
}

/// How a file system reads ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ahead {
    /// Bytes of one request.
    pub unit: u64,
    /// Requests in flight for one stream.
    pub requests: u64,
}

impl Builder<'_> {
    pub(super) fn file(&mut self, ask: &Ask, standing: Standing) -> Result<Leg, Why> {
        if self.system().kind(ask.to.into()) == "filesystem" {
            return self.file_system(ask, standing);
        }
        let next = self.spread(ask, &standing, ask.request)?;
        let lock = self.lock(ask.to, ask.request.asked.op);
        let mut leg = self.plain(ask, standing, Vec::new());
        leg.holds.extend(lock);
        Ok(Leg { next, ..leg })
    }

    fn file_system(&mut self, ask: &Ask, standing: Standing) -> Result<Leg, Why> {
        if ask.behind == Some(ask.to) {
            let next = self.spread(ask, &standing, ask.request)?;
            return Ok(Leg { next, ..self.plain(ask, standing, Vec::new()) });
        }
        let mut charges = self.limits(ask.to, &ask.request, 1.0);
        if let Some(place) = standing.place.component() {
            charges.extend(self.file_system_costs((ask.to, place), &ask.request));
        }
        let (share, request) = self.past_page_cache((ask.to, standing.place), ask.request);
        let works = self.is_buffered(ask.to) && share > 0.0;
        let threads = if works { self.threads(ask.to, &ask.request, share) } else { None };
        let cap = if works { self.rate_cap(ask.to, &ask.request, share) } else { None };
        charges.extend(cap);
        let mut next = Vec::new();
        for made in self.requests_of(ask.to, &request) {
            self.hand_down(ask, &standing, (made, share, request), &mut next)?;
        }
        let serial = self.is_serial(ask.to);
        let mut leg = self.plain(ask, standing, charges);
        leg.holds.extend(threads);
        Ok(Leg { next, serial, ..leg })
    }

    /// The share of requests that the page cache does not serve, and what they are behind it.
    fn past_page_cache(
        &self,
        (file_system, place): (ComponentId, Place),
        request: Request,
    ) -> (f64, Request) {
        let own = self.layout.software(file_system, "cache");
        let has_cache = self.is_buffered(file_system) || own.is_some();
        if !has_cache {
            return (1.0, request);
        }
        if !is_read(&request) {
            let kept = 1.0 - request.hit_ppm as f64 / 1e6;
            return (kept, Request { hit_ppm: 0, ..request });
        }
        let (share, sharers) = self.missed(&request, place.component());
        (share, Request { hit_ppm: 0, sharers, ..request })
    }

    /// The share of the requests of a stream at a place that devices move through its memory: what
    /// the page cache of a file or file system serves is only copied.
    pub(super) fn moved(&self, (end, place): (ComponentId, Place), request: &Request) -> f64 {
        match self.in_front(end).filter(|file_system| self.is_buffered(*file_system)) {
            Some(file_system) => self.past_page_cache((file_system, place), *request).0,
            None => 1.0,
        }
    }

    /// Adds what one kind of request of the file system leads to.
    fn hand_down(
        &mut self,
        ask: &Ask,
        standing: &Standing,
        (made, share, request): (Made, f64, Request),
        next: &mut Vec<Next>,
    ) -> Result<(), Why> {
        if share == 0.0 {
            return Ok(());
        }
        let every = request.apart.map(|apart| apart + request.asked.bytes);
        let apart = every.map(|every| every.saturating_sub(made.asked.bytes));
        let request = Request { asked: made.asked, apart, is_first: false, ..request };
        if made.is_background {
            let behind = Some(ask.to);
            let below = Ask { request, behind, is_background: true, ..*ask };
            let (times, at_once) = (share * made.times, made.at_once);
            let leg = self.leg(Ask { from: standing.place, ..below })?;
            next.push(Next { leg, times, at_once, phase: made.phase, choice: None, often: 1.0 });
            return Ok(());
        }
        let first = next.iter().filter_map(|next| next.choice).max().map_or(0, |last| last + 1);
        for part in self.spread(ask, standing, request)? {
            next.push(Next {
                times: part.times * share * made.times,
                at_once: part.at_once * made.at_once,
                phase: part.phase + made.phase,
                choice: part.choice.map(|choice| choice + first),
                often: (part.often * made.times.max(1.0)).min(1.0),
                ..part
            });
        }
        Ok(())
    }

    /// What a file system makes of a request that its cache does not serve.
    fn requests_of(&mut self, file_system: ComponentId, request: &Request) -> Vec<Made> {
        let is_buffered = self.is_buffered(file_system);
        let is_sequential = is_buffered && !request.is_random;
        let ahead = self.ahead(file_system).filter(|ahead| ahead.requests > 0 && is_sequential);
        if let Some(ahead) = ahead.filter(|_| is_read(request)) {
            let (unit, count) = (Bytes(ahead.unit), ahead.requests);
            self.tell(file_system, ("readahead", false), |name| {
                format!(
                    "{name} reads ahead of each stream, {count} × {unit}; how windows grow, and \
                     so the shares, are not modelled"
                )
            });
            return vec![kept_in_flight(request, ahead.unit)];
        }
        let has_threads = self.layout.software(file_system, "prefetch").is_some();
        if is_sequential && has_threads && !request.is_flushed {
            self.tell(file_system, ("readahead", false), |name| {
                format!("threads of {name} read ahead and write behind, and are assumed to keep up")
            });
            return vec![kept_in_flight(request, self.block(file_system))];
        }
        let record = self.system().size(file_system.into(), "record").map(|size| size.0);
        let is_part = |record: &u64| !request.asked.bytes.is_multiple_of(*record);
        let mut made = match record.filter(is_part) {
            Some(record) => self.records(file_system, (request, record), is_sequential),
            None => vec![self.as_it_is(file_system, request)],
        };
        if is_buffered && !is_read(request) {
            self.write_behind(file_system, &mut made);
        }
        made
    }

    /// The page cache answers what is written.
    fn write_behind(&mut self, file_system: ComponentId, made: &mut [Made]) {
        let decides = self.fits_in_memory(file_system);
        self.tell(file_system, ("page-cache", decides), |name| {
            format!("the page cache of {name} completes writes before they are written")
        });
        if self.layout.software(file_system, "commit").is_some() {
            self.tell(file_system, ("commit", false), |name| {
                format!("{name} commits writes in groups; waiting for a commit is not modelled")
            });
        }
        for made in made.iter_mut().filter(|made| made.asked.op == Op::Write) {
            made.is_background = true;
        }
    }

    /// A request as it came; block by block where they go out one after the other, merged where the
    /// page cache merges it.
    fn as_it_is(&self, file_system: ComponentId, request: &Request) -> Made {
        let block = self.block(file_system);
        if self.is_serial(file_system) && request.asked.bytes > block {
            return collected(request, block);
        }
        let merged = merged(self.system(), request.run);
        if merged > request.asked.bytes {
            return collected(request, merged);
        }
        Made { asked: request.asked, times: 1.0, at_once: 1.0, phase: 0, is_background: false }
    }

    /// Whether the page cache in front of an end merges what lies one behind the other: where no
    /// records or blocks of threads are written instead.
    pub(crate) fn merges(&self, end: ComponentId) -> bool {
        let is_plain = |file_system: ComponentId| {
            let has_threads = self.layout.software(file_system, "prefetch").is_some();
            let record = self.system().size(file_system.into(), "record");
            self.is_buffered(file_system) && !has_threads && record.is_none()
        };
        self.in_front(end).is_some_and(is_plain)
    }

    /// Requests for part of a record.
    fn records(
        &mut self,
        file_system: ComponentId,
        (request, record): (&Request, u64),
        is_sequential: bool,
    ) -> Vec<Made> {
        // Written in order, backwards too, records fill up in the page cache.
        let fill_up = self.is_buffered(file_system) && !is_read(request) && !request.rewrites;
        let whole = if is_sequential || fill_up {
            collected(request, record)
        } else {
            let touched = request.asked.bytes.div_ceil(record);
            let at = Offsets::new(0, record);
            let asked = Asked { bytes: touched * record, at, ..request.asked };
            Made { asked, times: 1.0, at_once: 1.0, phase: 0, is_background: false }
        };
        if is_read(request) || !request.rewrites {
            return vec![whole];
        }
        self.tell(file_system, ("record", true), |name| {
            format!("{name} reads a record before a partial write")
        });
        // What is read ahead is there when its change comes.
        let is_ahead = self.ahead(file_system).is_some_and(|ahead| ahead.requests > 0);
        let at = Offsets::new(0, record);
        let asked = Asked { op: Op::Read, bytes: record, at };
        let times = Changed { bytes: request.asked.bytes, record }.of(is_sequential);
        let is_background = is_sequential && is_ahead;
        let before = Made { asked, times, at_once: times.max(1.0), phase: 0, is_background };
        vec![before, Made { phase: 1, ..whole }]
    }

    /// How a file system reads ahead, where it is told to.
    pub(crate) fn ahead(&self, file_system: ComponentId) -> Option<Ahead> {
        let readahead = self.layout.software(file_system, "readahead")?;
        let unit = self.system().readahead_unit(readahead).0;
        let requests = self.system().count(readahead, "streams").unwrap_or(1);
        Some(Ahead { unit, requests })
    }

    /// Bytes that the threads of a file system have in flight at most.
    pub(crate) fn prefetched(&self, file_system: ComponentId) -> Option<u64> {
        let prefetch = self.layout.software(file_system, "prefetch")?;
        let threads = self.system().count(prefetch, "threads")?;
        self.is_buffered(file_system).then(|| threads * self.block(file_system))
    }

    /// The file system that a file lies in.
    pub(crate) fn file_system_of(&self, file: ComponentId) -> Option<ComponentId> {
        let below = *self.system().part(file.into()).members.first()?;
        (self.system().kind(below) == "filesystem").then(|| below.into())
    }

    /// The file system that requests to an end come through.
    pub(super) fn in_front(&self, end: ComponentId) -> Option<ComponentId> {
        let is_one = self.system().kind(end.into()) == "filesystem";
        if is_one { Some(end) } else { self.file_system_of(end) }
    }

    pub(super) fn block(&self, file_system: ComponentId) -> u64 {
        self.system().block(file_system.into()).0
    }

    /// Whether blocks of a request go out one after the other; threads do not wait for one another.
    pub(super) fn is_serial(&self, file_system: ComponentId) -> bool {
        let issue = self.layout.software(file_system, "issue");
        let mode = issue.and_then(|issue| self.system().choice(issue, "mode"));
        mode == Some(Issue::Serial) && !self.is_buffered(file_system)
    }

    /// Whether all that the streams use may stay in the memory of the only machine.
    pub(super) fn fits_in_memory(&self, file_system: ComponentId) -> bool {
        let pool = self.layout.software(file_system, "pool");
        let pool = pool.and_then(|pool| self.system().size(pool, "size"));
        let hosts = self.system().ids().filter(|id| self.system().kind(*id) == "host");
        let memory = || hosts.filter_map(|host| self.system().size(host, "memory")).max();
        let sizes: Option<Vec<Bytes>> = self.case.targets.iter().map(|one| one.size).collect();
        match (pool.or_else(memory), sizes) {
            (Some(memory), Some(sizes)) => sizes.iter().map(|size| size.0).sum::<u64>() < memory.0,
            _ => false,
        }
    }
}

/// Writes of so many bytes, at multiples of them, to a file of such records.
struct Changed {
    bytes: u64,
    record: u64,
}

impl Changed {
    /// Records that one write changes in part, on average: those that an end of it lies in. Where
    /// writes follow one another, the page cache has the record that the one before has changed.
    ///
    /// Ends are multiples of the greatest common divisor, all of them equally often, so of `n` such
    /// places in a record one is no change of a part.
    fn of(&self, follow: bool) -> f64 {
        let Self { bytes, record } = *self;
        let in_record = 1.0 - gcd(bytes, record) as f64 / record as f64;
        match (bytes < record, follow) {
            (true, true) => bytes as f64 / record as f64,
            (true, false) => bytes as f64 / record as f64 + in_record,
            (false, true) => in_record,
            (false, false) => 2.0 * in_record,
        }
    }
}

/// Sequential requests that make up larger ones, or larger ones in pieces: one in so many leads to
/// one.
fn collected(request: &Request, bytes: u64) -> Made {
    let times = request.asked.bytes as f64 / bytes as f64;
    let asked = Asked { bytes, at: Offsets::new(0, bytes), ..request.asked };
    Made { asked, times, at_once: times.max(1.0), phase: 0, is_background: false }
}

/// The same where what is in flight is counted in bytes (`StreamLoad::in_flight`): each of the
/// requests that make up a larger one is as long in flight as that.
fn kept_in_flight(request: &Request, bytes: u64) -> Made {
    let made = collected(request, bytes);
    Made { at_once: made.times, ..made }
}
