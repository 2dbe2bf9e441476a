//! What went wrong with a unit that is not whole. Slow, since it is rarely needed.
//!
//! A damaged stamp proves nothing about itself, so each part of it is believed only where the
//! words of the body beside it, which follow from the stamp, say the same.

use super::{Damage, Expected, HEAD, MAGIC, Stamp, TAIL, TAIL_MAGIC, body, head, tail, whole};

/// What is wrong with `unit`, which is not whole.
pub(super) fn of(unit: &[u8], expected: Expected) -> Damage {
    let offset = match expected {
        Expected::Exactly(wanted) => wanted.offset,
        Expected::Anything { offset, .. } => offset,
    };
    if let Some(found) = other_unit(unit) {
        return Damage::OtherUnit { offset, wanted: unit.len(), found };
    }
    if !has_magic(unit) {
        return Damage::Unstamped { offset };
    }
    let words = body_of(unit);
    let last = words.len() / body::WORD - 1;
    let (front, end) = (head(unit), tail(unit, offset));
    if front != end && body::has_word(words, 0, front) && body::has_word(words, last, end) {
        // The end differs, so a difference is found in the body or right behind it.
        let at = HEAD + body::first_difference(words, front).unwrap_or(words.len());
        return Damage::Torn { offset, head: front, tail: end, at };
    }
    let proved =
        |stamp: &Stamp| body::has_word(words, 0, *stamp) || body::has_word(words, last, *stamp);
    let first_bad_byte =
        [front, end].into_iter().find(proved).and_then(|stamp| first_bad_byte(unit, stamp));
    Damage::Corrupt { offset, first_bad_byte }
}

/// The length of the units that this one was stamped in, where it is another.
fn other_unit(unit: &[u8]) -> Option<usize> {
    let length = super::number_u32(unit, 20) as usize;
    if unit[..8] != MAGIC || !super::is_unit(length) || length == unit.len() {
        return None;
    }
    let proved = match unit.get(..length) {
        Some(smaller) => whole(smaller).is_some(),
        // The rest of a larger unit is out of sight.
        None => body::has_word(&unit[HEAD..], 0, head(unit)),
    };
    proved.then_some(length)
}

/// Whether a magic number stands at one end, be it with a few wrong bits.
fn has_magic(unit: &[u8]) -> bool {
    let end = unit.len() - 12;
    right(&unit[..8], &MAGIC) > MAGIC.len() / 2
        || right(&unit[end..end + 4], &TAIL_MAGIC) > TAIL_MAGIC.len() / 2
}

/// How many bytes of `found` are those of `wanted`.
fn right(found: &[u8], wanted: &[u8]) -> usize {
    found.iter().zip(wanted).filter(|(found, wanted)| found == wanted).count()
}

fn body_of(unit: &[u8]) -> &[u8] {
    &unit[HEAD..unit.len() - TAIL]
}

/// Where `unit` begins to differ from what `stamp` filled it with.
fn first_bad_byte(unit: &[u8], stamp: Stamp) -> Option<usize> {
    let mut wanted = [0; super::UNIT_MAX];
    let wanted = &mut wanted[..unit.len()];
    super::fill(wanted, stamp);
    unit.iter().zip(wanted).position(|(found, wanted)| found != wanted)
}
