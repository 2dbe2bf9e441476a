//! A target over several files, opened: the files, the layout over them, and their counts.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use iopath_machine::safety::Survey;
use iopath_study::Case;
use iopath_study::case::{EngineKind, Target};

use super::made::Made;
use super::open::Use;
use super::{OpenFile, OpenTarget, OpenVolume, Targets, key};
use crate::engine::volume::layout::{Layout, Real};
use crate::engine::volume::tally::Tally;

/// What is open already for a case: volumes may share files.
pub(super) type Opened = BTreeMap<String, Arc<OpenFile>>;

impl Targets {
    /// Opens everything that a target lies on.
    pub(super) fn open_composed(
        &mut self,
        (case, index): (&Case, usize),
        made: &Made,
        (survey, opened): (&Survey<'_>, &mut Opened),
    ) -> io::Result<OpenTarget> {
        let target = &case.targets[index];
        let usage = Use::of(case, index);
        let (mut files, mut reals) = (Vec::new(), BTreeMap::new());
        for (turn, leaf) in (0..).zip(&made.leaves) {
            let first = files.len();
            for way in leaf.ways.iter().chain(&leaf.copy) {
                files.push(self.open_shared((case, way), usage, (survey, &mut *opened))?);
            }
            let ways = &files[first..first + leaf.ways.len()];
            let bytes = ways.iter().map(|file| file.bytes).min().unwrap_or(0);
            let copy = match &leaf.copy {
                Some(_) => Some((position(files.len() - 1)?, files[files.len() - 1].bytes.max(1))),
                None => None,
            };
            let (first, ways) = (position(first)?, position(leaf.ways.len())?);
            reals.insert(leaf.part, Real { first, ways, turn, copy, bytes });
        }
        let layout = Layout::new(&made.laid, &reals);
        let bytes = target.size.map_or(layout.bytes, |size| size.0);
        if bytes > layout.bytes {
            let text = format!("{} has {} bytes, not {bytes}", target.name, layout.bytes);
            return Err(io::Error::other(text));
        }
        self.hold_volume(case, target, made, &layout);
        let labels = files.iter().map(|file| file.label.clone()).collect();
        let (kind, tally) = (made.kind, Arc::new(Tally::default()));
        let volume = Some(OpenVolume { kind, layout, tally, labels });
        let (name, label) = (target.name.clone(), format!("{} {}", made.kind, target.name));
        Ok(OpenTarget { name, label, bytes, files, volume, tree: None, checker: None })
    }

    pub(super) fn open_shared(
        &mut self,
        (case, leaf): (&Case, &Target),
        usage: Use,
        (survey, opened): (&Survey<'_>, &mut Opened),
    ) -> io::Result<Arc<OpenFile>> {
        let name = key(leaf);
        if let Some(file) = opened.get(&name) {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(self.open_file(case, leaf, usage, survey)?);
        opened.insert(name, Arc::clone(&file));
        Ok(file)
    }

    /// Notes what the run knows of the volume as a whole: it is filled by this run only where all
    /// of its files are this run's.
    fn hold_volume(&mut self, case: &Case, target: &Target, made: &Made, layout: &Layout) {
        let over: Vec<String> = made.files().map(key).collect();
        let ours = over.iter().all(|file| {
            let held = self.files.get(file);
            held.is_some_and(|held| held.scratch.is_some() || held.made.is_some())
        });
        self.forget_stamps(case, &over);
        let held = self.files.entry(key(target)).or_default();
        let is_real = case.workload.engine != EngineKind::Null;
        if held.layout.as_ref().is_some_and(|before| before != layout) {
            // The same bytes lie elsewhere now.
            held.forget_stamps();
        }
        held.layout = Some(layout.clone());
        (held.ours, held.over) = (ours && is_real, over);
    }

    /// Other targets of earlier cases that share files with this one: what is written here, they
    /// do not know.
    pub(super) fn forget_stamps(&mut self, case: &Case, files: &[String]) {
        let of_case: Vec<String> = case.targets.iter().map(key).collect();
        for (other, held) in &mut self.files {
            let shares = files.contains(other) || held.over.iter().any(|file| files.contains(file));
            if shares && !of_case.contains(other) {
                held.forget_stamps();
            }
        }
    }
}

fn position(at: usize) -> io::Result<u16> {
    u16::try_from(at).map_err(|_| io::Error::other("a volume over more than 65,535 files"))
}
