//! Laws that every true record keeps; a broken one is shown next to the figures.
//!
//! The operational laws are those of Denning and Buzen (ACM Computing Surveys 10, 1978): they
//! need no assumption about distributions, so a broken one means a wrong counter or a wrong
//! reading of it. Tolerances say why they are there.
//! It leaves out laws between records (agreement of techniques) but for one: of a simulation and
//! its bound. Words are `report`'s.

use iopath_record::{EntityId, Record};
use serde::Serialize;

use crate::usage::pass::Pass;

mod bound;
mod law;
pub(crate) mod layers;
mod series;
mod streams;

pub use bound::note_bound;
pub use law::{Ceiling, Law, Rated};

/// One law, tried on one entity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LawCheck {
    /// Whose counters.
    pub entity: String,
    /// Which law; the names are listed in `docs/findings.md`.
    pub law: Law,
    /// What the record has.
    pub value: f64,
    /// What the law allows, tolerance included.
    pub threshold: f64,
    /// Whether the value is within what the law allows.
    pub holds: bool,
}

/// Tries every law that the record has counters for; broken ones come first.
#[must_use]
pub fn audit(record: &Record) -> Vec<LawCheck> {
    let pass = Pass::of(record);
    let mut checks = streams::check(&pass);
    checks.extend(layers::check(&pass));
    checks.extend(series::check(&pass));
    checks.extend(bound::check(&pass));
    checks.sort_by_key(|check| check.holds);
    checks
}

/// A value that may not exceed a threshold.
struct Most {
    law: Law,
    value: f64,
    most: f64,
}

impl Most {
    fn check(self, entity: &str) -> LawCheck {
        let Self { law, value, most } = self;
        LawCheck { entity: entity.to_owned(), law, value, threshold: most, holds: value <= most }
    }
}

fn name_of(record: &Record, entity: EntityId) -> &str {
    record.entities.get(entity.0 as usize).map_or("unknown", |entity| &entity.name)
}

/// Names of the laws that a sound record breaks once it is changed.
#[cfg(test)]
fn broken(change: impl FnOnce(&mut Record)) -> Vec<&'static str> {
    let mut record = crate::sample::Sample::new().record();
    change(&mut record);
    audit(&record).iter().filter(|check| !check.holds).map(|check| check.law.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn a_true_record_breaks_no_law() {
        let checks = audit(&Sample::new().record());
        let broken: Vec<_> = checks.iter().filter(|check| !check.holds).collect();
        assert!(broken.is_empty(), "{broken:#?}");
        let mut laws: Vec<_> = checks.iter().map(|check| check.law.name()).collect();
        laws.sort_unstable();
        laws.dedup();
        assert_eq!(laws.len(), 12, "{laws:?}");
    }

    #[test]
    fn a_record_of_nothing_breaks_no_law() {
        let mut record = Sample::new().record();
        record.streams.clear();
        record.series.clear();
        record.heat.clear();
        record.instants_ns.clear();
        assert!(audit(&record).iter().all(|check| check.holds));
    }

    #[test]
    fn broken_laws_come_first() {
        let mut record = Sample::new().record();
        record.streams[0].phases[1].completed += 1_000_000;
        let checks = audit(&record);
        assert!(!checks[0].holds);
        assert!(checks.iter().rev().take(3).all(|check| check.holds));
    }
}
