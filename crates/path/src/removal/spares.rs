//! Spares of a volume that are gone and left, in words.

use iopath_study::{PartId, System};

/// The spares of a volume.
pub(super) struct Spares {
    /// How many there were.
    pub count: usize,
    pub gone: Vec<PartId>,
}

impl Spares {
    /// "1 of 2 spares is left"; nothing where there were none.
    pub(super) fn left(&self) -> Option<String> {
        let left = self.count - self.gone.len();
        let noun = if self.count == 1 { "spare" } else { "spares" };
        let verb = if left == 1 { "is" } else { "are" };
        match (left, self.count) {
            (_, 0) => None,
            (0, _) => Some("no spare is left".to_owned()),
            (left, count) if left == count => Some(format!("{left} {noun} {verb} left")),
            (left, count) => Some(format!("{left} of {count} {noun} {verb} left")),
        }
    }

    /// Which of them a volume lacks, and how many are left; nothing where all are there.
    pub(super) fn told(&self, system: &System, volume: PartId) -> Option<String> {
        let (first, more) = self.gone.split_first()?;
        let (name, first) = (&system.part(volume).name, &system.part(*first).name);
        let lost = match more.len() {
            0 => format!("{name} has lost its spare {first}"),
            1 => format!("{name} has lost {first} and 1 more spare"),
            more => format!("{name} has lost {first} and {more} more spares"),
        };
        self.left().map(|left| format!("{lost}; {left}"))
    }
}
