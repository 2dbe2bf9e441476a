//! Controllers whose interrupts are all served by processors of other NUMA nodes.

use std::collections::BTreeSet;

use super::{Bind, Controller, LEAST, Misplaced, named, near, node};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

pub(super) fn judge(facts: &Facts, controllers: &[Controller]) -> Vec<Misplaced> {
    controllers.iter().filter_map(|controller| judge_one(facts, controller)).collect()
}

fn judge_one(facts: &Facts, controller: &Controller) -> Option<Misplaced> {
    let node = node(facts, controller)?;
    let near = near(facts, controller);
    let active = controller.active();
    let is_near = active.iter().any(|(_, by)| near.contains(by));
    let mut targets = near.iter().cycle();
    let movable = active.iter().filter(|(interrupt, _)| interrupt.can_move);
    let binds: Vec<Bind> = movable
        .filter_map(|(interrupt, _)| {
            let to = *targets.next()?;
            Some(Bind { interrupt: interrupt.number, today: interrupt.allowed.clone(), to })
        })
        .collect();
    if controller.count() < LEAST || is_near || binds.is_empty() {
        return None;
    }
    let by: BTreeSet<u32> = active.iter().map(|(_, by)| *by).collect();
    let by: Vec<String> = by.iter().map(u32::to_string).collect();
    let finding = Finding {
        rule: "interrupts-remote",
        weight: Weight::Advice,
        parts: controller.behind.clone(),
        text: format!(
            "{} is next to node {} (processors {}), and all its interrupts are served elsewhere, \
             by processor {}",
            named(controller),
            node.number,
            node.cpus,
            by.join(", "),
        ),
        hint: "bind them to processors of its node (`iopath place` prints the commands), and run \
               its users there; then measure again, as what remoteness costs differs"
            .to_owned(),
    };
    Some(Misplaced { finding, binds })
}
