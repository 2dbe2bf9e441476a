//! The trees of a case: made when its targets are opened, removed when it ends, however it ends.

use std::fs::File;
use std::io;
use std::sync::Arc;

use iopath_machine::safety::Survey;
use iopath_record::Progress;
use iopath_study::Case;
use iopath_study::case::{EngineKind, Target, Tree as Wanted};

use super::super::{CacheUsed, OpenFile, OpenTarget, Service, Targets};
use super::{Task, Tree, left_behind};

impl Targets {
    /// Makes a tree; without I/O none is needed.
    pub(in super::super) fn open_tree(
        &mut self,
        case: &Case,
        (target, wanted): (&Target, Wanted),
        survey: &Survey<'_>,
    ) -> io::Result<OpenTarget> {
        let place = self.place(target);
        let file = File::open(&place)?;
        let facts = self.facts(&place, survey)?;
        let devices = self.devices_below(&place, survey);
        for left in left_behind(&place) {
            let left = left.canonicalize().unwrap_or(left);
            if self.left_behind.insert(left.clone()) {
                let left = left.display();
                let remark = format!("{left} was left by an earlier run: examine and remove it");
                self.kernel.remarks.push(remark);
            }
        }
        let is_real = case.workload.engine != EngineKind::Null;
        let tree = is_real.then(|| Tree::make(&place, wanted)).transpose()?;
        let (name, label) = (target.name.clone(), format!("files in {}", place.display()));
        let file = OpenFile {
            name: name.clone(),
            label: label.clone(),
            file,
            facts,
            bytes: wanted.files,
            cache: CacheUsed::Buffered,
            service: Service::Direct,
            devices,
            given_up: Vec::new(),
        };
        let files = vec![Arc::new(file)];
        let (bytes, volume, checker) = (wanted.files, None, None);
        Ok(OpenTarget { name, label, bytes, files, volume, tree, checker })
    }

    /// Removes what was made; what remains is remarked.
    pub(crate) fn remove_trees(&mut self, open: &mut [OpenTarget], tell: &mut dyn FnMut(Progress)) {
        for OpenTarget { name, tree, .. } in open {
            let Some(tree) = tree else { continue };
            let removed = tree.remove(&mut |done, total| {
                tell(Progress::Files { target: name.clone(), are_removed: true, done, total });
            });
            if let Err(error) = removed {
                self.remaining += 1;
                let path = tree.path().display();
                let remark = format!("{path} could not be removed and remains: {error}");
                self.kernel.remarks.push(remark);
            }
        }
    }
}

/// Makes the files of a target that is a tree, or removes them, as streams that run together need
/// them. Fails with `Interrupted` as soon as `go_on` says so.
pub(crate) fn ready(
    case: &Case,
    (index, target): (usize, &OpenTarget),
    streams: &[usize],
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<()> {
    let mut on_it = streams.iter().map(|at| &case.streams[*at]).filter(|s| s.target == index);
    let (Some(tree), Some(stream)) = (&target.tree, on_it.next()) else { return Ok(()) };
    let task = Task::before(stream.action);
    tree.ready(task, &mut |done, total| {
        let (target, are_removed) = (target.name.clone(), task == Task::Remove);
        go_on(Progress::Files { target, are_removed, done, total })
    })
}
