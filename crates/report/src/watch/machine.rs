//! The machine around the path: processors, memory, and what tasks waited for.

use iopath_analysis::thresholds::limits::PROCESSORS_BUSY_SHARE;
use iopath_analysis::usage::{ProcessorShares, Usage};
use iopath_record::{Entity, EntityId, Kind, Layer};

use super::{Line, Mark, cells};
use crate::look::Look;
use crate::numbers::{rate, size};
use crate::view::watched::Watched;

/// The lines; none for what is not known.
pub(super) fn lines(watched: &Watched<'_>, look: &Look) -> Vec<Line> {
    [processors(watched), memory(watched, look), stalls(watched)].into_iter().flatten().collect()
}

fn entities<'a>(
    watched: &Watched<'a>,
    is: impl Fn(&Entity) -> bool,
) -> impl Iterator<Item = (&'a Entity, &'a Usage)> {
    let each = (0u32..).map(EntityId).zip(watched.entities);
    let found = each.filter(move |(_, entity)| is(entity));
    let usage = watched.usage;
    found.filter_map(move |(id, entity)| Some((entity, usage.get(id.0 as usize)?)))
}

fn processors(watched: &Watched<'_>) -> Option<Line> {
    let is_cpu = |entity: &Entity| entity.layer == Layer::Processor;
    let mut all = entities(watched, |entity| is_cpu(entity) && entity.parent.is_none());
    let (entity, shares) = all.find_map(|(entity, of)| Some((entity, of.processor?)))?;
    let ProcessorShares { user, system, io_wait, interrupt, steal, .. } = shares;
    let busy = shares.busy();
    let each = entities(watched, |entity| is_cpu(entity) && entity.parent.is_some());
    let each = each.filter_map(|(entity, of)| Some((&entity.name, of.processor?.busy())));
    let busiest = each.max_by(|a, b| a.1.total_cmp(&b.1));
    let busiest = busiest.map_or_else(String::new, |(name, share)| {
        format!("  busiest {name} {:.0} %", share * 100.0)
    });
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let sign = if busy >= PROCESSORS_BUSY_SHARE { " !" } else { "" };
    let text = format!(
        "{} cpu: busy {} %  user {}  system {}  wait {}  irq {}  steal {}{busiest}{sign}",
        entity.count,
        percent(busy),
        percent(user),
        percent(system),
        percent(io_wait),
        percent(interrupt),
        percent(steal)
    );
    Some(Line::new(text, if busy >= PROCESSORS_BUSY_SHARE { Mark::Full } else { Mark::Plain }))
}

fn memory(watched: &Watched<'_>, look: &Look) -> Option<Line> {
    let is = |entity: &Entity| entity.layer == Layer::Memory && entity.name == "memory";
    let (_, of) = entities(watched, is).next()?;
    let bytes = |bytes: u64| size(bytes, look.system);
    let mut text = format!(
        "memory: cached {}  dirty {}  being written {}",
        bytes(of.gauges.cached_bytes?),
        bytes(of.gauges.dirty_bytes?),
        bytes(of.gauges.writeback_bytes?)
    );
    if let Some((read, written)) = of.read.bytes_per_sec.zip(of.write.bytes_per_sec) {
        let [read, written] = [read, written].map(|one| rate(one, look.system));
        text.push_str(&format!("  in {read}  out {written}"));
    }
    let mut others = entities(watched, |entity| entity.name == "arc");
    if let Some(share) = others.find_map(|(_, of)| of.hit_share) {
        text.push_str(&format!("  ARC hits {}", cells::share(Some(share))));
    }
    Some(Line::new(text, Mark::Plain))
}

/// Time in which at least one task waited (pressure stall information).
fn stalls(watched: &Watched<'_>) -> Option<Line> {
    let all = entities(watched, |entity| entity.kind == Kind::Pressure);
    let each: Vec<String> = all
        .filter(|(_, of)| of.utilisation.is_some())
        .map(|(entity, of)| format!("for {} {}", entity.name, cells::share(of.utilisation)))
        .collect();
    let text = format!("tasks waited {}", each.join(", "));
    (!each.is_empty()).then(|| Line::new(text, Mark::Plain))
}
