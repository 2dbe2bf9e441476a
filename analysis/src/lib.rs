//! Records to Findings: audit, statistics, limit, fairness, comparison.
//!
//! Pure: a record goes in, derived figures come out, so old records can be analysed again with
//! newer laws. Every threshold says where it comes from, or "chosen". What each finding means is
//! told in `docs/findings.md`, each warning in `docs/warnings.md`.
//! It leaves out everything that needs the analytic model: ceilings of a path, prices, advice.

pub mod agreement;
pub mod audit;
pub mod compare;
pub mod findings;
pub mod limit;
pub mod statistics;

mod analyse;
mod counters;
mod observed;
mod pass;
mod warnings;

pub use analyse::{NoFindings, analyse};
pub use audit::{LawCheck, audit};
pub use compare::{Comparison, compare};
pub use findings::Findings;

#[cfg(test)]
mod sample;
