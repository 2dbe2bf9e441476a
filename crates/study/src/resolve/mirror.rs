//! The sides of a mirror: zipped, so that a mirror stands for as many as a side is long.

use std::collections::BTreeSet;

use super::select::{self, Wanted};
use crate::declaration::Declaration;
use crate::instances::Instances;
use crate::mistake::{Collected, MistakeKind};

/// The members of each side, in order; `None` where a mistake was collected here or before.
pub(crate) fn sides(
    instances: &Instances<'_>,
    row: &Declaration,
    collected: &mut Collected,
) -> Option<Vec<Vec<usize>>> {
    if row.children.len() < 2 {
        let message = format!("a mirror needs two sides; {} has {}", row.name, row.children.len());
        let hint = "write mirror \"m\" { side of=\"…\"; side of=\"…\" }";
        collected.hinted(MistakeKind::Missing, row.span, message, hint);
    }
    let all: Vec<_> =
        row.children.iter().map(|side| one(instances, row, side, collected)).collect();
    let all: Vec<Vec<usize>> = all.into_iter().collect::<Option<_>>()?;
    if all.len() < 2 {
        return None;
    }
    let lengths: Vec<usize> = all.iter().map(Vec::len).collect();
    if lengths.iter().any(|length| *length != lengths[0]) {
        let unsure = |side: &Declaration| {
            side.selector("of").is_none_or(|selector| instances.is_unsure(&selector.value))
        };
        if !row.children.iter().any(unsure) {
            let message = format!("the sides of a mirror differ: {lengths:?}");
            collected.add(MistakeKind::Length, row.span, message);
        }
        return None;
    }
    let twice = (0..lengths[0]).find_map(|place| {
        let mut seen = BTreeSet::new();
        all.iter().map(|side| side[place]).find(|member| !seen.insert(*member))
    });
    if let Some(member) = twice {
        let message = format!("{} is on two sides of {}", instances.all[member].name, row.name);
        collected.add(MistakeKind::Duplicate, row.span, message);
        return None;
    }
    Some(all)
}

fn one(
    instances: &Instances<'_>,
    row: &Declaration,
    side: &Declaration,
    collected: &mut Collected,
) -> Option<Vec<usize>> {
    if !side.values.contains_key("of") {
        let hint = "write side of=\"name of its members\"";
        collected.hinted(MistakeKind::Missing, side.span, "side needs of=", hint);
    }
    let of = side.selector("of")?;
    select::before(instances, &of, Wanted::Member, row, collected)
}
