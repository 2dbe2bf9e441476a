//! From facts about a machine to the path below its files and devices, written as a study.
//!
//! [`Facts`] are all read by `machine`; [`discover`] computes with them and touches nothing;
//! [`Discovered::study`] is a study file that `check` accepts, that `predict` predicts and that a
//! measurement takes its path from. What a machine does not tell is marked as assumed, or has no
//! limit and is said; nothing is invented.
//!
//! Reading order: `model`, `facts`, then `path`, `attached`, `direct` and `fabric` (where drives
//! are), `volumes`, `md`, `mapped` and `files` (what lies on them), `room` (how large it is),
//! `findings`, `placement` (which processors do the work), and last `fold` and `text`.

mod attached;
mod direct;
mod fabric;
mod facts;
mod files;
mod findings;
mod fold;
mod mapped;
mod md;
mod measured;
mod model;
mod names;
mod path;
mod placement;
mod ratings;
mod room;
mod scope;
mod text;
mod volumes;

pub use facts::{Facts, Place, Target};
pub use measured::{MeasuredValue, PartIdentity};
pub use model::{
    Component, Discovered, File, FileSystem, Finding, PartModel, Property, Volume, Weight, Wire,
    name_of,
};
pub use names::can_be_bound;
pub use placement::{Bind, Controller, Placement, placement};
pub use scope::discover;
