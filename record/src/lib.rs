//! What any technique leaves behind: Record, Histogram, Progress, merge, codec.
//!
//! Raw is stored, derived is recomputed: a [`Record`] holds cumulative counters, totals and
//! histograms, never a rate. Integers only. Nothing in it tells which technique made it, but for
//! the label [`Technique`]. Format 1 is described in `docs/record.md`.

pub mod entity;
pub mod histogram;
pub mod progress;
pub mod series;
pub mod stream;

mod record;

pub use entity::{Entity, EntityId, Layer, Limit, Relation};
pub use histogram::Histogram;
pub use progress::Progress;
pub use record::{CaseText, ClockNote, Event, Record, Technique, Warning};
pub use series::{Counter, Series};
pub use stream::{Latency, LatencyHistogram, Phase, PhaseTotals, StreamTotals};
