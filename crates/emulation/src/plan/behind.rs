//! What is behind the end of a request: everything that it uses up there, and how long it waits.
//!
//! Parts of a phase go out at once, so the longest decides; of alternatives the mean. What nobody
//! waits for is used up all the same. Time of service is no delay here: it is what rates are made
//! of.

use std::cell::RefCell;
use std::collections::BTreeMap;

use iopath_path::{ComponentId, Leg, LegId, Network, Next, RowId};

pub(super) struct Behind<'a> {
    network: &'a Network,
    /// What a whole leg uses up: its ways, its end and all that it leads to.
    uses: RefCell<BTreeMap<LegId, Vec<(RowId, f64)>>>,
    delays: RefCell<BTreeMap<LegId, f64>>,
}

/// Whether a leg is the copy of a write in the partner's cache: one that goes to a cache for its
/// own sake.
pub(super) fn is_copy(network: &Network, leg: &Leg) -> bool {
    leg.to == leg.volume && network.component(leg.to).kind == "cache"
}

/// The parts of one phase.
#[derive(Default)]
struct Phase {
    /// The longest delay of those that every request leads to.
    longest: f64,
    /// Of alternatives how many there are of a request, and their delays together.
    choices: BTreeMap<u16, (f64, f64)>,
}

impl Phase {
    fn delay(&self) -> f64 {
        let mean = |(times, sum): &(f64, f64)| sum / times.max(1.0);
        self.choices.values().map(mean).fold(self.longest, f64::max)
    }
}

impl<'a> Behind<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        Self { network, uses: RefCell::default(), delays: RefCell::default() }
    }

    /// What one request uses up of what it leads to there.
    pub(super) fn uses(&self, next: &Next) -> Vec<(RowId, f64)> {
        let whole = self.of_leg(next.leg);
        whole.into_iter().map(|(row, amount)| (row, amount * next.times)).collect()
    }

    fn of_leg(&self, id: LegId) -> Vec<(RowId, f64)> {
        if let Some(known) = self.uses.borrow().get(&id) {
            return known.clone();
        }
        let leg = self.network.leg(id);
        let mut sums: Vec<(RowId, f64)> = Vec::new();
        let mut add = |row: RowId, amount: f64| match sums.iter_mut().find(|one| one.0 == row) {
            Some((_, sum)) => *sum += amount,
            None => sums.push((row, amount)),
        };
        for way in &leg.ways {
            for charge in self.network.crossing(way.route, leg.op, leg.bytes) {
                add(charge.row, way.share * charge.amount);
            }
        }
        leg.charges.iter().for_each(|charge| add(charge.row, charge.amount));
        for next in &leg.next {
            self.uses(next).into_iter().for_each(|(row, amount)| add(row, amount));
        }
        self.uses.borrow_mut().insert(id, sums.clone());
        sums
    }

    /// Delay at the end of a leg, in seconds, without what is behind it. Requests that come from
    /// `previous` and stay there do not enter it again.
    pub(super) fn at_end(&self, leg: &Leg, previous: Option<ComponentId>) -> f64 {
        let contains = |route: &iopath_path::Route| {
            route.crossed.iter().any(|(component, _)| *component == leg.to)
        };
        let crossed = leg.ways.iter().any(|way| contains(self.network.route(way.route)));
        let enters = previous != Some(leg.to) && !crossed;
        let end = if enters { self.network.component(leg.to).latency_s } else { 0.0 };
        leg.delay_s + end
    }

    /// Delay behind the end of a leg, in seconds.
    pub(super) fn latency(&self, id: LegId) -> f64 {
        let leg = self.network.leg(id);
        let mut phases: BTreeMap<u8, Phase> = BTreeMap::new();
        for next in &leg.next {
            let below = self.network.leg(next.leg);
            if below.background || is_copy(self.network, below) {
                continue;
            }
            let delay = self.whole(next.leg) - self.stays(leg, below);
            let phase = phases.entry(next.phase).or_default();
            match next.choice {
                None => phase.longest = phase.longest.max(delay * next.times.min(1.0)),
                Some(choice) => {
                    let (times, sum) = phase.choices.entry(choice).or_default();
                    *times += next.times;
                    *sum += next.times * delay;
                }
            }
        }
        phases.values().map(Phase::delay).sum()
    }

    /// Delay of a whole leg: on its ways, at its end and behind it.
    pub(super) fn whole(&self, id: LegId) -> f64 {
        if let Some(known) = self.delays.borrow().get(&id) {
            return *known;
        }
        let leg = self.network.leg(id);
        let ways = leg.ways.iter();
        let on_the_way: f64 =
            ways.map(|way| way.share * self.network.route(way.route).latency_s).sum();
        let delay = on_the_way + self.at_end(leg, None) + self.latency(id);
        self.delays.borrow_mut().insert(id, delay);
        delay
    }

    /// What a leg is charged for entering where its request is already.
    fn stays(&self, leg: &Leg, below: &Leg) -> f64 {
        self.at_end(below, None) - self.at_end(below, Some(leg.to))
    }
}
