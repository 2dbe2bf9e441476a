//! What stands in the way of a run.

use iopath_machine::safety::Refusal;
use thiserror::Error;

/// Something that stands in the way of a run, in words that say what to do.
#[derive(Debug, Error)]
pub enum Obstacle {
    /// What the study wants of a target, a stream or the machine cannot be.
    #[error("{0}")]
    Unfit(String),
    /// Writing would destroy something.
    #[error("{0}")]
    Unsafe(Refusal),
}
