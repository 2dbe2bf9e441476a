//! What a single request finds where it goes: for whoever lets requests travel one by one.
//!
//! A leg says what requests of a kind do on average; a [`Hop`] says what one request of a size does
//! next: how it may get there, what its issue and its end cost, and what stands at the end. What
//! becomes of it there (hits, splits, reading ahead) is up to who asks, as it depends on offsets
//! and on time. Costs are those of the legs.

use std::rc::Rc;

use iopath_study::Class;
use iopath_study::case::Case;
use iopath_units::Op;

use super::cached::Writes;
use super::shares::Reach;
use super::{Asked, Builder, Offsets, Request, Revoke, Sharers, Why};
use crate::network::{Charge, ComponentId, Issue, Network, PoolId, Route, RouteId, RowId, Way};
use crate::routes::{Place, Routes, Unreachable};
use crate::rows::ARM;
use crate::volume::Volume;

/// One request that is about to leave a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Departure {
    pub from: Place,
    /// The volume, medium or other part that it goes to.
    pub to: ComponentId,
    /// What it does.
    pub op: Op,
    /// Its size.
    pub bytes: u64,
    /// The cache that it has passed and does not ask again.
    pub behind: Option<ComponentId>,
    /// Whether it leaves the memory of what holds that cache.
    pub leaves_memory: bool,
    /// Bytes that the page cache holds one behind the other before they are flushed.
    pub run: u64,
}

/// What it finds.
#[derive(Clone, Debug)]
pub struct Hop {
    /// The routes that it may take; none where it stays where it is.
    pub ways: Vec<Way>,
    /// Where it is then.
    pub place: Place,
    /// What moving its data out of the machine that it begins at, or into it, costs memory there.
    pub leaving: Vec<Charge>,
    /// What its end costs. Without the arm of a disk, which is told apart.
    pub charges: Vec<Charge>,
    /// Tokens that it takes of its end.
    pub outstanding: Option<PoolId>,
    /// What stands there.
    pub end: End,
}

/// What a request has come to.
#[derive(Clone, Debug)]
pub enum End {
    /// Where data is kept, or a part that only passes it on.
    Medium(Option<Arm>),
    /// A cache in front of the volume.
    Cache(CacheEnd),
    /// A volume that is split over others, or a file in its file system.
    Volume {
        /// How it is laid out.
        layout: Rc<Volume>,
        /// Over what.
        members: Rc<[ComponentId]>,
    },
    /// A volume or file over nothing: its own limits are all there is.
    Bare,
    /// A file system, which lies over its members as a volume does.
    FileSystem {
        /// How it is laid out.
        layout: Rc<Volume>,
        /// Over what.
        members: Rc<[ComponentId]>,
    },
}

/// A cache in front of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheEnd {
    pub cache: ComponentId,
    /// Whether what goes on from it leaves memory again.
    pub leaves_memory: bool,
    /// Whether it answers writes before they are below.
    pub writes_back: bool,
    /// Where each write that it answers goes besides.
    pub partner: Option<ComponentId>,
}

/// The arm of a disk, and what a request of the size costs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    pub row: RowId,
    /// Seconds in which the bytes pass.
    pub passing_s: f64,
    /// Seconds to reach a place that does not follow the one before, with nobody else waiting.
    pub alone_s: f64,
    /// The same with many waiting.
    pub queued_s: f64,
    /// Seconds until the place that a request was just served at comes round again; infinite where
    /// no rotation is stated.
    pub again_s: f64,
}

/// Tells what requests find on the network of a case.
pub struct Hops<'a> {
    pub(super) builder: Builder<'a>,
}

impl<'a> Hops<'a> {
    /// On this network of the case, whose routes are looked up as they are asked for.
    pub fn new(case: &'a Case, network: &'a mut Network, routes: &'a mut Routes) -> Self {
        Self { builder: Builder::new(case, network, routes) }
    }

    /// The network, with the rows and pools that hops have added to it.
    #[must_use]
    pub fn network(&self) -> &Network {
        self.builder.network
    }

    /// A route that a hop told of.
    #[must_use]
    pub fn route(&self, id: RouteId) -> &Route {
        self.builder.routes.route(id)
    }

    /// What a request finds.
    ///
    /// # Errors
    /// In words, where no route leads there or its members make up no volume: neither happens to
    /// streams that count, but to copies for a partner that is out of reach.
    pub fn hop(&mut self, departure: &Departure) -> Result<Hop, String> {
        self.builder.hop(departure).map_err(|why| match why {
            Why::Unreachable(Unreachable { to, .. }) => {
                format!("no route leads to {}", self.builder.network.component(to).name)
            }
            Why::Geometry(_, error) => error.to_string(),
        })
    }

    /// What issuing a request to an end costs the machine of the stream, whatever becomes of it.
    #[must_use]
    pub fn issue(&self, end: ComponentId, place: ComponentId, op: Op, bytes: u64) -> Vec<Charge> {
        self.builder.asked_by_machine(end, place, &request(op, bytes))
    }

    /// What the thread of a stream spends on a request of its target before it prepares it.
    #[must_use]
    pub fn before(
        &self,
        (target, place): (ComponentId, ComponentId),
        op: Op,
        bytes: u64,
    ) -> Option<Charge> {
        self.builder.before((target, place), &request(op, bytes))
    }

    /// What the thread of a stream does for a request of its target before the parts go out, and
    /// for each of them; how many there are is up to who splits it, so it is told as one.
    #[must_use]
    pub fn thread(&self, (target, place): (ComponentId, ComponentId), bytes: u64) -> Option<Issue> {
        self.builder.issue((target, place), &request(Op::Read, bytes), 1.0)
    }

    /// What a lock of a file takes that another stream held last, where that has a price.
    #[must_use]
    pub fn revoke(&self, file: ComponentId, place: ComponentId) -> Option<Revoke> {
        self.builder.revoke(file, place)
    }

    /// What a file system costs the processors and the memory of a place for a request.
    #[must_use]
    pub fn file_system(
        &self,
        (file_system, place): (ComponentId, ComponentId),
        op: Op,
        bytes: u64,
    ) -> Vec<Charge> {
        self.builder.file_system_costs((file_system, place), &request(op, bytes))
    }

    /// Whether requests of a file system go through the page cache.
    #[must_use]
    pub fn is_buffered(&self, file_system: ComponentId) -> bool {
        self.builder.is_buffered(file_system)
    }

    /// Whether all that streams use may stay in the memory that a file system caches in.
    #[must_use]
    pub fn fits_in_memory(&self, file_system: ComponentId) -> bool {
        self.builder.is_buffered(file_system) && self.builder.fits_in_memory(file_system)
    }

    /// The file system that a file lies in.
    #[must_use]
    pub fn file_system_of(&self, file: ComponentId) -> Option<ComponentId> {
        self.builder.file_system_of(file)
    }

    /// The file system that requests to an end come through: the end itself, or that of a file.
    #[must_use]
    pub fn in_front(&self, end: ComponentId) -> Option<ComponentId> {
        self.builder.in_front(end)
    }

    /// Software of one kind (`readahead`, `prefetch`, `issue`, `commit`) that stands in a part.
    #[must_use]
    pub fn software(&self, part: ComponentId, kind: &'static str) -> Option<ComponentId> {
        self.builder.layout.software(part, kind).map(ComponentId::from)
    }

    /// The block of a file system, or of that of a file, where the blocks of one request go out one
    /// after the other.
    #[must_use]
    pub fn issued_one_by_one(&self, part: ComponentId) -> Option<u64> {
        let below = self.in_front(part);
        let serial = below.filter(|file_system| self.builder.is_serial(*file_system));
        serial.map(|file_system| self.builder.block(file_system))
    }

    /// The lock that an operation takes of a file.
    pub fn lock(&mut self, file: ComponentId, op: Op) -> Option<PoolId> {
        self.builder.lock(file, op).map(|hold| hold.pool)
    }

    /// The threads that read ahead and write behind for a file system.
    pub fn threads(&mut self, file_system: ComponentId) -> Option<PoolId> {
        let hold = self.builder.threads(file_system, &request(Op::Read, 1), 1.0);
        hold.map(|hold| hold.pool)
    }

    /// The row of a file system's rate cap, and what a request uses of it.
    pub fn rate_cap(&mut self, file_system: ComponentId, op: Op, bytes: u64) -> Option<Charge> {
        self.builder.rate_cap(file_system, &request(op, bytes), 1.0)
    }
}

pub(super) fn request(op: Op, bytes: u64) -> Request {
    Request {
        asked: Asked { op, bytes, at: Offsets::new(0, 0) },
        is_random: true,
        apart: None,
        hit_ppm: 0,
        revokes_ppm: 0,
        sharers: Sharers::NONE,
        rewrites: false,
        is_flushed: false,
        reach: Reach::Seek,
        pieces: 1,
        scans: false,
        gap: None,
        is_first: false,
        run: 0,
    }
}

impl Builder<'_> {
    fn hop(&mut self, departure: &Departure) -> Result<Hop, Why> {
        let Departure { from, to, op, bytes, behind, run, .. } = *departure;
        let mut standing = self.stand(op, from, to)?;
        let request = Request { run, ..request(op, bytes) };
        let copied = self.copied(to, &request, &mut standing);
        let place = standing.place;
        let arrived = place.component().filter(|_| !standing.ways.is_empty());
        let leaves = from.component().filter(|_| !from.has_arrived() && arrived.is_some());
        let crossings = |from| 1.0 + self.crossings(self.layout.nearest(from, "cost"));
        let leaving = leaves.and_then(|from| self.memory(from, &request, crossings(from)));
        let cache = self.cache_in_front(to, place);
        let way = arrived.map(|place| (from.component(), place));
        // What left a cache comes to none, also where another one owns the volume since.
        let cache_met = cache.filter(|_| behind.is_none_or(|behind| behind == to));
        let (mut charges, end) = match cache_met {
            Some(cache) => {
                let mut charges = self.limits(cache, &request, 1.0);
                charges.extend(way.into_iter().flat_map(|way| self.arrival(way, &request, 1.0)));
                let memory = way.and_then(|way| self.arrival_memory(way, &request, 1.0));
                let writes = self.treats_writes((cache, to), &standing);
                let (writes_back, partner) = match writes {
                    Writes::Back(partner) => (true, partner),
                    Writes::Through => (false, None),
                };
                let leaves_memory = memory.is_some();
                (charges, End::Cache(CacheEnd { cache, leaves_memory, writes_back, partner }))
            }
            None => {
                let mut charges = match self.layout.class(to) {
                    Class::Medium => self.limits_without_arm(to, &request),
                    _ => self.limits(to, &request, 1.0),
                };
                charges.extend(cache.and_then(|cache| self.crossed_again(cache, &request)));
                let end = self.end(to, &request, &standing);
                charges.extend(match end {
                    End::Medium(_) => self.served(from.component(), arrived, &request),
                    End::FileSystem { .. } => self.transformed(from, to, &request),
                    End::Volume { .. } => self.parity(to, place.component(), &request),
                    End::Cache(_) | End::Bare => Vec::new(),
                });
                (charges, end)
            }
        };
        if matches!(end, End::Volume { .. }) {
            charges.extend(way.into_iter().flat_map(|way| self.arrival(way, &request, 2.0)));
        }
        if let Some(place) = place.component().filter(|_| departure.leaves_memory) {
            charges.extend(self.memory(place, &request, 1.0));
        }
        charges.extend(copied);
        let outstanding = behind.is_none().then(|| self.network.component(to).outstanding);
        Ok(Hop {
            ways: standing.ways,
            place,
            leaving: leaving.into_iter().collect(),
            charges,
            outstanding: outstanding.flatten(),
            end,
        })
    }

    fn end(&mut self, to: ComponentId, request: &Request, standing: &super::Standing) -> End {
        let members = standing.members.clone();
        let shape = self.shape_for(standing.shape, standing.place.component(), request);
        let layout = shape.map(|shape| self.shapes.volumes[shape].clone());
        let is_file_system = self.system().kind(to.into()) == "filesystem";
        match (layout, self.layout.class(to)) {
            (Some(layout), _) if is_file_system => End::FileSystem { layout, members },
            (Some(layout), _) => End::Volume { layout, members },
            (None, Class::Volume | Class::File) => End::Bare,
            (None, _) => End::Medium(self.arm(to, request)),
        }
    }

    /// What a direct file system adds to the crossings of memory of its machine.
    fn transformed(&self, from: Place, to: ComponentId, request: &Request) -> Vec<Charge> {
        let place = from.component().filter(|_| !self.is_buffered(to));
        let crossings = self.crossings(self.layout.software(to, "cost"));
        let place = place.filter(|_| crossings > 0.0);
        place.and_then(|place| self.memory(place, request, crossings)).into_iter().collect()
    }

    fn arm(&self, end: ComponentId, request: &Request) -> Option<Arm> {
        let rows = &self.network.component(end).rows;
        let row = *rows.iter().find(|row| self.network.row(**row).property == ARM)?;
        let [alone_s, queued_s] = self.positions(end, request);
        let (passing_s, again_s) = (self.passing(end, request), self.again(end, request));
        Some(Arm { row, passing_s, alone_s, queued_s, again_s })
    }

    fn limits_without_arm(&self, end: ComponentId, request: &Request) -> Vec<Charge> {
        let mut charges = self.limits(end, request, 1.0);
        charges.retain(|charge| self.network.row(charge.row).property != ARM);
        charges
    }
}
