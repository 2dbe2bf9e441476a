//! What each entity did while every stream was active, by its counters or its totals.

use iopath_record::{Entity, EntityId, Relation};

use crate::prediction::{LimitUse, used};
use crate::usage::pass::Pass;
use crate::usage::related::depths;
use crate::usage::{Requests, Usage, sum};

/// What one entity did, and how full it was.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    /// Of all things that it stands for.
    pub usage: Usage,
    /// Share of the rate that is fullest, of the tokens where it has none, else of the time.
    pub utilisation: Option<f64>,
    pub is_of_time: bool,
    /// Rates before tokens, the fullest first.
    pub limits: Vec<LimitUse>,
}

impl Used {
    /// Both ways.
    pub(super) fn bytes(&self) -> Option<f64> {
        self.usage.transfers.bytes_per_sec
    }

    /// Whether it did anything.
    pub(super) fn is_any(&self) -> bool {
        let done = self.usage.transfers.operations_per_sec;
        let all = [self.bytes(), done, self.utilisation, self.usage.in_flight_mean];
        all.into_iter().flatten().any(|value| value > 0.0)
    }
}

/// What each did, by position.
pub(super) fn all(pass: &Pass<'_>) -> Vec<Used> {
    let entities = (0u32..).map(EntityId).zip(&pass.record.entities);
    let mut all: Vec<Used> = entities.map(|(id, entity)| of_counters(pass, id, entity)).collect();
    for stream in &pass.record.streams {
        if let Some(used) = all.get_mut(stream.entity.0 as usize) {
            let usage = Usage::of_stream(stream, pass.best());
            *used = Used { usage, ..Used::default() };
        }
    }
    handed_on(pass, &mut all);
    all
}

/// What nobody counted moves what those above it hand on, where it is all that they hand it to:
/// a file does what its streams do.
fn handed_on(pass: &Pass<'_>, all: &mut [Used]) {
    let depths = depths(pass.record);
    let is_path = |relation: &&Relation| !pass.counters.carriers.contains(&relation.upper);
    let mut relations: Vec<&Relation> = pass.record.relations.iter().filter(is_path).collect();
    relations.sort_by_key(|relation| depths.get(&relation.upper));
    let is_counted: Vec<bool> = all.iter().map(|used| used.bytes().is_some()).collect();
    for relation in relations {
        let [lower] = relation.lower.as_slice() else { continue };
        let (upper, lower) = (relation.upper.0 as usize, lower.0 as usize);
        if upper < all.len() && lower < all.len() && !is_counted[lower] {
            let above = all[upper].usage;
            let below = &mut all[lower].usage;
            let hand_on = |to: &mut Requests, from: Requests, copies_ppm: u64| {
                let handed = from.bytes_per_sec.map(|bytes| bytes * copies_ppm as f64 / 1e6);
                to.bytes_per_sec = sum(to.bytes_per_sec, handed);
            };
            hand_on(&mut below.read, above.read, relation.read_copies_ppm);
            hand_on(&mut below.write, above.write, relation.write_copies_ppm);
            let both = sum(below.read.bytes_per_sec, below.write.bytes_per_sec);
            below.transfers.bytes_per_sec = both;
        }
    }
}

/// Of its counters.
fn of_counters(pass: &Pass<'_>, id: EntityId, entity: &Entity) -> Used {
    let usage = Usage::of_entity(pass, id, pass.best());
    let mut limits: Vec<LimitUse> =
        entity.limits.iter().filter_map(|limit| used(pass, id, limit)).collect();
    // Rates before tokens, which are all taken as well where what lies behind them is full.
    let is_pool = |one: &LimitUse| one.limit.tokens.is_some();
    let fuller = |a: &LimitUse, b: &LimitUse| b.utilisation.total_cmp(&a.utilisation);
    limits.sort_by(|a, b| is_pool(a).cmp(&is_pool(b)).then(fuller(a, b)));
    let fullest = limits.first().map(|limit| limit.utilisation);
    let processors = || usage.processor.map(|shares| shares.busy());
    Used {
        usage,
        utilisation: fullest.or(usage.utilisation).or_else(processors),
        is_of_time: fullest.is_none(),
        limits,
    }
}
