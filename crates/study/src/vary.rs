//! Factors and their levels. A level is a set of assignments: one for each value of
//! `factor NAME of=PATH level…`, any number in `factor NAME { level TITLE path=value… }`. Of counts
//! a text such as `"1 .. 16"` is each of them.

mod range;

use std::collections::{BTreeMap, BTreeSet};

use crate::declaration::Reader;
use crate::language::{Kind, ValueType};
use crate::mistake::MistakeKind;
use crate::scene::{Edit, Scene, property_path};
use crate::source::{Sourced, Span};
use crate::syntax::{Entry, Form, Node, Written};
use crate::value::{PropertyPath, Value};

/// What varies in an experiment.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Its name.
    pub name: String,
    /// The place of its name.
    pub span: Span,
    /// The property that takes the values of the levels, where there is one for all.
    pub of: Option<String>,
    /// Its levels, in order; at least one.
    pub levels: Vec<Level>,
}

/// One level of a factor.
#[derive(Clone, Debug)]
pub struct Level {
    /// The value or title as written.
    pub(crate) entry: Entry,
    pub(crate) edits: Vec<Edit>,
}

impl Level {
    /// Its title or value.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.entry.written.text
    }

    /// The paths of the properties that it gives a value, as `--set` names them.
    pub fn assigned(&self) -> impl Iterator<Item = String> + '_ {
        self.edits.iter().map(|edit| edit.path.to_string())
    }
}

/// What was read of `vary`.
#[derive(Default)]
pub(crate) struct Varied {
    pub factors: Vec<Factor>,
    /// Whether a path failed: what it would have set may be missing for that reason.
    pub incomplete: bool,
}

impl Varied {
    /// Reads the factors; those that cannot be used are reported and left out.
    pub(crate) fn read(node: &Node, scene: &Scene, reader: &mut Reader) -> Self {
        let mut varied = Self::default();
        if let Some(kind) = Kind::named("vary") {
            reader.values(kind, node);
            reader.surplus(kind, &node.arguments);
        }
        let mut names = BTreeSet::new();
        for (kind, node) in reader.kinds(&node.children, "vary") {
            let Some(factor) = varied.factor(kind, node, scene, reader) else {
                varied.incomplete = true;
                continue;
            };
            if !names.insert(factor.name.clone()) {
                let message = format!("there is already a factor \"{}\"", factor.name);
                reader.collected.add(MistakeKind::Duplicate, factor.span, message);
            }
            varied.factors.push(factor);
        }
        varied.conflicts(reader);
        varied
    }

    fn factor(
        &mut self,
        kind: &'static Kind,
        node: &Node,
        scene: &Scene,
        reader: &mut Reader,
    ) -> Option<Factor> {
        let values = reader.values(kind, node);
        let Some(title) = node.arguments.first().filter(|e| e.written.form == Form::Text) else {
            let message = "a factor needs a name in quotes, before its values";
            let hint = "factor \"block\" of=\"reader.block\" \"4 KiB\" \"64 KiB\"";
            reader.collected.hinted(MistakeKind::Missing, node.kind.span, message, hint);
            return None;
        };
        let blocks = reader.kinds(&node.children, kind.name);
        let (span, name) = (title.span, title.written.text.clone());
        let (of, levels) = match values.get("of") {
            Some(Sourced { value: Value::PropertyPath(path), origin, span }) => {
                for (kind, node) in &blocks {
                    let message = format!("a factor with of= has no {} inside", kind.name);
                    reader.collected.add(MistakeKind::Contradiction, node.kind.span, message);
                }
                let path = Sourced { value: path.clone(), origin: origin.clone(), span: *span };
                let levels = self.values(&path, &node.arguments[1..], scene, reader)?;
                (Some(path.value.to_string()), levels)
            }
            Some(_) => return None,
            None => (None, self.titled(node, &blocks, scene, reader)?),
        };
        if levels.is_empty() {
            if blocks.is_empty() {
                let message = format!("the factor \"{name}\" has no level");
                reader.collected.add(MistakeKind::Missing, span, message);
            }
            return None;
        }
        let factor = Factor { name, span, of, levels };
        check_levels(&factor, reader);
        Some(factor)
    }

    /// One level for each block.
    fn titled(
        &mut self,
        node: &Node,
        blocks: &[(&'static Kind, &Node)],
        scene: &Scene,
        reader: &mut Reader,
    ) -> Option<Vec<Level>> {
        if let Some(value) = node.arguments.get(1) {
            let message = "a factor with values needs the property that takes them";
            let hint = "add of=\"name.property\"";
            reader.collected.hinted(MistakeKind::Missing, value.span, message, hint);
            return None;
        }
        let levels = blocks.iter().filter_map(|(kind, node)| self.level(kind, node, scene, reader));
        Some(levels.collect())
    }

    /// One level for each value.
    fn values(
        &mut self,
        path: &Sourced<PropertyPath>,
        entries: &[Entry],
        scene: &Scene,
        reader: &mut Reader,
    ) -> Option<Vec<Level>> {
        let mut levels = Vec::new();
        for entry in entries {
            let each = range::each(entry).map_err(|message| {
                reader.collected.add(MistakeKind::Value, entry.span, message);
            });
            for entry in each.ok()? {
                let edit = scene.edit(reader, path, &entry)?;
                levels.push(Level { entry, edits: vec![edit] });
            }
        }
        if entries.is_empty() {
            // The path is checked although nothing takes it.
            let written = Written { form: Form::Failed, text: String::new() };
            let entry = Entry { written, origin: path.origin.clone(), span: path.span };
            scene.edit(reader, path, &entry)?;
        }
        Some(levels)
    }

    /// A level with a title and assignments.
    fn level(
        &mut self,
        kind: &'static Kind,
        node: &Node,
        scene: &Scene,
        reader: &mut Reader,
    ) -> Option<Level> {
        let title = node.arguments.first().filter(|entry| {
            matches!(entry.written.form, Form::Text | Form::Number)
                && !entry.written.text.is_empty()
        });
        reader.surplus(kind, node.arguments.get(1..).unwrap_or_default());
        reader.kinds(&node.children, kind.name);
        let edits = edits(node, scene, reader);
        self.incomplete |= edits.len() < node.properties.len();
        if title.is_none() {
            let message = "a level needs a title";
            let hint = "level \"title\" name.property=value";
            reader.collected.hinted(MistakeKind::Missing, node.kind.span, message, hint);
        }
        Some(Level { entry: title?.clone(), edits })
    }

    /// Two factors that set the same property would hide one another.
    fn conflicts(&self, reader: &mut Reader) {
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        for factor in &self.factors {
            let paths: BTreeSet<String> = factor
                .levels
                .iter()
                .flat_map(|level| level.edits.iter().map(|edit| edit.path.to_string()))
                .collect();
            for path in &paths {
                if let Some(other) = taken.get(path) {
                    let message = format!("{path} is set by the factor \"{other}\" already");
                    reader.collected.add(MistakeKind::Contradiction, factor.span, message);
                }
            }
            taken.extend(paths.into_iter().map(|path| (path, factor.name.as_str())));
        }
    }
}

/// The assignments of a node, one for each key.
pub(crate) fn edits(node: &Node, scene: &Scene, reader: &mut Reader) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (key, entry) in reader.properties(node) {
        let path = property_path(reader, &key.text, key.span);
        edits.extend(path.and_then(|path| scene.edit(reader, &path, entry)));
    }
    edits
}

fn check_levels(factor: &Factor, reader: &mut Reader) {
    if crate::published::is_metric(&factor.name) {
        let message = format!("a factor cannot be called \"{}\", like a metric", factor.name);
        reader.collected.add(MistakeKind::Duplicate, factor.span, message);
    }
    let mut titles = BTreeSet::new();
    for level in &factor.levels {
        if level.entry.written.form != Form::Failed && !titles.insert(level.title()) {
            let message = format!("the level \"{}\" appears twice", level.title());
            reader.collected.add(MistakeKind::Duplicate, level.entry.span, message);
        }
    }
}

impl Factor {
    /// Whether a text is one of its levels, as written or as a value.
    #[must_use]
    pub fn has_level(&self, text: &str) -> bool {
        let written = Written { form: Form::Raw, text: text.to_owned() };
        let takes = |level: &Level| -> Option<ValueType> {
            Some(level.edits.first().filter(|_| self.of.is_some())?.property.takes)
        };
        self.levels.iter().any(|level| {
            level.title() == text
                || takes(level).is_some_and(|takes| {
                    Value::read(takes, &written).is_ok_and(|v| v == level.edits[0].value.value)
                })
        })
    }
}
