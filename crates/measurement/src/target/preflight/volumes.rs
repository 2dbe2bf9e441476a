//! What stands in the way of a target over several files, besides what is wrong with each of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use iopath_machine::target::TargetFacts;
use iopath_path::Unlaid;
use iopath_study::Case;
use iopath_study::case::{CacheMode, EngineKind, Target, Verify};
use iopath_units::{Action, Bytes, Ratio};

use super::super::key;
use super::super::made::{Leaf, Made};
use super::{Look, alignment_of};
use crate::engine::volume::layout::{Layout, Real};

impl<'a> Look<'a> {
    /// A target that stands for something real only further down.
    pub(super) fn composed(&mut self, made: &Made) {
        self.unfit_for_volumes(made);
        for file in made.files() {
            self.target = file.clone();
            if let Some(facts) = self.file_obstacles() {
                self.crooked(made, file, &facts);
            }
        }
        self.target = self.target_of_case().clone();
        if self.found.is_empty() {
            self.room_for_streams(made);
        }
    }

    /// What no volume can do.
    fn unfit_for_volumes(&mut self, made: &Made) {
        let (name, kind) = (self.target.name.clone(), made.kind);
        if self.case.workload.engine == EngineKind::Mmap {
            self.unfit(format!(
                "engine=\"mmap\" maps one file, but {kind} {name} has several: use another"
            ));
        }
        if !made.has_parity() {
            return;
        }
        let mut bound = made.files().filter_map(|file| file.binding.as_ref().map(PathBuf::from));
        let kept = bound.find(|path| !self.targets.own.contains(path));
        if let Some(path) = kept.filter(|_| self.usage().writes) {
            self.unfit(format!(
                "{name} has parity, which is written as noise here, so it may be written only \
                 over scratch files, and {} is none; remove bind, or only read",
                path.display()
            ));
        }
        if let Some(stream) = self.own_streams().find(|stream| stream.action == Action::Trim) {
            self.unfit(format!(
                "stream {} trims {kind} {name}, whose parity would not follow: trim its members, \
                 or a volume without parity",
                stream.group
            ));
        }
    }

    /// A size that parts are cut at and direct I/O cannot.
    fn crooked(&mut self, made: &Made, file: &Target, facts: &TargetFacts) {
        let workload = &self.case.workload;
        if workload.cache != CacheMode::Direct || workload.engine == EngineKind::Null {
            return;
        }
        let Some(align) = alignment_of(facts) else { return };
        let border = made.borders().into_iter().find(|at| !at.is_multiple_of(align));
        if let Some(border) = border.map(Bytes) {
            let (volume, path) = (&self.target_of_case().name, self.targets.place(file));
            self.unfit(format!(
                "{}: direct I/O here needs multiples of {align} bytes, but {volume} cuts requests \
                 at {border}; use a multiple, or cache=\"buffered\"",
                path.display()
            ));
        }
    }

    fn target_of_case(&self) -> &'a Target {
        &self.case.targets[self.index]
    }

    /// Whether the volume is as large as the study uses it, and its streams have room.
    fn room_for_streams(&mut self, made: &Made) {
        let mut reals = BTreeMap::new();
        for (turn, leaf) in (0..).zip(&made.leaves) {
            let Some(bytes) = self.bytes_of(leaf) else { return };
            let real = Real { first: 0, ways: 1, turn, copy: None, bytes };
            reals.insert(leaf.part, real);
        }
        let has = Layout::new(&made.laid, &reals).bytes;
        let wanted = self.target.size.unwrap_or(Bytes(has));
        if wanted.0 > has || has == 0 {
            let name = &self.target.name;
            return self.unfit(format!(
                "{name} has {has} bytes on its members, but the study uses {wanted}"
            ));
        }
        self.streams(wanted.0);
    }

    /// What is used of a member: its size in the study, or all that is there.
    fn bytes_of(&mut self, leaf: &Leaf) -> Option<u64> {
        let each = leaf.ways.iter().map(|way| match way.size {
            Some(size) => Some(size.0),
            None => {
                let place = self.targets.place(way);
                Some(self.facts(&place).ok()??.bytes)
            }
        });
        each.collect::<Option<Vec<u64>>>()?.into_iter().min()
    }
}

/// A part below a target that stands for nothing.
pub(super) fn unlaid(case: &Case, target: &Target, unlaid: &Unlaid) -> String {
    let name = &target.name;
    match unlaid {
        Unlaid::Unreal(part) => {
            let part = &case.system.part(*part).name;
            format!("{name} is on {part}, which is not bound: bind from=\"{part}\" to=\"/dev/…\"")
        }
        other => format!("{name}: {other}"),
    }
}

/// Volumes that share a member write over one another: stamps would take that for damage.
pub(super) fn entangled(case: &Case) -> Option<String> {
    let writes = case.streams.iter().any(|stream| stream.reads != Ratio::ONE);
    if case.workload.verify != Verify::Stamps || !writes {
        return None;
    }
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for target in &case.targets {
        let made = Made::of(case, target).ok().flatten();
        // Files of one file system have places of their own.
        if made.as_ref().is_some_and(Made::is_in_pieces) {
            continue;
        }
        let files = made.map_or_else(|| vec![key(target)], |made| made.files().map(key).collect());
        for file in files {
            let other = seen.entry(file.clone()).or_insert(&target.name);
            if *other != target.name {
                return Some(format!(
                    "{other} and {} share bytes of {file}: verify=#true would report writes of \
                     one as damage of the other",
                    target.name
                ));
            }
        }
    }
    None
}
