//! Controllers whose interrupts are all served by processors of other NUMA nodes.

use std::collections::BTreeSet;

use super::{Controller, LEAST, Misplaced, Owned, has, named, node, usable};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

pub(super) fn judge<'c>(facts: &Facts, controller: &'c Controller) -> Option<Misplaced<'c>> {
    let node = node(facts, controller)?;
    let has_processors = usable(facts).into_iter().any(|processor| has(node, processor));
    let mut all = controller.interrupts.iter();
    let is_near = all.any(|interrupt| node.has_any_of(&interrupt.served_by));
    let movable = controller.active().filter(|interrupt| interrupt.can_move);
    let moved: Vec<Owned<'_>> = movable.map(|interrupt| Owned { controller, interrupt }).collect();
    if controller.count() < LEAST || is_near || !has_processors || moved.is_empty() {
        return None;
    }
    let by: BTreeSet<&str> =
        controller.active().map(|interrupt| interrupt.served_by.as_str()).collect();
    let finding = Finding {
        rule: "interrupts-remote",
        weight: Weight::Advice,
        parts: controller.behind.clone(),
        text: format!(
            "{} is next to node {} (processors {}), and all its interrupts go elsewhere, to \
             processor {}",
            named(controller),
            node.number,
            node.cpus,
            by.into_iter().collect::<Vec<_>>().join(", "),
        ),
        hint: "bind them to processors of its node (`iopath place` prints the commands), and run \
               its users there; then measure again, as what remoteness costs differs"
            .to_owned(),
    };
    Some(Misplaced { finding, moved })
}
