//! A target laid on its files: the tree of [`Laid`] with numbers in place of names, made once
//! before a trial and read by all workers.
//!
//! Sizes are those of the files. A stripe takes from each member what the smallest has, in whole
//! units; a concatenation takes whole pages, so that no direct request has a crooked end. What
//! memory and rings must hold follows from the most parts of one request.

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::{Geometry, Laid, Volume};
use iopath_study::PartId;

use crate::buffers::PAGE;

/// Where the bytes of a target are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Members stand behind what lies on them; the target is the first.
    nodes: Vec<Node>,
    /// What can be laid on its files.
    pub bytes: u64,
    /// How many of its leaves take turns over several ways.
    pub turns: usize,
    /// One file of everything real: the first of its ways, and where its copies go.
    pub flushed: Vec<u16>,
}

/// A place that requests come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Leaf(Leaf),
    Split(Split),
}

/// Something real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Where on it the node begins.
    pub offset: u64,
    pub real: Real,
}

/// The files that stand for one real part; the numbers are positions among the target's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Real {
    /// The first of its ways, which follow one another.
    pub first: u16,
    pub ways: u16,
    /// Which of the turns is its own.
    pub turn: u32,
    /// Where each write goes besides, and its size.
    pub copy: Option<(u16, u64)>,
    /// Bytes that can be used.
    pub bytes: u64,
}

/// Something that is split over others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub volume: Volume,
    pub members: Vec<u32>,
    /// Where on it the node begins.
    pub offset: u64,
}

impl Layout {
    /// Lays a target on files. Every real part of `laid` is in `reals`.
    pub(crate) fn new(laid: &Laid, reals: &BTreeMap<PartId, Real>) -> Self {
        let turns = reals.values().map(|real| real.turn as usize + 1).max().unwrap_or(0);
        let files = |real: &Real| [Some(real.first), real.copy.map(|(copy, _)| copy)];
        let flushed: BTreeSet<u16> = reals.values().flat_map(files).flatten().collect();
        let flushed = flushed.into_iter().collect();
        let mut layout = Self { nodes: Vec::new(), bytes: 0, turns, flushed };
        let (_, bytes) = layout.lay(laid, reals, 0);
        layout.bytes = bytes;
        layout
    }

    /// The number of the node that a part becomes, and how much it holds.
    fn lay(&mut self, laid: &Laid, reals: &BTreeMap<PartId, Real>, offset: u64) -> (u32, u64) {
        let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        match laid {
            Laid::Real(part) => {
                let real = reals[part];
                self.nodes.push(Node::Leaf(Leaf { offset, real }));
                (number, real.bytes.saturating_sub(offset))
            }
            Laid::Piece { of, offset: from, bytes } => {
                let (number, there) = self.lay(of, reals, offset + from);
                (number, there.min(*bytes))
            }
            Laid::Volume { volume, members, .. } => {
                let split = Split { volume: volume.clone(), members: Vec::new(), offset };
                self.nodes.push(Node::Split(split));
                let below: Vec<_> =
                    members.iter().map(|member| self.lay(member, reals, 0)).collect();
                let (numbers, sizes): (Vec<u32>, Vec<u64>) = below.into_iter().unzip();
                let (geometry, bytes) = fitted(volume, &sizes);
                if let Node::Split(split) = &mut self.nodes[number as usize] {
                    split.volume.geometry = geometry;
                    split.members = numbers;
                }
                (number, bytes.saturating_sub(offset))
            }
        }
    }

    #[inline]
    pub(crate) fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }

    #[cfg(test)]
    pub(crate) fn first(&mut self) -> &mut Node {
        &mut self.nodes[0]
    }

    /// No request of so many bytes has more parts on their way at once.
    pub(crate) fn most_parts(&self, bytes: u64) -> u64 {
        self.most_below(0, bytes)
    }

    /// Bytes written below for each byte written, where that is the same for any request.
    pub(crate) fn write_copies(&self) -> Option<u64> {
        self.copies_below(0)
    }

    fn copies_below(&self, number: u32) -> Option<u64> {
        let split = match self.node(number) {
            Node::Leaf(leaf) => return Some(1 + u64::from(leaf.real.copy.is_some())),
            Node::Split(split) => split,
        };
        let below: Option<Vec<u64>> =
            split.members.iter().map(|member| self.copies_below(*member)).collect();
        let below = below?;
        let first = *below.first()?;
        let alike = below.iter().all(|copies| *copies == first);
        match &split.volume.geometry {
            Geometry::Mirror => Some(below.iter().sum()),
            Geometry::StripedMirrors { .. } => alike.then_some(2 * first),
            Geometry::Parity(_) => None,
            Geometry::Whole
            | Geometry::Stripe { .. }
            | Geometry::Concat { .. }
            | Geometry::Scattered { .. } => alike.then_some(first),
        }
    }

    /// How deep volumes lie on volumes.
    pub(crate) fn depth(&self) -> usize {
        self.depth_below(0)
    }

    fn depth_below(&self, number: u32) -> usize {
        let Node::Split(split) = self.node(number) else { return 1 };
        let below = split.members.iter().map(|member| self.depth_below(*member));
        1 + below.max().unwrap_or(0)
    }

    fn most_below(&self, number: u32, bytes: u64) -> u64 {
        let split = match self.node(number) {
            Node::Leaf(leaf) => return 1 + u64::from(leaf.real.copy.is_some()),
            Node::Split(split) => split,
        };
        let (runs, longest) = most_runs(&split.volume, bytes.max(1));
        let largest = split.volume.largest.unwrap_or(longest).clamp(1, longest);
        let each = split.members.iter().map(|member| self.most_below(*member, largest));
        let each = each.max().unwrap_or(1);
        runs.saturating_mul(longest.div_ceil(largest)).saturating_mul(each)
    }
}

/// How many runs a request has at most, and how long they are.
fn most_runs(volume: &Volume, bytes: u64) -> (u64, u64) {
    let members = u64::from(volume.members);
    let units = |unit: u64| (bytes.div_ceil(unit) + 1, unit.min(bytes));
    match &volume.geometry {
        Geometry::Whole => (1, bytes),
        Geometry::Stripe { unit: bytes } | Geometry::Scattered { block: bytes } => units(*bytes),
        Geometry::Concat { .. } | Geometry::Mirror => (members, bytes),
        Geometry::StripedMirrors { segment } => {
            let (pairs, longest) = units(*segment);
            (2 * pairs, longest)
        }
        Geometry::Parity(parity) => {
            // A row is written, or read before that, in three bands at most.
            let rows = bytes.div_ceil(parity.stripe(volume.members)) + 1;
            (3 * rows * u64::from(parity.width(volume.members)), parity.segment.min(bytes))
        }
    }
}

/// The geometry over members of these sizes, and how much it holds.
fn fitted(volume: &Volume, sizes: &[u64]) -> (Geometry, u64) {
    let least = sizes.iter().copied().min().unwrap_or(0);
    let of_units = |unit: u64, members: u32| (least - least % unit) * u64::from(members);
    let bytes =
        match &volume.geometry {
            Geometry::Whole | Geometry::Mirror => least,
            Geometry::Stripe { unit } | Geometry::Scattered { block: unit } => {
                if volume.members == 1 { least } else { of_units(*unit, volume.members) }
            }
            Geometry::StripedMirrors { segment } => of_units(*segment, volume.members / 2),
            Geometry::Parity(parity) => {
                of_units(parity.segment, parity.groups * parity.data(volume.members))
            }
            Geometry::Concat { .. } => {
                let pages = sizes.iter().map(|size| size - size % PAGE as u64);
                let sizes: Vec<u64> = pages.collect();
                let bytes = sizes.iter().sum();
                return (Geometry::Concat { sizes }, bytes);
            }
        };
    (volume.geometry.clone(), bytes)
}
