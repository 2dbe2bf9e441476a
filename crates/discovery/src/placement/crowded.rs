//! One processor that serves nearly all interrupts of storage, while others serve none.
//!
//! So they are where nothing spreads them: each goes to the first processor that it may go to.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::hardware::Interrupt;

use super::{Bind, Controller, LEAST, Misplaced, named, near};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// One processor has nearly all of them from this share on (chosen).
const MOST: f64 = 0.9;

/// An interrupt that can be moved.
struct Served<'c> {
    controller: &'c Controller,
    interrupt: &'c Interrupt,
    by: u32,
}

pub(super) fn judge(facts: &Facts, controllers: &[Controller]) -> Option<Misplaced> {
    let served: Vec<Served<'_>> = controllers.iter().flat_map(movable).collect();
    let total: u64 = served.iter().map(|one| one.interrupt.count).sum();
    let mut loads: BTreeMap<u32, u64> = BTreeMap::new();
    for one in &served {
        *loads.entry(one.by).or_default() += one.interrupt.count;
    }
    let (&busiest, &load) = loads.iter().max_by_key(|(_, load)| **load)?;
    let share = load as f64 / total as f64;
    let (there, elsewhere): (Vec<_>, Vec<_>) =
        served.into_iter().partition(|one| one.by == busiest);
    if total < LEAST || share < MOST || there.len() < 2 || facts.hardware.processors.len() < 2 {
        return None;
    }
    let idle = facts.hardware.processors.iter().filter(|cpu| !loads.contains_key(cpu)).count();
    let text = format!(
        "processor {busiest} serves {} of {} interrupts of storage, {:.0} % of those since the \
         machine started, of {}; {idle} of {} processors serve none",
        there.len(),
        there.len() + elsewhere.len(),
        share * 100.0,
        names(&there).into_iter().collect::<Vec<_>>().join(", "),
        facts.hardware.processors.len(),
    );
    let parts: BTreeSet<&String> = there.iter().flat_map(|one| &one.controller.behind).collect();
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
    Some(Misplaced { finding, binds: spread(facts, &there) })
}

fn movable(controller: &Controller) -> Vec<Served<'_>> {
    let active = controller.active().into_iter().filter(|(interrupt, _)| interrupt.can_move);
    active.map(|(interrupt, by)| Served { controller, interrupt, by }).collect()
}

fn names(served: &[Served<'_>]) -> BTreeSet<String> {
    served.iter().map(|one| named(one.controller)).collect()
}

/// Deals them to the processors near each controller, those with fewest first.
fn spread(facts: &Facts, served: &[Served<'_>]) -> Vec<Bind> {
    let mut dealt: BTreeMap<u32, usize> = BTreeMap::new();
    let mut binds = Vec::new();
    for Served { controller, interrupt, by } in served {
        let fewest = |cpu: &u32| dealt.get(cpu).copied().unwrap_or(0);
        let Some(to) = near(facts, controller).into_iter().min_by_key(fewest) else { continue };
        *dealt.entry(to).or_default() += 1;
        if to != *by {
            let today = interrupt.allowed.clone();
            binds.push(Bind { interrupt: interrupt.number, today, to });
        }
    }
    binds
}
