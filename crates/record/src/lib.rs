//! What any technique leaves behind: Record, Histogram, Progress, merge, codec.
//!
//! Raw is stored, derived is recomputed: a [`Record`] holds cumulative counters, totals and
//! histograms, never a rate. Integers only. Nothing in it tells which technique made it, but for
//! the label [`Technique`]. Its format is described in `docs/record.md`.
#![warn(missing_docs)]

pub mod entity;
pub mod histogram;
pub mod progress;
pub mod sample;
pub mod series;
pub mod stream;

pub mod codec;
pub mod hosts;
pub mod merge;

mod after_crash;
mod bad_blocks;
mod bound;
mod facts;
mod inside;
mod kind;
mod limit;
mod live;
mod moments;
mod record;
mod restore;
mod validate;

pub use after_crash::{AfterCrash, LostWrite, LostWrites};
pub use bad_blocks::{BadBlock, BadBlocks, BadKind, LISTED_BLOCKS};
pub use bound::{Bound, BoundKind, CurvePoint, LimitId, Price, Raise, Upgrade};
pub use codec::{DecodeError, decode, encode, from_json, to_json};
pub use entity::{Entity, EntityId, Layer, Relation};
pub use facts::{Environment, Fact, TargetFact, restated};
pub use histogram::Histogram;
pub use kind::Kind;
pub use limit::{Direction, Limit, Measure, Origin};
pub use live::Live;
pub use merge::{merge_latencies, merge_phases};
pub use moments::Moments;
pub use progress::{DevicesMoved, Moved, Progress};
pub use record::{CaseText, ClockNote, Emulated, Event, Record, Technique, Warning};
pub use restore::CannotRestore;
pub use sample::{Reading, Sample};
pub use series::{Counter, Series};
pub use stream::{Latency, LatencyHistogram, Phase, PhaseTotals, StreamTotals};
pub use validate::BrokenRule;
