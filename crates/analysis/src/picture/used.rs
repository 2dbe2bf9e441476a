//! What each entity did while every stream was active, by its counters or its totals.

use iopath_record::{Counter, Entity, EntityId, PhaseTotals, Relation, StreamTotals};

use crate::pass::{Part, Pass, phases};
use crate::prediction::{LimitUse, used};
use crate::related::depths;

/// What one entity did. Amounts are of all things that it stands for; `None` is not known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used {
    pub read: Option<f64>,
    pub write: Option<f64>,
    pub moved: Option<f64>,
    pub operations: Option<f64>,
    pub in_flight: Option<f64>,
    pub time_ns: Option<f64>,
    /// Share of the rate that is fullest, of the tokens where it has none, else of the time.
    pub utilisation: Option<f64>,
    pub is_of_time: bool,
    /// Rates before tokens, the fullest first.
    pub limits: Vec<LimitUse>,
}

impl Used {
    /// Both ways.
    pub(crate) fn bytes(&self) -> Option<f64> {
        sum(self.read, self.write).or(self.moved)
    }

    /// Whether it did anything.
    pub(super) fn is_any(&self) -> bool {
        let all = [self.bytes(), self.operations, self.utilisation, self.in_flight];
        all.into_iter().flatten().any(|value| value > 0.0)
    }
}

pub(super) fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(|one, other| one + other)
}

/// What each did, by position.
pub(crate) fn all(pass: &Pass<'_>) -> Vec<Used> {
    let entities = (0u32..).map(EntityId).zip(&pass.record.entities);
    let mut all: Vec<Used> = entities.map(|(id, entity)| of_counters(pass, id, entity)).collect();
    for stream in &pass.record.streams {
        if let Some(used) = all.get_mut(stream.entity.0 as usize) {
            *used = of_stream(pass, stream);
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
            let times = |copies: u64| copies as f64 / 1e6;
            let read = all[upper].read.map(|bytes| bytes * times(relation.read_copies_ppm));
            let write = all[upper].write.map(|bytes| bytes * times(relation.write_copies_ppm));
            all[lower].read = sum(all[lower].read, read);
            all[lower].write = sum(all[lower].write, write);
        }
    }
}

pub(crate) fn of_counters(pass: &Pass<'_>, id: EntityId, entity: &Entity) -> Used {
    let spans = pass.best();
    let seconds = spans.length_ns() as f64 / 1e9;
    if seconds <= 0.0 {
        return Used::default();
    }
    let grown = |counter| pass.counters.over(id, counter, spans);
    let rate = |counter| grown(counter).map(|grown| grown / seconds);
    let operations = sum(rate(Counter::ReadOperations), rate(Counter::WriteOperations))
        .or_else(|| rate(Counter::Completed));
    let spent = sum(rate(Counter::ReadNs), rate(Counter::WriteNs));
    let in_flight = rate(Counter::InFlightNs).or(spent).map(|ns| ns / 1e9);
    let mut limits: Vec<LimitUse> =
        entity.limits.iter().filter_map(|limit| used(pass, id, limit)).collect();
    // Rates before tokens, which are all taken as well where what lies behind them is full.
    let is_pool = |one: &LimitUse| one.limit.tokens.is_some();
    let fuller = |a: &LimitUse, b: &LimitUse| b.utilisation.total_cmp(&a.utilisation);
    limits.sort_by(|a, b| is_pool(a).cmp(&is_pool(b)).then(fuller(a, b)));
    let fullest = limits.first().map(|limit| limit.utilisation);
    let count = f64::from(entity.count.max(1));
    let busy = || rate(Counter::BusyNs).map(|ns| (ns / 1e9 / count).min(1.0));
    let time = operations.filter(|rate| *rate > 0.0).zip(in_flight);
    Used {
        read: rate(Counter::ReadBytes),
        write: rate(Counter::WriteBytes),
        moved: rate(Counter::MovedBytes),
        operations,
        in_flight,
        time_ns: time.map(|(rate, in_flight)| in_flight * 1e9 / rate).filter(|ns| *ns > 0.0),
        utilisation: fullest.or_else(busy).or_else(|| processors(&grown)),
        is_of_time: fullest.is_none(),
        limits,
    }
}

/// All but idle and waiting, of the time that the kernel gave account of.
fn processors(grown: &dyn Fn(Counter) -> Option<f64>) -> Option<f64> {
    let idle = grown(Counter::IdleNs)? + grown(Counter::IoWaitNs).unwrap_or_default();
    let busy = [Counter::UserNs, Counter::SystemNs, Counter::InterruptNs, Counter::StealNs];
    let busy: f64 = busy.into_iter().filter_map(grown).sum();
    (busy + idle > 0.0).then(|| busy / (busy + idle))
}

/// What a stream did in the window; in all that counts where there was none.
fn of_stream(pass: &Pass<'_>, stream: &StreamTotals) -> Used {
    let part = if pass.window.is_some() { Part::Window } else { Part::Counted };
    let seconds = pass.best().length_ns() as f64 / 1e9;
    if seconds <= 0.0 {
        return Used::default();
    }
    let total = |of: fn(&PhaseTotals) -> u64| phases(stream, part).map(of).sum::<u64>() as f64;
    let (in_flight, operations) = (total(|p| p.in_flight_ns), total(|p| p.operations_ppm) / 1e6);
    Used {
        read: Some(total(|p| p.read_bytes) / seconds),
        write: Some(total(|p| p.write_bytes) / seconds),
        operations: (operations > 0.0).then_some(operations / seconds),
        in_flight: (in_flight > 0.0).then_some(in_flight / seconds / 1e9),
        time_ns: (in_flight > 0.0 && operations > 0.0).then(|| in_flight / operations),
        ..Used::default()
    }
}
