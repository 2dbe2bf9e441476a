//! A described path as real devices: rate-limited, scaled, removed without a trace.
//!
//! A case becomes a [`Rig`]: groups, one a rate of the path, and devices, one a way to a medium,
//! each behind the groups that its requests would use up. The rig is brought up by
//! `qemu-storage-daemon`, and the case gets its devices as binds. This crate makes devices and no
//! records: who measures on them does not know where they come from.
//!
//! Reading order: [`rig`], [`bring_up`], then `wiring` for what the daemons are told and `removal`
//! for the way back. What is otherwise than in the model: docs/emulation.md.

mod conditions;
mod create;
mod daemon;
mod instances;
mod limits;
mod live;
mod loops;
mod manifest;
mod options;
mod places;
pub mod plan;
mod poll;
mod programs;
mod qmp;
mod ready;
mod removal;
pub mod rig;
mod runtime_dir;
mod trouble;
mod up;
mod wiring;

pub use instances::{Standing, State, Swept, standing, sweep, tear_down};
pub use limits::Note;
pub use live::{System, bring_up_live};
pub use manifest::Role;
pub use options::{Media, Options};
pub use plan::{CannotEmulate, Plan, plan};
pub use removal::Removed;
pub use rig::{Counts, Device, Group, Rig};
pub use trouble::Trouble;
pub use up::{Up, bring_up};
