//! Names of boxes that stand side by side: where several fit one pattern, as uneven indices do,
//! each is called by the first thing that it stands for.

use super::{BoxName, PathBox, Tier};

pub(super) fn name(tiers: &[Tier], boxes: &mut [PathBox]) {
    for tier in tiers {
        let is_equal =
            |at: &usize, other: &usize| at != other && boxes[*at].name == boxes[*other].name;
        let is_shared = |at: &&usize| {
            let is_pattern = matches!(boxes[**at].name, BoxName::Named(_));
            is_pattern && tier.boxes.iter().any(|other| is_equal(at, other))
        };
        let shared: Vec<usize> = tier.boxes.iter().filter(is_shared).copied().collect();
        for at in shared {
            boxes[at].name = by_first(&boxes[at]);
        }
    }
}

fn by_first(one: &PathBox) -> BoxName {
    let first = one.members.iter().min_by_key(|member| member.entity);
    match (first.map(|first| first.name.clone()), one.members.len()) {
        (Some(first), 1) => BoxName::Named(first),
        (Some(first), _) => BoxName::From(first),
        (None, _) => one.name.clone(),
    }
}
