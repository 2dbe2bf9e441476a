//! What stands in the way of a target over several files, besides what is wrong with each of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use iopath_machine::target::{DirectIo, TargetFacts};
use iopath_path::Unlaid;
use iopath_study::Case;
use iopath_study::case::{CacheMode, EngineKind, Target, Verify};
use iopath_units::{Action, Bytes, Ratio};

use super::super::key;
use super::super::made::{Leaf, Made};
use super::super::open::Use;
use super::{Look, Obstacle};
use crate::engine::volume::layout::{Layout, Real};

impl Look<'_> {
    /// A target that stands for something real only further down.
    pub(super) fn composed(&mut self, made: &Made) -> Vec<Obstacle> {
        let usage = Use::of(self.case, self.index);
        let mut found: Vec<Obstacle> = self.unfit(made, usage).collect();
        for file in made.files() {
            self.target = file.clone();
            let facts = self.file_obstacles(&mut found);
            found.extend(facts.and_then(|facts| self.crooked(made, file, &facts)));
        }
        self.target = self.target_of_case().clone();
        if found.is_empty() {
            self.room_for_streams(made, &mut found);
        }
        found
    }

    /// What no volume can do.
    fn unfit(&self, made: &Made, usage: Use) -> impl Iterator<Item = Obstacle> {
        let (name, kind) = (&self.target.name, made.kind);
        let mapped = (self.case.workload.engine == EngineKind::Mmap).then(|| Obstacle::Stream {
            what: format!(
                "engine=\"mmap\" maps one file, but {kind} {name} is several: use another"
            ),
        });
        let mut bound = made.files().filter_map(|file| file.binding.as_ref().map(PathBuf::from));
        let kept = bound.find(|path| !self.targets.own.contains(path));
        let kept = kept.filter(|_| usage.writes && made.has_parity());
        let parity = kept.map(|path| Obstacle::Parity { volume: name.clone(), path });
        let trims = self.own_streams().find(|stream| stream.action == Action::Trim);
        let trims = trims.filter(|_| made.has_parity()).map(|stream| Obstacle::Stream {
            what: format!(
                "stream {} trims {kind} {name}, whose parity would not follow: trim its members, \
                 or a volume without parity",
                stream.group
            ),
        });
        mapped.into_iter().chain(parity).chain(trims)
    }

    /// A size that parts are cut at and direct I/O cannot.
    fn crooked(&self, made: &Made, file: &Target, facts: &TargetFacts) -> Option<Obstacle> {
        let workload = &self.case.workload;
        if workload.cache != CacheMode::Direct || workload.engine == EngineKind::Null {
            return None;
        }
        let align = match facts.direct_io {
            DirectIo::Aligned { offset_bytes, .. } => offset_bytes,
            DirectIo::Unstated { assumed_bytes } => assumed_bytes,
            DirectIo::Refused => return None,
        };
        let border = made.borders().into_iter().find(|at| !at.is_multiple_of(align.max(1)))?;
        let (volume, path) = (self.target_of_case().name.clone(), self.targets.place(file));
        Some(Obstacle::Crooked { path, align, volume, border: Bytes(border) })
    }

    fn target_of_case(&self) -> &Target {
        &self.case.targets[self.index]
    }

    /// Whether the volume is as large as the study uses it, and its streams have room.
    fn room_for_streams(&mut self, made: &Made, found: &mut Vec<Obstacle>) {
        let mut reals = BTreeMap::new();
        for (turn, leaf) in (0..).zip(&made.leaves) {
            let Some(bytes) = self.bytes_of(leaf) else { return };
            let real = Real { first: 0, ways: 1, turn, copy: None, bytes };
            reals.insert(leaf.part, real);
        }
        let has = Layout::new(&made.laid, &reals).bytes;
        let target = &self.target;
        let wanted = target.size.unwrap_or(Bytes(has));
        if wanted.0 > has || has == 0 {
            let volume = target.name.clone();
            return found.push(Obstacle::VolumeTooSmall { volume, has, wanted });
        }
        self.streams(wanted.0, found);
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
pub(super) fn unlaid(case: &Case, target: &Target, unlaid: &Unlaid) -> Obstacle {
    let name = &target.name;
    let what = match unlaid {
        Unlaid::Unreal(part) => {
            let part = &case.system.part(*part).name;
            format!(
                "{name} lies on {part}, which is nothing real: bind from=\"{part}\" to=\"/dev/…\""
            )
        }
        other => format!("{name}: {other}"),
    };
    Obstacle::Stream { what }
}

/// Volumes that share a member write over one another: stamps would take that for damage.
pub(super) fn entangled(case: &Case) -> Option<Obstacle> {
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
                let what = format!(
                    "{other} and {} lie on the same bytes of {file}: verify=#true would take \
                     what one writes for damage of the other",
                    target.name
                );
                return Some(Obstacle::Stream { what });
            }
        }
    }
    None
}
