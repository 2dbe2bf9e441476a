//! A volume behind a cache.
//!
//! * **Reads**: the stream's hit share is served by the cache; of streams that read the same at the
//!   same time, one goes on for all. A cache that reads ahead of sequential streams works in the
//!   background: what it does is charged, and nobody waits for it.
//! * **Writes** with `write="back"` are done when they are in the cache, and in the partner's if it
//!   is mirrored. Destaging is in the background; sequential writes are destaged in full stripes
//!   ("a write cache removes most of it", appendix of the JFS2 paper on small writes), and what is
//!   overwritten before (the hit share) is not destaged at all. Without its partner a mirrored
//!   cache writes through, as controllers do.
//! * Writes with `through` or `off` are done when they are below.
//!
//! A rate that a cache states for both directions (`both`) is that of its memory: data crosses it
//! as it comes from the host or from the partner, again as it is destaged, as it is fetched from
//! below and as it goes out. So a read that hits crosses once, one that misses twice; a write
//! twice, and of mirrored caches once that of the partner, where it stays until it is forgotten.
//! Assumed: controllers copy no data within their memory, and the partner gets its copy as the data
//! comes in.
//!
//! `write` and `write-ops` of a controller are what it writes for hosts: a partner's copies do not
//! use them up, since makers rate them with mirroring on. They do use up `both` and `ops`, which
//! whatever a controller does uses up, and what an array's controllers pass to each other.
//!
//! Left out: how long a cache takes to fill, when it flushes, what it throws out.

use iopath_study::Class;
use iopath_study::words::WriteCache;
use iopath_units::Op;

use super::shares::{Asked, Offsets};
use super::standing::Standing;
use super::{Ask, Builder, Request, Sharers, Why, is_read};
use crate::caching::Caching;
use crate::network::{Charge, ComponentId, Direction, Leg, Measure, Next};

/// How a cache treats writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// Answered when in the cache, and in this partner's.
    Back(Option<ComponentId>),
    /// Answered when below.
    Through,
}

impl Builder<'_> {
    pub(super) fn cached(
        &mut self,
        ask: &Ask,
        standing: Standing,
        cache: ComponentId,
    ) -> Result<Leg, Why> {
        let mut charges = self.limits(cache, &ask.request, 1.0);
        let mut leaves_memory = false;
        if let Some(place) = standing.place.component().filter(|_| !standing.ways.is_empty()) {
            let way = (ask.from.component(), place);
            charges.extend(self.arrival(way, &ask.request, 1.0));
            leaves_memory = self.arrival_memory(way, &ask.request, 1.0).is_some();
        }
        let (from, behind) = (standing.place, Some(cache));
        let below =
            Ask { behind, leaves_memory, is_held: true, ..Ask::first(from, ask.to, ask.request) };
        let next = if is_read(&ask.request) {
            self.misses(below, cache)?
        } else {
            self.writes(below, (cache, &standing))?
        };
        let leg = self.plain(ask, standing, charges);
        Ok(Leg { to: cache, next, ..leg })
    }

    /// What goes on below a cache costs its memory: it has crossed that once, as it came.
    pub(super) fn crossed_again(&self, cache: ComponentId, request: &Request) -> Option<Charge> {
        let mut charges = self.limits(cache, request, 1.0).into_iter();
        charges.find(|charge| {
            let row = self.network.row(charge.row);
            (row.measure, row.direction) == (Measure::Bytes, Direction::Both)
        })
    }

    fn misses(&mut self, below: Ask, cache: ComponentId) -> Result<Vec<Next>, Why> {
        let (share, sharers) = self.missed(&below.request, Some(cache));
        if share == 0.0 {
            return Ok(Vec::new());
        }
        let caching = Caching::of(self.system(), cache, below.to);
        let is_ahead = caching.reads_ahead && !below.request.is_random;
        if is_ahead {
            self.tell(cache, ("array-readahead", false), |name| {
                format!("{name} reads ahead; data is assumed to arrive in time")
            });
        }
        let request = Request { hit_ppm: 0, sharers, is_first: false, ..below.request };
        let leg = self.leg(Ask { request, is_background: is_ahead, ..below })?;
        Ok(vec![Next { leg, times: share, at_once: 1.0, phase: 0, choice: None, often: 1.0 }])
    }

    /// The share of reads that a cache at a place does not serve, and who still reads the same
    /// behind it. That of a machine serves who comes from there, that of an array all.
    pub(super) fn missed(&self, request: &Request, place: Option<ComponentId>) -> (f64, Sharers) {
        let is_in_host = place.is_some_and(|place| self.layout.host(place).is_some());
        let (here, sharers) = match is_in_host {
            true => (request.sharers.here, request.sharers.behind_own()),
            false => (request.sharers.all, Sharers::NONE),
        };
        let hit = request.hit_ppm as f64 / 1e6;
        ((1.0 - hit) / f64::from(here.max(1)), sharers)
    }

    fn writes(
        &mut self,
        below: Ask,
        (cache, standing): (ComponentId, &Standing),
    ) -> Result<Vec<Next>, Why> {
        let request = Request { hit_ppm: 0, is_first: false, ..below.request };
        let once = |leg| Next { leg, times: 1.0, at_once: 1.0, phase: 0, choice: None, often: 1.0 };
        let Writes::Back(partner) = self.treats_writes((cache, below.to), standing) else {
            let leg = self.leg(Ask { request, ..below })?;
            return Ok(vec![once(leg)]);
        };
        self.tell_write_cache(cache);
        let mut next = Vec::new();
        if let Some(partner) = partner {
            let asked = Asked { at: Offsets::new(0, 0), ..request.asked };
            let request =
                Request { asked, is_random: false, apart: None, sharers: Sharers::NONE, ..request };
            let copy = Ask::first(below.from, partner, request);
            next.push(once(self.leg(copy)?));
        }
        let kept = 1.0 - below.request.hit_ppm as f64 / 1e6;
        if kept > 0.0 {
            let asked = self.destaged(&request, standing);
            let times = kept * request.asked.bytes as f64 / asked.bytes as f64;
            let request = Request { asked, ..request };
            let leg = self.leg(Ask { request, is_background: true, ..below })?;
            next.push(Next {
                leg,
                times,
                at_once: times.max(1.0),
                phase: 0,
                choice: None,
                often: kept,
            });
        }
        Ok(next)
    }

    /// How a cache treats writes to a volume.
    pub(super) fn treats_writes(
        &mut self,
        (cache, volume): (ComponentId, ComponentId),
        standing: &Standing,
    ) -> Writes {
        let caching = Caching::of(self.system(), cache, volume);
        if caching.write != WriteCache::Back {
            return Writes::Through;
        }
        if !caching.is_mirrored {
            return Writes::Back(None);
        }
        let Some(partner) = self.layout.partner(cache) else { return Writes::Back(None) };
        match self.stand(Op::Write, standing.place, partner) {
            Ok(_) => Writes::Back(Some(partner)),
            Err(_) => {
                self.tell(cache, ("write-through", false), |name| {
                    format!("{name} writes through where its partner is unreachable")
                });
                Writes::Through
            }
        }
    }

    /// What a copy to the partner's cache uses up of the partner: it ends before what that is rated
    /// to write for hosts.
    pub(super) fn copied(
        &mut self,
        to: ComponentId,
        request: &Request,
        standing: &mut Standing,
    ) -> Vec<Charge> {
        let is_controller = |place: &ComponentId| self.layout.class(*place) == Class::Controller;
        let partner = standing.place.component().filter(is_controller);
        let is_copy = self.system().kind(to.into()) == "cache" && !standing.ways.is_empty();
        let Some(partner) = partner.filter(|_| is_copy) else { return Vec::new() };
        standing.ways = self.routes.short_of(partner, &standing.ways);
        let mut charges = self.limits(partner, request, 1.0);
        charges.retain(|charge| {
            let row = self.network.row(charge.row);
            row.crossed && row.direction == Direction::Both
        });
        charges
    }

    /// What a write is when it leaves the cache.
    fn destaged(&self, request: &Request, standing: &Standing) -> Asked {
        let stripe = standing.shape.and_then(|shape| self.shapes.volumes[shape].full_stripe());
        match stripe.filter(|_| !request.is_random) {
            Some(stripe) if !request.asked.bytes.is_multiple_of(stripe) => {
                Asked { op: Op::Write, bytes: stripe, at: Offsets::new(0, stripe) }
            }
            Some(stripe) => Asked { at: Offsets::new(0, stripe), ..request.asked },
            None => request.asked,
        }
    }

    fn tell_write_cache(&mut self, cache: ComponentId) {
        let flushes = self.network.component(cache).empties_on_sync;
        self.tell(cache, ("write-cache", flushes), |name| {
            if flushes {
                format!("{name} completes writes, but not while a flush empties it")
            } else {
                format!("{name} completes writes; the time to fill it is not modelled")
            }
        });
    }
}
