//! Bytes of one layer against the layer below: what a relation says must reappear does.
//!
//! A device may move more than the application did (readahead, journals, other processes), never
//! less, unless a cache or a hole lies between; so the law is only tried for direct I/O.

use std::collections::BTreeMap;

use iopath_record::{Counter, EntityId, Relation};

use super::{LawCheck, Most, name_of};
use crate::pass::{Part, Pass, phases};

/// Share of the bytes read that reached the devices below which holes or a cache are told: chosen.
pub(crate) const FEW: f64 = 0.5;

/// Bytes read and written.
type Volume = [f64; 2];

pub(super) fn check(pass: &Pass<'_>) -> Vec<LawCheck> {
    let above = application_bytes(pass);
    let relations = pass.record.relations.iter();
    relations.filter_map(|relation| below(pass, relation, &above)).collect()
}

/// What streams moved, by the target that they stand on.
fn application_bytes(pass: &Pass<'_>) -> BTreeMap<EntityId, Volume> {
    let mut by_target: BTreeMap<EntityId, Volume> = BTreeMap::new();
    for stream in &pass.record.streams {
        let on = pass.record.relations.iter().find(|relation| relation.upper == stream.entity);
        let Some(target) = on.and_then(|relation| relation.lower.first()) else { continue };
        let volume = by_target.entry(*target).or_default();
        for totals in phases(stream, Part::Whole) {
            volume[0] += totals.read_bytes as f64;
            volume[1] += totals.write_bytes as f64;
        }
    }
    by_target
}

fn below(
    pass: &Pass<'_>,
    relation: &Relation,
    above: &BTreeMap<EntityId, Volume>,
) -> Option<LawCheck> {
    let volume = above.get(&relation.upper)?;
    let name = name_of(pass.record, relation.upper);
    let cache = pass.fact(&format!("target.{name}.cache"))?;
    if cache != "direct" || pass.engine() == "null" {
        return None;
    }
    let copies = [relation.read_copies_ppm, relation.write_copies_ppm].map(|ppm| ppm as f64 / 1e6);
    let expected = volume[0] * copies[0] + volume[1] * copies[1];
    let mut seen = 0.0;
    for lower in &relation.lower {
        seen += pass.counters.whole(*lower, Counter::ReadBytes)? as f64;
        seen += pass.counters.whole(*lower, Counter::WriteBytes)? as f64;
    }
    let read: Option<u64> =
        relation.lower.iter().map(|lower| pass.counters.whole(*lower, Counter::ReadBytes)).sum();
    // Holes and caches below are no wrong counters; a warning tells of them.
    if (read? as f64) < FEW * volume[0] * copies[0] {
        return None;
    }
    let law = Most { law: "layers", value: expected * 0.99, most: seen };
    Some(law.check(
        name,
        "direct I/O: the devices move at least what the application did, times the copies; 1 % \
         is allowed because counters are not read at the same instant",
    ))
}

#[cfg(test)]
mod tests {
    use crate::audit::audit;
    use crate::sample::Sample;

    fn holds(sample: &Sample) -> Option<bool> {
        let checks = audit(&sample.record());
        checks.iter().find(|check| check.law == "layers").map(|check| check.holds)
    }

    #[test]
    fn direct_bytes_reappear_below() {
        assert_eq!(holds(&Sample::new()), Some(true));
        assert_eq!(holds(&Sample { device_share: 0.6, ..Sample::new() }), Some(false));
        let written = Sample { write_percent: 100, device_share: 0.1, ..Sample::new() };
        assert_eq!(holds(&written), Some(false));
    }

    #[test]
    fn reads_that_few_devices_saw_are_left_to_a_warning() {
        assert_eq!(holds(&Sample { device_share: 0.001, ..Sample::new() }), None);
    }

    #[test]
    fn the_null_engine_moves_nothing() {
        assert_eq!(holds(&Sample { device_share: 0.0, engine: "null", ..Sample::new() }), None);
    }

    #[test]
    fn buffered_bytes_need_not() {
        let cache = "buffered";
        assert_eq!(holds(&Sample { device_share: 0.5, cache, ..Sample::new() }), None);
    }
}
