//! The values of a system, scaled: each by the kind of its value, wherever it stands.
//!
//! One size does not take part: the block of a file system that lies in one piece on one member
//! splits nothing, and files begin at whole blocks, so it stays a page at least.

use std::collections::BTreeMap;

use iopath_units::Bytes;

use super::Scale;
use super::checks::{PAGE, splits_at_blocks};
use super::left_out::{self, Usual};
use crate::source::{Origin, Sourced, Span};
use crate::system::{Declared, Link, Part, PartId, System};
use crate::value::Value;

type Values = BTreeMap<&'static str, Sourced<Value>>;

pub(super) fn scaled(system: &System, scale: Scale) -> System {
    let mut whole = vec![false; system.declarations.len()];
    for id in system.ids().filter(|id| system.kind(*id) == "filesystem") {
        whole[system.part(id).declared] |= !splits_at_blocks(system, id);
    }
    let left_out = |id| left_out::of(system, id).filter(|_| scale.divisor > 1);
    let left_out: Vec<Option<Usual>> = system.ids().map(left_out).collect();
    let alike = left_out::alike(system, &left_out);
    let declared = |(at, declared): (usize, &Declared)| {
        let mut all = values(&declared.values, scale, whole[at]);
        all.extend(alike[at].map(|usual| stated(usual, scale, declared.span)));
        let rated = values(&declared.rated, scale, whole[at]);
        Declared { values: all, rated, ..declared.clone() }
    };
    let part = |id: PartId| {
        let part = system.part(id);
        let mut changed = values(&part.changed, scale, whole[part.declared]);
        let own = left_out[id.0].filter(|_| alike[part.declared].is_none());
        changed.extend(own.map(|usual| stated(usual, scale, system.declared(id).span)));
        Part { changed, ..part.clone() }
    };
    System {
        declarations: system.declarations.iter().enumerate().map(declared).collect(),
        parts: system.ids().map(part).collect(),
        wires: system.wires.iter().map(|link| delayed(link, scale)).collect(),
        zones: system.zones.clone(),
        multipath: system.multipath,
        scale: scale.of(system.scale),
    }
}

/// What a study leaves out, as if it stood there.
fn stated((property, size): Usual, scale: Scale, span: Span) -> (&'static str, Sourced<Value>) {
    let value = Value::Size(scale.size(size));
    (property, Sourced { value, origin: Origin::Unstated, span })
}

fn delayed(link: &Link, scale: Scale) -> Link {
    let latency = link.latency.clone();
    let latency = latency.map(|time| Sourced { value: scale.time(time.value), ..time });
    Link { latency, ..link.clone() }
}

fn values(values: &Values, scale: Scale, keeps_page: bool) -> Values {
    let scaled = |(name, sourced): (&&'static str, &Sourced<Value>)| {
        let value = match &sourced.value {
            Value::Size(size) if keeps_page && *name == "block" => {
                let least = Bytes(size.0.min(PAGE));
                Value::Size(scale.size(*size).max(least))
            }
            value => one(value, scale),
        };
        (*name, Sourced { value, ..sourced.clone() })
    };
    values.iter().map(scaled).collect()
}

fn one(value: &Value, scale: Scale) -> Value {
    match value {
        Value::Size(size) => Value::Size(scale.size(*size)),
        Value::Time(time) => Value::Time(scale.time(*time)),
        Value::Rate(rate) => Value::Rate(scale.rate(*rate)),
        same @ (Value::Count(_)
        | Value::Share(_)
        | Value::Number(_)
        | Value::Flag(_)
        | Value::Word(_)
        | Value::Text(_)
        | Value::Selector(_)
        | Value::Paths(_)
        | Value::PropertyPath(_)
        | Value::Failed) => same.clone(),
    }
}
