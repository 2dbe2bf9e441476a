//! Declarations: what a study says once, before `count` makes many of it. A declaration is read
//! by the row of the table for its kind; a value that is wrong is reported here and stays as
//! `Failed`, so that nothing that needs it reports a second mistake.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use iopath_units::{Bytes, Nanos, Ratio};

use crate::language::{KINDS, Kind, Label, Property, Role};
use crate::mistake::{Collected, MistakeKind};
use crate::nearest;
use crate::print::with_article;
use crate::selector::{Selector, is_name};
use crate::source::{Origin, Sourced, Span};
use crate::syntax::{Entry, Form, Node, Word, Written};
use crate::value::Value;

/// One declaration.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its row in the table.
    pub kind: &'static Kind,
    /// Its name; empty where it has none.
    pub name: String,
    /// The place of the name, else of the kind.
    pub span: Span,
    /// The values that are stated.
    pub values: BTreeMap<&'static str, Sourced<Value>>,
    /// What the part of `use` states where other values are stated here.
    pub rated: BTreeMap<&'static str, Sourced<Value>>,
    /// What it contains.
    pub children: Vec<Self>,
}

impl Declaration {
    /// The value of a property, from its default where nothing is stated.
    pub(crate) fn get(&self, name: &str) -> Option<Sourced<Value>> {
        let stated = self.values.get(name).cloned();
        stated.or_else(|| default(self.kind.property(name)?, self.span))
    }

    /// A selector with its place; `None` where there is none, or it failed.
    pub(crate) fn selector(&self, name: &str) -> Option<Sourced<Selector>> {
        let Sourced { value, origin, span } = self.values.get(name)?;
        let value = value.selector()?.clone();
        Some(Sourced { value, origin: origin.clone(), span: *span })
    }

    /// What a `bind` is of, by the names of the roots.
    pub(crate) fn bound_names(&self) -> Vec<&str> {
        let selector = self.values.get("from").and_then(|from| from.value.selector());
        let paths = selector.into_iter().flat_map(|selector| &selector.paths);
        paths.map(|path| path.steps[0].name.as_str()).collect()
    }

    /// How many of it; `None` where that is wrong.
    pub(crate) fn count(&self) -> Option<u32> {
        match self.get("count").map(|count| count.value) {
            Some(Value::Count(count)) => u32::try_from(count).ok(),
            Some(_) => None,
            None => Some(1),
        }
    }
}

/// The value that a property has where nothing is stated.
pub(crate) fn default(property: &Property, span: Span) -> Option<Sourced<Value>> {
    let written = Written { form: Form::Raw, text: property.default?.to_owned() };
    let value = Value::read(property.takes, &written).ok()?;
    Some(Sourced { value, origin: Origin::Unstated, span })
}

impl Value {
    pub(crate) fn size(&self) -> Option<Bytes> {
        if let Self::Size(size) = self { Some(*size) } else { None }
    }

    pub(crate) fn time(&self) -> Option<Nanos> {
        if let Self::Time(time) = self { Some(*time) } else { None }
    }

    pub(crate) fn share(&self) -> Option<Ratio> {
        match self {
            Self::Share(ratio) | Self::Number(ratio) => Some(*ratio),
            _ => None,
        }
    }

    pub(crate) fn count(&self) -> Option<u64> {
        if let Self::Count(count) = self { Some(*count) } else { None }
    }

    pub(crate) fn word(&self) -> Option<&'static str> {
        if let Self::Word(word) = self { Some(word) } else { None }
    }

    /// One of the words of a property; its table has no others than the enum.
    pub(crate) fn choice<T: FromStr>(&self) -> Option<T> {
        self.word()?.parse().ok()
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn selector(&self) -> Option<&Selector> {
        if let Self::Selector(selector) = self { Some(selector) } else { None }
    }
}

/// Reads nodes by the tables.
#[derive(Default)]
pub(crate) struct Reader {
    /// Mistakes so far.
    pub collected: Collected,
    /// Names that stand in nodes that could not be read: unknown elsewhere for that reason only.
    pub lost: BTreeSet<String>,
    /// A file that a path is taken from could not be read: any name may be unknown for that reason.
    pub blind: bool,
}

impl Reader {
    /// The nodes with kinds that may stand in `place`; the others are reported and lost.
    pub(crate) fn kinds<'a>(
        &mut self,
        nodes: &'a [Node],
        place: &str,
    ) -> Vec<(&'static Kind, &'a Node)> {
        let mut known = Vec::new();
        for node in nodes {
            match Kind::named(&node.kind.text) {
                Some(kind) if kind.within.contains(&place) => known.push((kind, node)),
                Some(kind) => {
                    self.misplaced(kind, node, place);
                    self.lose(node);
                }
                None => {
                    let message = format!("unknown kind \"{}\"", node.kind.text);
                    let here = KINDS.iter().filter(|kind| kind.within.contains(&place));
                    let hint = nearest::hint(&node.kind.text, here.map(|kind| kind.name));
                    self.collected.hinted(MistakeKind::UnknownKind, node.kind.span, message, hint);
                    self.lose(node);
                }
            }
        }
        known
    }

    fn misplaced(&mut self, kind: &Kind, node: &Node, place: &str) {
        let places = kind.within.iter().map(|place| match *place {
            "" => "at the top of the file",
            place => place,
        });
        let here = if place.is_empty() { "the top of the file" } else { place };
        let message = format!("{} does not belong in {here}", kind.name);
        let hint = format!("it belongs in: {}", places.collect::<Vec<_>>().join(", "));
        self.collected.hinted(MistakeKind::Misplaced, node.kind.span, message, hint);
    }

    /// Remembers all names of a tree that is not read; one without a name would be called like its
    /// kind, which may be misspelt.
    fn lose(&mut self, node: &Node) {
        let name = node.arguments.first().map_or(&node.kind.text, |name| &name.written.text);
        self.lost.insert(name.clone());
        if node.arguments.is_empty() {
            let kind = nearest::word(name, KINDS.iter().map(|kind| kind.name));
            self.lost.extend(kind.map(str::to_owned));
        }
        for child in &node.children {
            self.lose(child);
        }
    }

    /// Reads a node and what it contains.
    pub(crate) fn declaration(&mut self, kind: &'static Kind, node: &Node) -> Declaration {
        let (name, span) = self.name(kind, node);
        let values = self.values(kind, node);
        let children = self.kinds(&node.children, kind.name);
        let children: Vec<_> =
            children.into_iter().map(|(kind, node)| self.declaration(kind, node)).collect();
        self.unique(children.iter());
        if values.get("count").is_some_and(|count| count.value == Value::Failed) {
            self.lost.insert(name.clone());
        }
        Declaration { kind, name, span, values, rated: BTreeMap::new(), children }
    }

    /// Reports names that are there twice.
    pub(crate) fn unique<'a>(&mut self, siblings: impl Iterator<Item = &'a Declaration>) {
        let mut seen = BTreeMap::new();
        for declaration in siblings.filter(|declaration| !declaration.name.is_empty()) {
            let name = declaration.name.as_str();
            if let Some(kind) = seen.insert(name, declaration.kind.name) {
                let kind = with_article(kind);
                let message = format!("the name \"{name}\" is already used by {kind}");
                let hint = if declaration.kind.name == name {
                    format!("choose another name: {name} \"{name}2\"")
                } else {
                    String::new()
                };
                self.collected.hinted(MistakeKind::Duplicate, declaration.span, message, hint);
                self.lost.insert(name.to_owned());
            }
        }
    }

    fn name(&mut self, kind: &Kind, node: &Node) -> (String, Span) {
        let unnamed = match kind.label {
            Label::MaybeName => "",
            _ => kind.name,
        };
        let mut arguments = node.arguments.iter();
        let named = match kind.label {
            Label::Name | Label::MaybeName => arguments.next(),
            _ => None,
        };
        self.surplus(kind, arguments.as_slice());
        let Some(entry) = named else { return (unnamed.to_owned(), node.kind.span) };
        let text = &entry.written.text;
        if entry.written.form == Form::Failed {
            return (String::new(), entry.span);
        }
        if entry.written.form != Form::Text || !is_name(text) {
            let message = format!("\"{text}\" is not a valid name");
            let hint = "a name is a letter, then letters, digits, - and _";
            self.collected.hinted(MistakeKind::Value, entry.span, message, hint);
            // Others may say it as it was meant.
            let letters = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            self.lost.insert(text.chars().filter(letters).collect());
            return (String::new(), entry.span);
        }
        if text == "workload" {
            let message = "the name \"workload\" is reserved for the workload";
            self.collected.add(MistakeKind::Duplicate, entry.span, message);
            return (String::new(), entry.span);
        }
        (text.clone(), entry.span)
    }

    /// Reports arguments that nothing takes.
    pub(crate) fn surplus(&mut self, kind: &Kind, arguments: &[Entry]) {
        for entry in arguments.iter().filter(|entry| entry.written.form != Form::Failed) {
            let text = &entry.written.text;
            let message = format!("{} does not take \"{text}\" here", kind.name);
            let hint = if format!("1 {text}").parse::<Bytes>().is_ok() {
                format!("a quantity needs quotes, unit included: \"4 {text}\"")
            } else {
                "write property=\"value\"".to_owned()
            };
            self.collected.hinted(MistakeKind::Value, entry.span, message, hint);
        }
    }

    /// Reads the properties by the row of the kind.
    pub(crate) fn values(
        &mut self,
        kind: &'static Kind,
        node: &Node,
    ) -> BTreeMap<&'static str, Sourced<Value>> {
        let mut values = BTreeMap::new();
        for (key, entry) in self.properties(node) {
            match kind.property(&key.text) {
                Some(property) => {
                    values.insert(property.name, self.value(property, entry));
                }
                None => self.unknown_property(kind, key),
            }
        }
        values
    }

    /// Properties, each name once: that it is given again is a mistake.
    pub(crate) fn properties<'a>(&mut self, node: &'a Node) -> Vec<&'a (Word, Entry)> {
        let mut seen = BTreeSet::new();
        let is_new = |(key, _): &&'a (Word, Entry)| seen.insert(key.text.as_str());
        let (first, again): (Vec<_>, Vec<_>) = node.properties.iter().partition(is_new);
        for (key, _) in again {
            let message = format!("{} appears twice", key.text);
            self.collected.add(MistakeKind::Duplicate, key.span, message);
        }
        first
    }

    pub(crate) fn unknown_property(&mut self, kind: &Kind, key: &Word) {
        let message = format!("{} has no property \"{}\"", kind.name, key.text);
        let hint = nearest::hint(&key.text, kind.all_properties().map(|property| property.name));
        self.collected.hinted(MistakeKind::UnknownProperty, key.span, message, hint);
    }

    /// Reads one value; a wrong one is reported and failed.
    pub(crate) fn value(&mut self, property: &Property, entry: &Entry) -> Sourced<Value> {
        let value = match Value::read(property.takes, &entry.written) {
            Ok(value) => value,
            Err(unfit) => {
                let message = format!("{}: {}", property.name, unfit.message);
                self.collected.hinted(MistakeKind::Value, entry.span, message, unfit.hint);
                Value::Failed
            }
        };
        Sourced { value, origin: entry.origin.clone(), span: entry.span }
    }

    /// The one title that a kind takes, as a text.
    pub(crate) fn title(&mut self, kind: &Kind, node: &Node) -> Option<String> {
        self.surplus(kind, node.arguments.get(1..).unwrap_or_default());
        match node.arguments.first() {
            Some(entry) if entry.written.form == Form::Text && !entry.written.text.is_empty() => {
                Some(entry.written.text.clone())
            }
            Some(entry) => {
                let message = format!("the title of {} is a text in quotes", kind.name);
                self.collected.add(MistakeKind::Value, entry.span, message);
                None
            }
            None => {
                let message = format!("{} needs a title", kind.name);
                let hint = format!("{} \"title\"", kind.name);
                self.collected.hinted(MistakeKind::Missing, node.kind.span, message, hint);
                None
            }
        }
    }
}

/// Whether a declaration has bytes that streams can use.
pub(crate) fn is_target(declaration: &Declaration) -> bool {
    matches!(declaration.kind.role, Role::Target(_))
}
