//! Slots: how many components fit into one. What belongs to it without taking a slot (caches,
//! costs, volumes) does not count.

use std::collections::BTreeMap;

use crate::instances::Instances;
use crate::mistake::{Collected, MistakeKind};
use crate::source::Span;

/// One mistake for each declaration with too many components in it.
pub(super) fn check(instances: &Instances<'_>, collected: &mut Collected) {
    let mut taken: BTreeMap<usize, u64> = BTreeMap::new();
    for instance in &instances.all {
        let takes_one = instance.declaration.kind.class.is_component();
        if let Some(parent) = instance.parent.filter(|_| takes_one) {
            *taken.entry(parent).or_default() += 1;
        }
    }
    let mut crowded: BTreeMap<Span, String> = BTreeMap::new();
    for (at, taken) in taken {
        let instance = &instances.all[at];
        let slots =
            instance.get("slots").and_then(|slots| Some((slots.value.count()?, slots.span)));
        if let Some((slots, span)) = slots.filter(|(slots, _)| *slots < taken) {
            let plural = if slots == 1 { "" } else { "s" };
            let message =
                format!("{} has {slots} slot{plural} for {taken} components", instance.name);
            crowded.entry(span).or_insert(message);
        }
    }
    for (span, message) in crowded {
        let hint = "count fewer in it, or state the slots that it has";
        collected.hinted(MistakeKind::Limit, span, message, hint);
    }
}
