//! How long a request of each leg takes while nothing is in its way: the zero-load time.
//!
//! * **Cut-through.** Whoever passes data on begins with its first bytes, so the stages of one
//!   way work at the same time and the slowest decides: the most that the request puts on a row,
//!   over that row's rate. Delays without a queue add up. (Kermani and Kleinrock, Virtual
//!   cut-through, Computer Networks 3, 1979; storing and forwarding 4 MiB over ten stages would
//!   give 73 instead of 195 MB/s.)
//! * **Members in turn.** A request smaller than a stripe visits its members in turn: it puts
//!   `at_once` parts on the member that it hits, not its average share on every one.
//! * **Joins.** Of alternatives, a request waits for the mean one or, if that is later, for the
//!   slowest as often as it is hit; of copies and parity for the slowest. Both are lower bounds of
//!   the mean of the greatest.
//! * Phases add up, and so do the parts of a leg that issues them one after the other. Nobody
//!   waits for the background.
//!
//! All of it is a lower bound of the time, so what is concluded from it is an upper bound of the
//! throughput. It leaves out variability (see `synchronised`) and, but for the given waiting
//! times of the response curve, queues.

use std::collections::BTreeMap;

use iopath_path::{Charge, ComponentId, Leg, Measure, Network, Next, RouteId, RowId, Way};
use iopath_units::Op;

use crate::charges::{Charges, merged};
use crate::fill::TIE;
use crate::walk::{Scatter, Walk};

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

    /// Of so many requests that begin at once.
    fn of(self, requests: f64) -> Duration {
        Duration { delay: self.delay, transfer: self.single.max(requests * self.each) }
    }
}

/// A part of the time of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Duration {
    delay: f64,
    transfer: f64,
}

impl Duration {
    fn total(self) -> f64 {
        self.delay + self.transfer
    }

    fn times(self, factor: f64) -> Self {
        Self { delay: self.delay * factor, transfer: self.transfer * factor }
    }

    fn plus(self, other: Self) -> Self {
        Self { delay: self.delay + other.delay, transfer: self.transfer + other.transfer }
    }

    fn longer(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }
}

/// What makes requests take longer than alone and evenly.
pub(crate) trait Hindrance {
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
pub(crate) struct Unhindered;

impl Hindrance for Unhindered {}

/// What of the times does not depend on any hindrance.
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
        let rates = Rates { network, capacity };
        let mut slowest = Slowest::default();
        let alone = |(index, (leg, enters)): (usize, (&Leg, &bool))| {
            slowest.leg = index as u32;
            own(&rates, leg, *enters, &mut slowest)
        };
        let mut own: Vec<Span> = network.legs.iter().zip(&enters).enumerate().map(alone).collect();
        let mut joint = Joint::new(network, charges, capacity);
        for (index, leg) in network.legs.iter().enumerate().rev() {
            slowest.leg = index as u32;
            own[index].each = joint.each(leg, &own, &mut slowest).max(own[index].each);
        }
        Self { own, slowest: slowest.rows }
    }

    /// The rows that some leg's time depends on: no other stage of it is slower.
    pub(crate) fn rows_of<'a>(&'a self, spans: &'a [Span]) -> impl Iterator<Item = RowId> + 'a {
        let decides = |(leg, _, seconds): &&(u32, RowId, f64)| {
            let Span { single, each, .. } = spans[*leg as usize];
            let is = |most: f64| *seconds >= most * (1.0 - TIE);
            is(single) || is(each) && *seconds <= each * (1.0 + TIE)
        };
        self.slowest.iter().filter(decides).map(|(_, row, _)| *row)
    }
}

/// The time of every leg.
pub(crate) fn spans(network: &Network, stages: &Stages, hindrance: &dyn Hindrance) -> Vec<Span> {
    let mut spans = stages.own.clone();
    let mut waits = hindrance.waits().map(|rows| Waits::new(network, rows));
    for index in (0..network.legs.len()).rev() {
        let [way, end] = waits.as_mut().map_or([0.0; 2], |waits| waits.of(&network.legs[index]));
        let below = phases(network, index, &spans, hindrance);
        let span = &mut spans[index];
        span.delay += way + end + below.delay;
        span.before += way;
        span.single = span.single.max(below.transfer).max(span.each);
    }
    spans
}

/// How fast rows serve.
struct Rates<'a> {
    network: &'a Network,
    capacity: &'a [f64],
}

impl Rates<'_> {
    /// All of a row.
    fn all(&self, row: RowId) -> f64 {
        self.capacity[row.0 as usize]
    }

    /// What serves one request: of several servers one. More than the network has of them counts
    /// as faster ones.
    fn one(&self, row: RowId) -> f64 {
        let limit = self.network.row(row);
        match limit.measure {
            Measure::Busy if limit.capacity > 1.0 => self.all(row) / limit.capacity,
            Measure::Busy | Measure::Bytes | Measure::Operations => self.all(row),
        }
    }
}

/// Rows that stages wait for, leg by leg.
#[derive(Default)]
struct Slowest {
    leg: u32,
    rows: Vec<(u32, RowId, f64)>,
}

impl Slowest {
    fn see(&mut self, row: RowId, seconds: f64) {
        let of_leg = self.rows.last().filter(|(leg, ..)| *leg == self.leg);
        let is_less =
            of_leg.is_some_and(|(_, _, most)| most.is_finite() && seconds < most * (1.0 - TIE));
        if seconds > 0.0 && !is_less {
            self.rows.push((self.leg, row, seconds));
        }
    }
}

/// The way to the end of a leg, and the end itself, which may be where its requests are already.
fn own(rates: &Rates<'_>, leg: &Leg, enters: bool, slowest: &mut Slowest) -> Span {
    let network = rates.network;
    let mut span = Span::default();
    for way in &leg.ways {
        let crossed = network.crossing(way.route, leg.op, leg.bytes);
        let stages = crossed.map(|charge| (charge.row, charge.amount / rates.all(charge.row)));
        span.delay += way.share * network.route(way.route).latency_s;
        let mut most = 0.0_f64;
        for (row, seconds) in stages {
            if seconds >= most * (1.0 - TIE) {
                // Of several ways each has its own slowest stage, and all of them count.
                slowest.see(row, if leg.ways.len() > 1 { f64::INFINITY } else { seconds });
            }
            most = most.max(seconds);
        }
        span.single += way.share * most;
    }
    span.before = span.delay;
    span.each = span.single;
    for Charge { row, amount } in merged(&leg.charges) {
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
}

impl<'a> Waits<'a> {
    fn new(network: &'a Network, rows: &'a [f64]) -> Self {
        Self { network, rows, routes: vec![[None; 2]; network.routes.len()] }
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
            let crossed = self.network.crossing(route, op, 0);
            let wait = self.longest(crossed.map(|charge| charge.row));
            self.routes[route.0 as usize][op.index()] = Some(wait);
            wait
        })
    }

    fn longest(&self, rows: impl Iterator<Item = RowId>) -> f64 {
        let mut longest: BTreeMap<ComponentId, f64> = BTreeMap::new();
        for row in rows {
            let at = longest.entry(self.network.row(row).component).or_default();
            *at = at.max(self.rows[row.0 as usize]);
        }
        longest.values().sum()
    }
}

/// Whether requests of a leg come to its end from elsewhere: those behind a volume's cache are
/// there already.
pub(crate) fn enters(network: &Network) -> Vec<bool> {
    let mut enters = vec![false; network.legs.len()];
    for (root, _) in network.streams.iter().flat_map(|stream| &stream.roots) {
        enters[root.0 as usize] = true;
    }
    for leg in &network.legs {
        for next in &leg.next {
            enters[next.leg.0 as usize] |= network.leg(next.leg).to != leg.to;
        }
    }
    enters
}

/// The delay of a leg's end, where its ways do not contain it.
fn end_latency(network: &Network, leg: &Leg) -> f64 {
    let contains = |way: &Way| {
        network.route(way.route).crossed.iter().any(|(component, _)| *component == leg.to)
    };
    if leg.ways.iter().any(contains) { 0.0 } else { network.component(leg.to).latency_s }
}

/// What a leg leads to, phase after phase.
fn phases(network: &Network, index: usize, spans: &[Span], hindrance: &dyn Hindrance) -> Duration {
    let leg = &network.legs[index];
    let mut by_phase: BTreeMap<u8, Vec<&Next>> = BTreeMap::new();
    for next in leg.next.iter().filter(|next| !network.leg(next.leg).background) {
        by_phase.entry(next.phase).or_default().push(next);
    }
    let time = |(phase, parts): (&u8, &Vec<&Next>)| match leg.serial {
        true => in_turn(parts, spans),
        false => {
            let Duration { delay, transfer } = at_once(parts, spans);
            Duration { delay, transfer: transfer * hindrance.stretch(index, *phase) }
        }
    };
    by_phase.iter().map(time).fold(Duration::default(), Duration::plus)
}

fn in_turn(phase: &[&Next], spans: &[Span]) -> Duration {
    let all = phase.iter().map(|next| spans[next.leg.0 as usize].of(1.0).times(next.times));
    all.fold(Duration::default(), Duration::plus)
}

fn at_once(phase: &[&Next], spans: &[Span]) -> Duration {
    let mut choices: BTreeMap<u16, Vec<Part>> = BTreeMap::new();
    let mut longest = Duration::default();
    for next in phase {
        let part = Part::of(next, spans);
        match next.choice {
            Some(choice) => choices.entry(choice).or_default().push(part),
            None => longest = longest.longer(part.time.times(part.hit)),
        }
    }
    choices.values().map(|parts| chosen(parts)).fold(longest, Duration::longer)
}

/// One of the legs that a leg leads to.
#[derive(Clone, Copy)]
struct Part {
    /// Share of the requests that lead to it.
    hit: f64,
    /// Its time when they do.
    time: Duration,
}

impl Part {
    fn of(next: &Next, spans: &[Span]) -> Self {
        let together = next.at_once.max(next.times);
        let hit = if together > 0.0 { next.times / together } else { 0.0 };
        Self { hit, time: spans[next.leg.0 as usize].of(together) }
    }
}

/// The time of a request that leads to some of these.
fn chosen(parts: &[Part]) -> Duration {
    let hits: f64 = parts.iter().map(|part| part.hit).sum();
    if hits <= 0.0 {
        return Duration::default();
    }
    let weighed = parts.iter().map(|part| part.time.times(part.hit / hits));
    let mean = weighed.fold(Duration::default(), Duration::plus);
    let by_total = |left: &&Part, right: &&Part| left.time.total().total_cmp(&right.time.total());
    let happens = hits.min(1.0);
    let Some(fastest) = parts.iter().min_by(by_total) else { return mean };
    let slowest = parts.iter().map(|part| {
        let hit = (part.hit / happens).min(1.0);
        part.time.times(hit).plus(fastest.time.times(1.0 - hit))
    });
    slowest.fold(mean, Duration::longer).times(happens)
}

/// The rows that several parts of one request share.
struct Joint<'a> {
    network: &'a Network,
    charges: &'a Charges,
    capacity: &'a [f64],
    walk: Walk<'a>,
    rows: Scatter,
}

impl<'a> Joint<'a> {
    fn new(network: &'a Network, charges: &'a Charges, capacity: &'a [f64]) -> Self {
        let rows = Scatter::new(network.rows.len());
        Self { network, charges, capacity, walk: Walk::new(network), rows }
    }

    /// The slowest stage below a leg for one of many requests: all that it causes there, on
    /// average, over the row's rate.
    fn each(&mut self, leg: &Leg, known: &[Span], stages: &mut Slowest) -> f64 {
        let waited = leg.next.iter().filter(|next| !self.network.leg(next.leg).background);
        let roots: Vec<_> = waited.map(|next| (next.leg, next.times)).collect();
        if let [(only, times)] = *roots {
            return times * known[only.0 as usize].each;
        }
        let rows = &mut self.rows;
        self.walk.waited(&roots, |leg, visits| {
            for used in self.charges.of_leg(leg) {
                rows.add(used.row as usize, visits * used.share * used.amount);
            }
        });
        let mut slowest = 0.0_f64;
        rows.take(|row, amount| {
            let seconds = amount / self.capacity[row as usize];
            if seconds >= slowest * (1.0 - TIE) {
                stages.see(RowId(row), seconds);
            }
            slowest = slowest.max(seconds);
        });
        slowest
    }
}
