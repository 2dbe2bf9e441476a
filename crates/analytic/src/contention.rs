//! How many requests a stream can do at drives that take longer for each the more are in flight.
//!
//! Law: with n in flight at a drive that is busy for b with each request, one takes
//! s + c b (n - 1), s alone (`contention` c; see `crates/simulation/src/contention.rs`). By
//! Little's law n = x r at a rate x, so r = (s - c b) / (1 - c b x). A rate is possible while x
//! times the time of all of a request is no more than what the stream keeps in flight.
//!
//! Streams of one class count, others do not: they may be held up elsewhere. Of the parts of one
//! request the mean is longer by that much, and the slowest at least as much, so it is a bound.
//! Left out: that more of `ops`, which is no time of a request alone, adds less.

use std::collections::BTreeMap;
use std::rc::Rc;

use iopath_path::visits::Visits;
use iopath_path::{ComponentId, LegId, Network, RowId};

use crate::demand::StreamClass;
use crate::times::Rates;

/// What a class of streams waits for at its drives.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    drives: Rc<[Drive]>,
    streams: f64,
}

/// What one request of a class brings to one of them.
#[derive(Clone, Copy, Debug, Default)]
struct Drive {
    /// Parts of it.
    visits: f64,
    /// How much longer the request takes where each part takes so much longer.
    weight: f64,
    /// Seconds that a part adds to others.
    own_s: f64,
    /// Seconds that it takes alone.
    alone_s: f64,
}

impl Contention {
    /// Where rows serve so much; none where no drive that the class waits for is contended.
    pub(crate) fn of(rates: &Rates<'_>, class: &StreamClass) -> Option<Self> {
        let network = rates.network;
        if network.components.iter().all(|one| one.contention == 0.0) {
            return None;
        }
        let weights = weights(network, class);
        let mut drives: BTreeMap<ComponentId, Drive> = BTreeMap::new();
        Visits::new(network).waited(&class.roots, |leg, visits| {
            let to = network.leg(leg).to;
            let component = network.component(to);
            let busy_s = busy(rates, leg);
            if component.contention * busy_s * visits <= 0.0 {
                return;
            }
            let drive = drives.entry(to).or_default();
            drive.visits += visits;
            drive.weight += weights[leg.0 as usize];
            drive.own_s += visits * busy_s * component.contention;
            drive.alone_s += visits * (component.latency_s + busy_s);
        });
        let each = |drive: Drive| Drive {
            own_s: drive.own_s / drive.visits,
            alone_s: drive.alone_s / drive.visits,
            ..drive
        };
        let drives: Vec<Drive> = drives.into_values().map(each).collect();
        (!drives.is_empty()).then(|| Self { drives: drives.into(), streams: class.count() })
    }

    /// Requests per second of a stream that keeps so many in flight, each of which takes so long
    /// alone.
    pub(crate) fn most(&self, in_flight: f64, request_s: f64) -> f64 {
        if in_flight == f64::INFINITY {
            return in_flight;
        }
        // At these rates a drive would take for ever.
        let ends = self.drives.iter().map(|drive| 1.0 / self.adds_s(drive));
        let (mut low, mut high) = (0.0, ends.fold(in_flight / request_s, f64::min));
        // As many steps as a double has digits.
        for _ in 0..f64::MANTISSA_DIGITS {
            let rate = (low + high) / 2.0;
            match self.in_flight(rate, request_s) <= in_flight {
                true => low = rate,
                false => high = rate,
            }
        }
        low
    }

    /// Requests that a rate keeps in flight.
    pub(crate) fn in_flight(&self, rate: f64, request_s: f64) -> f64 {
        rate * (request_s + self.longer_s(rate))
    }

    /// How much longer requests take at a rate of each stream.
    fn longer_s(&self, rate: f64) -> f64 {
        let longer = |drive: &Drive| {
            let adds = rate * self.adds_s(drive);
            let takes_s = match adds < 1.0 {
                true => (drive.alone_s - drive.own_s) / (1.0 - adds),
                false => f64::INFINITY,
            };
            drive.weight * (takes_s - drive.alone_s).max(0.0)
        };
        self.drives.iter().map(longer).sum()
    }

    /// Seconds that one request per second of each stream adds to any other.
    fn adds_s(&self, drive: &Drive) -> f64 {
        self.streams * drive.visits * drive.own_s
    }
}

/// By leg: how much longer a request takes where the leg does. Of parts that are made at once the
/// mean counts; what is made now and then, as behind a cache, counts as often.
fn weights(network: &Network, class: &StreamClass) -> Vec<f64> {
    let mut weights = vec![0.0; network.legs.len()];
    for (leg, share) in &class.roots {
        weights[leg.0 as usize] += share;
    }
    // Legs stand before those that they lead to.
    for at in 0..network.legs.len() {
        let next = || {
            let next = network.legs[at].next.iter();
            next.filter(|next| !network.leg(next.leg).background)
        };
        let parts = next().map(|next| next.times).sum::<f64>().max(1.0);
        let weight = weights[at] / parts;
        next().for_each(|next| weights[next.leg.0 as usize] += weight * next.times);
    }
    weights
}

/// Seconds that its end is busy with a request of a leg; a bucket serves faster than its rate for
/// a while.
fn busy(rates: &Rates<'_>, leg: LegId) -> f64 {
    let drive = rates.network.leg(leg).to;
    let uses = rates.charges.of_leg(leg).iter().map(|one| (RowId(one.row), one.amount));
    let its = uses.filter(|(row, _)| {
        let row = rates.network.row(*row);
        row.component == drive && row.burst.is_none()
    });
    its.map(|(row, amount)| amount / rates.one(row)).fold(0.0, f64::max)
}
