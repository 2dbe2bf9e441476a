//! Volumes whose requests are done when the last of their parts is: how long finished parts waited
//! for their siblings. Volumes that are called alike are one.
//!
//! A part has a place from the beginning of its request to its end. So of the time in flight
//! times the parts of a request, what finished parts waited is lost.

use std::collections::BTreeMap;

use iopath_record::{Counter, EntityId};

use crate::prediction::{Names, Pattern};
use crate::usage::Usage;
use crate::usage::pass::Pass;

/// Volumes that split their requests.
pub(crate) struct JoinUse {
    pub name: String,
    /// Requests to them, on average.
    pub in_flight: f64,
    /// Share of the time of their parts in which these were done and waited.
    pub waited: f64,
    /// The member whose parts take longest, and how many times as long as those of the median one
    /// of its volume.
    pub slowest: Option<(String, f64)>,
}

/// One volume, on average.
struct VolumeWait {
    id: EntityId,
    in_flight: f64,
    /// Parts of its requests, waiting or not.
    parts: f64,
    /// Those that are done and wait.
    waiting: f64,
    slowest: Option<(EntityId, f64)>,
}

/// All volumes of a pass whose parts waited.
pub(super) fn all(pass: &Pass<'_>) -> Vec<JoinUse> {
    let lower: BTreeMap<EntityId, &[EntityId]> =
        pass.record.relations.iter().map(|one| (one.upper, one.lower.as_slice())).collect();
    let names = Names::of(pass.record);
    let mut alike: BTreeMap<Pattern<'_>, Vec<VolumeWait>> = BTreeMap::new();
    for series in pass.record.series.iter().filter(|one| one.counter == Counter::JoinWaitNs) {
        let members = lower.get(&series.entity).copied().unwrap_or_default();
        if let Some(one) = VolumeWait::of(pass, series.entity, members) {
            alike.entry(names.pattern(one.id)).or_default().push(one);
        }
    }
    alike.into_values().map(|volumes| together(pass, &names, &volumes)).collect()
}

fn together(pass: &Pass<'_>, names: &Names<'_>, volumes: &[VolumeWait]) -> JoinUse {
    let sum = |of: fn(&VolumeWait) -> f64| volumes.iter().map(of).sum::<f64>();
    let slowest = volumes.iter().filter_map(|one| one.slowest);
    let slowest = slowest.max_by(|a, b| a.1.total_cmp(&b.1));
    let ids: Vec<EntityId> = volumes.iter().map(|one| one.id).collect();
    JoinUse {
        name: names.label(&ids).name,
        in_flight: sum(|one| one.in_flight),
        waited: sum(|one| one.waiting) / sum(|one| one.parts),
        slowest: slowest.map(|(id, times)| {
            let name = &pass.record.entities[id.0 as usize].name;
            (name.clone(), times)
        }),
    }
}

impl VolumeWait {
    /// None where nothing was split.
    fn of(pass: &Pass<'_>, id: EntityId, members: &[EntityId]) -> Option<Self> {
        let done = |id| Usage::of_entity(pass, id, pass.best());
        let own = done(id);
        let lower: Vec<_> = members.iter().map(|member| done(*member).transfers).collect();
        let operations = lower.iter().filter_map(|one| one.operations_per_sec).sum::<f64>();
        let in_flight = own.in_flight_mean?;
        let parts = in_flight * operations / own.transfers.operations_per_sec?;
        let means = members.iter().zip(lower).filter_map(|(id, one)| Some((*id, one.ns_mean?)));
        let mut means: Vec<(EntityId, f64)> = means.collect();
        means.sort_by(|a, b| a.1.total_cmp(&b.1));
        let median = means.get(means.len().saturating_sub(1) / 2).map(|(_, mean)| *mean);
        let slowest = means.last().zip(median).map(|(last, median)| (last.0, last.1 / median));
        let waited_ns = pass.counters.over(id, Counter::JoinWaitNs, pass.best())?;
        let waiting = waited_ns / pass.best().length_ns() as f64;
        let one = Self { id, in_flight, parts, waiting, slowest };
        (parts.is_finite() && parts > 0.0).then_some(one)
    }
}
