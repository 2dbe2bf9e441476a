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
mod geometry;
mod hosts;
mod lvm;
mod mdadm;
mod mkfs;
mod multipath;
mod names;
mod programs;
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
/// Everything that the manager cannot build, devices of no member, and volumes of several hosts of
/// which none was chosen.
pub fn build(case: &Case, asked: &Asked) -> Result<Build, Vec<Unbuildable>> {
    let mut draft = Draft::new(case, asked);
    draft.refuse_overlaid();
    draft.refuse_choice();
    if geometry::check(&mut draft) {
        steps(&mut draft, asked.tool);
    }
    draft.finish()
}

fn steps(draft: &mut Draft<'_>, tool: Tool) {
    match tool {
        Tool::Mdadm => mdadm::build(draft),
        Tool::Lvm => lvm::build(draft),
        Tool::Zpool => zpool::build(draft),
        Tool::Btrfs => btrfs::build(draft),
        Tool::Mkfs => mkfs::build(draft),
        Tool::Multipath => multipath::build(draft),
        Tool::Vxassist => vxassist::build(draft),
    }
}
