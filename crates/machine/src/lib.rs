//! The only reader of /proc and /sys in iopath: counters, device graph, safety, one setting.
//!
//! Everything reads through a [`Root`]: `Root::live()` is this machine, `Root::at(directory)` is a
//! tree of files that looks like one, which is how the tests show what no test machine holds.
//! Counters are raw and cumulative; rates are differences of two samples and belong to `analysis`.
//! A file, line or column that is not there is an error or `None`, never a zero.
//!
//! One setting of the kernel may be changed, and is restored: [`settings`].
//!
//! Reading order: [`root`] and [`error`], the [`counters`], then [`mounts`], [`swaps`],
//! [`devices`] with the tables of the [`mapper`] and the [`hardware`] below them, what a device
//! carries ([`signatures`]), and last [`safety`], which decides from all of them whether a target
//! may be written.
//!
//! Deliberately absent: changing anything else, opening any target for writing, rates.

pub mod error;
pub mod root;

mod ioctl;
mod line;

pub mod counters;
pub mod environment;
pub mod fuse;
pub mod group_limits;
mod groups;

pub mod locks;
pub mod loops;
pub mod mounts;
pub mod network_routes;
pub mod process_limits;
pub mod processes;
pub mod swaps;

pub mod devices;
pub mod mapper;

pub mod extents;
pub mod file_systems;
pub mod hardware;
pub mod identity;
pub mod location;
pub mod target;

pub mod signatures;

pub mod safety;

pub mod settings;

pub use devices::Devices;
pub use error::ReadError;
pub use hardware::Hardware;
pub use root::Root;
