//! Data that write caches can hold: what is written again before it is destaged goes to the media
//! once, and a bound counts every write.
//!
//! Left out: data that they hold in part.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::case::{Case, Stream};
use iopath_units::{Bytes, Human, Op, System};

use crate::network::{ComponentId, LegId, Mechanism, Network, StreamLoad};

/// Where all that is written through some caches fits into them. A stream that states its `hit`
/// has said what it overwrites.
pub(super) fn overwritten(case: &Case, network: &Network) -> Vec<Mechanism> {
    let mut through: BTreeMap<BTreeSet<ComponentId>, Vec<&Stream>> = BTreeMap::new();
    for load in &network.streams {
        let stream = &case.streams[load.stream];
        let caches = answering(case, network, load);
        if stream.modelled.hit.0 == 0 && !caches.is_empty() {
            through.entry(caches).or_default().push(stream);
        }
    }
    through.iter().filter_map(|(caches, streams)| fitting(case, caches, streams)).collect()
}

fn fitting(case: &Case, caches: &BTreeSet<ComponentId>, streams: &[&Stream]) -> Option<Mechanism> {
    let targets: BTreeSet<usize> = streams.iter().map(|stream| stream.target).collect();
    let size_of = |part| case.system.size(part, "size");
    let of_target = |target: &usize| {
        let target = &case.targets[*target];
        target.size.or_else(|| size_of(target.part))
    };
    let data = sum(targets.iter().map(of_target))?;
    let room = sum(caches.iter().map(|cache| size_of((*cache).into())))?;
    let human = |bytes: Bytes| bytes.human(System::Decimal);
    let text = format!(
        "{}: caches of {} hold the {} that are written, so what is written again before it is \
         destaged goes to the media once",
        streams.first()?.group,
        human(room),
        human(data)
    );
    (data <= room).then_some(Mechanism { kind: "overwritten", text, decides: false })
}

fn sum(all: impl Iterator<Item = Option<Bytes>>) -> Option<Bytes> {
    all.collect::<Option<Vec<Bytes>>>()
        .map(|all| Bytes(all.iter().fold(0, |sum, bytes| sum.saturating_add(bytes.0))))
}

/// The caches that answer writes of a stream.
fn answering(case: &Case, network: &Network, load: &StreamLoad) -> BTreeSet<ComponentId> {
    let roots = load.roots.iter().map(|(leg, _)| *leg);
    let mut waiting: Vec<LegId> = roots.filter(|leg| network.leg(*leg).op == Op::Write).collect();
    let (mut seen, mut caches) = (BTreeSet::new(), BTreeSet::new());
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        let leg = network.leg(at);
        let is_answered = leg.next.iter().any(|next| network.leg(next.leg).background);
        match is_answered && case.system.kind(leg.to.into()) == "cache" {
            true => drop(caches.insert(leg.to)),
            false => waiting.extend(leg.next.iter().map(|next| next.leg)),
        }
    }
    caches
}
