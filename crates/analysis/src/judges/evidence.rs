//! What limits a trial, and the evidence: the results of [`mod@crate::judges::limit`], also used by
//! judgements of members and depths. It leaves out how they are found, and words, which are
//! `report`'s.

use serde::{Serialize, Serializer};
use strum::IntoStaticStr;

mod fact;

pub use fact::{
    CapacityUse, DepthChange, EvidenceLaw, Fact, Flushed, LatencyUse, MemberFact, MemberRates,
    MemberTimes, Nothing, Plateau, Range, RateOf,
};

/// What held a trial back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limiting {
    /// Which kind of thing.
    pub cause: Cause,
    /// Which one; none when unknown.
    pub entity: Option<String>,
    /// What it carried while it was the limit; none where the limit is no place.
    pub capacity: Option<Capacity>,
    /// Why; for `unknown` what was ruled out.
    #[serde(skip)]
    pub evidence: Vec<Evidence>,
}

/// Kinds of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Cause {
    /// A storage device, or what lies behind it.
    Device,
    /// Processor time, of all processors or of one thread in the kernel.
    Cpu,
    /// The program that makes the load.
    Generator,
    /// Main memory: the requests did not reach a device.
    PageCache,
    /// The rate that the study asked for.
    Rate,
    /// A limit set by somebody: a control group, a cloud volume's quota.
    Throttle,
    /// A component of the path, whose capacity is used up.
    Component,
    /// Parts of requests that wait for their siblings.
    Synchronisation,
    /// Flushes, for which streams wait.
    Flush,
    /// The time of a request: too few are in flight to fill anything.
    Latency,
    /// No cause is proved.
    Unknown,
}

impl Cause {
    /// Whether this machine itself was the limit, and not the storage.
    #[must_use]
    pub fn is_of_host(self) -> bool {
        match self {
            Self::Cpu | Self::Generator | Self::PageCache => true,
            Self::Device
            | Self::Rate
            | Self::Throttle
            | Self::Component
            | Self::Synchronisation
            | Self::Flush
            | Self::Latency
            | Self::Unknown => false,
        }
    }

    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One line of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// Whose counters.
    pub entity: String,
    /// Which rule was applied, with what else a sentence about it needs.
    #[serde(rename = "law", serialize_with = "law")]
    pub fact: Fact,
    /// What was found.
    pub value: f64,
    /// What it is compared with.
    pub threshold: f64,
}

impl Evidence {
    /// Which rule was applied; what each means is in `docs/findings.md`.
    #[must_use]
    pub fn law(&self) -> EvidenceLaw {
        EvidenceLaw::from(&self.fact)
    }
}

fn law<S: Serializer>(fact: &Fact, serializer: S) -> Result<S::Ok, S::Error> {
    EvidenceLaw::from(fact).serialize(serializer)
}

/// What the limit carried a second, both ways together; none of what nobody counted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// Bytes.
    pub bytes_per_sec: Option<f64>,
    /// Requests, as the devices count them.
    pub operations_per_sec: Option<f64>,
}
