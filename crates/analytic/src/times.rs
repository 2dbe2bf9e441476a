//! How long a request of each leg takes while nothing is in its way: the zero-load time.
//!
//! * **Cut-through.** Whoever passes data on begins with its first bytes, so the stages of one
//!   way work at the same time and the slowest decides: the most that the request puts on a row,
//!   over that row's rate. Delays without a queue add up. (Kermani and Kleinrock, Virtual
//!   cut-through, Computer Networks 3, 1979; storing and forwarding 4 MiB over ten stages would
//!   give 73 instead of 195 MB/s.)
//! * **Members in turn, joins.** As `iopath_path::visits` says it.
//! * **Issue.** What a thread does before the first part of a request goes out is time of its own,
//!   on one processor. What it spends on the parts that follow is a stage: they are on their way
//!   meanwhile.
//! * **How often is not how long.** A limit of operations, or one with a bucket of tokens, says
//!   how many requests pass in a second and nothing of how long one takes: a throttle lets a lone
//!   request pass at once, a drive's rating is reached with many in flight. Neither is a stage;
//!   what a request takes there is its component's delay, arm or processors.
//! * Nobody waits for the background.
//!
//! All of it is a lower bound of the time, so what is concluded from it is an upper bound of the
//! throughput. It leaves out variability (see `synchronised`) and, but for the given waiting
//! times of the response curve, queues.

use iopath_path::visits::{self, Charges, RequestTime, Scatter, Use, Visits, end_latency, enters};
use iopath_path::{ComponentId, Leg, LegId, Measure, Network, Next, RouteId, Row, RowId};
use iopath_units::Op;

use crate::fill::TIE;

/// How long one request takes, from a leg downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    /// Delays on the way, in seconds.
    pub delay: f64,
    /// The slowest stage for one request.
    single: f64,
    /// The slowest stage for one of many requests at once.
    each: f64,
    /// Delays on the way to the end.
    before: f64,
}

impl Span {
    /// From start to end.
    pub(crate) fn total(self) -> f64 {
        self.delay + self.single
    }

    /// From when the end is reached until it is done.
    pub(crate) fn at_end(self) -> f64 {
        self.total() - self.before
    }

    /// Whether a stage that takes so long is the slowest, for one request or for many.
    pub(crate) fn depends_on(self, seconds: f64) -> bool {
        let Self { single, each, .. } = self;
        let is = |most: f64| seconds >= most * (1.0 - TIE);
        is(single) || is(each) && seconds <= each * (1.0 + TIE)
    }

    /// The same before something that takes so long, of which many requests at once share the
    /// slowest stage.
    pub(crate) fn before(self, below: RequestTime, each: f64) -> Self {
        let each = each.max(self.each);
        let single = self.single.max(below.transfer).max(each);
        Self { delay: self.delay + below.delay, single, each, before: self.before }
    }

    /// The slowest stage below a leg that leads to so many of this one only.
    pub(crate) fn each_of(self, times: f64) -> f64 {
        times * self.each
    }

    /// Of so many requests that begin at once.
    fn of(self, requests: f64) -> RequestTime {
        RequestTime { delay: self.delay, transfer: self.single.max(requests * self.each) }
    }
}

/// What makes requests take longer than alone and evenly.
pub(crate) trait Slowdown {
    /// Seconds that a request waits at each row; `None` where nobody waits.
    fn waits(&self) -> Option<&[f64]> {
        None
    }

    /// How much longer than one part the slowest of a request's parts takes.
    fn stretch(&self, _leg: usize, _phase: u8) -> f64 {
        1.0
    }
}

/// Alone and evenly.
pub(crate) struct NoSlowdown;

impl Slowdown for NoSlowdown {}

/// What of the times does not depend on any slowdown.
pub(crate) struct Stages {
    /// The way of each leg to its end, and the end itself; `each` is the slowest stage of all.
    own: Vec<Span>,
    /// The rows of these slowest stages, with how long they take, by leg.
    slowest: Vec<(u32, RowId, f64)>,
}

impl Stages {
    /// The stages where rows have these capacities.
    pub(crate) fn of(network: &Network, charges: &Charges, capacity: &[f64]) -> Self {
        let enters = enters(network);
        let rates = Rates { network, charges, capacity };
        let (mut slowest, mut of_leg) = (Vec::new(), Slowest::default());
        let mut keep = |index: usize, of_leg: &mut Slowest| {
            slowest.extend(of_leg.0.drain(..).map(|(row, seconds)| (index as u32, row, seconds)));
        };
        let alone = |(index, enters): (usize, &bool)| {
            let span = own(&rates, index, *enters, &mut of_leg);
            keep(index, &mut of_leg);
            span
        };
        let mut own: Vec<Span> = enters.iter().enumerate().map(alone).collect();
        let mut joint = Joint::new(network, charges, capacity);
        for (index, leg) in network.legs.iter().enumerate().rev() {
            own[index].each = joint.each(leg, &own, &mut of_leg).max(own[index].each);
            keep(index, &mut of_leg);
        }
        Self { own, slowest }
    }

    /// The rows that some leg's time depends on: no other stage of it is slower.
    pub(crate) fn rows_of<'a>(&'a self, spans: &'a [Span]) -> impl Iterator<Item = RowId> + 'a {
        let decides =
            |(leg, _, seconds): &&(u32, RowId, f64)| spans[*leg as usize].depends_on(*seconds);
        self.slowest.iter().filter(decides).map(|(_, row, _)| *row)
    }
}

/// The time of every leg.
pub(crate) fn spans(network: &Network, stages: &Stages, slowdown: &dyn Slowdown) -> Vec<Span> {
    let mut spans = stages.own.clone();
    let mut waits = slowdown.waits().map(|rows| Waits::new(network, rows));
    for index in (0..network.legs.len()).rev() {
        let [way, end] = waits.as_mut().map_or([0.0; 2], |waits| waits.of(&network.legs[index]));
        let below = phases(network, index, &spans, slowdown);
        let span = &mut spans[index];
        span.delay += way + end + below.delay;
        span.before += way;
        span.single = span.single.max(below.transfer).max(span.each);
    }
    spans
}

/// What a row serves a request with that is alone; without end where the row only says how often
/// requests pass.
pub(crate) fn alone(row: &Row, capacity: f64) -> f64 {
    if takes_time(row) { capacity } else { f64::INFINITY }
}

/// Whether a request spends time on what a row counts.
pub(crate) fn takes_time(row: &Row) -> bool {
    match row.measure {
        Measure::Bytes => row.burst.is_none(),
        Measure::Busy => true,
        Measure::Operations => false,
    }
}

/// How fast rows serve.
pub(crate) struct Rates<'a> {
    pub network: &'a Network,
    pub charges: &'a Charges,
    pub capacity: &'a [f64],
}

impl Rates<'_> {
    /// All of a row.
    fn all(&self, row: RowId) -> f64 {
        self.capacity[row.0 as usize]
    }

    /// What serves one request: of several servers one. More than the network has of them counts
    /// as faster ones.
    pub(crate) fn one(&self, row: RowId) -> f64 {
        let limit = self.network.row(row);
        match limit.measure {
            Measure::Busy if limit.capacity > 1.0 => self.all(row) / limit.capacity,
            Measure::Busy | Measure::Bytes | Measure::Operations => self.all(row),
        }
    }
}

/// Rows that a leg's stages may wait for, with how long they take.
#[derive(Clone, Default)]
pub(crate) struct Slowest(pub Vec<(RowId, f64)>);

impl Slowest {
    fn see(&mut self, row: RowId, seconds: f64) {
        let last = self.0.last();
        let is_less =
            last.is_some_and(|(_, most)| most.is_finite() && seconds < most * (1.0 - TIE));
        if seconds > 0.0 && !is_less {
            self.0.push((row, seconds));
        }
    }

    /// The slowest of several stages: what is used up of rows over their rates.
    pub(crate) fn of(&mut self, used: impl Iterator<Item = (RowId, f64)>, rates: &[f64]) -> f64 {
        used.fold(0.0_f64, |slowest, (row, amount)| {
            let seconds = amount / rates[row.0 as usize];
            if seconds >= slowest * (1.0 - TIE) {
                self.see(row, seconds);
            }
            slowest.max(seconds)
        })
    }
}

/// The way to the end of a leg, and the end itself, which may be where its requests are already.
pub(crate) fn own(rates: &Rates<'_>, index: usize, enters: bool, slowest: &mut Slowest) -> Span {
    let network = rates.network;
    let leg = &network.legs[index];
    let mut parts = rates.charges.by_part(LegId(index as u32));
    let mut span = Span::default();
    for (way, crossed) in leg.ways.iter().zip(&mut parts) {
        span.delay += way.share * network.route(way.route).latency_s;
        let mut most = 0.0_f64;
        for Use { row, amount, .. } in crossed {
            let seconds = amount / rates.all(RowId(*row));
            if seconds >= most * (1.0 - TIE) {
                // Of several ways each has its own slowest stage, and all of them count.
                let seconds = if leg.ways.len() > 1 { f64::INFINITY } else { seconds };
                slowest.see(RowId(*row), seconds);
            }
            most = most.max(seconds);
        }
        span.single += way.share * most;
    }
    span.before = span.delay;
    span.each = span.single;
    for Use { row, amount, .. } in parts.flatten() {
        let row = RowId(*row);
        let ahead = leg.issue.filter(|issue| issue.row == row).map_or(0.0, |issue| issue.first_s());
        if ahead > 0.0 {
            // Nothing else of the request goes on meanwhile, so it always counts.
            slowest.see(row, f64::INFINITY);
            span.delay += ahead / rates.one(row);
        }
        let amount = amount - ahead;
        slowest.see(row, amount / rates.one(row));
        span.single = span.single.max(amount / rates.one(row));
        span.each = span.each.max(amount / rates.all(row));
    }
    span.delay += leg.delay_s + if enters { end_latency(network, leg) } else { 0.0 };
    span
}

/// Seconds that requests wait: at one component, for the row that takes longest.
struct Waits<'a> {
    network: &'a Network,
    /// At each row.
    rows: &'a [f64],
    /// On each route, by operation, once it was asked for.
    routes: Vec<[Option<f64>; 2]>,
    /// Room for the waits on one way.
    longest: Vec<(ComponentId, f64)>,
}

impl<'a> Waits<'a> {
    fn new(network: &'a Network, rows: &'a [f64]) -> Self {
        Self { network, rows, routes: vec![[None; 2]; network.routes.len()], longest: Vec::new() }
    }

    /// On the way to the end of a leg, and there.
    fn of(&mut self, leg: &Leg) -> [f64; 2] {
        let way = leg.ways.iter().map(|way| way.share * self.on(way.route, leg.op)).sum();
        let end = self.longest(leg.charges.iter().map(|charge| charge.row));
        [way, end]
    }

    fn on(&mut self, route: RouteId, op: Op) -> f64 {
        let known = self.routes[route.0 as usize][op.index()];
        known.unwrap_or_else(|| {
            let network = self.network;
            let crossed = network.crossing(route, op, 0);
            let wait = self.longest(crossed.map(|charge| charge.row));
            self.routes[route.0 as usize][op.index()] = Some(wait);
            wait
        })
    }

    fn longest(&mut self, rows: impl Iterator<Item = RowId>) -> f64 {
        let at = |row: RowId| (self.network.row(row).component, self.rows[row.0 as usize]);
        self.longest.clear();
        self.longest.extend(rows.map(at));
        self.longest.sort_unstable_by_key(|one| one.0);
        let by_component = self.longest.chunk_by(|one, other| one.0 == other.0);
        by_component.map(|all| all.iter().fold(0.0, |most: f64, (_, wait)| most.max(*wait))).sum()
    }
}

/// What a leg leads to, where each leg takes its span.
struct Below<'a> {
    network: &'a Network,
    leg: usize,
    spans: &'a [Span],
    slowdown: &'a dyn Slowdown,
}

impl visits::NextTimes for Below<'_> {
    fn of(&self, next: &Next, requests: f64) -> Option<RequestTime> {
        let is_waited_for = !self.network.leg(next.leg).background;
        is_waited_for.then(|| self.spans[next.leg.0 as usize].of(requests))
    }

    fn stretch(&self, phase: u8) -> f64 {
        self.slowdown.stretch(self.leg, phase)
    }
}

/// What a leg leads to, phase after phase.
pub(crate) fn phases(
    network: &Network,
    leg: usize,
    spans: &[Span],
    slowdown: &dyn Slowdown,
) -> RequestTime {
    visits::below(&network.legs[leg], &Below { network, leg, spans, slowdown })
}

/// The rows that several parts of one request share.
pub(crate) struct Joint<'a> {
    network: &'a Network,
    charges: &'a Charges,
    capacity: &'a [f64],
    walk: Visits<'a>,
    rows: Scatter,
}

impl<'a> Joint<'a> {
    pub(crate) fn new(network: &'a Network, charges: &'a Charges, capacity: &'a [f64]) -> Self {
        let rows = Scatter::new(network.rows.len());
        Self { network, charges, capacity, walk: Visits::new(network), rows }
    }

    /// The slowest stage below a leg for one of many requests: all that it causes there, on
    /// average, over the row's rate.
    fn each(&mut self, leg: &Leg, known: &[Span], stages: &mut Slowest) -> f64 {
        let roots = waited(self.network, leg);
        if let [(only, times)] = *roots {
            return known[only.0 as usize].each_of(times);
        }
        let capacity = self.capacity;
        stages.of(self.below(&roots), capacity)
    }

    /// What requests that lead to some legs use up below, by row.
    pub(crate) fn below(
        &mut self,
        roots: &[(LegId, f64)],
    ) -> impl Iterator<Item = (RowId, f64)> + '_ {
        let rows = &mut self.rows;
        self.walk.waited(roots, |leg, visits| {
            for used in self.charges.of_leg(leg) {
                rows.add(used.row as usize, visits * used.share * used.amount);
            }
        });
        std::iter::from_fn(|| rows.take_first()).map(|(row, amount)| (RowId(row), amount))
    }
}

/// What a leg leads to and waits for, and how often.
pub(crate) fn waited(network: &Network, leg: &Leg) -> Vec<(LegId, f64)> {
    let waited = leg.next.iter().filter(|next| !network.leg(next.leg).background);
    waited.map(|next| (next.leg, next.times)).collect()
}
