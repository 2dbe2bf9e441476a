//! Properties that nothing uses: `theta` where no case has the pattern zipf, `reads` where none
//! mixes, `arrivals` where none has a rate. Stated for nothing they are a mistake; in the text of
//! one case they are left out.

use std::collections::BTreeSet;

use crate::declaration::Declaration;
use crate::language::Role;
use crate::mistake::{Collected, MistakeKind};
use crate::resolve::PARAMETERS;
use crate::scene::{Edit, Scene};
use crate::source::Text;
use crate::value::Value;
use crate::vary::Factor;

/// A property and the value of another one that makes it count; any value where it is `None`.
const NEEDS: [(&str, &str, Option<&str>); 6] = [
    ("reads", "op", Some("mix")),
    ("arrivals", "rate", None),
    ("lag", "behind", None),
    ("start-delay", "after", None),
    ("prepare", "after", None),
    ("load", "rate", None),
];

fn needs() -> impl Iterator<Item = (&'static str, &'static str, Option<&'static str>)> {
    let parameters = PARAMETERS.iter().map(|(name, pattern)| (*name, "pattern", Some(*pattern)));
    parameters.chain(NEEDS)
}

/// Reports what no case of an experiment uses.
pub(crate) fn check(
    scene: &Scene,
    (factors, indexed): (&[Factor], &[Edit]),
    collected: &mut Collected,
) {
    let Some(workload) = scene.workload() else { return };
    let rows = std::iter::once(workload).chain(scene.with_role(Role::Streams));
    for row in rows {
        for (property, other, value) in needs() {
            let Some(stated) = row.values.get(property) else { continue };
            let is_replaced = is_set(row, other) && !is_set(row, property);
            if is_replaced
                || varies(factors, other)
                || sets(indexed, other)
                || used(scene, row, other, value)
            {
                continue;
            }
            let needed = match value {
                Some(value) => format!("{other}=\"{value}\""),
                None if other == "rate" => "rate=\"20000 /s\"".to_owned(),
                None => format!("{other}=\"writer\""),
            };
            let message = format!("{property} counts only with {other}, as in {needed}");
            let hint = format!("add {needed}, or leave {property} out");
            collected.hinted(MistakeKind::Contradiction, stated.span, message, hint);
        }
    }
}

/// Whether a property was given from outside (`--set`): what the file states for the value that it
/// replaces is no mistake of the file.
fn is_set(row: &Declaration, property: &str) -> bool {
    row.values.get(property).is_some_and(|stated| matches!(stated.span.text, Text::Set(_)))
}

/// Whether any level sets a property of this name.
fn varies(factors: &[Factor], property: &str) -> bool {
    let levels = factors.iter().flat_map(|factor| &factor.levels);
    sets(levels.flat_map(|level| &level.edits), property)
}

/// Whether any of some edits sets a property of this name.
fn sets<'a>(edits: impl IntoIterator<Item = &'a Edit>, property: &str) -> bool {
    edits.into_iter().any(|edit| edit.property.name == property)
}

/// Whether the row, or for the workload any of its streams, has the value.
fn used(scene: &Scene, row: &Declaration, property: &str, value: Option<&str>) -> bool {
    let all = row.kind.role == Role::Workload;
    let mut streams = scene.with_role(Role::Streams).filter(|other| all || other.name == row.name);
    streams.any(|streams| {
        let stated = streams.values.get(property);
        let stated = stated.or_else(|| scene.workload()?.values.get(property));
        match (stated.map(|stated| &stated.value), value) {
            (Some(Value::Failed), _) | (Some(_), None) => true,
            (Some(stated), Some(value)) => stated.word() == Some(value),
            (None, _) => false,
        }
    })
}

/// The names that do not count in a scene, for one of its rows.
pub(crate) fn of(scene: &Scene, indexed: &[&Edit], row: &Declaration) -> BTreeSet<&'static str> {
    if !matches!(row.kind.role, Role::Workload | Role::Streams) {
        return BTreeSet::new();
    }
    let unused = needs().filter(|(_, other, value)| {
        !used(scene, row, other, *value) && !sets(indexed.iter().copied(), other)
    });
    unused.map(|(property, _, _)| property).collect()
}
