//! The record of one pass of one trial, whatever technique made it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    BadBlocks, Bound, CurvePoint, Entity, EntityId, Environment, Fact, Histogram, Relation, Series,
    StreamTotals,
};

/// Everything one pass of a trial left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of this format; see [`Record::FORMAT`].
    pub format: u32,
    /// What was asked for.
    pub case: CaseText,
    /// Who answered.
    pub technique: Technique,
    /// Facts about machine, targets and settings, as `topic.fact`: value.
    pub environment: Environment,
    /// Everything that has counters or limits.
    pub entities: Vec<Entity>,
    /// Whose traffic reappears where.
    pub relations: Vec<Relation>,
    /// The one time axis.
    pub clock: ClockNote,
    /// When the counters were sampled, in ns since the axis began.
    pub instants_ns: Vec<u64>,
    /// Cumulative counters at those instants.
    pub series: Vec<Series>,
    /// Totals of every stream, by phase.
    pub streams: Vec<StreamTotals>,
    /// Latency of all requests completed between two instants: one entry fewer than instants.
    pub heat: Vec<Histogram>,
    /// Upper bounds, where the technique finds some; since format 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Bound>,
    /// Response time against load, where the technique finds it; since format 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// What verification found in this pass; in the last one also what reading back found. Since
    /// format 6.
    #[serde(default, skip_serializing_if = "BadBlocks::is_empty")]
    pub bad_blocks: BadBlocks,
    /// What happened, and when.
    pub events: Vec<Event>,
    /// What a reader of the figures must know.
    pub warnings: Vec<Warning>,
}

impl Record {
    /// The version that this program writes.
    pub const FORMAT: u32 = 9;
}

/// The resolved study of one case, and which repetition of it this is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseText {
    /// Title of the study.
    pub study: String,
    /// Title of the experiment.
    pub experiment: String,
    /// The study of this case alone, as a study file.
    pub text: String,
    /// The level of every factor.
    pub levels: BTreeMap<String, String>,
    /// Position of the trial in its run, from 0.
    pub trial: u32,
    /// Which pass of the trial, from 0.
    pub pass: u32,
    /// Root of all randomness.
    pub seed: u64,
}

impl CaseText {
    /// Of what is watched: what that is, in words, and how many records there are before.
    #[must_use]
    pub fn watched(what: &str, pass: u32) -> Self {
        let (study, experiment) = ("Watched".to_owned(), what.to_owned());
        Self { study, experiment, pass, ..Self::default() }
    }
}

/// Which technique made the record, with what is peculiar to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Technique {
    /// Bounds and sharing; no time passed.
    Analytic,
    /// Discrete events; simulated time passed.
    Simulation {
        /// How many events were handled.
        events: u64,
    },
    /// Real input and output.
    Measurement {
        /// The engine that was really used, after every fall-back.
        engine: String,
        /// Where the path was emulated: how it was scaled. Figures are multiplied back already.
        /// Since format 3.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        emulated: Option<Emulated>,
    },
    /// Counters watched without a load of our own.
    Observation,
}

/// How an emulated path was scaled down to fit a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emulated {
    /// Rates and sizes were divided by this; operations per second and times stayed.
    pub scale: u64,
    /// Rates were divided by this besides, and times multiplied.
    pub stretch: u64,
}

impl Record {
    /// Whether a live system answered the load, so that everything on its way was described and
    /// counted, as in a model.
    #[must_use]
    pub fn is_answered_live(&self) -> bool {
        let facts = [Fact::Answers, Fact::Inside];
        facts.iter().any(|fact| self.environment.contains_key(&fact.to_string()))
    }
}

impl Technique {
    /// Whether a model made the record, so that nothing real moved.
    #[must_use]
    pub const fn is_model(&self) -> bool {
        match self {
            Self::Analytic | Self::Simulation { .. } => true,
            Self::Measurement { .. } | Self::Observation => false,
        }
    }

    /// Its name, as in text and in JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Analytic => "analytic",
            Self::Simulation { .. } => "simulation",
            Self::Measurement { .. } => "measurement",
            Self::Observation => "observation",
        }
    }

    /// How the path was scaled, where it was emulated.
    #[must_use]
    pub const fn emulated(&self) -> Option<Emulated> {
        match self {
            Self::Measurement { emulated, .. } => *emulated,
            Self::Analytic | Self::Simulation { .. } | Self::Observation => None,
        }
    }

    /// Whether the same case gives the same record again, so that a single pass is exact. Not of
    /// a simulation: other seeds give other figures.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        matches!(self, Self::Analytic)
    }
}

/// When the time axis began, and how well it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockNote {
    /// Wall clock at 0 on the axis, in ns since 1970.
    pub started_unix_ns: u64,
    /// How far an instant may be from when its counters were read, and the clocks of several ranks
    /// apart.
    pub error_ns: u64,
}

/// Something that happened at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When, on the record's axis.
    pub at_ns: u64,
    /// To whom.
    pub entity: Option<EntityId>,
    /// What, in words.
    pub what: String,
}

/// Something that a reader of the figures must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// A stable name, listed in `docs/warnings.md`.
    pub kind: String,
    /// The words for this case.
    pub text: String,
}
