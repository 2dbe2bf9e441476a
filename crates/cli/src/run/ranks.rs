//! A run over the ranks that `mpirun` or `srun` started: rank 0 leads, the others follow.
//!
//! ```text
//! rank 0  reads, deals ─ cases ─▶ looks for obstacles ─ trial ─▶ passes ─▶ merges, stores, shows
//! others                 └─▶ look for obstacles ──────── └────▶ passes ─▶ records to rank 0
//! ```
//!
//! What only models answer, rank 0 hands out one by one, each to a rank that has a thread for it:
//! [`Order`].
//!
//! A command that is each host's own ([`EachHost`]) one rank there runs as if it were alone, and
//! rank 0 prints what it prints.
//!
//! Every rank deals the cases by itself, from what rank 0 sent to all, so that only text passes
//! between them. What holds during a pass is agreed by [`iopath_ranks::Communicator`].

mod aside;
mod carrier;
mod examined;
mod follower;
mod leader;
mod messages;
mod order;
mod own_path;
mod sent;
mod share;
mod started;
mod workshop;

pub(crate) use aside::Alone;
pub(crate) use leader::{Asked, Begun, EachHost, Elsewhere, Leader};
pub(crate) use order::Order;
pub(crate) use started::{Started, is_another, started};
pub(crate) use workshop::EACH;
