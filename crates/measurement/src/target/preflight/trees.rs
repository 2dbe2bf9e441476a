//! What stands in the way of a metadata load: its directory, room for data and names, and streams
//! that would work on the same names at the same time.

use std::collections::BTreeSet;
use std::path::Path;

use iopath_machine::target::TargetKind;
use iopath_study::Case;
use iopath_study::case::{EngineKind, Stream, Tree};
use iopath_units::Bytes;
use rustix::fs::statvfs;

use super::Look;

/// What a file takes at least where it is not empty: the block of most file systems.
const BLOCK: u64 = 4096;

impl Look<'_> {
    pub(super) fn tree(&mut self, tree: Tree) {
        let place = self.targets.place(&self.target);
        match self.facts(&place) {
            Ok(Some(facts)) if facts.kind == TargetKind::Directory => {
                self.writable(&place);
                let each = tree.file_size.0.checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX);
                self.target.size = Some(Bytes(each.saturating_mul(tree.files)));
                self.space(&place, &facts, 0);
                if self.case.workload.engine != EngineKind::Null {
                    self.inodes(&place, tree);
                }
                self.streams(tree.files);
            }
            Ok(_) => self.unsuitable(&place, "no directory"),
            Err(error) if error.is_missing() => self.no_directory(&place),
            Err(error) => self.unfit(format!("{}: {error}", place.display())),
        }
    }

    /// Names that do not fit. Some file systems make inodes as they need them, and count none.
    fn inodes(&mut self, place: &Path, tree: Tree) {
        let wanted = tree.files.saturating_add(tree.directories).saturating_add(1);
        let facts = statvfs(place).ok().filter(|facts| facts.f_files > 0);
        if let Some(free) = facts.map(|facts| facts.f_favail).filter(|free| wanted > *free) {
            self.unfit(format!(
                "{}: {wanted} files and directories are needed, but {free} inodes are free",
                place.display()
            ));
        }
    }
}

/// Streams that run together on a tree and do different things to it, one of which makes or removes
/// its files: the others would find them, or not, as it happens.
pub(super) fn in_the_way(case: &Case) -> Vec<String> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for epoch in case.epochs() {
        let streams = || epoch.iter().map(|at| &case.streams[*at]);
        for one in streams().filter(|one| one.action.is_once()) {
            let differs = |it: &&Stream| it.group != one.group || it.action != one.action;
            let other = streams().filter(|it| it.target == one.target).find(differs);
            let Some(other) = other else { continue };
            // Streams of one declaration do the same, so one of them is named.
            if !seen.insert((&one.group, &other.group)) {
                continue;
            }
            found.push(format!(
                "{} {}, and {} {} at the same time, on the same tree: use after=, or a tree for \
                 each",
                one.name,
                one.action.verb(),
                other.name,
                other.action.verb()
            ));
        }
    }
    found
}
