//! What changed around two runs: facts by key, without those that change from run to run anyway.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Fact, Record, TargetFact, restated};
use serde::Serialize;

/// Facts that differ between any two runs and explain nothing.
const VOLATILE: [Fact<'_>; 13] = [
    Fact::Command,
    Fact::HostBoot,
    Fact::HostUptime,
    Fact::Ceiling,
    Fact::ClockBound,
    Fact::StartSkew,
    Fact::MergeTime,
    Fact::HugeBytes,
    Fact::SimulatedSeed,
    Fact::SimulatedEvents,
    Fact::OrderHash,
    Fact::Window,
    Fact::HalfWidth,
];

/// The same, of every target.
const VOLATILE_OF_TARGETS: [TargetFact; 1] = [TargetFact::LeftCachedBytes];

/// Differences of two environments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EnvironmentChanges {
    /// Keys that both have, with other values.
    pub changed: Vec<Change>,
    /// Keys that only the second has.
    pub added: Vec<Change>,
    /// Keys that only the first has.
    pub removed: Vec<Change>,
    /// How many keys both have, so that their values were compared.
    pub compared: usize,
    /// How many keys only one technique knows of, so that nothing could be compared.
    pub not_compared: usize,
    /// Patterns of keys that were not looked at.
    pub ignored: Vec<String>,
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Which fact.
    pub key: String,
    /// In the first run; several values, one for each trial that differs, are joined.
    pub a: Option<String>,
    /// In the second run.
    pub b: Option<String>,
}

/// Compares all facts of two runs.
pub(super) fn compare(a: &[Record], b: &[Record]) -> EnvironmentChanges {
    let (in_a, in_b) = (facts(a), facts(b));
    // Techniques know of different facts: what only one of them can know is no change.
    let techniques: BTreeSet<&str> = a.iter().chain(b).map(|r| r.technique.name()).collect();
    let mut changes = EnvironmentChanges { ignored: ignored(), ..Default::default() };
    for key in in_a.keys().chain(in_b.keys()).collect::<BTreeSet<_>>() {
        let change = Change { key: key.clone(), a: joined(&in_a, key), b: joined(&in_b, key) };
        changes.compared += usize::from(change.a.is_some() && change.b.is_some());
        match (&change.a, &change.b) {
            (Some(left), Some(right)) if left == right => {}
            (Some(_), Some(_)) => changes.changed.push(change),
            _ if techniques.len() > 1 => changes.not_compared += 1,
            (Some(only), None) | (None, Some(only)) if is_unstated(key, only) => {}
            (None, _) => changes.added.push(change),
            (_, None) => changes.removed.push(change),
        }
    }
    changes
}

type Facts<'a> = BTreeMap<String, BTreeSet<Cow<'a, str>>>;

/// Patterns of what is not looked at.
fn ignored() -> Vec<String> {
    let keys = VOLATILE.iter().map(ToString::to_string);
    keys.chain(VOLATILE_OF_TARGETS.map(TargetFact::pattern)).collect()
}

fn facts(records: &[Record]) -> Facts<'_> {
    let volatile = VOLATILE.map(|fact| fact.to_string());
    let is_volatile = |key: &str| {
        let key = of_one_host(key);
        let is_of_target = VOLATILE_OF_TARGETS.iter().any(|fact| fact.target(key).is_some());
        is_of_target || volatile.iter().any(|fact| fact == key)
    };
    let mut facts = Facts::new();
    let all = records.iter().flat_map(|record| &record.environment);
    for (key, value) in all.filter(|(key, _)| !is_volatile(key)) {
        facts.entry(key.clone()).or_default().insert(restated(of_one_host(key), value));
    }
    facts
}

/// Whether a value says what the absence of the fact means: what nothing writes is not synced.
fn is_unstated(key: &str, value: &str) -> bool {
    of_one_host(key) == Fact::Sync.to_string() && value == "none"
}

/// The key of a fact without the node or rank that it is of: `host.name` of `node[1].host.name`.
fn of_one_host(key: &str) -> &str {
    let fact = key
        .split_once("].")
        .filter(|(whose, _)| whose.starts_with("node[") || whose.starts_with("rank["));
    fact.map_or(key, |(_, fact)| fact)
}

fn joined(facts: &Facts<'_>, key: &str) -> Option<String> {
    let values = facts.get(key)?;
    let values: Vec<&str> = values.iter().map(|value| &**value).collect();
    Some(values.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn with(facts: &[(&str, &str)]) -> Vec<Record> {
        let mut record = Sample::new().record();
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        record.environment = facts.iter().map(owned).collect();
        vec![record]
    }

    #[test]
    fn tells_changed_added_and_removed_but_not_volatile_keys() {
        let a = with(&[
            ("kernel", "6.12"),
            ("old", "1"),
            ("same", "x"),
            ("host.boot_id", "1"),
            ("node[1].host.boot_id", "1"),
            ("target.a.left_cached_bytes", "0"),
        ]);
        let b = with(&[("kernel", "6.17"), ("new", "2"), ("same", "x"), ("host.boot_id", "2")]);
        let changes = compare(&a, &b);
        let keys = |of: &[Change]| of.iter().map(|c| c.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&changes.changed), ["kernel"]);
        assert_eq!(
            (keys(&changes.added), keys(&changes.removed)),
            (vec!["new".to_owned()], vec!["old".to_owned()])
        );
        assert_eq!(changes.changed[0].a.as_deref(), Some("6.12"));
        for ignored in ["host.boot_id", "target.*.left_cached_bytes"] {
            assert!(changes.ignored.contains(&ignored.to_owned()), "{ignored}");
        }
    }

    #[test]
    fn what_only_one_technique_knows_is_not_compared_and_not_the_same() {
        let measured = with(&[("kernel", "6.12"), ("seed", "1")]);
        let mut modelled = with(&[("path.without", "disk"), ("seed", "1")]);
        modelled[0].technique = iopath_record::Technique::Analytic;
        let changes = compare(&measured, &modelled);
        assert_eq!((changes.compared, changes.not_compared), (1, 2));
        let alone = compare(&measured, &measured);
        assert_eq!((alone.compared, alone.not_compared), (2, 0));
    }

    #[test]
    fn what_a_simulation_found_is_no_change_of_what_was_asked() {
        let of = |seed, stopped| {
            let found = ("simulation.half_width", seed);
            with(&[("simulation.seed", seed), found, ("simulation.stopped_by", stopped)])
        };
        let changes = compare(&of("1", "precision"), &of("2", "events"));
        let keys: Vec<&str> = changes.changed.iter().map(|change| change.key.as_str()).collect();
        assert_eq!(keys, ["simulation.stopped_by"]);
    }

    #[test]
    fn another_wording_and_what_goes_without_saying_are_no_difference() {
        let old = with(&[("workload.pattern", "Random"), ("workload.pacing", "Closed")]);
        let now = [("workload.pattern", "random"), ("workload.pacing", "closed loop")];
        let now = with(&[&now[..], &[("workload.sync", "none")]].concat());
        for (a, b) in [(&old, &now), (&now, &old)] {
            let changes = compare(a, b);
            assert_eq!((changes.changed, changes.added, changes.removed), Default::default());
        }
        let synced = with(&[("workload.sync", "dsync")]);
        assert_eq!(compare(&with(&[]), &synced).added[0].b.as_deref(), Some("dsync"));
        let open =
            "Open { rate: Operations(OperationRate(300000)), streams: 2, arrivals: Constant }";
        let paced = compare(&old, &with(&[("workload.pacing", open)]));
        assert_eq!(paced.changed[0].a.as_deref(), Some("closed loop"));
        assert_eq!(paced.changed[0].b.as_deref(), Some("300 /s, constant"));
    }

    #[test]
    fn facts_that_differ_by_trial_are_taken_together() {
        let a = [with(&[("size", "1")]), with(&[("size", "2")])].concat();
        let b = [with(&[("size", "2")]), with(&[("size", "1")])].concat();
        assert_eq!(compare(&a, &b).changed, []);
        assert_eq!(compare(&a, &b[..1]).changed[0].a.as_deref(), Some("1 | 2"));
    }
}
