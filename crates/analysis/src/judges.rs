//! Verdicts, each from usage alone: what limited a trial, whether members share a load evenly, why
//! layers moved different bytes, which laws a record keeps, what to change.
//!
//! A judge is a pure function of what was counted. It leaves out how a trial is summed up, which is
//! `findings`' part.

pub mod advice;
pub mod audit;
pub mod balance;
pub(crate) mod evidence;
pub(crate) mod failures;
pub mod intensity;
pub(crate) mod lag;
pub mod layers;
pub mod limit;
pub(crate) mod metrics;
pub(crate) mod shared_limit;
pub mod shares;
