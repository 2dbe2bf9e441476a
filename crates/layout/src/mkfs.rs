//! File systems only: what they lie on is there, and is named by `--devices`.

use crate::build::FileSystemKind;
use crate::draft::Draft;
use crate::files::{self, Settings};

pub(crate) fn build(draft: &mut Draft<'_>) {
    files::build(draft, FileSystemKind::Xfs, Settings::Queue);
}
