//! Bytes of one layer against the layer below: what a relation says must reappear does.
//!
//! A device may move more than the application did (readahead, journals, other processes), never
//! less, unless a cache or a hole lies between; so the law is only tried for direct I/O.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Counter, EntityId, Fact, Kind, Relation, TargetFact};
use iopath_units::Action;

use super::{Law, LawCheck, Most, name_of};
use crate::thresholds::audit::{COPIES_TOLERANCE, LAYERS_TOLERANCE};
use crate::thresholds::trials::HOLES_SHARE;
use crate::usage::pass::{Part, Pass, phases};

/// Bytes read and written.
type Volume = [f64; 2];

pub(super) fn check(pass: &Pass<'_>) -> Vec<LawCheck> {
    let above = application_bytes(pass);
    let relations = || pass.record.relations.iter();
    let mut checks: Vec<LawCheck> =
        relations().filter_map(|relation| below(pass, relation, &above)).collect();
    checks.extend(members(pass, &above));
    checks
}

/// Whether a relation leads from a volume to members that the volume itself counts.
fn is_counted(pass: &Pass<'_>, relation: &Relation) -> bool {
    let kind = |id: &EntityId| pass.record.entities.get(id.0 as usize).map(|e| &e.kind);
    relation.lower.iter().all(|lower| kind(lower) == Some(&Kind::Member))
}

/// What the members of all volumes moved is what the streams moved, times the copies: exactly, as
/// both are counted request by request. Volumes may share members, so they are taken together.
fn members(pass: &Pass<'_>, above: &BTreeMap<EntityId, Volume>) -> Option<LawCheck> {
    let joined = pass.record.series.iter().filter(|s| s.counter == Counter::JoinWaitNs).count();
    let counted: Vec<&Relation> =
        pass.record.relations.iter().filter(|relation| is_counted(pass, relation)).collect();
    // A volume whose copies depend on the request has no relation, and could share members.
    if counted.is_empty() || counted.len() < joined {
        return None;
    }
    let mut expected = 0.0;
    for relation in &counted {
        let volume = above.get(&relation.upper).copied().unwrap_or_default();
        expected += volume[0] * relation.read_copies_ppm as f64 / 1e6;
        expected += volume[1] * relation.write_copies_ppm as f64 / 1e6;
    }
    let each: BTreeSet<EntityId> = counted.iter().flat_map(|r| r.lower.iter().copied()).collect();
    let mut seen = 0.0;
    for member in each {
        seen += pass.counters.whole(member, Counter::ReadBytes)? as f64;
        seen += pass.counters.whole(member, Counter::WriteBytes)? as f64;
    }
    // What was read ahead need not have been read by the end.
    let is_ahead = pass.record.entities.iter().any(|entity| entity.kind == Kind::Readahead);
    let value = match is_ahead {
        true => (expected - seen).max(0.0),
        false => (seen - expected).abs(),
    };
    let failed: u64 = pass.phases(Part::Whole).map(|totals| totals.failed).sum();
    let law = Most { law: Law::Members { is_ahead }, value, most: expected * COPIES_TOLERANCE };
    (failed == 0).then(|| law.check("all volumes"))
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

/// What a member of a volume moved, by the volume's own count.
fn member_bytes(pass: &Pass<'_>, id: EntityId) -> Option<Volume> {
    pass.record.entities.get(id.0 as usize).filter(|entity| entity.kind == Kind::Member)?;
    let read = pass.counters.whole(id, Counter::ReadBytes)? as f64;
    Some([read, pass.counters.whole(id, Counter::WriteBytes)? as f64])
}

fn below(
    pass: &Pass<'_>,
    relation: &Relation,
    above: &BTreeMap<EntityId, Volume>,
) -> Option<LawCheck> {
    let volume = &match above.get(&relation.upper) {
        Some(_) if is_counted(pass, relation) => return None,
        Some(volume) => *volume,
        None => member_bytes(pass, relation.upper)?,
    };
    // What a volume hands on is only known of arrays and multipath: a thin one has holes.
    if pass.record.entities.get(relation.upper.0 as usize)?.kind == Kind::Volume {
        return None;
    }
    if pass.streams.iter().any(|stream| stream.action == Action::Trim) {
        // Reads of what was trimmed end above the devices.
        return None;
    }
    let name = name_of(pass.record, relation.upper);
    let cache = pass.fact(Fact::Target(name, TargetFact::Cache))?;
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
    if (read? as f64) < HOLES_SHARE * volume[0] * copies[0] {
        return None;
    }
    let law = Most { law: Law::Layers, value: expected * (1.0 - LAYERS_TOLERANCE), most: seen };
    Some(law.check(name))
}

#[cfg(test)]
mod tests {
    use iopath_record::{Counter, EntityId, Kind, Relation, Series};

    use crate::judges::audit::{Law, LawCheck, audit};
    use crate::sample::Sample;

    fn holds(sample: &Sample) -> Option<bool> {
        let checks = audit(&sample.record());
        checks.iter().find(|check| check.law == Law::Layers).map(|check| check.holds)
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

    /// Puts a volume with two members between the streams and the first target's device.
    fn with_volume(copies: u64, moved: f64) -> Vec<(bool, f64)> {
        let sample = Sample { write_percent: 100, ..Sample::new() };
        let mut record = sample.record();
        let written: u64 =
            record.streams.iter().flat_map(|s| &s.phases).map(|phase| phase.write_bytes).sum();
        let upper = record.relations.iter().find(|r| record.streams[0].entity == r.upper);
        let upper = upper.unwrap().lower[0];
        record.relations.retain(|relation| relation.upper != upper);
        let mut lower = Vec::new();
        for name in ["m0", "m1"] {
            let mut member = record.entities[upper.0 as usize].clone();
            (member.name, member.kind) = (name.to_owned(), Kind::Member);
            record.entities.push(member);
            let id = EntityId(record.entities.len() as u32 - 1);
            lower.push(id);
            let mut values = vec![0; record.instants_ns.len()];
            record.series.push(Series::from_values(id, Counter::ReadBytes, &values));
            *values.last_mut().unwrap() = (written as f64 * moved / 2.0) as u64;
            record.series.push(Series::from_values(id, Counter::WriteBytes, &values));
        }
        let (read_copies_ppm, write_copies_ppm) = (1_000_000, copies * 1_000_000);
        record.relations.push(Relation { upper, lower, read_copies_ppm, write_copies_ppm });
        let checks =
            audit(&record).into_iter().filter(|check| matches!(check.law, Law::Members { .. }));
        checks.map(|check| (check.holds, check.value)).collect()
    }

    #[test]
    fn members_move_what_the_streams_do_times_the_copies() {
        assert_eq!(with_volume(2, 2.0), [(true, 0.0)]);
        assert!(!with_volume(2, 1.0)[0].0, "one side of a mirror was forgotten");
        assert!(!with_volume(1, 1.01)[0].0);
    }

    /// Whether a device below the only member of a volume moved what that did, at this share.
    fn of_member(device_share: f64) -> Option<bool> {
        let sample = Sample { write_percent: 100, device_share, ..Sample::new() };
        let mut record = sample.record();
        let written: u64 =
            record.streams.iter().flat_map(|s| &s.phases).map(|phase| phase.write_bytes).sum();
        let mut member = record.entities[0].clone();
        (member.name, member.kind) = ("m0".to_owned(), Kind::Member);
        let id = EntityId(record.entities.len() as u32);
        record.entities.push(member);
        let on_device = record.relations.last_mut().unwrap();
        let below = Relation { upper: id, ..on_device.clone() };
        on_device.lower = vec![id];
        record.relations.push(below);
        let mut values = vec![0; record.instants_ns.len()];
        record.series.push(Series::from_values(id, Counter::ReadBytes, &values));
        *values.last_mut().unwrap() = written;
        record.series.push(Series::from_values(id, Counter::WriteBytes, &values));
        record.environment.insert("target.m0.cache".to_owned(), "direct".to_owned());
        let checks = audit(&record);
        let of_member = |check: &&LawCheck| check.law == Law::Layers && check.entity == "m0";
        checks.iter().find(of_member).map(|check| check.holds)
    }

    #[test]
    fn bytes_of_a_member_reappear_below_it() {
        assert_eq!((of_member(1.0), of_member(0.6)), (Some(true), Some(false)));
    }

    #[test]
    fn buffered_bytes_need_not() {
        let cache = "buffered";
        assert_eq!(holds(&Sample { device_share: 0.5, cache, ..Sample::new() }), None);
    }
}
