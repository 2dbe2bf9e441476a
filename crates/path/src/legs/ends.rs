//! What a request costs where it ends: the limits of volumes, caches and media, the arm of a disk,
//! processors and memory.
//!
//! * A disk has one arm (`arm`): passing the bytes and reaching their place add up.
//! * Data crosses memory once by DMA, twice more for each copy, as it is read and written again,
//!   and as often more as the `crossings` of a `cost` say.
//! * Processor time is spent where a request is handled, on the processors of the nearest machine
//!   or controller that states some: some of each request, some of each byte (`transform`),
//!   some of each byte that is written with parity.
//! * A machine that serves a device to another one handles each of its requests, and passes its
//!   data through memory: in by one DMA, out by another.
//! * The thread of a stream prepares the bytes of a request before its parts go out, and spends a
//!   span on each part: both on one processor, so both hold that stream back ([`Issue`]). It is one
//!   thread whatever the depth, so no stream does more than that thread has time for.

use iopath_study::PartId;
use iopath_study::case::{BufferKind, CacheMode};
use iopath_study::source::Origin;
use iopath_study::words::PageCache;
use iopath_units::Nanos;

use super::layout::nearest_row;
use super::{Builder, Request};
use crate::network::{
    Charge, ComponentId, Direction, Hold, Issue, LegId, Measure, Pool, PoolId, Row, RowId, Way,
};
use crate::rows::{self, ARM, CPUS};

/// The property of the rate above which threads of a file system are not used.
pub(super) const RATE_CAP: &str = "rate-cap";

/// What a study leaves open of processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// How many processors there are.
    Processors,
    /// On which socket it runs, where only sockets say how many there are.
    Socket,
    /// What a request takes of one.
    Request,
}

impl Builder<'_> {
    /// The limits of a volume, a cache or a file system; of a request in `factor` of all cases.
    pub(super) fn limits(&self, end: ComponentId, request: &Request, factor: f64) -> Vec<Charge> {
        let rows = self.network.component(end).rows.iter();
        let charge = |&row: &RowId| {
            let used = self.network.row(row).used_by(request.asked.op, request.asked.bytes)?;
            let amount = used * factor;
            (amount > 0.0).then_some(Charge { row, amount })
        };
        rows.filter_map(charge).collect()
    }

    /// The limits of a medium, its arm included.
    pub(super) fn medium(&self, end: ComponentId, request: &Request) -> Vec<Charge> {
        let mut charges = self.limits(end, request, 1.0);
        let rows = &self.network.component(end).rows;
        if let Some(&row) = rows.iter().find(|row| self.network.row(**row).property == ARM) {
            let [_, queued] = self.positions(end, request);
            let amount = self.passing(end, request) + self.passing_over(end, request) + queued;
            charges.push(Charge { row, amount });
        }
        charges
    }

    /// What a request costs the machine that its stream runs on; devices move the share `moved`.
    pub(super) fn start(
        &self,
        end: ComponentId,
        place: ComponentId,
        request: &Request,
        moved: f64,
    ) -> Vec<Charge> {
        let cost = self.layout.nearest(place, "cost");
        let mut charges = self.asked_by_machine(end, place, request);
        let crossings = moved * (1.0 + self.crossings(cost));
        charges.extend(self.memory(place, request, crossings).filter(|row| row.amount > 0.0));
        charges
    }

    /// What a request costs another machine, or a controller, that it comes to; to go on from there
    /// it leaves memory again.
    pub(super) fn arrival(
        &self,
        (from, place): (Option<ComponentId>, ComponentId),
        request: &Request,
        crossings: f64,
    ) -> Vec<Charge> {
        let cost = match self.is_new((from, place)) {
            true => self.layout.nearest(place, "cost"),
            false => self.layout.software(place, "cost"),
        };
        let mut charges = self.handling(place, cost, request);
        let crossings = crossings + self.crossings(cost);
        charges.extend(self.arrival_memory((from, place), request, crossings));
        charges
    }

    /// What a medium of another machine costs that machine.
    pub(super) fn served(
        &self,
        from: Option<ComponentId>,
        place: Option<ComponentId>,
        request: &Request,
    ) -> Vec<Charge> {
        let way = place.map(|place| (from, place)).filter(|way| self.is_new(*way));
        way.map_or_else(Vec::new, |way| self.arrival(way, request, 2.0))
    }

    /// What a request costs memory that it comes to: that of another machine, or a controller's.
    pub(super) fn arrival_memory(
        &self,
        (from, place): (Option<ComponentId>, ComponentId),
        request: &Request,
        crossings: f64,
    ) -> Option<Charge> {
        let is_own = |row: &Charge| self.network.row(row.row).component == place;
        let memory = self.memory(place, request, crossings);
        memory.filter(|row| self.is_new((from, place)) || is_own(row))
    }

    /// Whether a request comes to another machine there.
    pub(super) fn is_new(&self, (from, place): (Option<ComponentId>, ComponentId)) -> bool {
        let host = self.layout.host(place);
        host.is_some() && host != from.and_then(|from| self.layout.host(from))
    }

    /// What the thread of a stream does before the parts of a request are on their way. Requests
    /// that go through the page cache are copied instead: others transfer for them.
    pub(super) fn issue(
        &self,
        (end, place): (ComponentId, ComponentId),
        request: &Request,
        parts: f64,
    ) -> Option<Issue> {
        let below = self.in_front(end);
        if below.is_some_and(|file_system| self.is_buffered(file_system)) {
            return None;
        }
        let own = below.and_then(|file_system| self.layout.software(file_system, "cost"));
        let costs = [own, self.layout.nearest(place, "cost")].into_iter().flatten();
        let rate = costs.clone().find_map(|cost| self.system().byte_rate(cost, "prepare"));
        let part = costs.clone().find_map(|cost| self.system().time(cost, "part"));
        let row =
            nearest_row(self.network, place, CPUS).filter(|_| rate.is_some() || part.is_some())?;
        let prepare_s = rate.map_or(0.0, |rate| request.asked.bytes as f64 / rate.0 as f64);
        Some(Issue { row, prepare_s, part_s: part.map_or(0.0, seconds), parts })
    }

    /// What the thread of a stream spends on a request before that: on its way into the kernel and
    /// through a direct file system. Through a page cache each request has a thread of its own.
    pub(super) fn before(
        &self,
        (end, place): (ComponentId, ComponentId),
        request: &Request,
    ) -> Option<Charge> {
        let below = self.in_front(end);
        if below.is_some_and(|file_system| self.is_buffered(file_system)) {
            return None;
        }
        let mut charges = self.handling(place, self.layout.nearest(place, "cost"), request);
        charges.extend(match below {
            Some(below) => self.file_system_costs((below, place), request),
            None => self.pinned_raw(end, place, request),
        });
        charges.retain(|charge| self.network.row(charge.row).measure == Measure::Busy);
        let amount = charges.iter().map(|charge| charge.amount).sum();
        charges.first().map(|first| Charge { row: first.row, amount })
    }

    /// Seconds for which the thread of a stream of this depth is busy with a request that is this
    /// leg; through a page cache, as many threads as it is deep share them.
    pub(crate) fn thread_s(
        &self,
        leg: LegId,
        ends: (ComponentId, ComponentId),
        request: &Request,
        depth: u32,
    ) -> f64 {
        let below = self.in_front(ends.0).filter(|below| self.is_buffered(*below));
        if let Some(file_system) = below {
            return self.copied_s(file_system, ends.1, request) / f64::from(depth.max(1));
        }
        if self.case.workload.has_thread_per_request() {
            return 0.0;
        }
        let before = self.before(ends, request).map_or(0.0, |before| before.amount);
        let revoked = self.revoked(ends.0, ends.1, request).map_or(0.0, |revoked| revoked.amount);
        before + revoked + self.legs[leg.0 as usize].issue.map_or(0.0, |issue| issue.total_s())
    }

    /// Seconds of a thread for a request through a page cache; none where threads of the file
    /// system copy for it.
    fn copied_s(&self, file_system: ComponentId, place: ComponentId, request: &Request) -> f64 {
        if self.layout.software(file_system, "prefetch").is_some() {
            return 0.0;
        }
        let mut charges = self.asked_by_machine(file_system, place, request);
        charges.extend(self.file_system_costs((file_system, place), request));
        charges.retain(|charge| self.network.row(charge.row).measure == Measure::Busy);
        charges.iter().map(|charge| charge.amount).sum()
    }

    /// Processor time of a request where it is handled: some of each, some of each byte.
    pub(super) fn handling(
        &self,
        place: ComponentId,
        cost: Option<PartId>,
        request: &Request,
    ) -> Vec<Charge> {
        let time = cost.and_then(|cost| self.system().time(cost, "request"));
        let bytes_s = self.bytes_s(cost, "transform", request);
        self.processors(place, time.map_or(0.0, seconds) + bytes_s)
    }

    /// What the machine of a stream at a place asks for a request to an end. Through a page cache
    /// the `request` of the file system, where it states one, stands for the machine's; a file
    /// system that is bypassed has the pages pinned ([`Self::file_system_costs`]), else the
    /// device has.
    pub(super) fn asked_by_machine(
        &self,
        end: ComponentId,
        place: ComponentId,
        request: &Request,
    ) -> Vec<Charge> {
        let cost = self.layout.nearest(place, "cost");
        let buffered = self.in_front(end).filter(|below| self.is_buffered(*below));
        let own = buffered.and_then(|below| self.layout.software(below, "cost"));
        let mut charges = match own.and_then(|own| self.system().time(own, "request")) {
            Some(_) => self.processors(place, self.bytes_s(cost, "transform", request)),
            None => self.handling(place, cost, request),
        };
        charges.extend(self.pinned_raw(end, place, request));
        charges
    }

    /// Pages that are pinned for a request to what has no file system in front of it.
    fn pinned_raw(&self, end: ComponentId, place: ComponentId, request: &Request) -> Vec<Charge> {
        let is_raw = self.in_front(end).is_none() && self.case.workload.cache == CacheMode::Direct;
        match is_raw && !self.has_huge_pages() {
            true => {
                let cost = self.layout.nearest(place, "cost");
                self.processors(place, self.bytes_s(cost, "pin", request))
            }
            false => Vec::new(),
        }
    }

    /// Seconds for the bytes of a request at a rate that a cost states.
    fn bytes_s(&self, cost: Option<PartId>, property: &str, request: &Request) -> f64 {
        let rate = cost.and_then(|cost| self.system().byte_rate(cost, property));
        rate.map_or(0.0, |rate| request.asked.bytes as f64 / rate.0 as f64)
    }

    /// How many more times what is transformed crosses memory.
    pub(super) fn crossings(&self, cost: Option<PartId>) -> f64 {
        let crossings = cost.and_then(|cost| self.system().count(cost, "crossings"));
        crossings.map_or(0.0, |crossings| crossings as f64)
    }

    /// What a study does not say of the processor time of requests that begin at a place; where it
    /// says that they take none, nothing is missing.
    pub(crate) fn missing_processor_time(&self, place: Option<ComponentId>) -> Option<Missing> {
        let counted = place.filter(|place| nearest_row(self.network, *place, CPUS).is_some());
        let Some(place) = counted else {
            let has_sockets = place.is_some_and(|place| !self.layout.sockets(place).is_empty());
            return Some(if has_sockets { Missing::Socket } else { Missing::Processors });
        };
        let cost = self.layout.nearest(place, "cost");
        let states = |property| cost.is_some_and(|id| self.system().value(id, property).is_some());
        (!["request", "part", "prepare"].into_iter().any(states)).then_some(Missing::Request)
    }

    pub(super) fn processors(&self, place: ComponentId, seconds: f64) -> Vec<Charge> {
        let row = nearest_row(self.network, place, CPUS).filter(|_| seconds > 0.0);
        row.map(|row| Charge { row, amount: seconds }).into_iter().collect()
    }

    /// Crossings of the memory of a place, or of what it stands in.
    pub(super) fn memory(
        &self,
        place: ComponentId,
        request: &Request,
        crossings: f64,
    ) -> Option<Charge> {
        let row = nearest_row(self.network, place, "memory-rate")?;
        Some(Charge { row, amount: crossings * request.asked.bytes as f64 })
    }

    /// What a file system costs the machine of the stream: its own time of each request, copies
    /// between cache and application, pages that are pinned for each request.
    pub(super) fn file_system_costs(
        &self,
        (end, place): (ComponentId, ComponentId),
        request: &Request,
    ) -> Vec<Charge> {
        let own = self.layout.software(end, "cost");
        let mut charges = self.handling(place, own, request);
        let crossings = self.crossings(own);
        charges.extend(self.memory(place, request, crossings).filter(|row| row.amount > 0.0));
        let around = self.layout.nearest(place, "cost");
        let rate = |property| {
            let of = |cost: Option<PartId>| self.system().byte_rate(cost?, property);
            of(own).or_else(|| of(around))
        };
        let bytes = request.asked.bytes as f64;
        let time = |property| rate(property).map_or(0.0, |rate| bytes / rate.0 as f64);
        if self.is_buffered(end) {
            charges.extend(self.processors(place, time("copy")));
            charges.extend(self.memory(place, request, 2.0));
        } else if !self.is_pinned(end) {
            charges.extend(self.processors(place, time("pin")));
        }
        charges
    }

    /// Whether requests of a file system go through the page cache.
    pub(crate) fn is_buffered(&self, file_system: ComponentId) -> bool {
        let own = self.system().choice(file_system.into(), "cache");
        own == Some(PageCache::Buffered) || self.case.workload.cache != CacheMode::Direct
    }

    /// Whether buffers are pinned before: as `issue` says, else huge pages are.
    fn is_pinned(&self, file_system: ComponentId) -> bool {
        let issue = self.layout.software(file_system, "issue");
        let stated = issue.and_then(|issue| self.system().flag(issue, "pinned"));
        stated.unwrap_or(self.has_huge_pages())
    }

    fn has_huge_pages(&self) -> bool {
        match self.case.workload.buffers {
            BufferKind::Huge | BufferKind::HugeRequired => true,
            BufferKind::Heap | BufferKind::Shared => false,
        }
    }

    /// The tokens that a request takes: of its end, and of what it crosses.
    pub(super) fn tokens(&self, end: Option<ComponentId>, ways: &[Way]) -> Vec<Hold> {
        let of = |id: ComponentId, tokens| {
            let pool = self.network.component(id).outstanding?;
            Some(Hold { pool, tokens })
        };
        let crossed = ways.iter().flat_map(|way| {
            let crossed = self.routes.route(way.route).crossed.iter();
            crossed.filter_map(|(id, _)| of(*id, way.share))
        });
        let mut holds: Vec<Hold> =
            end.and_then(|end| of(end, 1.0)).into_iter().chain(crossed).collect();
        holds.sort_by_key(|hold| hold.pool);
        holds.dedup_by(|next, kept| {
            let is_same = next.pool == kept.pool;
            kept.tokens += if is_same { next.tokens } else { 0.0 };
            is_same
        });
        holds
    }

    /// The threads that read ahead and write behind for a file system; one serves a block of the
    /// share that its cache does not.
    pub(super) fn threads(
        &mut self,
        file_system: ComponentId,
        request: &Request,
        share: f64,
    ) -> Option<Hold> {
        let prefetch = self.layout.software(file_system, "prefetch")?;
        let stated = self.system().value(prefetch, "threads")?;
        let origin = stated.origin.clone();
        let threads = self.system().count(prefetch, "threads")?;
        let blocks = request.asked.bytes as f64 / self.block(file_system) as f64;
        let pool = self.pool(prefetch.into(), "threads", (threads, origin));
        Some(Hold { pool, tokens: share * blocks })
    }

    /// The rate above which no further thread is used, for the same share.
    pub(super) fn rate_cap(
        &mut self,
        file_system: ComponentId,
        request: &Request,
        share: f64,
    ) -> Option<Charge> {
        let prefetch = self.layout.software(file_system, "prefetch")?;
        let stated = self.system().value(prefetch, RATE_CAP)?;
        let (origin, component) = (stated.origin.clone(), ComponentId::from(prefetch));
        let capacity = self.system().byte_rate(prefetch, RATE_CAP)?.0 as f64;
        let row = match self.caps.get(&component) {
            Some(row) => *row,
            None => self.cap(component, capacity, origin),
        };
        Some(Charge { row, amount: share * request.asked.bytes as f64 })
    }

    fn cap(&mut self, component: ComponentId, capacity: f64, origin: Origin) -> RowId {
        let row = rows::number(self.network.rows.len());
        self.network.rows.push(Row {
            component,
            property: RATE_CAP,
            measure: Measure::Bytes,
            direction: Direction::Both,
            crossed: false,
            capacity,
            origin,
            burst: None,
        });
        self.network.components[component.0 as usize].rows.push(row);
        self.caps.insert(component, row);
        row
    }

    pub(super) fn pool(
        &mut self,
        component: ComponentId,
        property: &'static str,
        (tokens, origin): (u64, Origin),
    ) -> PoolId {
        let next = PoolId(u32::try_from(self.network.pools.len()).unwrap_or(u32::MAX));
        let pool = *self.pools.entry((component, property)).or_insert(next);
        if pool == next {
            self.network.pools.push(Pool { component, property, tokens, origin });
        }
        pool
    }
}

pub(super) fn seconds(time: Nanos) -> f64 {
    time.as_secs_f64()
}
