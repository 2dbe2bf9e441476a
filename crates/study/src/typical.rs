//! The processor time of software that nobody states: a host with processors and without `cost` has
//! the catalogue's typical one, as assumed.
//!
//! It is declared before assignments are made, so it can be set like any other
//! (`--set server.cost.request=4us`, or `--set server.cost.use=free` to count none), and goes where
//! the host has no processors after them.

use std::collections::BTreeMap;

use crate::declaration::Declaration;
use crate::language::Kind;
use crate::source::{Origin, Sourced, Span};
use crate::value::Value;

/// The part of the catalogue: io_uring with interrupts, what programs get without tuning.
const COST: &str = "linux-io_uring";

/// Adds the costs that a path leaves out.
pub(crate) fn add_costs(path: &mut [Declaration]) {
    for row in path {
        if row.kind.name != "host" {
            add_costs(&mut row.children);
        } else if !row.children.iter().any(is_cost) {
            // Behind its name, where nothing else stands: each needs a place of its own.
            let span = Span { start: row.span.end, ..row.span };
            row.children.extend(Kind::named("cost").map(|kind| cost(kind, span)));
        }
    }
}

/// Removes those of hosts that have no processors, once all parts are merged in.
pub(crate) fn drop_idle_costs(path: &mut [Declaration]) {
    for row in path {
        match row.kind.name {
            "host" if !has_processors(row) => row.children.retain(|child| !is_added(child)),
            "host" => {}
            _ => drop_idle_costs(&mut row.children),
        }
    }
}

/// Whether a declaration is such a cost, and not one that somebody wrote.
pub(crate) fn is_added(row: &Declaration) -> bool {
    row.kind.name == "cost" && row.span.start == row.span.end
}

/// Whether it has processors, or something in it has.
pub(crate) fn has_processors(row: &Declaration) -> bool {
    row.values.contains_key("cpus") || row.children.iter().any(has_processors)
}

/// A part of another kind may be called so.
fn is_cost(row: &Declaration) -> bool {
    row.kind.name == "cost" || row.name == "cost"
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
