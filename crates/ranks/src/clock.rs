//! How far the clock of a rank is from the root's, and how surely that is known.
//!
//! ```text
//! root      ───────t2─t3──────────   forward:  t2 − t1 = θ + delay ≥ θ     at t1
//!                 ╱     ╲
//! follower  ─────t1──────t4───────   backward: t4 − t3 = delay − θ ≥ −θ    at t4
//! ```
//!
//! The offset θ is what the root's clock shows more than the rank's own. Four timestamps an
//! exchange are those of NTP (RFC 5905, section 8); but each way has its own filter, as no message
//! travels back in time: every exchange says θ ≤ t2 − t1 at t1 and θ ≥ t3 − t4 at t4, however long
//! the scheduler or the network held it up. The least of many forward and the least of many
//! backward samples leave an interval that holds θ without any assumption about delays. Its middle
//! is the estimate: right where the shortest ways are equally long, and wrong by at most half the
//! width.
//!
//! Between exchanges θ drifts, within [`RATE_LIMIT_PPM`], which is the one assumption; [`Course`]
//! holds the offset of a whole run to it. Not covered: a clock that is slewed faster, which is an
//! error where two batches contradict each other and not noticed otherwise, or that was suspended.
//!
//! Exchanges: [`Asking`] and [`answer`] for ranks that have other messages to attend to, as during
//! a pass; [`lead`] and [`follow`] for when they have not.

mod asking;
mod batch;
mod course;
mod line;
mod offset;
mod rate;
mod turns;
mod wire;

pub use asking::{Asking, answer};
pub use batch::{Batch, Effort, Exchange};
pub use course::{Contradiction, Course};
pub use offset::Offset;
pub use rate::{RATE_LIMIT_PPM, drift_ns};
pub use turns::{Reported, Unsynchronised, follow, lead, take_turn};
pub use wire::{is_clock_message, is_turn};

/// The door to a clock: nanoseconds of `CLOCK_MONOTONIC`.
pub type Now<'a> = &'a dyn Fn() -> u64;

/// What `later` shows more than `earlier`, which may be of another clock.
fn difference(later: u64, earlier: u64) -> i64 {
    // Saturates where the two are 292 years apart, which no clock that began at boot can be.
    later.checked_signed_diff(earlier).unwrap_or(if later > earlier { i64::MAX } else { i64::MIN })
}
