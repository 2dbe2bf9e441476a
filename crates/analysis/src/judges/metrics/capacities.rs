//! Capacities that somebody counted the use of: rates, servers, and tokens that are held.
//!
//! Equal capacities of what is called alike are one, so that a hundred ports are one line. Of
//! several epochs the one counts that uses most.

use std::collections::BTreeSet;

use iopath_record::{EntityId, Layer, Limit, LimitId, Measure};

use super::leaves;
use crate::judges::evidence::Cause;
use crate::prediction::{LimitClass, Names, fold, most_used};
use crate::statistics::mean;
use crate::thresholds::limits::{
    EQUALLY_FULL, EQUALLY_FULL_IN_MODEL, FULL_SHARE, NEARLY_FULL_SHARE,
};
use crate::usage::pass::Pass;
use crate::usage::related::stacked;
use crate::usage::{Requests, Usage};

/// What is full; where nothing is, what is nearly so in a model; where nothing is, the fullest.
pub(crate) struct Fullest {
    /// From here on something counts as full.
    pub threshold: f64,
    /// Rates before tokens, the fullest first.
    pub classes: Vec<CapacityClass>,
}

/// A capacity of one thing, and how much of it is used.
struct CapacityUse {
    of: LimitId,
    is_pool: bool,
    /// Of all passes together.
    utilisation: f64,
}

/// Equal capacities of what is called alike.
pub(crate) struct CapacityClass {
    pub class: LimitClass,
    /// What it is that is full.
    pub cause: Cause,
    pub least: f64,
    pub most: f64,
    /// What the fullest of them carried.
    pub carried: Requests,
}

impl CapacityClass {
    /// Whether it is tokens: they are all taken as well where what lies behind them is full.
    pub(crate) fn is_pool(&self) -> bool {
        self.class.limit.tokens.is_some()
    }
}

/// The fullest capacities of a trial: without those of block devices below the targets, but in a
/// model's record, as a kernel's counters of them are judged by laws of their own; and without what
/// only carries devices.
pub(super) fn fullest(passes: &[Pass<'_>], is_model: bool) -> Fullest {
    let first = &passes[0];
    let mut apart = first.counters.carriers.clone();
    if !is_model {
        apart.extend(leaves(first).into_iter().map(|(id, _)| id));
        apart.extend(stacked(first.record));
    }
    of_all(passes, &|id| !apart.contains(&id), is_model)
}

/// The fullest capacities of what carries the devices below the targets.
pub(super) fn of_carriers(passes: &[Pass<'_>]) -> Fullest {
    let carriers = &passes[0].counters.carriers;
    of_all(passes, &|id| carriers.contains(&id), false)
}

fn of_all(passes: &[Pass<'_>], is_meant: &dyn Fn(EntityId) -> bool, is_model: bool) -> Fullest {
    let all = all(passes, is_meant);
    let from = |threshold, with_pools| {
        let is_full =
            |one: &&CapacityUse| one.utilisation >= threshold && (with_pools || !one.is_pool);
        all.iter().filter(is_full).collect::<Vec<_>>()
    };
    // Tokens are taken as well where what lies behind them is nearly full.
    let mut wanted = vec![(FULL_SHARE, true)];
    if is_model {
        wanted = vec![
            (FULL_SHARE, false),
            (FULL_SHARE, true),
            (NEARLY_FULL_SHARE, false),
            (NEARLY_FULL_SHARE, true),
        ];
    }
    let mut some = wanted.into_iter().map(|(threshold, pools)| (threshold, from(threshold, pools)));
    let (threshold, full) = some.find(|(_, full)| !full.is_empty()).unwrap_or_else(|| {
        let most = all.iter().map(|one| one.utilisation).fold(0.0, f64::max);
        (FULL_SHARE, from(most, true))
    });
    let equal = if is_model { EQUALLY_FULL_IN_MODEL } else { EQUALLY_FULL };
    Fullest { threshold, classes: classes(passes, &full, equal) }
}

/// Of all entities that are meant, streams left out.
fn all(passes: &[Pass<'_>], is_meant: &dyn Fn(EntityId) -> bool) -> Vec<CapacityUse> {
    let mut all = Vec::new();
    for (id, entity) in (0u32..).map(EntityId).zip(&passes[0].record.entities) {
        if entity.layer == Layer::Application || !is_meant(id) {
            continue;
        }
        for (position, limit) in (0u32..).zip(&entity.limits) {
            let of = LimitId { entity: id, limit: position };
            let is_pool = limit.tokens.is_some();
            let used = utilisation(passes, id, limit);
            all.extend(used.map(|utilisation| CapacityUse { of, is_pool, utilisation }));
        }
    }
    all
}

fn utilisation(passes: &[Pass<'_>], id: EntityId, limit: &Limit) -> Option<f64> {
    let entity = &passes[0].record.entities[id.0 as usize];
    let each = passes.iter().filter_map(|pass| most_used(pass, pass.find(entity)?, limit));
    mean(&each.collect::<Vec<_>>())
}

/// Some of them as classes: rates before tokens, the fullest first, of those that are as full what
/// contains the others.
fn classes(passes: &[Pass<'_>], some: &[&CapacityUse], equal: f64) -> Vec<CapacityClass> {
    let pass = &passes[0];
    let names = Names::of(pass.record);
    let devices: BTreeSet<EntityId> = leaves(pass).into_iter().map(|(id, _)| id).collect();
    let class = |(class, members): (LimitClass, Vec<usize>)| {
        let members: Vec<&CapacityUse> = members.into_iter().map(|at| some[at]).collect();
        let first = members[0].of.entity;
        let cause = match pass.record.entities[first.0 as usize].layer {
            Layer::Processor if class.limit.measure == Measure::BusyNs => Cause::Cpu,
            _ if devices.contains(&first) => Cause::Device,
            _ => Cause::Component,
        };
        let fuller = |a: &&CapacityUse, b: &&CapacityUse| a.utilisation.total_cmp(&b.utilisation);
        let fullest = members.iter().copied().max_by(fuller).unwrap_or(members[0]).of.entity;
        let carried = Usage::of_passes(passes, &pass.record.entities[fullest.0 as usize]).transfers;
        let used = || members.iter().map(|one| one.utilisation);
        let (least, most) = (used().fold(f64::INFINITY, f64::min), used().fold(0.0, f64::max));
        CapacityClass { carried, cause, least, most, class }
    };
    let folded = fold(pass.record, &names, some, |one: &&CapacityUse| one.of);
    let mut all: Vec<CapacityClass> = folded.into_iter().map(class).collect();
    // Classes stand in the order of their entities, what contains others first.
    let top = all.iter().map(|one| one.most).fold(0.0, f64::max) * (1.0 - equal);
    all.sort_by(|a, b| b.most.min(top).total_cmp(&a.most.min(top)));
    all.sort_by_key(CapacityClass::is_pool);
    all
}
