//! The processor time of software that nobody states: a host with processors and without `cost` has
//! the catalogue's typical one, as assumed.
//!
//! It is declared before assignments are made, so it can be set like any other:
//! `--set server.cost.request=4us`, or `--set server.cost.use=free` to count none.

use std::collections::BTreeMap;

use crate::declaration::Declaration;
use crate::language::Kind;
use crate::mistake::Collected;
use crate::parts::Parts;
use crate::source::{Origin, Sourced, Span};
use crate::value::Value;

/// The part of the catalogue: io_uring with interrupts, what programs get without tuning.
const COST: &str = "linux-io_uring";

/// Adds the costs that a path leaves out.
pub(crate) fn add_costs(path: &mut [Declaration], parts: &Parts) {
    for row in path {
        match row.kind.name {
            "host" if is_without_cost(row, parts) => {
                // Behind its name, where nothing else stands: each needs a place of its own.
                let span = Span { start: row.span.end, ..row.span };
                row.children.extend(Kind::named("cost").map(|kind| cost(kind, span)));
            }
            "host" => {}
            _ => add_costs(&mut row.children, parts),
        }
    }
}

/// Whether a host has processors, and nothing says what a request costs them.
fn is_without_cost(host: &Declaration, parts: &Parts) -> bool {
    let is_cost = |row: &Declaration| row.kind.name == "cost" || row.name == "cost";
    !has(host, &is_cost) && has(host, &|row| states_cpus(row, parts))
}

/// Whether a declaration, or anything in it, is so.
fn has(row: &Declaration, is: &impl Fn(&Declaration) -> bool) -> bool {
    is(row) || row.children.iter().any(|child| has(child, is))
}

/// Whether it has processors, itself or by its part.
fn states_cpus(row: &Declaration, parts: &Parts) -> bool {
    let mut merged = [Declaration { children: Vec::new(), ..row.clone() }];
    // Mistakes are collected when the case is made.
    parts.merge(&mut merged, &mut Collected::default());
    merged[0].values.contains_key("cpus")
}

fn cost(kind: &'static Kind, span: Span) -> Declaration {
    let part = Value::Text(COST.to_owned());
    let part = Sourced { value: part, origin: Origin::Assumed, span };
    Declaration {
        kind,
        name: kind.name.to_owned(),
        span,
        values: BTreeMap::from([("use", part)]),
        rated: BTreeMap::new(),
        children: Vec::new(),
    }
}
