//! Records to Findings: audit, statistics, limit, fairness, comparison, what a path carries.
//!
//! Pure: a record goes in, derived figures come out, so old records can be analysed again with
//! newer laws. Thresholds are in [`thresholds`]. `docs/findings.md` says what each finding means,
//! `docs/warnings.md` each warning.
//! It computes no bound and no price: those that a record holds are put into words.

pub mod advice;
pub mod agreement;
pub mod alike;
pub mod audit;
pub mod balance;
pub mod compare;
pub mod course;
pub mod curve;
pub mod depths;
pub mod distribution;
pub mod fairness;
pub mod findings;
pub mod intensity;
pub mod ladder;
pub mod layers;
pub mod limit;
pub mod picture;
pub mod prediction;
pub mod probe;
pub mod shares;
pub mod statistics;
pub mod sweep;
pub mod thresholds;
pub mod usage;

mod analyse;
mod counters;
mod evidence;
mod flow;
mod groups;
mod lag;
mod loaded;
mod observed;
mod pass;
mod place;
mod related;
mod warnings;
mod watched;

pub use advice::Advice;
pub use alike::{Alike, alike};
#[doc(hidden)]
pub use analyse::analyses;
pub use analyse::{NoFindings, analyse};
pub use audit::{LawCheck, audit, note_bound};
pub use balance::{Balance, balance};
pub use compare::{Comparison, compare};
pub use course::{Course, CourseLine, CourseTier, PhaseSpan};
pub use depths::{DepthPoint, Depths, depths};
pub use findings::{
    ActionFindings, EpochFindings, Findings, FlushFindings, Headline, LatencyOf, LatencySummary,
    OpFindings, StreamFindings,
};
pub use lag::LagFindings;
pub use layers::{Layers, layers};
pub use picture::{Picture, picture};
pub use prediction::{Prediction, predict};
pub use shares::MemberShares;
pub use sweep::{Sweep, sweeps};
pub use usage::Usage;

#[cfg(test)]
mod sample;
