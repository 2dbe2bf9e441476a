//! What went wrong with a unit that is not whole. Slow, since it is rarely needed.
//!
//! A damaged stamp proves nothing about itself, so each part of it is believed only where the
//! words of the body beside it, which follow from the stamp, say the same.

use super::body::{Body, WORD};
use super::{Damage, Expected, HEAD, MAGIC, Stamp, TAIL, TAIL_MAGIC, UNIT_MIN, head, tail, whole};

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
        return if is_shifted(unit) {
            Damage::Corrupt { offset, first_bad_byte: Some(0) }
        } else {
            Damage::Unstamped { offset }
        };
    }
    let words = body_of(unit);
    let last = words.len() / WORD - 1;
    let (front, end) = (head(unit), tail(unit, offset));
    let [of_front, of_end] = [front, end].map(Body::of);
    if front != end && of_front.has_word(words, 0) && of_end.has_word(words, last) {
        // The end differs, so a difference is found in the body or right behind it.
        let at = HEAD + of_front.first_difference(words).unwrap_or(words.len());
        return Damage::Torn { offset, head: front, tail: end, at };
    }
    let proved = |body: &Body| body.has_word(words, 0) || body.has_word(words, last);
    let known = [(front, of_front), (end, of_end)].into_iter().find(|(_, body)| proved(body));
    let first_bad_byte = known.and_then(|(stamp, _)| first_bad_byte(unit, stamp));
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
        None => Body::of(head(unit)).has_word(&unit[HEAD..], 0),
    };
    proved.then_some(length)
}

/// Whether a magic number stands at one end, be it with a few wrong bits.
fn has_magic(unit: &[u8]) -> bool {
    let end = unit.len() - 12;
    right(&unit[..8], &MAGIC) > MAGIC.len() / 2
        || right(&unit[end..end + 4], &TAIL_MAGIC) > TAIL_MAGIC.len() / 2
}

/// Whether a stamp begins at another sector of the unit: what was written here lies too far on.
fn is_shifted(unit: &[u8]) -> bool {
    unit.chunks_exact(UNIT_MIN).skip(1).any(|sector| sector[..8] == MAGIC)
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
