//! What is full first on an emulated path: the record says it as facts of its environment, because
//! no kernel counts what crosses a group of tokens.

use iopath_record::{Fact, Technique};

use crate::usage::pass::Pass;

/// What binds where an emulated path carries all that its description allows.
pub(crate) struct FullWhenEmulated {
    pub name: String,
    /// Its limit in words.
    pub limit: String,
    /// What all streams move together then, in bytes a second.
    pub bytes_per_sec: f64,
}

impl FullWhenEmulated {
    pub(super) fn of(pass: &Pass<'_>) -> Option<Self> {
        let is_emulated = match &pass.record.technique {
            Technique::Measurement { emulated, .. } => emulated.is_some(),
            Technique::Analytic | Technique::Simulation { .. } | Technique::Observation => false,
        };
        let fact = |fact: Fact<'_>| pass.fact(fact).filter(|_| is_emulated);
        let bytes_per_sec: f64 = fact(Fact::FullAtBytesPerSec)?.parse().ok()?;
        let name = fact(Fact::FullName)?.to_owned();
        let limit = fact(Fact::FullLimit)?.to_owned();
        (bytes_per_sec > 0.0).then_some(Self { name, limit, bytes_per_sec })
    }
}
