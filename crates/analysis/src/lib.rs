//! Records to Findings: audit, statistics, limit, fairness, comparison, what a path carries.
//!
//! In layers, each of which knows only those before it: statistics, [`thresholds`] and groups of
//! equal things; [`usage`]; [`prediction`]; judges, which make verdicts of usage; [`findings`] of a
//! trial; and the other modules here, each about a whole run or several.
//!
//! Pure: a record goes in, derived figures come out, so old records can be analysed again with
//! newer laws. Thresholds are in [`thresholds`]. `docs/findings.md` says what each finding means,
//! `docs/warnings.md` each warning.
//! It computes no bound and no price, and makes no sentence: `report` has the words.

pub mod agreement;
pub mod capacities;
pub mod compare;
pub mod curve;
pub mod demand;
pub mod depths;
pub mod distribution;
pub mod fairness;
pub mod find_max;
pub mod findings;
pub mod hosts;
pub mod load_sweep;
pub mod picture;
pub mod prediction;
pub mod probe;
pub mod statistics;
pub mod sweep;
pub mod thresholds;
pub mod timeline;
pub mod usage;

mod groups;
mod judges;

pub use compare::{Comparison, compare};
pub use depths::{DepthPoint, Depths, depths};
#[doc(hidden)]
pub use findings::analyse::analyses;
pub use findings::analyse::{NoFindings, analyse};
pub use findings::{
    ActionFindings, EpochFindings, Findings, FlushFindings, Headline, LatencyOf, LatencySummary,
    OpFindings, StreamFindings, UnfairStreams, Warning,
};
pub use judges::advice::Advice;
pub use judges::audit::{LawCheck, audit, note_bound};
pub use judges::balance::{Balance, balance};
pub use judges::failures::FailureSpan;
pub use judges::lag::LagFindings;
pub use judges::layers::{Layers, layers};
pub use judges::shared_limit::{RatePattern, SharedLimitHint, SharedLimitMember, shared_limit};
pub use judges::shares::MemberShares;
pub use judges::{advice, audit, balance, intensity, layers, limit, shares};
pub use picture::{Picture, picture};
pub use prediction::{Prediction, predict};
pub use sweep::{Sweep, sweeps};
pub use timeline::{PhaseSpan, Timeline, TimelineSeries, TimelineTier};
pub use usage::Usage;
pub use usage::pass::is_full;

#[cfg(test)]
mod sample;
