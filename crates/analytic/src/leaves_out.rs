//! What a bound does not account for, each a stable word and a text.

use iopath_path::{Covers, Network, StreamLoad};
use iopath_record::{BoundKind, Warning};
use iopath_units::Op;

use crate::model::Model;

/// What a bound of this kind leaves out of this case.
pub(crate) fn leaves_out(model: &Model<'_>, kind: BoundKind) -> Vec<String> {
    let mechanisms = model.network.mechanisms.iter();
    let mut all: Vec<String> =
        mechanisms.map(|mechanism| format!("{}: {}", mechanism.kind, mechanism.text)).collect();
    let mut add = |text: &str| all.push(text.to_owned());
    if model.network.rows.iter().any(|row| row.burst.is_some()) {
        add("burst: rates are the sustained ones; a token bucket allows more for a while");
    }
    if kind == BoundKind::FreeSplit {
        add("fairness: the total is maximised, some streams may starve");
    }
    match kind {
        BoundKind::FreeSplit | BoundKind::FixedSplit => {
            add("in-flight: streams are assumed to keep enough requests in flight");
            if flushing(model).next().is_some() {
                add("flush: writes are assumed not to wait for flushes");
            }
        }
        BoundKind::ClosedLoop | BoundKind::Synchronised => {
            add("queueing: queues other than the bottleneck's are ignored");
            if flushing(model).any(is_mixed) {
                add("flush: reads of a mix are assumed to continue while its writes wait for \
                    flushes");
            }
            if flushing(model).any(|(_, load)| has_late(load)) {
                add("flush: where more writes are in flight than sync-every, those that complete \
                    during a flush wait for the next, too: as little as half of it is left");
            }
            if flushing(model).any(|(_, load)| may_share_a_queue(load)) {
                add("flush: streams that share one of several hw-queues wait for each other's \
                    flushes: as little as half of it is left");
            }
        }
    }
    if kind < BoundKind::Synchronised && waits_for_several(model) {
        let states = || model.network.components.iter().any(|part| part.variability.is_some());
        add(match (model.slowest.is_some(), states()) {
            (true, _) => "synchronisation: a request waits for the slowest of its parts",
            (false, true) => "synchronisation: no varying parts are on separate servers",
            (false, false) => "synchronisation: no variability is stated",
        });
    }
    add("start-up: every stream is assumed to be in its steady state");
    all
}

/// Streams that wait for flushes that take time.
fn flushing<'a>(model: &'a Model<'_>) -> impl Iterator<Item = (&'a Network, &'a StreamLoad)> {
    let waits = |load: &&StreamLoad| load.flushing.is_some_and(|flushing| flushing.takes_time());
    model.network.streams.iter().filter(waits).map(|load| (model.network, load))
}

/// Whether a stream flushes after some writes, and reads as well.
fn is_mixed((network, load): (&Network, &StreamLoad)) -> bool {
    let is_own = load.flushing.is_some_and(|flushing| flushing.covers != Covers::Itself);
    is_own && load.roots.iter().any(|(leg, _)| network.leg(*leg).op == Op::Read)
}

/// Whether writes of a stream may complete while a flush is under way.
fn has_late(load: &StreamLoad) -> bool {
    let covers = load.flushing.map(|flushing| flushing.covers);
    matches!(covers, Some(Covers::Writes(every)) if load.in_flight > f64::from(every))
}

/// Whether a device of a stream has several hardware queues for its flushes.
fn may_share_a_queue(load: &StreamLoad) -> bool {
    let queues = load.flushing.and_then(|flushing| flushing.queues);
    queues.is_some_and(|queues| queues.count > 1)
}

/// Whether any request leads to several parts that somebody waits for.
fn waits_for_several(model: &Model<'_>) -> bool {
    let network = model.network;
    let several = |leg: &iopath_path::Leg| {
        let waited = leg.next.iter().filter(|next| !network.leg(next.leg).background);
        waited.map(|next| next.times).sum::<f64>() > 1.0
    };
    network.legs.iter().any(several)
}

/// The warnings, and one for each mechanism that decides beside every bound: figures of the case
/// must not be held against its bounds.
pub(crate) fn with_deciding(model: &Model<'_>, mut warnings: Vec<Warning>) -> Vec<Warning> {
    let deciding = model.network.mechanisms.iter().filter(|mechanism| mechanism.decides);
    warnings.extend(deciding.map(|mechanism| Warning {
        kind: "needs-simulation".to_owned(),
        text: format!("{}: {}", mechanism.kind, mechanism.text),
    }));
    warnings
}
