//! Rules about limits: a stated figure above what a part is rated for, and ceilings that what hangs
//! below can never reach.

use iopath_study::case::Rate;
use iopath_study::value::Value;
use iopath_study::{Class, PartId};
use iopath_units::{ByteRate, Human, System};

use super::Remarks;
use super::rule::Rule;
use super::view::{About, View};

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.system.ids() {
        above_rating(view, id, remarks);
        never_binds(view, id, remarks);
    }
}

/// A figure that was measured cannot be above what the part can do: one of both is in another unit,
/// or the part is another (Veritas: 807 MB/s through a port that its authors rated at 797).
fn above_rating(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    // What software took on another processor rates nothing.
    if view.system.kind(id) == "cost" {
        return;
    }
    for (property, rated) in &view.system.declared(id).rated {
        let Some(stated) = view.system.value(id, property) else { continue };
        let (Some(said), Some(most)) = (per_second(&stated.value), per_second(&rated.value)) else {
            continue;
        };
        if said <= most {
            continue;
        }
        let about = About::warning(Rule::AboveRating, view.span(id, property));
        let shown = |value: &Value| match value {
            Value::Rate(Rate::Bytes(rate)) => rate.human(System::Decimal),
            Value::Rate(Rate::Operations(rate)) => rate.human(System::Decimal),
            other => other.to_string(),
        };
        let says = format!(
            "{property} is {}, above the {} rating of its part {}",
            shown(&stated.value),
            shown(&rated.value),
            rated.origin
        );
        let hint = "check the unit (MB or MiB), the part, and what the rating covers";
        about.say(remarks, &[id], says.trim_end().to_owned(), hint);
    }
}

fn per_second(value: &Value) -> Option<u64> {
    match value {
        Value::Rate(Rate::Bytes(rate)) => Some(rate.0),
        Value::Rate(Rate::Operations(rate)) => Some(rate.0),
        _ => None,
    }
}

/// A ceiling can be measured only if what hangs below it can exceed it.
fn never_binds(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    if !view.class(id).is_crossed() {
        return;
    }
    let short = ["read", "write"].into_iter().filter_map(|way| {
        let (limit, below) = (limit(view, id, way)?, below(view, id, way)?);
        (below < limit).then(|| {
            let [limit, below] = [limit, below].map(|rate| ByteRate(rate).human(System::Decimal));
            format!("{way} {limit}, but {below} hang below")
        })
    });
    let short: Vec<String> = short.collect();
    if short.is_empty() {
        return;
    }
    let about = About::advice(Rule::NeverBinds, view.declared(id));
    let says = format!("its ceiling cannot be reached: {}", short.join("; "));
    about.say(remarks, &[id], says, "to measure this ceiling, attach more below it");
}

fn limit(view: &View<'_>, id: PartId, way: &str) -> Option<u64> {
    let rate = view.system.byte_rate(id, way).or_else(|| view.system.byte_rate(id, "both"));
    rate.map(|rate| rate.0)
}

/// What everything in a part carries together; none where something in it has no limit.
fn below(view: &View<'_>, id: PartId, way: &str) -> Option<u64> {
    let inside = view.children[id.0].iter().copied();
    let carrying: Vec<PartId> =
        inside.filter(|child| view.class(*child) != Class::Software).collect();
    if carrying.is_empty() {
        return None;
    }
    let mut sum = 0_u64;
    for child in carrying {
        let own = limit(view, child, way);
        let inner = below(view, child, way);
        let least = own.into_iter().chain(inner).min()?;
        sum = sum.saturating_add(least);
    }
    Some(sum)
}
