//! One processor that serves nearly all interrupts of storage, while others serve none.
//!
//! So they are where nothing spreads them: each goes to the first processor that it may go to.

use std::collections::BTreeSet;

use super::{Controller, LEAST, Misplaced, Owned, active, loads, named, usable};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// One processor has nearly all of them from this share on (chosen).
const MOST: f64 = 0.9;

pub(super) fn judge<'c>(facts: &Facts, controllers: &'c [Controller]) -> Option<Misplaced<'c>> {
    let all: Vec<Owned<'_>> = active(controllers).collect();
    let total: u64 = all.iter().map(|one| one.interrupt.count).sum();
    let loads = loads(all.iter().copied());
    let (&busiest, &load) = loads.iter().max_by_key(|(_, load)| **load)?;
    let share = load as f64 / total as f64;
    let is_there = |one: &&Owned<'_>| one.interrupt.can_move && is_on(one.controller, busiest);
    let moved: Vec<Owned<'_>> = all.iter().filter(is_there).copied().collect();
    if total < LEAST || share < MOST || moved.len() < 2 || usable(facts).len() < 2 {
        return None;
    }
    let online = &facts.hardware.processors;
    let idle = online.iter().filter(|processor| !loads.contains_key(processor)).count();
    let names: BTreeSet<String> = moved.iter().map(|one| named(one.controller)).collect();
    let text = format!(
        "processor {busiest} handles {:.0} % of storage interrupts since boot, {} of {} of which \
         can be moved, of {}; {idle} of {} processors handle none",
        share * 100.0,
        moved.len(),
        all.len(),
        names.into_iter().collect::<Vec<_>>().join(", "),
        online.len(),
    );
    let parts: BTreeSet<&String> = moved.iter().flat_map(|one| &one.controller.behind).collect();
    let finding = Finding {
        rule: "interrupts-on-one",
        weight: Weight::Warning,
        parts: parts.into_iter().cloned().collect(),
        text,
        hint: "run irqbalance, or bind them to different processors (`iopath place` prints the \
               commands): every completion takes time of the processor that serves it, so one of \
               them limits requests/s"
            .to_owned(),
    };
    Some(Misplaced { finding, moved })
}

/// Whether all interrupts of a controller go to this processor, those that hardly come, too.
fn is_on(controller: &Controller, processor: u32) -> bool {
    let mut served_by = controller.interrupts.iter().map(|interrupt| &interrupt.served_by);
    served_by.all(|by| *by == processor.to_string())
}
