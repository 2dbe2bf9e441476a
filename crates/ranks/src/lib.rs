//! Messages between the ranks of one run, and how far their clocks are apart.
//!
//! A run on many hosts is some processes, ranks as MPI calls them, each on its host; rank 0 is the
//! root, which reads, prints and stores. This crate says what they need of whatever carries their
//! messages, and what they can conclude from those about their clocks. It knows nothing of storage
//! and reads no clock: the caller hands one in.

pub mod clock;
mod communicator;
mod inbox;
mod launched;
mod link;
mod phases;
mod threads;

pub use communicator::{Begin, Communicator, LastPass, Silent};
pub use inbox::Inbox;
pub use launched::{Launched, launched, launched_by};
pub use link::{Link, Lost};
pub use phases::{Here, Moved, There};
pub use threads::{Delays, Span, Threads};

/// The rank that reads, prints and stores, and by whose clock a run is told.
pub const ROOT: u32 = 0;
