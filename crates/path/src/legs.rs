//! Legs: the kinds of requests that streams make, and those that volumes, caches and file systems
//! make of them.
//!
//! A request goes to its volume's place, is split there, and its parts go on to the places of the
//! members, down to the media. Legs are interned by all that matters to what is below (place, end,
//! operation, size, offsets, whether it is random, what caches still serve of it), so streams share
//! them, and a system of many equal streams has few.
//!
//! * A **cache** stands in front of the volumes of its place. It serves the stream's `hit` share;
//!   what it answers before it is done (destaging, reading ahead, mirroring aside) is a leg in the
//!   background.
//! * A **file system** may read ahead, write behind, copy, and take locks and threads.
//!
//! Left out, and named in [`Mechanism`]s: what depends on when things happen.

mod arm;
mod cached;
mod ends;
mod files;
mod flushed;
mod hop;
mod interleaved;
mod layout;
mod locks;
mod parity;
mod shares;
mod standing;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use iopath_study::case::Case;
use iopath_study::{Class, System, unindexed};
use iopath_units::Op;

use self::layout::Layout;
use self::shares::{Share, Sizes};
use self::standing::Standing;
use crate::components::OUTSTANDING;
use crate::network::{Charge, ComponentId, Leg, LegId, Mechanism, Network, Next, PoolId, RowId};
use crate::routes::{Place, Routes};
use crate::volume::{Geometry, ParityGap, Volume};

pub(crate) use ends::Missing;
pub use files::MERGED;
pub(crate) use files::merged;
pub use flushed::FlushEnd;
pub(crate) use flushed::FlushTime;
pub use hop::{Arm, CacheEnd, Departure, End, Hop, Hops};
pub(crate) use interleaved::interleaved;
pub use locks::Revoke;
pub(crate) use shares::{Asked, Offsets, Reach, gcd};
pub(crate) use standing::Why;

/// One kind of request on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Request {
    /// Operation, size and offsets.
    pub asked: Asked,
    /// Whether it follows none before it.
    pub is_random: bool,
    /// Bytes that all the same lie between the end of the one before and it, at the least.
    pub apart: Option<u64>,
    /// Millionths of its kind that the next cache serves.
    pub hit_ppm: u64,
    /// Millionths of locks that are revoked from other streams for it.
    pub revokes_ppm: u64,
    /// Streams that read the same at the same time.
    pub sharers: Sharers,
    /// Whether what it writes is there already.
    pub rewrites: bool,
    /// Whether it is flushed, and so written below as it came.
    pub is_flushed: bool,
    /// How an arm gets to it where it does not follow the one before.
    pub reach: Reach,
    /// Parts that lie one behind the other, of which an arm gets to the first.
    pub pieces: u32,
    /// Whether its stream only reads: what a stream writes between, it does not pass over.
    pub scans: bool,
    /// What a medium passes over between the data of a scan.
    pub gap: Option<ParityGap>,
    /// Whether its stream makes it, rather than something on the way.
    pub is_first: bool,
    /// Bytes that the page cache holds one behind the other before they are flushed; none where
    /// it does not merge what is written.
    pub run: u64,
}

/// Streams that read the same at the same time, as one place on their way sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sharers {
    /// Those that come from the same machine as this request.
    pub here: u32,
    /// How many machines they come from.
    pub machines: u32,
    /// All of them.
    pub all: u32,
}

impl Ask {
    /// Of what has passed nothing yet.
    pub(crate) fn first(from: Place, to: ComponentId, request: Request) -> Self {
        let (leaves_memory, is_held, is_background) = (false, false, false);
        Self { from, to, request, behind: None, leaves_memory, is_held, is_background }
    }
}

impl Sharers {
    /// A stream that shares with none.
    pub(crate) const NONE: Self = Self { here: 1, machines: 1, all: 1 };

    /// Where all of them meet: on another machine than theirs, which they come to alike.
    fn met(self) -> Self {
        Self { here: self.all, machines: 1, ..self }
    }

    /// Behind a cache of their own machines: of each, one goes on.
    fn behind_own(self) -> Self {
        Self { here: 1, machines: self.machines, all: self.machines }
    }
}

/// A request from a place to an end: what legs are interned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ask {
    pub from: Place,
    pub to: ComponentId,
    pub request: Request,
    /// The cache or file system that it has passed and does not ask again.
    pub behind: Option<ComponentId>,
    /// Whether it leaves the memory of what holds that cache, which it had come to.
    pub leaves_memory: bool,
    /// Whether the leg in front of it holds the tokens of its end already.
    pub is_held: bool,
    pub is_background: bool,
}

/// Lays legs into a network.
pub(crate) struct Builder<'a> {
    case: &'a Case,
    layout: Layout<'a>,
    network: &'a mut Network,
    routes: &'a mut Routes,
    /// By end, in order: a component has few kinds of requests, and a system many components.
    known: Vec<Vec<(Ask, LegId)>>,
    /// What each volume lies on, and the number of its layout.
    volumes: Vec<Option<Lying>>,
    shapes: Shapes,
    /// Each stands behind those that it leads to, until all are there.
    legs: Vec<Leg>,
    notes: Vec<Note>,
    /// Pools and rows that only legs need.
    pools: BTreeMap<(ComponentId, &'static str), PoolId>,
    caps: BTreeMap<ComponentId, RowId>,
    mechanisms: BTreeSet<Mechanism>,
    /// What was told already, by declaration.
    told: BTreeSet<(usize, &'static str, bool)>,
}

/// The members of a volume, and the number of its layout; none over nothing.
type Lying = (Rc<[ComponentId]>, Option<usize>);

/// What a leg does not tell, and its streams must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Note {
    /// A share of it should be served by a cache, and none is on the way.
    pub is_unserved: bool,
    /// Streams in step come to media each for themselves: no cache is on the way.
    pub is_repeated: bool,
    /// Whether it follows none before it, not even at a stride.
    pub is_random: bool,
    /// Requests that its stream's thread sends from where it is for one of it.
    pub parts: f64,
}

/// Layouts and what they make of requests, each found once.
#[derive(Default)]
struct Shapes {
    numbers: BTreeMap<Volume, usize>,
    volumes: Vec<Rc<Volume>>,
    shares: BTreeMap<(usize, Asked, Sizes), Rc<[Share]>>,
}

impl Shapes {
    fn number(&mut self, volume: Volume) -> usize {
        if let Some(number) = self.numbers.get(&volume) {
            return *number;
        }
        self.volumes.push(Rc::new(volume.clone()));
        self.numbers.insert(volume, self.volumes.len() - 1);
        self.volumes.len() - 1
    }

    fn shares(&mut self, shape: usize, asked: Asked, sizes: Sizes) -> Rc<[Share]> {
        let volume = &self.volumes[shape];
        let shares = self.shares.entry((shape, asked, sizes));
        shares.or_insert_with(|| shares::shares(volume, asked, sizes).into()).clone()
    }
}

impl<'a> Builder<'a> {
    pub(crate) fn new(case: &'a Case, network: &'a mut Network, routes: &'a mut Routes) -> Self {
        let (pools, caps) = (known_pools(network), known_caps(network));
        Self {
            case,
            layout: Layout::new(&case.system),
            network,
            routes,
            known: vec![Vec::new(); case.system.parts.len()],
            volumes: vec![None; case.system.parts.len()],
            shapes: Shapes::default(),
            legs: Vec::new(),
            notes: Vec::new(),
            pools,
            caps,
            mechanisms: BTreeSet::new(),
            told: BTreeSet::new(),
        }
    }

    /// The leg of a request and all that it leads to.
    pub(crate) fn leg(&mut self, ask: Ask) -> Result<LegId, Why> {
        let end = ask.to.0 as usize;
        let find = |known: &Vec<(Ask, LegId)>| known.binary_search_by(|(one, _)| one.cmp(&ask));
        if let Ok(at) = find(&self.known[end]) {
            return Ok(self.known[end][at].1);
        }
        let leg = self.make(&ask)?;
        let id = self.push(leg, &ask.request);
        // Making it may have made others with the same end.
        let at = find(&self.known[end]).unwrap_or_else(|at| at);
        self.known[end].insert(at, (ask, id));
        Ok(id)
    }

    /// What became known of a leg besides.
    pub(crate) fn note(&self, leg: LegId) -> Note {
        self.notes[leg.0 as usize]
    }

    /// Hands the legs to the network, each before those that it leads to. Returns how legs are
    /// called now: `last - id`; and what is known of each besides.
    pub(crate) fn finish(self) -> (Renumbered, Vec<Note>) {
        let names = Renumbered { last: u32::try_from(self.legs.len()).unwrap_or(u32::MAX) };
        let mut legs = self.legs;
        legs.reverse();
        for next in legs.iter_mut().flat_map(|leg| &mut leg.next) {
            next.leg = names.of(next.leg);
        }
        self.network.legs = legs;
        self.network.mechanisms.extend(self.mechanisms);
        let mut notes = self.notes;
        notes.reverse();
        (names, notes)
    }

    fn system(&self) -> &'a System {
        self.layout.system()
    }

    fn push(&mut self, leg: Leg, request: &Request) -> LegId {
        let id = LegId(u32::try_from(self.legs.len()).unwrap_or(u32::MAX));
        let is_end = self.keeps_data(leg.to);
        let mut note = Note {
            is_unserved: is_end && request.hit_ppm > 0,
            is_repeated: is_end && request.sharers.all > 1,
            is_random: match self.layout.class(leg.to) {
                Class::Medium => request.is_random && !self.passes(leg.to, request),
                _ => request.is_random && request.apart.is_none(),
            },
            // Nobody's thread sends what is done in the background.
            parts: if leg.background { 0.0 } else { parts_sent(&leg, &self.notes) },
        };
        for below in leg.next.iter().map(|next| self.note(next.leg)) {
            note.is_unserved |= below.is_unserved;
            note.is_repeated |= below.is_repeated;
        }
        self.notes.push(note);
        self.legs.push(leg);
        id
    }

    fn make(&mut self, ask: &Ask) -> Result<Leg, Why> {
        let mut standing = self.stand(ask.request.asked.op, ask.from, ask.to)?;
        let copied = self.copied(ask.to, &ask.request, &mut standing);
        let sharers = self.meet((ask.from, standing.place), ask.request.sharers);
        let ask = &Ask { request: Request { sharers, ..ask.request }, ..*ask };
        let mut leg = match self.layout.class(ask.to) {
            Class::Volume => self.volume(ask, standing)?,
            Class::File => self.file(ask, standing)?,
            Class::Medium
            | Class::Software
            | Class::Host
            | Class::Controller
            | Class::Switch
            | Class::Expander
            | Class::Initiator
            | Class::Adapter
            | Class::Structure => {
                let mut charges = self.medium(ask.to, &ask.request);
                let (from, place) = (ask.from.component(), standing.place.component());
                charges.extend(self.served(from, place, &ask.request));
                let delay_s = self.alone(ask.to, &ask.request);
                Leg { delay_s, ..self.plain(ask, standing, charges) }
            }
        };
        leg.charges.extend(copied);
        leg.background = ask.is_background;
        if let Some(place) = ask.from.component().filter(|_| ask.request.is_first) {
            let moved = self.moved((ask.to, ask.from), &ask.request);
            leg.charges.extend(self.start(ask.to, place, &ask.request, moved));
            leg.charges.extend(self.revoked(ask.to, place, &ask.request));
            leg.issue = self.issue((ask.to, place), &ask.request, parts_sent(&leg, &self.notes));
            leg.charges
                .extend(leg.issue.map(|issue| Charge { row: issue.row, amount: issue.total_s() }));
        }
        Ok(leg)
    }

    /// Who reads the same where a request has come to.
    fn meet(&self, (from, to): (Place, Place), sharers: Sharers) -> Sharers {
        let is_new = to.component().is_some_and(|to| self.is_new((from.component(), to)));
        if is_new { sharers.met() } else { sharers }
    }

    /// A leg that leads to none yet.
    fn plain(&self, ask: &Ask, standing: Standing, charges: Vec<Charge>) -> Leg {
        Leg {
            to: ask.to,
            volume: ask.to,
            op: ask.request.asked.op,
            bytes: ask.request.asked.bytes,
            holds: self.tokens(Some(ask.to).filter(|_| !ask.is_held), &standing.ways),
            ways: standing.ways,
            charges,
            delay_s: 0.0,
            issue: None,
            next: Vec::new(),
            serial: false,
            background: false,
        }
    }

    /// A volume: behind a cache, or as it is.
    fn volume(&mut self, ask: &Ask, standing: Standing) -> Result<Leg, Why> {
        let place = standing.place.component();
        let cache = self.cache_in_front(ask.to, standing.place);
        if let Some(cache) = cache.filter(|cache| ask.behind != Some(*cache)) {
            return self.cached(ask, standing, cache);
        }
        let mut charges = self.limits(ask.to, &ask.request, 1.0);
        charges.extend(cache.and_then(|cache| self.crossed_again(cache, &ask.request)));
        charges.extend(self.parity(ask.to, place, &ask.request));
        if let Some(place) = place.filter(|_| !standing.ways.is_empty()) {
            charges.extend(self.arrival((ask.from.component(), place), &ask.request, 2.0));
        }
        if let Some(place) = place.filter(|_| ask.leaves_memory) {
            charges.extend(self.memory(place, &ask.request, 1.0));
        }
        let next = self.spread(ask, &standing, ask.request)?;
        Ok(Leg { next, ..self.plain(ask, standing, charges) })
    }

    /// What a request becomes on the members of what it has come to.
    fn spread(
        &mut self,
        ask: &Ask,
        standing: &Standing,
        request: Request,
    ) -> Result<Vec<Next>, Why> {
        let place = standing.place.component();
        let Some(shape) = self.shape_for(standing.shape, place, &request) else {
            return Ok(Vec::new());
        };
        let is_medium = |id: &ComponentId| self.layout.class(*id) == Class::Medium;
        // What a medium is charged is linear in sizes, so their mean says it all.
        let over_media = standing.members.iter().all(is_medium);
        let sizes = if over_media { Sizes::Mean } else { Sizes::Apart };
        let shares = self.shapes.shares(shape, request.asked, sizes);
        let scans = over_media && request.scans && !request.is_random && is_read(&request);
        let gap = self.shapes.volumes[shape].parity_gap().filter(|_| scans);
        let is_scattered = self.shapes.volumes[shape].is_scattered();
        let is_concat = matches!(self.shapes.volumes[shape].geometry, Geometry::Concat { .. });
        if is_concat && !request.is_random && standing.members.len() > 1 {
            self.tell(ask.to, ("concat", false), |name| {
                format!(
                    "a sequential stream is on one member of {name} at a time; shares by size \
                     are its mean over the whole volume"
                )
            });
        }
        let mut next = Vec::with_capacity(shares.len());
        for share in shares.iter() {
            let to = standing.members[share.member as usize];
            let request = Request {
                asked: share.asked,
                is_random: request.is_random || is_scattered,
                apart: share.apart_of(&request, &self.shapes.volumes[shape].geometry),
                hit_ppm: if share.asked.op == request.asked.op { request.hit_ppm } else { 0 },
                revokes_ppm: 0,
                reach: share.reach,
                pieces: request
                    .pieces
                    .saturating_mul(share.pieces(&self.shapes.volumes[shape].geometry)),
                gap,
                is_first: false,
                // The block that follows lies elsewhere.
                run: if is_scattered { 0 } else { request.run },
                ..request
            };
            let ask = Ask { behind: ask.behind, ..Ask::first(standing.place, to, request) };
            let leg = self.leg(self.plainest(ask))?;
            let Share { times, at_once, phase, choice, often, .. } = *share;
            next.push(Next { leg, times, at_once, phase, choice, often });
        }
        Ok(next)
    }

    /// A medium does not ask what only volumes and caches do.
    fn plainest(&self, ask: Ask) -> Ask {
        if self.layout.class(ask.to) != Class::Medium {
            return ask;
        }
        let asked = Asked { at: Offsets::new(0, 0), ..ask.request.asked };
        let request = Request { asked, rewrites: false, is_flushed: false, run: 0, ..ask.request };
        Ask { request, behind: None, ..ask }
    }

    /// Whether requests end there: media, and volumes and files over nothing.
    fn keeps_data(&self, id: ComponentId) -> bool {
        let lying = self.volumes[id.0 as usize].as_ref();
        let over_nothing = || lying.is_some_and(|(_, shape)| shape.is_none());
        match self.layout.class(id) {
            Class::Medium => true,
            Class::Volume | Class::File => over_nothing(),
            Class::Software
            | Class::Host
            | Class::Controller
            | Class::Switch
            | Class::Expander
            | Class::Initiator
            | Class::Adapter
            | Class::Structure => false,
        }
    }

    /// Notes what rows, pools and delays do not express: once for all parts of a declaration.
    /// Names in it go without indices.
    fn tell(
        &mut self,
        about: ComponentId,
        (kind, decides): (&'static str, bool),
        text: impl FnOnce(&str) -> String,
    ) {
        let declared = self.system().part(about.into()).declared;
        if self.told.insert((declared, kind, decides)) {
            let text = text(&unindexed(&self.network.component(about).name));
            self.mechanisms.insert(Mechanism { kind, text, decides });
        }
    }
}

/// How legs are called when all are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renumbered {
    last: u32,
}

impl Renumbered {
    pub(crate) fn of(self, leg: LegId) -> LegId {
        LegId(self.last - 1 - leg.0)
    }
}

/// Pools that legs have added to a network before.
fn known_pools(network: &Network) -> BTreeMap<(ComponentId, &'static str), PoolId> {
    let all = (0..).map(PoolId).zip(&network.pools);
    let of_legs = all.filter(|(_, pool)| pool.property != OUTSTANDING);
    of_legs.map(|(id, pool)| ((pool.component, pool.property), id)).collect()
}

/// Rate caps that legs have added to a network before.
fn known_caps(network: &Network) -> BTreeMap<ComponentId, RowId> {
    let all = (0..).map(RowId).zip(&network.rows);
    let caps = all.filter(|(_, row)| row.property == ends::RATE_CAP);
    caps.map(|(id, row)| (row.component, id)).collect()
}

/// Requests that a thread sends from the place where a leg is for one of it. What goes somewhere
/// else is one; so is what nothing is made of.
fn parts_sent(leg: &Leg, notes: &[Note]) -> f64 {
    let here = leg.next.iter().filter(|_| leg.ways.is_empty());
    let parts = here.map(|next| next.times * notes[next.leg.0 as usize].parts).sum();
    if leg.ways.is_empty() && !leg.next.is_empty() { parts } else { 1.0 }
}

/// Whether something reads.
fn is_read(request: &Request) -> bool {
    request.asked.op == Op::Read
}
