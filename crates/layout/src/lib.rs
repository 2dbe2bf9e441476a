//! The volumes and file systems of a case as the commands that build them: one of several volume
//! managers, then file systems, settings and mounts, in order of dependency, with their undo.
//!
//! ```text
//! Case ──stack──▶ [Volume], [FileSystem] ──a manager's module──▶ [Step] ──script──▶ text of sh
//! ```
//!
//! [`build`] gives a [`Build`], or why the manager cannot build what is stated. Nothing is run
//! here. A rule has the manual page that says it as its source.
//! Leaves out: arrays and drives, which are there; partitions; files, which a load creates.

mod btrfs;
mod build;
mod devices;
mod draft;
mod files;
mod lvm;
mod mdadm;
mod mkfs;
mod multipath;
mod names;
mod script;
mod stack;
mod vxassist;
mod zpool;

use iopath_study::Case;

pub use build::{Asked, Build, Device, FileSystemKind, Need, Remark, Step, Tool, Unbuildable};
pub use devices::Devices;

use draft::Draft;

/// The commands that build what the layout of a case states.
///
/// # Errors
///
/// Everything that the manager cannot build, and devices of no member.
pub fn build(case: &Case, asked: &Asked) -> Result<Build, Vec<Unbuildable>> {
    let mut draft = Draft::new(case, asked);
    draft.refuse_overlaid();
    draft.refuse_choice();
    match asked.tool {
        Tool::Mdadm => mdadm::build(&mut draft),
        Tool::Lvm => lvm::build(&mut draft),
        Tool::Zpool => zpool::build(&mut draft),
        Tool::Btrfs => btrfs::build(&mut draft),
        Tool::Mkfs => mkfs::build(&mut draft),
        Tool::Multipath => multipath::build(&mut draft),
        Tool::Vxassist => vxassist::build(&mut draft),
    }
    draft.finish()
}
