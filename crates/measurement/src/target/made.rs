//! What a target is made of: itself, or the files and devices that the parts it lies on stand for.
//!
//! Real is a part that is bound, and a file of the study that lies on nothing and has a size. Each
//! real part is looked at, opened and made room for like a target of its own.

use std::path::Path;
use std::sync::Arc;

use iopath_path::{Geometry, Laid, Unlaid};
use iopath_study::case::{Bind, Target, TargetKind};
use iopath_study::{Case, PartId, System};

/// A target that stands for something real only further down.
pub(super) struct Made {
    pub laid: Laid,
    /// The word of the study for it.
    pub kind: &'static str,
    pub leaves: Vec<Leaf>,
}

/// A real part.
pub(super) struct Leaf {
    pub part: PartId,
    /// What stands for it: several are ways to the same data.
    pub ways: Vec<Target>,
    /// Where each write goes besides.
    pub copy: Option<Target>,
}

/// What a target lies on; nothing where it is real itself.
///
/// # Errors
/// The first part that is in the way.
pub fn laid(case: &Case, target: &Target) -> Result<Option<Laid>, Unlaid> {
    let system = &case.system;
    if target.part.0 >= system.parts.len() || target.kind == TargetKind::Tree {
        return Ok(None);
    }
    if let Some(bind) = target.below.get(&target.part) {
        let several = bind.paths.len() > 1 || bind.copy.is_some();
        return Ok(several.then_some(Laid::Real(target.part)));
    }
    if target.binding.is_some() || is_scratch(system, target.part) {
        return Ok(None);
    }
    let is_real = |part| {
        let sized = system.size(part, "size").is_some();
        target.below.contains_key(&part) || is_scratch(system, part) && sized
    };
    Laid::of(system, target.part, &is_real).map(Some)
}

/// A file that lies on nothing is made where the study says, and vanishes with the program. So is
/// one with a directory: what it lies on besides is what its file system lies on, for models.
fn is_scratch(system: &System, part: PartId) -> bool {
    let found = system.part(part);
    let is_made = found.members.is_empty() || system.text(part, "directory").is_some();
    system.kind(part) == "file" && is_made && found.parent.is_none()
}

/// Everything that is opened for a target.
pub(super) fn files_of(case: &Case, target: &Target) -> Vec<Target> {
    match Made::of(case, target) {
        Ok(Some(made)) => made.files().cloned().collect(),
        _ => vec![target.clone()],
    }
}

impl Made {
    /// Like [`laid`], with what stands for each real part.
    pub(super) fn of(case: &Case, target: &Target) -> Result<Option<Self>, Unlaid> {
        let Some(laid) = laid(case, target)? else { return Ok(None) };
        let mut parts = laid.real();
        parts.sort_unstable();
        parts.dedup();
        let leaves = parts.into_iter().map(|part| leaf(&case.system, target, part)).collect();
        Ok(Some(Self { laid, kind: case.system.kind(target.part), leaves }))
    }

    /// Everything that is opened for it.
    pub(super) fn files(&self) -> impl Iterator<Item = &Target> {
        self.leaves.iter().flat_map(|leaf| leaf.ways.iter().chain(&leaf.copy))
    }

    /// Whether parity is written with its data.
    pub(super) fn has_parity(&self) -> bool {
        has_parity(&self.laid)
    }

    /// Whether it has only some bytes of what it lies on, which no other file has.
    pub(super) fn is_in_pieces(&self) -> bool {
        is_in_pieces(&self.laid)
    }

    /// Sizes and places that requests are cut at.
    pub(super) fn borders(&self) -> Vec<u64> {
        let mut found = Vec::new();
        borders(&self.laid, &mut found);
        found
    }
}

fn leaf(system: &System, target: &Target, part: PartId) -> Leaf {
    let bind = target.below.get(&part).cloned();
    let Bind { paths, copy } = bind.unwrap_or(Bind { paths: Vec::new(), copy: None });
    let plain = |name: String, binding: Option<String>| Target {
        kind: kind_of(system, part, binding.as_deref()),
        name,
        part,
        binding,
        below: Arc::default(),
        size: system.size(part, "size"),
        directory: system.text(part, "directory").map(str::to_owned),
        tree: None,
    };
    let name = &system.part(part).name;
    let ways = match paths.len() {
        0 => vec![plain(name.clone(), None)],
        1 => paths.into_iter().map(|path| plain(name.clone(), Some(path))).collect(),
        _ => {
            (0..).zip(paths).map(|(way, path)| plain(format!("{name}#{way}"), Some(path))).collect()
        }
    };
    let copy = copy.map(|path| Target { size: None, ..plain(format!("{name} copy"), Some(path)) });
    Leaf { part, ways, copy }
}

/// A part of any kind may stand for a file that is there; only a file of the study is ever made.
fn kind_of(system: &System, part: PartId, binding: Option<&str>) -> TargetKind {
    let is_file = binding.is_some_and(|path| Path::new(path).is_file());
    if is_file || system.kind(part) == "file" { TargetKind::File } else { TargetKind::Device }
}

fn has_parity(laid: &Laid) -> bool {
    match laid {
        Laid::Real(_) => false,
        Laid::Piece { of, .. } => has_parity(of),
        Laid::Volume { volume, members, .. } => {
            volume.full_stripe().is_some() || members.iter().any(has_parity)
        }
    }
}

fn is_in_pieces(laid: &Laid) -> bool {
    match laid {
        Laid::Real(_) => false,
        Laid::Piece { .. } => true,
        Laid::Volume { members, .. } => members.iter().all(is_in_pieces),
    }
}

fn borders(laid: &Laid, found: &mut Vec<u64>) {
    match laid {
        Laid::Real(_) => {}
        Laid::Piece { of, offset, .. } => {
            found.push(*offset);
            borders(of, found);
        }
        Laid::Volume { volume, members, .. } => {
            found.extend(volume.largest);
            found.extend(match &volume.geometry {
                Geometry::Stripe { unit: bytes } | Geometry::Scattered { block: bytes } => {
                    Some(*bytes).filter(|_| members.len() > 1)
                }
                Geometry::StripedMirrors { segment } => Some(*segment),
                Geometry::Parity(parity) => Some(parity.segment),
                Geometry::Whole | Geometry::Concat { .. } | Geometry::Mirror => None,
            });
            members.iter().for_each(|member| borders(member, found));
        }
    }
}
