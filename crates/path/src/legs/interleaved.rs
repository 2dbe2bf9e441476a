//! Sequential streams that meet at one arm: each is sequential, all together are not.
//!
//! A bound lets every arm pass the bytes of sequential streams without moving between them. Whether
//! that says too much is asked here by the worst case: were each part to reach its place anew,
//! would an arm be used more than anything else, all streams having equal shares? If not, no order
//! of the requests makes the arms the bottleneck.
//!
//! Writes that a cache destages are not counted: it has time to sort them.

use std::collections::BTreeMap;

use iopath_study::{System, unindexed};
use iopath_units::{Nanos, Op};

use crate::network::{Component, ComponentId, Leg, LegId, Mechanism, Network, RowId};
use crate::rows::ARM;

/// Says where several sequential streams meet at one arm. `streams` has for each stream of the
/// network when it runs, and how many runs it is: streams in step are one together.
pub(crate) fn interleaved(
    system: &System,
    network: &Network,
    is_random: &[bool],
    streams: &[(u32, f64)],
) -> Vec<Mechanism> {
    let arms = arms(network);
    if arms.iter().all(Option::is_none) {
        return Vec::new();
    }
    let mut epochs: Vec<u32> = streams.iter().map(|(epoch, _)| *epoch).collect();
    epochs.sort_unstable();
    epochs.dedup();
    let mut told = Vec::new();
    for epoch in epochs {
        let runs = |at: usize| Some(streams[at]).filter(|one| one.0 == epoch).map(|one| one.1);
        let meetings = Meetings { network, arms: &arms, is_random, runs: &runs };
        let most = meetings.most();
        if most.is_empty() {
            continue;
        }
        let decides = meetings.would_bind(system);
        told.extend(most.into_iter().map(|(name, runs)| Mechanism {
            kind: "interleaved-streams",
            text: text(&name, runs, decides),
            decides: decides && runs.reads,
        }));
    }
    told
}

fn arms(network: &Network) -> Vec<Option<RowId>> {
    // What has no arm is busy with a request, but reaches any place alike.
    let arm = |component: &Component| {
        let mut rows = component.rows.iter().copied().filter(|_| component.kind == "disk");
        rows.find(|row| network.row(*row).property == ARM)
    };
    network.components.iter().map(arm).collect()
}

/// By operation, the legs with which streams begin to share what they lead to.
type Begun = [Vec<LegId>; 2];

/// Sequential runs at an arm.
#[derive(Clone, Copy, Default)]
struct Runs {
    count: f64,
    /// Whether any of them reads.
    reads: bool,
}

fn text(name: &str, runs: Runs, decides: bool) -> String {
    let most = runs.count.round();
    let what = match (decides, runs.reads) {
        (true, true) => "seeks between them are not modelled",
        (true, false) => "disk caches must sort the writes",
        (false, _) => "a seek for each part would not make the arms the bottleneck",
    };
    format!("{most} sequential streams share each arm of {name}; {what}")
}

/// The streams of one time and their legs.
struct Meetings<'a> {
    network: &'a Network,
    /// The arm of each component.
    arms: &'a [Option<RowId>],
    is_random: &'a [bool],
    /// How many runs each stream is, where it runs at this time.
    runs: &'a dyn Fn(usize) -> Option<f64>,
}

impl Meetings<'_> {
    /// The most runs that meet at one arm, by declaration of disks, where that is more than one.
    fn most(&self) -> BTreeMap<String, Runs> {
        let mut most: BTreeMap<String, Runs> = BTreeMap::new();
        for (arm, runs) in self.at_arms() {
            // Shares of one run may not add up to exactly 1.
            if runs.count > 1.5 {
                let name = unindexed(&self.network.component(arm).name);
                let entry = most.entry(name).or_default();
                entry.count = entry.count.max(runs.count);
                entry.reads |= runs.reads;
            }
        }
        most
    }

    /// Runs at each arm: a stream is there once, however many ways lead it there, also where it
    /// both reads and writes.
    fn at_arms(&self) -> BTreeMap<ComponentId, Runs> {
        // Streams that come to the same legs reach the same arms.
        let mut begun: BTreeMap<Begun, f64> = BTreeMap::new();
        for (at, load) in self.network.streams.iter().enumerate() {
            let Some(count) = (self.runs)(at) else { continue };
            let roots = load.roots.iter().map(|(leg, _)| *leg);
            let roots: Vec<LegId> = roots.filter(|leg| self.is_sequential(*leg)).collect();
            *begun.entry(self.begun(&roots)).or_default() += count;
        }
        let mut met = Met::new(self.network);
        let mut at_arms: BTreeMap<_, Runs> = BTreeMap::new();
        for (begun, count) in begun {
            let mut arms: BTreeMap<_, bool> = BTreeMap::new();
            for (op, begun) in Op::BOTH.into_iter().zip(begun) {
                for arm in self.reached(begun, op, &mut met) {
                    *arms.entry(arm).or_default() |= op == Op::Read;
                }
            }
            for (arm, reads) in arms {
                let runs = at_arms.entry(arm).or_default();
                runs.count += count;
                runs.reads |= reads;
            }
        }
        at_arms
    }

    /// Where streams that begin with some legs meet others: at these, or, where they lead
    /// from a host of their own to no arm, at what is below.
    fn begun(&self, roots: &[LegId]) -> Begun {
        Op::BOTH.map(|op| {
            let roots = roots.iter().filter(|leg| self.network.leg(**leg).op == op);
            let below = |leg: &LegId| match self.arm(self.network.leg(*leg)) {
                Some(_) => vec![*leg],
                None => self.below(*leg, op).collect(),
            };
            let mut begun: Vec<LegId> = roots.flat_map(below).collect();
            begun.sort_unstable();
            begun.dedup();
            begun
        })
    }

    /// The arms that legs of one operation lead to, each once.
    fn reached(&self, begun: Vec<LegId>, op: Op, met: &mut Met) -> Vec<ComponentId> {
        met.walk += 1;
        let mut arms = Vec::new();
        let mut waiting = begun;
        while let Some(leg) = waiting.pop() {
            if !met.is_new_leg(leg) {
                continue;
            }
            let here = self.network.leg(leg);
            if self.arm(here).is_some() && met.is_new_end(here.to) {
                arms.push(here.to);
            }
            waiting.extend(self.below(leg, op));
        }
        arms
    }

    /// The legs of an operation that a leg leads to, but for what a cache absorbs.
    fn below(&self, leg: LegId, op: Op) -> impl Iterator<Item = LegId> {
        let below = self.network.leg(leg).next.iter().map(|next| next.leg);
        let absorbed = move |leg: LegId| op == Op::Write && self.network.leg(leg).background;
        below.filter(move |leg| self.counts(*leg, op) && !absorbed(*leg))
    }

    fn counts(&self, leg: LegId, op: Op) -> bool {
        self.network.leg(leg).op == op && self.is_sequential(leg)
    }

    fn is_sequential(&self, leg: LegId) -> bool {
        !self.is_random[leg.0 as usize]
    }

    fn arm(&self, leg: &Leg) -> Option<RowId> {
        self.arms[leg.to.0 as usize]
    }

    /// Whether an arm would be used most if each part had to reach its place.
    fn would_bind(&self, system: &System) -> bool {
        let network = self.network;
        let mut visits = vec![0.0; network.legs.len()];
        for (at, load) in network.streams.iter().enumerate() {
            if (self.runs)(at).is_some() {
                for (leg, share) in &load.roots {
                    visits[leg.0 as usize] += share / load.bytes;
                }
            }
        }
        let mut used = vec![0.0; network.rows.len()];
        for (at, leg) in network.legs.iter().enumerate() {
            let visits_here = visits[at];
            for next in &leg.next {
                visits[next.leg.0 as usize] += visits_here * next.times;
            }
            for charge in charges(network, leg) {
                used[charge.0.0 as usize] += visits_here * charge.1;
            }
            if let Some(row) = self.arm(leg).filter(|_| !self.is_random[at]) {
                let position = system.time(leg.to.into(), "position");
                let position = position.map_or(0.0, Nanos::as_secs_f64);
                used[row.0 as usize] += visits_here * position;
            }
        }
        let rows = network.rows.iter().zip(&used);
        let most = |arms: bool| {
            let rows = rows.clone().filter(|(row, _)| (row.property == ARM) == arms);
            rows.map(|(row, used)| used / row.capacity).fold(0.0, f64::max)
        };
        most(true) > most(false)
    }
}

/// In which walk each leg and each end was met last.
struct Met {
    walk: u32,
    legs: Vec<u32>,
    ends: Vec<u32>,
}

impl Met {
    fn new(network: &Network) -> Self {
        let (legs, ends) = (network.legs.len(), network.components.len());
        Self { walk: 0, legs: vec![0; legs], ends: vec![0; ends] }
    }

    fn is_new_leg(&mut self, leg: LegId) -> bool {
        std::mem::replace(&mut self.legs[leg.0 as usize], self.walk) != self.walk
    }

    fn is_new_end(&mut self, end: ComponentId) -> bool {
        std::mem::replace(&mut self.ends[end.0 as usize], self.walk) != self.walk
    }
}

/// What one request of a leg uses up on its ways and at its end.
fn charges<'a>(network: &'a Network, leg: &'a Leg) -> impl Iterator<Item = (RowId, f64)> + 'a {
    let ways = leg.ways.iter().flat_map(move |way| {
        let crossing = network.crossing(way.route, leg.op, leg.bytes);
        crossing.map(move |charge| (charge.row, way.share * charge.amount))
    });
    ways.chain(leg.charges.iter().map(|charge| (charge.row, charge.amount)))
}
