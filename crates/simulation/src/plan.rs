//! What one kind of request does, compiled: the tokens it takes, the stages it crosses, its end.
//!
//! A plan is made when a request of its kind (from where, to what, operation, size) is first seen,
//! out of what the crate `path` tells of its hop, and interned. Service times are whole
//! picoseconds from then on.
//!
//! A **stage** is one component on the way, with every row of it that the request uses; they are
//! served side by side. A write crosses its way towards the end and then does what the end is for;
//! a read first does that, and its data crosses the way backwards. Delays of a way have no queue,
//! so they are spent at once, in front of it.

mod arm;
mod passing;
mod routing;

use std::ops::Range;
use std::rc::Rc;

use iopath_path::{
    CacheEnd, Charge, ComponentId, Departure, End, FlushEnd, Hop, Hops, Measure, Place, RouteId,
    Volume,
};
use iopath_study::Case;
use iopath_units::{Bytes, Op};

use crate::contention::Contended;
use crate::core::Ps;
use crate::interleave::Interleaving;
use crate::path_selector::PathSelector;
use crate::tally::Done;
pub(crate) use arm::ArmTimes;
use passing::OnWay;
pub(crate) use passing::{Moved, Passed};
use routing::Routing;

/// Stages pass data on in pieces of this size: a stage opens when the first of them is there.
/// Chosen: about a frame or a page; the links of the studies move 2 KiB frames and less.
const QUANTUM: Bytes = Bytes(4096);

const FILE_SYSTEM: &str = "filesystem";
/// Places below a cache; a file has the first.
const BEHIND: usize = 0;
const COPY: usize = 1;

/// Position of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlanId(pub u32);

/// One kind of request.
#[derive(Debug)]
pub(crate) struct Plan {
    pub from: Place,
    pub to: ComponentId,
    pub op: Op,
    pub bytes: u64,
    behind: Option<ComponentId>,
    leaves_memory: bool,
    run: u64,
    /// Where it is when it has arrived.
    pub place: Place,
    /// Whether it goes from the machine of a stream to another place.
    pub leaves: bool,
    pub ways: Vec<Way>,
    /// Who chooses among several ways.
    pub turns: Option<u32>,
    /// Tokens that it holds of its end from beginning to end.
    pub outstanding: Option<u32>,
    pub end: PlannedEnd,
    /// What it does to others in flight at its drive.
    pub contended: Option<Contended>,
    /// The plans of its parts by member, or of what goes on behind a cache and of the copy for its
    /// partner: found so far.
    pub below: Vec<Vec<Below>>,
    /// Time that finished parts waited for their siblings, summed over requests.
    pub joined: Ps,
}

/// One of the ways that requests of a kind may take.
#[derive(Debug)]
pub(crate) struct Way {
    /// Pools of what it crosses.
    pub pools: Vec<u32>,
    pub delay: Ps,
    pub stages: Range<u32>,
    /// What each request counts for, by component, and in memory.
    pub passed: Vec<Passed>,
    pub moved: Vec<Moved>,
    pub done: Done,
}

impl Plan {
    /// Whether it is not split in the machine where it begins: it goes somewhere else, or is at
    /// its end.
    pub(crate) fn is_whole(&self) -> bool {
        self.leaves || matches!(self.end, PlannedEnd::Medium(_))
    }

    /// What it was made for.
    pub(crate) fn departure(&self) -> Departure {
        let Self { from, to, op, bytes, behind, leaves_memory, run, .. } = *self;
        Departure { from, to, op, bytes, behind, leaves_memory, run }
    }

    /// Of what is split into blocks the next one lies elsewhere.
    fn run_below(&self) -> u64 {
        match &self.end {
            PlannedEnd::Volume { layout, .. } if layout.is_scattered() => 0,
            _ => self.run,
        }
    }

    /// Pools of a way and of the end, in the order in which their tokens are taken.
    #[inline]
    pub(crate) fn pools(&self, way: u16) -> impl Iterator<Item = &u32> {
        self.ways[way as usize].pools.iter().chain(&self.outstanding)
    }
}

/// A part of a kind, and its plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    pub op: Op,
    pub bytes: u64,
    pub plan: PlanId,
    /// How many there were.
    pub times: u64,
}

/// What stands at the end.
#[derive(Clone, Debug)]
pub(crate) enum PlannedEnd {
    /// Data is there, after this service of an arm.
    Medium(Option<ArmTimes>),
    Cache(CacheEnd),
    /// A volume or a file.
    Volume {
        layout: Rc<Volume>,
        members: Rc<[ComponentId]>,
        /// Blocks of this size go out one after the other.
        one_by_one: Option<u64>,
    },
    /// A file of a file system, as streams see it.
    File(FileEnd),
}

/// A file of a file system, or all of a file system as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileEnd {
    /// Whether requests go through the page cache.
    pub is_buffered: bool,
    /// Whether all processors share a copy.
    pub is_spread: bool,
    /// What copying it uses of processors and memory: from this position of all uses to that.
    pub costs: [u32; 2],
}

/// One component on the way.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub uses: Range<u32>,
    /// In how many turns it serves a request.
    pub turns: u32,
}

/// What a request uses of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub row: u32,
    pub service: Ps,
    /// The part of it after which the first piece of the data goes on.
    pub first: Ps,
    /// Of how many turns its first is, where requests take turns.
    pub turns: u32,
}

impl Use {
    /// The part of a service that was drawn after which the first piece goes on.
    #[inline]
    pub(crate) fn first_of(&self, service: Ps) -> Ps {
        if service == self.service {
            return self.first;
        }
        let first = u128::from(self.first.0) * u128::from(service.0);
        // No more than the service, of which it is a part.
        Ps((first / u128::from(self.service.0.max(1))) as u64)
    }
}

/// All plans of a case.
pub(crate) struct Plans<'a> {
    /// By what is known to have failed; the first is of the time when nothing has.
    routings: Vec<Routing<'a>>,
    /// That of now.
    now: usize,
    /// Bytes that stages pass on at a time.
    quantum: u64,
    /// Which requests take turns.
    interleaving: Interleaving,
    pub turns: PathSelector,
    pub plans: Vec<Plan>,
    pub stages: Vec<Stage>,
    pub uses: Vec<Use>,
}

impl<'a> Plans<'a> {
    /// On the network of the beginning.
    pub(crate) fn new(intact: Hops<'a>, case: &Case) -> Self {
        Self {
            routings: vec![Routing::on(intact)],
            now: 0,
            quantum: case.system.scale.size(QUANTUM).0,
            interleaving: Interleaving::of(case),
            turns: PathSelector::new(case.system.multipath.policy),
            plans: Vec::new(),
            stages: Vec::new(),
            uses: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn plan(&self, id: PlanId) -> &Plan {
        &self.plans[id.0 as usize]
    }

    /// The plan of a request; `None` where no way leads there.
    pub(crate) fn of(&mut self, departure: &Departure) -> Option<PlanId> {
        let routing = self.routing();
        if let Some(known) = routing.known.get(departure) {
            return Some(*known);
        }
        let hop = routing.hops.hop(departure).ok()?;
        let plan = self.compile(departure, hop);
        let id = PlanId(u32::try_from(self.plans.len()).unwrap_or(u32::MAX));
        self.plans.push(plan);
        self.routing().known.insert(*departure, id);
        Some(id)
    }

    /// What a flush from a place ends at.
    pub(crate) fn flushed(&mut self, from: Place, to: ComponentId) -> Rc<[FlushEnd]> {
        let Routing { hops, flushed, .. } = self.routing();
        Rc::clone(flushed.entry((from, to)).or_insert_with(|| hops.flushed(from, to).into()))
    }

    /// The plan of what a request asks below its end: of a volume's member, or of what lies behind
    /// a cache or file system (`BEHIND`) and of a cache's partner (`COPY`).
    #[inline]
    pub(crate) fn below(
        &mut self,
        of: PlanId,
        place: usize,
        (op, bytes): (Op, u64),
    ) -> Option<PlanId> {
        let below = self.plans[of.0 as usize].below.get_mut(place)?;
        match below.iter_mut().find(|one| one.op == op && one.bytes == bytes) {
            Some(known) => {
                known.times += 1;
                Some(known.plan)
            }
            None => self.new_below(of, place, (op, bytes)),
        }
    }

    #[cold]
    fn new_below(&mut self, of: PlanId, place: usize, (op, bytes): (Op, u64)) -> Option<PlanId> {
        let upper = self.plan(of);
        let (to, behind, leaves_memory) = match &upper.end {
            PlannedEnd::Volume { members, .. } => {
                let to = members[place];
                // Only what streams ask for is a file system's business; what it asks for is split.
                let is_file_system = self.network().component(to).kind == FILE_SYSTEM;
                (to, is_file_system.then_some(to), false)
            }
            PlannedEnd::Cache(end) if place == COPY => (end.partner?, None, false),
            PlannedEnd::Cache(end) => (upper.to, Some(end.cache), end.leaves_memory),
            PlannedEnd::File(_) => (upper.to, Some(upper.to), false),
            PlannedEnd::Medium(_) => return None,
        };
        let (from, run) = (upper.place, upper.run_below());
        let departure = Departure { from, to, op, bytes, behind, leaves_memory, run };
        let plan = self.of(&departure)?;
        self.plans[of.0 as usize].below[place].push(Below { op, bytes, plan, times: 1 });
        Some(plan)
    }

    /// The plan of a request that goes on to its volume behind the cache that it has met, or to its
    /// file behind the page cache.
    pub(crate) fn behind(&mut self, of: PlanId, what: (Op, u64)) -> Option<PlanId> {
        self.below(of, BEHIND, what)
    }

    /// The plan of the copy of a write for the partner of the cache that it has met.
    pub(crate) fn copy(&mut self, of: PlanId) -> Option<PlanId> {
        let Plan { op, bytes, .. } = *self.plan(of);
        self.below(of, COPY, (op, bytes))
    }

    fn compile(&mut self, departure: &Departure, mut hop: Hop) -> Plan {
        let Departure { from, to, op, bytes, behind, .. } = *departure;
        let is_passed = behind == Some(to);
        let file = if is_passed { None } else { self.file((from, to), (op, bytes)) };
        // The threads of which one moves a block of a file, and what that uses of their rate.
        let below = if is_passed { self.buffered(to) } else { None };
        let Routing { hops, turns_of, .. } = &mut self.routings[self.now];
        let threads = below.and_then(|below| hops.threads(below));
        hop.charges.extend(below.and_then(|below| hops.rate_cap(below, op, bytes)));
        let turns = (hop.ways.len() > 1)
            .then(|| *turns_of.entry((from, to)).or_insert_with(|| self.turns.add(&hop.ways)));
        let mut ways = Vec::new();
        for way in &hop.ways {
            ways.push(self.way(departure, &hop, Some(way.route)));
        }
        if ways.is_empty() {
            ways.push(self.way(departure, &hop, None));
        }
        let (end, members) = match (hop.end, file) {
            (_, Some(file)) => (PlannedEnd::File(file), 1),
            (End::Medium(arm), None) => (PlannedEnd::Medium(arm.map(ArmTimes::of)), 0),
            (End::Bare, None) => (PlannedEnd::Medium(None), 0),
            (End::Cache(end), None) => (PlannedEnd::Cache(end), 2),
            (End::Volume { layout, members } | End::FileSystem { layout, members }, None) => {
                let count = members.len();
                let one_by_one = self.hops().issued_one_by_one(to);
                (PlannedEnd::Volume { layout, members, one_by_one }, count)
            }
        };
        let lock = file.and_then(|_| self.routing().hops.lock(to, op));
        for pool in lock.into_iter().chain(threads) {
            ways.iter_mut().for_each(|way| way.pools.push(pool.0));
        }
        let outstanding = hop.outstanding.map(|pool| pool.0);
        let contended = Contended::of(self, to, &end, &ways[0]);
        let below = vec![Vec::new(); members];
        let leaves = !from.has_arrived() && !hop.ways.is_empty();
        let (place, joined) = (hop.place, Ps::ZERO);
        Plan {
            from,
            to,
            op,
            bytes,
            behind,
            leaves_memory: departure.leaves_memory,
            run: departure.run,
            place,
            leaves,
            ways,
            turns,
            outstanding,
            end,
            contended,
            below,
            joined,
        }
    }

    /// The buffered file system of a file.
    fn buffered(&self, file: ComponentId) -> Option<ComponentId> {
        self.hops().file_system_of(file).filter(|below| self.hops().is_buffered(*below))
    }

    /// What a file system does for a request of a stream.
    fn file(
        &mut self,
        (from, to): (Place, ComponentId),
        (op, bytes): (Op, u64),
    ) -> Option<FileEnd> {
        let file_system = self.hops().in_front(to)?;
        let place = from.component()?;
        let is_buffered = self.hops().is_buffered(file_system);
        if !is_buffered {
            // Its stream's thread spends it.
            return Some(FileEnd { is_buffered, is_spread: false, costs: [0; 2] });
        }
        let mut charges = self.hops().issue(to, place, op, bytes);
        charges.extend(self.hops().file_system((file_system, place), op, bytes));
        let first = self.uses.len() as u32;
        for charge in charges {
            let used = self.used(&charge, bytes);
            match self.uses[first as usize..].iter_mut().find(|one| one.row == used.row) {
                Some(one) => one.service += used.service,
                None => self.uses.push(used),
            }
        }
        let costs = [first, self.uses.len() as u32];
        let is_spread = self.hops().software(file_system, "prefetch").is_some();
        Some(FileEnd { is_buffered, is_spread, costs })
    }

    fn way(&mut self, departure: &Departure, hop: &Hop, route: Option<RouteId>) -> Way {
        let Departure { op, bytes, .. } = *departure;
        let network = self.hops().network();
        let (mut components, mut pools) = (vec![hop.leaving.clone()], Vec::new());
        let crossed = route.map_or(&[][..], |route| &self.hops().route(route).crossed);
        let on_way = OnWay { departure, hop, crossed };
        let end = on_way.end();
        let mut delay_s = network.component(end).latency_s;
        let (passed, moved) = (passing::passed(network, &on_way), passing::moved(network, &on_way));
        if let Some(route) = route {
            let route = self.hops().route(route);
            // A route that crosses its end has its delay already.
            let contains_end = route.crossed.iter().any(|(component, _)| *component == end);
            delay_s = route.latency_s + if contains_end { 0.0 } else { delay_s };
            for (component, flipped) in &route.crossed {
                let component = network.component(*component);
                pools.extend(component.outstanding.map(|pool| pool.0));
                let op = if *flipped { op.reverse() } else { op };
                components.push(passing::crossing(network, &component.rows, op, bytes));
            }
        }
        components.push(hop.charges.clone());
        if op == Op::Read {
            components.reverse();
        }
        let first = self.stages.len() as u32;
        for charges in components.iter().filter(|charges| !charges.is_empty()) {
            self.push_stages(charges, bytes);
        }
        let stages = first..self.stages.len() as u32;
        let delay = Ps::from_secs_f64(delay_s);
        self.take_turns(stages.clone(), bytes);
        Way { pools, delay, stages, passed, moved, done: Done::default() }
    }

    /// Large requests take turns at the slowest stage of their way.
    fn take_turns(&mut self, stages: Range<u32>, bytes: u64) {
        let turns = self.interleaving.turns(bytes);
        if turns == 1 || !self.interleaving.are_mixed {
            return;
        }
        let slowest = |stage: &Stage| {
            let uses = &self.uses[stage.uses.start as usize..stage.uses.end as usize];
            // What varies is drawn once for a whole request.
            let is_even = |one: &&Use| {
                let network = self.hops().network();
                network.component(network.rows[one.row as usize].component).variability.is_none()
            };
            let in_pieces = uses.iter().filter(|one| one.first < one.service).filter(is_even);
            in_pieces.map(|one| one.service).max().unwrap_or(Ps::ZERO)
        };
        let way = &self.stages[stages.start as usize..stages.end as usize];
        let at = (0..way.len()).max_by_key(|at| slowest(&way[*at]));
        if let Some(at) = at.filter(|at| slowest(&way[*at]) > Ps::ZERO) {
            self.stages[stages.start as usize + at].turns = turns;
        }
    }

    /// Charges of one component side by side; those of several one component after the other.
    fn push_stages(&mut self, charges: &[Charge], bytes: u64) {
        let component = |charge: &Charge| self.hops().network().row(charge.row).component;
        let mut stages = Vec::new();
        for alike in charges.chunk_by(|one, other| component(one) == component(other)) {
            stages.push(alike.iter().map(|charge| self.used(charge, bytes)).collect::<Vec<_>>());
        }
        for uses in stages {
            let first = self.uses.len() as u32;
            self.uses.extend(uses);
            self.stages.push(Stage { uses: first..self.uses.len() as u32, turns: 1 });
        }
    }

    /// In how many pieces so many bytes are passed on.
    pub(crate) fn pieces(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.quantum).max(1)
    }

    fn used(&self, charge: &Charge, bytes: u64) -> Use {
        let row = self.hops().network().row(charge.row);
        let (service_s, pieces) = match row.measure {
            Measure::Bytes => (charge.amount / row.capacity, self.pieces(bytes)),
            Measure::Operations => (charge.amount / row.capacity, 1),
            // One of the servers takes all of it.
            Measure::Busy => (charge.amount, 1),
        };
        let service = Ps::from_secs_f64(service_s);
        let turns = if pieces > 1 { self.interleaving.turns(bytes) } else { 1 };
        Use { row: charge.row.0, service, first: Ps(service.0 / pieces), turns }
    }
}
