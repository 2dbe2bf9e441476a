//! Targets that several kernels have, by identity: what streams of several hosts read and write.
//!
//! One entity is enough where each kernel only says how much of it is cached, and where it stands
//! on the devices of each in the same way, so that the bytes of all streams reappear in all devices
//! together. A device that is a target itself has counters on each host, and a volume of parity
//! here and a plain one there multiply bytes differently: those stay, below what they share.

use std::collections::{BTreeMap, BTreeSet};

use super::super::parts::Parts;
use super::Source;
use super::key::is_own;
use crate::{Layer, Record};

/// Which of them are one entity, and which stay apart.
pub(super) struct SharedTargets<'a> {
    is_together: BTreeMap<&'a str, bool>,
    targets: Vec<BTreeSet<u32>>,
}

impl<'a> SharedTargets<'a> {
    pub(super) fn of(parts: &'a Parts) -> Self {
        let targets: Vec<_> = parts.ranks.iter().map(|one| targets(&one.record)).collect();
        let mut occurrences: BTreeMap<&str, Vec<Source>> = BTreeMap::new();
        for (part, ids) in targets.iter().enumerate() {
            for id in ids {
                let source = Source { part, entity: crate::EntityId(*id) };
                if let Some(identity) = parts.identity(part, source.entity) {
                    occurrences.entry(identity).or_default().push(source);
                }
            }
        }
        occurrences.retain(|_, all| {
            all.iter().any(|one| parts.machine(one.part) != parts.machine(all[0].part))
        });
        let judged = occurrences.into_iter().map(|(identity, all)| {
            let stands: BTreeSet<Stands> = all.iter().map(|one| stands(parts, *one)).collect();
            let is_plain = stands.len() == 1 && stands.iter().all(|one| !one.is_counted);
            (identity, is_plain)
        });
        Self { is_together: judged.collect(), targets }
    }

    pub(super) fn is_together(&self, identity: &str) -> bool {
        self.is_together.get(identity).copied().unwrap_or(false)
    }

    /// The identity of a target that stays apart from that of another kernel.
    pub(super) fn apart(&self, parts: &'a Parts, source: Source) -> Option<&'a str> {
        let is_target = self.targets[source.part].contains(&source.entity.0);
        let identity = parts.identity(source.part, source.entity).filter(|_| is_target)?;
        (self.is_together.get(identity) == Some(&false)).then_some(identity)
    }
}

/// What streams of a record stand on.
fn targets(record: &Record) -> BTreeSet<u32> {
    let is_stream = |id: u32| record.entities[id as usize].layer == Layer::Application;
    let of_streams = record.relations.iter().filter(|one| is_stream(one.upper.0));
    of_streams.flat_map(|one| one.lower.iter().map(|id| id.0)).collect()
}

/// How a target stands on one host.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Stands {
    /// The kernel counts what it moves.
    is_counted: bool,
    /// Bytes read and written below for each above, of each relation.
    copies: Vec<[u64; 2]>,
}

fn stands(parts: &Parts, source: Source) -> Stands {
    let record = &parts.ranks[source.part].record;
    let is_own = is_own(parts.entity(source.part, source.entity));
    let mut counters = record.series.iter().filter(|series| series.entity == source.entity);
    let below = record.relations.iter().filter(|one| one.upper == source.entity);
    Stands {
        is_counted: !is_own && counters.any(|series| !series.counter.is_gauge()),
        copies: below.map(|one| [one.read_copies_ppm, one.write_copies_ppm]).collect(),
    }
}
