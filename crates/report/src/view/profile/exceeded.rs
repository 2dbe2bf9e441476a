//! Limits that a path states and that a component passed more of: they are wrong, whether or not
//! it was full.
//!
//! It looks at rates of bytes under large requests and of operations under small ones (`read`,
//! `write`, `both`, `read-ops`, `write-ops`, `ops`). It leaves out token buckets, which let more
//! through for a while, re-reads, which a cache that the path does not have may serve, and what
//! data crosses the other way than its `read` and `write` mean.

use std::collections::BTreeSet;

use iopath_analysis::capacities::Load;
use iopath_analysis::thresholds::groups::LESS_THAN_ALONE;
use iopath_path::Network;
use iopath_study::{PartId, System};

/// A stated limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exceeded {
    /// Of the study: `read`, `both`, `write-ops`.
    pub property: &'static str,
    /// What the study states, in bytes or operations a second.
    pub per_sec: f64,
}

impl Exceeded {
    /// Those of a part that passed so much of a load.
    pub(super) fn by(seen: f64, load: Load, system: &System, part: PartId) -> Vec<Self> {
        let (both, burst) =
            if load.is_of_bytes() { ("both", "burst") } else { ("ops", "burst-ops") };
        if load.is_reread() || system.value(part, burst).is_some() {
            return Vec::new();
        }
        let stated = |property: &'static str| {
            let per_sec = match load.is_of_bytes() {
                true => system.byte_rate(part, property)?.0 as f64,
                false => system.operation_rate(part, property)?.per_sec(),
            };
            Some(Self { property, per_sec })
        };
        let all = load.property().into_iter().chain([both]).filter_map(stated);
        all.filter(|one| seen > (1.0 + LESS_THAN_ALONE) * one.per_sec).collect()
    }
}

/// Parts that data crosses the other way than their `read` and `write` mean.
pub(super) fn reversed(network: &Network) -> BTreeSet<PartId> {
    let crossed = network.routes.iter().flat_map(|route| &route.crossed);
    crossed.filter(|(_, is_reversed)| *is_reversed).map(|(one, _)| PartId::from(*one)).collect()
}

#[cfg(test)]
mod tests {
    use iopath_analysis::capacities::loads;
    use iopath_study::{Case, Source};
    use iopath_units::Op;

    use super::*;

    fn case(properties: &str) -> Case {
        let text = format!(
            "study \"s\"\npath {{ disk \"d\" {properties} size=\"1 GiB\" }}\n\
             workload {{ streams \"r\" over=\"d\" block=\"1 MiB\" }}\n"
        );
        let source = Source { name: "test".to_owned(), text };
        iopath_study::parse(&source, &[]).unwrap().cases().unwrap().remove(0)
    }

    fn exceeded(properties: &str, seen: f64, load: Load) -> Vec<(&'static str, f64)> {
        let case = case(properties);
        let part = case.system.ids().next().unwrap();
        let all = Exceeded::by(seen, load, &case.system, part);
        all.into_iter().map(|one| (one.property, one.per_sec)).collect()
    }

    #[test]
    fn more_than_a_rate_of_the_same_kind_exceeds_it() {
        let read = |is: fn(&Load) -> bool| {
            loads(false, true).find(|load| load.op == Op::Read && is(load)).unwrap()
        };
        let large = read(|load| load.is_of_bytes() && !load.is_reread());
        let small = read(|load| load.is_of_sets() && !load.is_of_bytes());
        let again = read(|load| load.is_reread());
        let rated = r#"read="100 MB/s" both="120 MB/s" read-ops="1000 /s""#;
        assert_eq!(exceeded(rated, 104e6, large), []);
        assert_eq!(exceeded(rated, 110e6, large), [("read", 100e6)]);
        assert_eq!(exceeded(rated, 130e6, large), [("read", 100e6), ("both", 120e6)]);
        assert_eq!(exceeded(rated, 130e6, again), [], "a cache may have served them");
        assert_eq!(exceeded(rated, 2e3, small), [("read-ops", 1e3)]);
        let bucket = r#"read="100 MB/s" burst="10 GiB""#;
        assert_eq!(exceeded(bucket, 130e6, large), []);
    }
}
