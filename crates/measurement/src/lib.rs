//! Case to Record by real I/O: engines, phases, windows, sampler.
//!
//! [`measure`] runs the passes of one case and hands over a record after each. A stream is one
//! chain of requests; its workers are the threads that carry it: one with a ring of `depth`
//! requests, or `depth` threads with one each for the engines that block. Reality is behind three
//! interfaces: the [`clock`], the engine, and the root path of /proc and /sys.
//!
//! Reading order: `trial` (the story), `pass`, `worker` (the hot loop), `edges` and `counters` (how
//! the de-skewed window is exact), then engines, targets and the sampler.

pub mod clock;
pub mod failure;
pub mod journal;
pub mod observation;
pub mod residency;
pub mod target;
pub mod trial;

mod pass;

mod ahead;
mod bad;
mod below;
mod between;
mod buffers;
mod checker;
mod compose;
mod counters;
mod edges;
mod engine;
mod gate;
mod readback;
mod relay;
mod request_source;
mod sampler;
mod slots;
mod stream;
mod system_sources;
mod usage;
mod ways;
mod worker;

pub use failure::Failure;
pub use journal::{CannotUse, Journals, LeftJournal};
pub use observation::{CannotWatch, Keep, Observation};
pub use relay::unpaired;
pub use target::{Lender, Targets};
pub use trial::{CannotBegin, Ending, Host, MOST_PASSES, Next, Part, Stage, measure};

#[cfg(test)]
mod deskew;
