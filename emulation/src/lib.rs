//! A described path as real devices: rate-limited, scaled, removed without a trace.
//!
//! A case becomes a [`Rig`]: groups, one a rate of the path, and devices, one a way to a medium,
//! each behind the groups that its requests would use up. The rig is brought up by
//! `qemu-storage-daemon`, and the case gets its devices as binds. This crate makes devices and no
//! records: who measures on them does not know where they come from.

pub mod rig;

pub use rig::{Counts, Device, Group, Rig};
