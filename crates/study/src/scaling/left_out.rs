//! The sizes at which requests are cut that a study leaves out: a scale makes values of them, or
//! they would stay what they usually are beside smaller requests.
//!
//! Left out: the one sector of level 3, which is the least that a disk moves, and a block that cuts
//! nothing.

use iopath_units::Bytes;

use super::checks::splits_at_blocks;
use crate::system::{PartId, System};

/// A property and what it is.
pub(super) type Usual = (&'static str, Bytes);

/// What a part cuts requests at, where its study does not say it.
pub(super) fn of(system: &System, id: PartId) -> Option<Usual> {
    let (property, size) = match system.kind(id) {
        "stripe" => ("unit", system.unit(id)),
        "lun" | "raid" if splits_at_segments(system, id) => ("segment", system.segment(id)),
        "filesystem" if splits_at_blocks(system, id) => ("block", system.block(id)),
        "readahead" if system.count(id, "streams") != Some(0) => {
            ("unit", system.readahead_unit(id))
        }
        _ => return None,
    };
    system.value(id, property).is_none().then_some((property, size))
}

/// For each declaration what all its parts leave out alike.
pub(super) fn alike(system: &System, left_out: &[Option<Usual>]) -> Vec<Option<Usual>> {
    let mut alike: Vec<Option<Option<Usual>>> = vec![None; system.declarations.len()];
    for (part, one) in system.parts.iter().zip(left_out) {
        let before = &mut alike[part.declared];
        *before = Some(one.filter(|_| before.is_none_or(|before| before == *one)));
    }
    alike.into_iter().map(Option::flatten).collect()
}

/// Whether an array has disks in turn whose segments are more than a sector.
fn splits_at_segments(system: &System, array: PartId) -> bool {
    let named = system.part(array).members.len();
    let disks = if named == 0 { system.children(array).count() } else { named };
    let spares = system.count(array, "spares").unwrap_or(0);
    let has_several = (disks as u64).saturating_sub(spares) > 1;
    has_several && !matches!(system.count(array, "level"), Some(1 | 3))
}
