//! The laws that are tried, with what a sentence about each needs. They are explained in
//! `docs/findings.md`.

use iopath_record::{Counter, Limit};
use serde::{Serialize, Serializer};
use strum::{IntoStaticStr, VariantNames};

use crate::judges::evidence::RateOf;

/// A law; its name in JSON is the variant's.
#[derive(Clone, Debug, PartialEq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Law {
    Completions,
    Shares,
    Histograms,
    Little,
    Phases,
    Total,
    Bound,
    Layers,
    Members {
        /// Something is read ahead, which need not have been read by the end.
        is_ahead: bool,
    },
    Instants,
    /// The counter that fell; none where all of a record behave.
    Counters(Option<Counter>),
    Utilisation,
    InFlight,
    Capacity(Ceiling),
    /// A rating that was not measured.
    Rating(Rated),
}

/// What may not be exceeded.
#[derive(Clone, Debug, PartialEq)]
pub enum Ceiling {
    Slots,
    WantedRate(RateOf),
    Rated(Rated),
}

/// A rated limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    pub limit: Limit,
    /// Whether devices are counted that it carries, and not the thing itself.
    pub is_carried: bool,
}

impl Law {
    /// The name in JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

impl Serialize for Law {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
