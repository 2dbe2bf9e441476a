//! Whether the members of a volume can make it up at all, whatever builds it.
//!
//! Law: level 5 and its like need 3 members, level 6 two more than it has parity, level 10 pairs,
//! levels 50 and 60 groups that are equal and large enough each; a stripe has no use for spares.
//! Leaves out: what a manager asks beyond that.

use crate::draft::Draft;
use crate::stack::{Shape, Volume};

/// Tells what cannot be, and whether all can.
pub(crate) fn check(draft: &mut Draft<'_>) -> bool {
    let before = draft.mistakes();
    for volume in draft.volumes.clone() {
        if let Some((text, hint)) = mistake(draft, &volume) {
            draft.refuse(volume.id, format!("{}: {text}", draft.part(volume.id)), hint);
        }
    }
    draft.mistakes() == before
}

fn mistake(draft: &Draft<'_>, volume: &Volume) -> Option<(String, &'static str)> {
    let name = volume.shape.name();
    let count = volume.members.len();
    let stated = |property| draft.system().count(volume.id, property);
    if volume.shape == Shape::Stripe && stated("spares").is_some_and(|some| some > 0) {
        let text = "level 0 has no use for spares: nothing can be rebuilt".to_owned();
        return Some((text, "leave spares= out, or state a level with copies or parity"));
    }
    if count < least(volume.shape) {
        let least = least(volume.shape);
        let text = format!("{name} needs {least} members or more, and has {count} without spares");
        return Some((text, "add members, or state another level"));
    }
    match volume.shape {
        Shape::Pairs if !count.is_multiple_of(2) => {
            let text = format!("RAID 10 is pairs, and {count} members without spares are odd");
            Some((text, "add a member, or leave one out"))
        }
        Shape::Groups { parity, groups, .. } => grouped(volume, parity, groups, stated("width")),
        Shape::Stripe | Shape::Concat | Shape::Mirror | Shape::Pairs | Shape::Parity { .. } => None,
    }
}

/// Members that a shape needs, those of groups apart.
fn least(shape: Shape) -> usize {
    match shape {
        Shape::Stripe | Shape::Concat | Shape::Groups { .. } => 1,
        Shape::Mirror | Shape::Pairs => 2,
        Shape::Parity { level: 6, parity } => parity + 2,
        Shape::Parity { .. } => 3,
    }
}

/// Groups of a stated width, or at least two that are equal.
fn grouped(
    volume: &Volume,
    parity: usize,
    groups: usize,
    width: Option<u64>,
) -> Option<(String, &'static str)> {
    let (name, count) = (volume.shape.name(), volume.members.len());
    let least = parity + 2;
    match width {
        Some(width) => {
            let is_fit = width >= least as u64 && (count as u64).is_multiple_of(width);
            let text = format!(
                "{count} members without spares do not form groups of width={width}, each of \
                 {least} or more"
            );
            (!is_fit).then_some((text, "state a width= that divides the members"))
        }
        None => {
            let is_fit = groups > 1 && count.is_multiple_of(groups);
            let text = format!(
                "{count} members without spares do not form equal groups of {least} or more, \
                 which {name} needs"
            );
            (!is_fit).then_some((text, "add members, or state level 5 or 6"))
        }
    }
}
