//! A volume as the cache in front of it sees it.
//!
//! Its **page** is the largest power of two that divides all requests and the rows of the volume,
//! within the cache's block and [`MOST_PAGE`]. It shrinks when a smaller request comes; what was
//! held until then is held in vain. That happens in the first moments only.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use iopath_path::{CacheEnd, Caching, ComponentId, Geometry, Volume};
use iopath_study::words::WriteCache;
use iopath_units::{Bytes, Op};

use super::dirty::Dirty;
use super::runs::Runs;
use super::stated::Stated;
use super::{Cache, Caches};
use crate::core::Ps;
use crate::plan::{PlanId, PlannedEnd};
use crate::world::World;

/// The largest page: chosen, larger ones save nothing.
const MOST_PAGE: Bytes = Bytes(1 << 20);
/// The longest destage but for a longer row, and the longest row to which reading ahead keeps:
/// assumed, a disk then has some hundred KiB to do between two seeks.
const MOST_BYTES: Bytes = Bytes(4 << 20);

/// The size of a volume that is not stated: chosen, only distances matter.
const UNKNOWN: u64 = 1 << 40;

/// A volume behind a cache.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub cache: u32,
    /// Where the volume is split.
    pub owner: Option<ComponentId>,
    /// A request that came to the cache: what goes on in the background goes on from there.
    pub upper: PlanId,
    pub page: u64,
    /// The name of its pages.
    pub tag: u32,
    /// Its size.
    pub end: u64,
    pub rows: Rows,
    /// Whether its cache keeps what is written through.
    pub keeps_writes: bool,
    /// Whether its cache reads ahead of its streams.
    pub reads_ahead: bool,
    pub runs: Runs,
    /// Ends and numbers of fetches by starts.
    pub fetching: BTreeMap<u64, (u64, u32)>,
    pub dirty: Dirty,
    /// Segments that are on their way to the media, or parts of one.
    pub destaging: u32,
    pub is_deciding: bool,
    /// What is destaged next of what was written before the beginning.
    pub older: Option<(u64, u64)>,
    /// Dirty bytes that have come of age.
    pub aged: u64,
    /// Requests to flush it, when the last of them has taken its time, and writes that wait for
    /// these.
    pub flushes: Vec<u32>,
    pub flushing_to: Ps,
    pub held: VecDeque<u32>,
    /// Whether nothing has what its cache has not written yet but the cache.
    pub is_volatile: bool,
    /// What is on its way to the media, of one that is watched.
    pub leaving: Vec<Range<u64>>,
}

/// How a volume lies over its members, as far as caches use it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    /// Bytes of data of a row; 1 where there are none, or too long ones.
    pub row: u64,
    /// The same where only whole rows are written without reading; else 1.
    pub stripe: u64,
    /// Bytes on one member before the next one's turn.
    pub segment: u64,
    pub members: u32,
    /// The longest destage but for a longer row.
    longest: u64,
}

impl Rows {
    fn none(longest: u64) -> Self {
        Self { row: 1, stripe: 1, segment: longest, members: 1, longest }
    }

    fn of(volume: &Volume, longest: u64) -> Self {
        let members = volume.members;
        let (segment, data) = match &volume.geometry {
            Geometry::Stripe { unit } | Geometry::Scattered { block: unit } => (*unit, members),
            Geometry::StripedMirrors { segment } => (*segment, members / 2),
            Geometry::Parity(parity) => (parity.segment, parity.data(members)),
            Geometry::Whole | Geometry::Mirror | Geometry::Concat { .. } => {
                return Self { members, ..Self::none(longest) };
            }
        };
        let row = segment.saturating_mul(u64::from(data.max(1)));
        let stripe = volume.full_stripe().unwrap_or(1).max(1);
        Self { row: if row > longest { 1 } else { row.max(1) }, stripe, segment, members, longest }
    }

    /// The longest destage: whole rows.
    pub(super) fn most(&self) -> u64 {
        (self.longest - self.longest % self.stripe.max(self.row)).max(self.stripe)
    }

    /// Segments that so many bytes are, without parity and copies.
    pub(super) fn segments(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(self.segment)).unwrap_or(u32::MAX)
    }
}

impl Front {
    /// A range as large as another, half of the volume away; on another member, where rows need not
    /// be whole.
    pub(super) fn opposite(&self, (start, end): (u64, u64)) -> (u64, u64) {
        let half = self.end.min(UNKNOWN) / 2;
        let far = match self.rows.stripe {
            1 => half - half % self.rows.row + self.rows.segment,
            stripe => half - half % stripe,
        };
        let at = if end + far <= self.end { start + far } else { start.saturating_sub(far) };
        (at, at + end - start)
    }
}

impl Caches<'_> {
    #[inline]
    pub(super) fn cache(&mut self, front: u32) -> &mut Cache {
        let cache = self.fronts[front as usize].cache;
        &mut self.all[cache as usize]
    }

    #[inline]
    pub(super) fn both(&mut self, front: u32) -> (&mut Front, &mut Cache) {
        let front = &mut self.fronts[front as usize];
        let cache = &mut self.all[front.cache as usize];
        (front, cache)
    }

    /// The number of a cache, which is made when it is first met.
    fn number(&mut self, end: CacheEnd) -> u32 {
        let number = self.all.len() as u32;
        let known = *self.cache_of[end.cache.0 as usize].get_or_insert(number);
        if known == number {
            let stated = Stated::of(&self.case.system, end.cache);
            self.all.push(Cache { stated, ..Cache::default() });
        }
        known
    }
}

impl World<'_> {
    /// The volume that a request goes to, seen from the cache that it has come to.
    #[inline]
    pub(super) fn front(&mut self, id: u32, end: CacheEnd) -> u32 {
        let task = &self.tasks[id];
        let (plan, offset) = (task.plan, task.offset);
        let (to, bytes) = (self.plans.plan(plan).to, self.plans.plan(plan).bytes);
        let front = match self.caches.front_of[to.0 as usize] {
            _ if self.is_late(plan) => self.left_front(plan, end),
            Some(front) => front,
            None => {
                let front = self.new_front(plan, end);
                self.caches.front_of[to.0 as usize] = Some(front);
                front
            }
        };
        let (one, cache) = self.caches.both(front);
        if (offset | bytes) & (one.page - 1) != 0 && one.page > cache.stated.block {
            let page = 1 << (offset | bytes).trailing_zeros();
            one.page = cache.stated.block.max(page);
            one.tag = cache.tags;
            cache.tags += 1;
        }
        front
    }

    /// Volumes whose owner has changed come to its cache, which knows nothing of them yet.
    pub(crate) fn forget_moved_fronts(&mut self) {
        let network = self.plans.hops().network();
        let Caches { front_of, fronts, .. } = &mut self.caches;
        for (component, front) in network.components.iter().zip(front_of) {
            *front = front.filter(|front| fronts[*front as usize].owner == component.place);
        }
    }

    /// Whether a request was sent to a controller that does not own its volume any more.
    fn is_late(&self, plan: PlanId) -> bool {
        let plan = self.plans.plan(plan);
        let owner = || self.plans.hops().network().component(plan.to).place;
        self.failures.has_happened() && plan.place.component() != owner()
    }

    /// The volume of a late request, as the cache that it comes to saw it last.
    #[cold]
    fn left_front(&mut self, plan: PlanId, end: CacheEnd) -> u32 {
        let to = self.plans.plan(plan).to;
        let number = self.caches.number(end);
        let fronts = self.caches.all[number as usize].fronts.iter().rev().copied();
        let of = |front: u32| self.plans.plan(self.caches.fronts[front as usize].upper).to;
        let found = fronts.into_iter().find(|front| of(*front) == to);
        found.unwrap_or_else(|| self.new_front(plan, end))
    }

    #[cold]
    fn new_front(&mut self, plan: PlanId, end: CacheEnd) -> u32 {
        let to = self.plans.plan(plan).to;
        let below = self.plans.behind(plan, (Op::Write, BYTES_TO_ASK));
        let scale = self.caches.case.system.scale;
        let (longest, most_page) = (scale.size(MOST_BYTES).0, scale.size(MOST_PAGE).0);
        let rows = match below.map(|below| &self.plans.plan(below).end) {
            Some(PlannedEnd::Volume { layout, .. }) => Rows::of(layout, longest),
            _ => Rows::none(longest),
        };
        let caches = &mut self.caches;
        let caching = Caching::of(&caches.case.system, end.cache, to);
        let (cache, front) = (caches.number(end), caches.fronts.len() as u32);
        let one = &mut caches.all[cache as usize];
        let has_battery = caches.case.system.flag(end.cache.into(), "battery").unwrap_or(false);
        let row = if rows.row > 1 { 1 << rows.row.trailing_zeros() } else { most_page };
        caches.fronts.push(Front {
            cache,
            owner: self.plans.plan(plan).place.component(),
            upper: plan,
            page: row.clamp(one.stated.block, most_page.max(one.stated.block)),
            tag: one.tags,
            end: caches.room.usable(to.into()).unwrap_or(u64::MAX),
            rows,
            keeps_writes: caching.write != WriteCache::Off,
            reads_ahead: caching.reads_ahead,
            is_volatile: end.writes_back && !caching.is_mirrored && !has_battery,
            ..Front::default()
        });
        one.tags += 1;
        one.fronts.push(front);
        front
    }
}

/// The size of the request by which a volume is asked how it lies.
const BYTES_TO_ASK: u64 = 4096;
