//! Sequential streams that meet others at one arm: each is sequential, all together are not.
//!
//! A bound lets every arm pass the bytes of sequential streams without moving between them, nor
//! back to them from what random streams want. Whether that says too much is asked here by the
//! worst case: were each part to reach its place anew, would an arm be used more than anything
//! else, all streams having equal shares? If not, no order of the requests makes the arms the
//! bottleneck.
//!
//! Writes that a cache destages are not counted: it has time to sort them.

use std::collections::BTreeMap;

use iopath_study::{System, unindexed};
use iopath_units::{Nanos, Op};

use crate::network::{Component, ComponentId, Leg, LegId, Mechanism, Network, RowId};
use crate::rows::ARM;

/// Says where sequential streams meet others at one arm. `streams` has for each stream of the
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

/// In which order the requests of a leg come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Sequential,
    Random,
}

/// Which legs are followed.
#[derive(Clone, Copy)]
struct Walk {
    op: Op,
    order: Order,
}

/// What meets at an arm.
#[derive(Clone, Copy, Default)]
struct Runs {
    /// Sequential runs.
    count: f64,
    /// Random streams.
    random: f64,
    /// Whether any of the sequential ones reads.
    reads: bool,
}

impl Runs {
    fn add(&mut self, order: Order, count: f64, reads: bool) {
        match order {
            Order::Sequential => {
                self.count += count;
                self.reads |= reads;
            }
            Order::Random => self.random += count,
        }
    }

    /// Whether a sequential one meets any other.
    fn are_interrupted(self) -> bool {
        // Shares of one run may not add up to exactly 1.
        self.count > 1.5 || self.count > 0.5 && self.random > 0.5
    }
}

fn text(name: &str, runs: Runs, decides: bool) -> String {
    let what = match (decides, runs.reads) {
        (true, true) => "seeks between them are not modelled",
        (true, false) => "disk caches must sort the writes",
        (false, _) => "a seek for each part would not make the arms the bottleneck",
    };
    let of = |count: f64, kind: &str| {
        let plural = if count > 1.5 { "s" } else { "" };
        format!("{} {kind} stream{plural}", count.round())
    };
    let sequential = of(runs.count, "sequential");
    let random = (runs.random > 0.5).then(|| format!(" and {}", of(runs.random, "random")));
    format!("{sequential}{} share each arm of {name}; {what}", random.unwrap_or_default())
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
    /// The most that meet at one arm, by declaration of disks, where sequential ones meet others.
    fn most(&self) -> BTreeMap<String, Runs> {
        let mut most: BTreeMap<String, Runs> = BTreeMap::new();
        for (arm, runs) in self.at_arms() {
            if runs.are_interrupted() {
                let name = unindexed(&self.network.component(arm).name);
                let entry = most.entry(name).or_default();
                let reads = entry.reads | runs.reads;
                if runs.count + runs.random > entry.count + entry.random {
                    *entry = runs;
                }
                entry.reads = reads;
            }
        }
        most
    }

    /// What comes to each arm: a stream is there once, however many ways lead it there, also where
    /// it both reads and writes.
    fn at_arms(&self) -> BTreeMap<ComponentId, Runs> {
        // Streams that come to the same legs reach the same arms.
        let mut begun: BTreeMap<(Order, Begun), f64> = BTreeMap::new();
        for (at, load) in self.network.streams.iter().enumerate() {
            let Some(runs) = (self.runs)(at) else { continue };
            let roots = load.roots.iter().map(|(leg, _)| *leg);
            let sequential = roots.clone().filter(|leg| self.order(*leg) == Order::Sequential);
            let sequential: Vec<LegId> = sequential.collect();
            // One that is both counts as the former.
            let (order, roots, count) = match sequential.is_empty() {
                true => (Order::Random, roots.collect(), 1.0),
                false => (Order::Sequential, sequential, runs),
            };
            *begun.entry((order, self.begun(&roots, order))).or_default() += count;
        }
        let mut at_arms: BTreeMap<_, Runs> = BTreeMap::new();
        if begun.keys().all(|(order, _)| *order == Order::Random) {
            return at_arms;
        }
        let mut met = Met::new(self.network);
        for ((order, begun), count) in begun {
            let mut arms: BTreeMap<_, bool> = BTreeMap::new();
            for (op, begun) in Op::BOTH.into_iter().zip(begun) {
                for arm in self.reached(begun, Walk { op, order }, &mut met) {
                    *arms.entry(arm).or_default() |= op == Op::Read;
                }
            }
            for (arm, reads) in arms {
                at_arms.entry(arm).or_default().add(order, count, reads);
            }
        }
        at_arms
    }

    /// Where streams that begin with some legs meet others: at these, or, where they lead
    /// from a host of their own to no arm, at what is below.
    fn begun(&self, roots: &[LegId], order: Order) -> Begun {
        Op::BOTH.map(|op| {
            let roots = roots.iter().filter(|leg| self.network.leg(**leg).op == op);
            let below = |leg: &LegId| match self.arm(self.network.leg(*leg)) {
                Some(_) => vec![*leg],
                None => self.below(*leg, Walk { op, order }).collect(),
            };
            let mut begun: Vec<LegId> = roots.flat_map(below).collect();
            begun.sort_unstable();
            begun.dedup();
            begun
        })
    }

    /// The arms that legs of one operation lead to, each once.
    fn reached(&self, begun: Vec<LegId>, of: Walk, met: &mut Met) -> Vec<ComponentId> {
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
            waiting.extend(self.below(leg, of));
        }
        arms
    }

    /// The legs of an operation that a leg leads to, but for what a cache absorbs. What is random
    /// stays so, whatever it leads to.
    fn below(&self, leg: LegId, of: Walk) -> impl Iterator<Item = LegId> {
        let below = self.network.leg(leg).next.iter().map(|next| next.leg);
        let counts = move |leg: &LegId| {
            let Walk { op, order } = of;
            let is_absorbed = op == Op::Write && self.network.leg(*leg).background;
            let is_kept = order == Order::Random || self.order(*leg) == order;
            self.network.leg(*leg).op == op && is_kept && !is_absorbed
        };
        below.filter(counts)
    }

    fn order(&self, leg: LegId) -> Order {
        match self.is_random[leg.0 as usize] {
            true => Order::Random,
            false => Order::Sequential,
        }
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
