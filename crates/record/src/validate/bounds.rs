//! The rules of bounds and of the curve; which they are stands in `docs/record.md`.
//!
//! It leaves out whether a bound is above what was reached: that is for analysis to say.

use std::collections::BTreeSet;

use super::{Check, ascending};
use crate::{Bound, CurvePoint, LimitId, Record, Upgrade};

/// As many upgrades as a bound has at most (chosen: what is beyond is too far away to plan).
const MOST_UPGRADES: usize = 3;

pub(super) fn check(check: &mut Check, record: &Record) {
    let known = record.format >= 2 || (record.bounds.is_empty() && record.curve.is_empty());
    check.require(known, "format", "is 1, which has neither bounds nor a curve");
    let ordered = ascending(record.bounds.iter().map(|bound| bound.kind));
    check.require(ordered, "bounds", "are not each kind once and in order");
    for (index, one) in record.bounds.iter().enumerate() {
        bound(check, record, one, &format!("bounds[{index}]"));
    }
    curve(check, &record.curve);
}

fn bound(check: &mut Check, record: &Record, bound: &Bound, place: &str) {
    let binding: Vec<LimitId> = bound.binding.iter().map(|price| price.of).collect();
    limits(check, record, &binding, &format!("{place}.binding"));
    let few = bound.upgrades.len() <= MOST_UPGRADES;
    check.require(few, format!("{place}.upgrades"), "are more than three");
    for (index, one) in bound.upgrades.iter().enumerate() {
        upgrade(check, record, one, &format!("{place}.upgrades[{index}]"));
    }
    for (index, text) in bound.leaves_out.iter().enumerate() {
        let place = format!("{place}.leaves_out[{index}]");
        let worded =
            text.split_once(": ").is_some_and(|(word, text)| is_word(word) && !text.is_empty());
        check.require(worded, place, "is not a word, a colon and a text");
    }
}

/// Lower-case letters and dashes.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

fn upgrade(check: &mut Check, record: &Record, upgrade: &Upgrade, place: &str) {
    let raised: Vec<LimitId> = upgrade.raise.iter().map(|raise| raise.of).collect();
    check.require(!raised.is_empty(), place, "raises nothing");
    limits(check, record, &raised, &format!("{place}.raise"));
    limits(check, record, &upgrade.then_binds, &format!("{place}.then_binds"));
}

/// Each exists and is named once.
fn limits(check: &mut Check, record: &Record, named: &[LimitId], place: &str) {
    let mut seen = BTreeSet::new();
    for (index, id) in named.iter().enumerate() {
        let entity = record.entities.get(id.entity.0 as usize);
        let exists = entity.is_some_and(|entity| (id.limit as usize) < entity.limits.len());
        let place = format!("{place}[{index}]");
        check.require(exists, &place, "names a limit that does not exist");
        check.require(seen.insert(*id), &place, "names a limit a second time");
    }
}

fn curve(check: &mut Check, curve: &[CurvePoint]) {
    let rising = ascending(curve.iter().map(|point| point.load_ppm));
    check.require(rising, "curve", "does not ascend in load from each point to the next");
}
