//! Parts: sets of values that `use` names, from the `parts` of the study's files and from the
//! catalogue that comes with the program. What a declaration states goes before what its part
//! states; a part may itself use another. Parts are merged in after all assignments, so that a
//! level may choose one. Where it is assumed which part it is, so are its values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::declaration::{Declaration, Reader};
use crate::language::Kind;
use crate::mistake::{Collected, MistakeKind};
use crate::nearest;
use crate::print::with_article;
use crate::source::{Origin, Sourced, Span, Text};
use crate::syntax;
use crate::value::Value;

/// The catalogue as it is shipped.
pub(crate) const CATALOGUE: &str = include_str!("catalogue.kdl");

/// Its parts, and its mistakes: none, which a test asserts.
static SHIPPED: LazyLock<(Vec<Declaration>, Collected)> = LazyLock::new(|| {
    let mut reader = Reader::default();
    let mut parts = Vec::new();
    for node in syntax::read(CATALOGUE, Text::Catalogue, &mut reader.collected) {
        if let Some(kind) = Kind::named("parts") {
            parts.append(&mut section(&reader.declaration(kind, &node), &mut reader.collected));
        }
    }
    (parts, reader.collected)
});

/// What the catalogue states of a part: properties, and their values as a study writes them.
/// `None` where it has no such part.
#[must_use]
pub fn catalogue_part(name: &str) -> Option<Vec<(&'static str, String)>> {
    let part = SHIPPED.0.iter().find(|part| part.name == name)?;
    Some(part.values.iter().map(|(name, value)| (*name, value.value.to_string())).collect())
}

/// Parts of the catalogue that a hint names at most: chosen.
const MOST_NAMED: usize = 6;

/// How many parts may use one another (chosen).
const LONGEST_CHAIN: usize = 16;

/// Everything that `use` may name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    /// Of the study and the files that it includes, by name; each knows its text by its span.
    own: BTreeMap<String, Vec<Declaration>>,
    /// Names of what could not be read: a missing one of these is no second mistake.
    lost: BTreeSet<String>,
    /// Whether a whole file could not be read.
    blind: bool,
}

/// Takes over what a part states, unless the declaration states it itself.
fn state(row: &mut Declaration, property: &'static str, value: &Sourced<Value>) {
    match row.values.get(property) {
        None => {
            row.values.insert(property, value.clone());
        }
        Some(own) if own.value != value.value => {
            row.rated.entry(property).or_insert_with(|| value.clone());
        }
        Some(_) => {}
    }
}

/// The parts of a `parts` section; what is not only values is reported.
pub(crate) fn section(row: &Declaration, collected: &mut Collected) -> Vec<Declaration> {
    for part in &row.children {
        if let Some(inside) = part.children.first() {
            let message = "a part is a set of values and contains nothing";
            let hint = format!("write the {} where the part is used", inside.kind.name);
            collected.hinted(MistakeKind::Misplaced, inside.span, message, hint);
        }
        if let Some(count) = part.values.get("count") {
            let message = "a part has no count; set it where the part is used";
            collected.add(MistakeKind::Misplaced, count.span, message);
        }
    }
    row.children.clone()
}

impl Parts {
    /// The parts of all files, in order; whoever read them knows what could not be read.
    pub(crate) fn new(all: Vec<Declaration>, reader: &Reader) -> Self {
        let mut own: BTreeMap<String, Vec<Declaration>> = BTreeMap::new();
        for part in all {
            own.entry(part.name.clone()).or_default().push(part);
        }
        Self { own, lost: reader.lost.clone(), blind: reader.blind }
    }

    /// Merges parts into all declarations; `use` itself is gone then.
    pub(crate) fn merge(&self, rows: &mut [Declaration], collected: &mut Collected) {
        for row in rows {
            if let Some(name) = row.values.remove("use") {
                self.merge_one(row, name, collected);
            }
            self.merge(&mut row.children, collected);
        }
    }

    /// Reports parts that use what they cannot.
    pub(crate) fn check(&self, collected: &mut Collected) {
        let mut all: Vec<_> = self.own.values().flatten().cloned().collect();
        self.merge(&mut all, collected);
    }

    fn merge_one(&self, row: &mut Declaration, name: Sourced<Value>, collected: &mut Collected) {
        let is_assumed = name.origin == Origin::Assumed;
        let mut seen = BTreeSet::new();
        let mut next = Some(name);
        while let Some(name) = next {
            let Value::Text(text) = &name.value else { return };
            let Some(part) = self.find(text, name.span.text) else {
                self.unknown(text, name.span, collected);
                return;
            };
            if !seen.insert(part.span) {
                self.circle(part, collected);
                return;
            }
            if seen.len() > LONGEST_CHAIN {
                let message = format!("more than {LONGEST_CHAIN} parts use one another");
                collected.add(MistakeKind::Limit, name.span, message);
                return;
            }
            for (property, value) in &part.values {
                match *property {
                    "use" | "count" => {}
                    _ if row.kind.property(property).is_none() => {
                        let message = format!(
                            "{} has no property \"{property}\", which the part \"{text}\" states",
                            row.kind.name
                        );
                        let hint = instead(part, row);
                        collected.hinted(MistakeKind::UnknownProperty, name.span, message, hint);
                    }
                    _ if is_assumed => {
                        let origin = Origin::Assumed;
                        state(row, property, &Sourced { origin, ..value.clone() });
                    }
                    _ => state(row, property, value),
                }
            }
            next = part.values.get("use").cloned();
        }
    }

    /// Reports parts that use one another in a circle, at the first of them.
    fn circle(&self, part: &Declaration, collected: &mut Collected) {
        let next = |part: &Declaration| {
            let name = part.values.get("use")?;
            self.find(name.value.text()?, name.span.text)
        };
        let others = std::iter::successors(next(part), |other| next(other));
        let others = others.take_while(|other| other.span != part.span);
        let first = others.chain([part]).min_by_key(|part| part.span).unwrap_or(part);
        let span = first.values.get("use").map_or(first.span, |name| name.span);
        let message = format!("the part \"{}\" uses itself", first.name);
        collected.add(MistakeKind::Contradiction, span, message);
    }

    /// The part of this name: of the text that names it, else of any other file, else shipped.
    fn find(&self, name: &str, text: Text) -> Option<&Declaration> {
        let named = self.own.get(name).map_or(&[][..], Vec::as_slice);
        let near = named.iter().find(|part| part.span.text == text);
        let shipped = || SHIPPED.0.iter().find(|part| part.name == name);
        near.or_else(|| named.first()).or_else(shipped)
    }

    fn unknown(&self, name: &str, span: Span, collected: &mut Collected) {
        if self.blind || self.lost.contains(name) {
            return;
        }
        let known =
            self.own.keys().chain(SHIPPED.0.iter().map(|part| &part.name)).map(String::as_str);
        let hint = nearest::hint(name, known);
        let message = format!("there is no part \"{name}\"");
        collected.hinted(MistakeKind::UnknownName, span, message, hint);
    }
}

/// What a part is that does not fit, and those of the catalogue that may.
fn instead(part: &Declaration, row: &Declaration) -> String {
    let is = format!("\"{}\" is {}", part.name, with_article(part.kind.name));
    let fits = |other: &&Declaration| other.kind.name == row.kind.name;
    let fitting: Vec<String> =
        SHIPPED.0.iter().filter(fits).map(|other| format!("\"{}\"", other.name)).collect();
    match fitting.as_slice() {
        _ if part.kind.name == row.kind.name => is,
        [] => is,
        [only] => format!("{is}; for {} use {only}", row.kind.name),
        [names @ .., last] if names.len() < MOST_NAMED => {
            let names = names.join(", ");
            format!("{is}; for {} use {names} or {last}", row.kind.name)
        }
        _ => format!("{is}; use {} of the catalogue", with_article(row.kind.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_no_mistake() {
        let (parts, mistakes) = &*SHIPPED;
        assert_eq!(mistakes.len(), 0, "{mistakes:?}");
        let mut collected = Collected::default();
        Parts::default().merge(&mut parts.clone(), &mut collected);
        assert_eq!(collected.len(), 0, "{collected:?}");
        let names: BTreeSet<_> = parts.iter().map(|part| &part.name).collect();
        assert_eq!(names.len(), parts.len());
    }
}
