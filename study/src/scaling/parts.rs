//! The values of a system, scaled: each by the kind of its value, wherever it stands.
//!
//! One size does not take part: the block of a file system that lies in one piece on one member
//! splits nothing, and files begin at whole blocks, so it stays a page at least.

use std::collections::BTreeMap;

use iopath_units::Bytes;

use super::Scale;
use super::checks::{PAGE, splits_at_blocks};
use crate::source::Sourced;
use crate::system::{Declared, Link, Part, PartId, System};
use crate::value::Value;

type Values = BTreeMap<&'static str, Sourced<Value>>;

pub(super) fn scaled(system: &System, scale: Scale) -> System {
    let mut whole = vec![false; system.declarations.len()];
    for id in system.ids().filter(|id| system.kind(*id) == "filesystem") {
        whole[system.part(id).declared] |= !splits_at_blocks(system, id);
    }
    let declared = |(at, declared): (usize, &Declared)| Declared {
        values: values(&declared.values, scale, whole[at]),
        rated: values(&declared.rated, scale, whole[at]),
        ..declared.clone()
    };
    let part = |id: PartId| {
        let part = system.part(id);
        Part { changed: values(&part.changed, scale, whole[part.declared]), ..part.clone() }
    };
    System {
        declarations: system.declarations.iter().enumerate().map(declared).collect(),
        parts: system.ids().map(part).collect(),
        wires: system.wires.iter().map(|link| delayed(link, scale)).collect(),
        zones: system.zones.clone(),
        multipath: system.multipath,
    }
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
