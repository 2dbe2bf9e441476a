//! From nodes of the crate `kdl` to ours: origins read, places of values cut out of entries.

use std::ops::Range;

use kdl::{KdlDocument, KdlEntry, KdlError, KdlIdentifier, KdlNode, KdlValue};

use crate::mistake::{Collected, MistakeKind};
use crate::nearest;
use crate::source::{INFERENCE, Inference, ORIGINS, Origin, Span};
use crate::syntax::scan::Scanned;
use crate::syntax::{Entry, Form, Node, Word, Written};

/// The nodes that the words in a range of the text are, without their blocks. Mistakes are
/// collected.
pub(crate) fn read(scanned: &Scanned, range: Range<usize>, collected: &mut Collected) -> Vec<Node> {
    let base = range.start;
    let text = &scanned.text[range.clone()];
    // Reading ahead without the texts of strings keeps the crate's recovery from errors from
    // taking their braces for structure.
    let masked = scanned.masked.as_ref().map(|masked| &masked[range]);
    if let Some(masked) = masked.filter(|masked| *masked != text)
        && let Err(error) = KdlDocument::parse_v2(masked)
    {
        complain(&error, base, collected);
        return Vec::new();
    }
    match KdlDocument::parse_v2(text) {
        Ok(document) => {
            let mut reader = Reader { scanned, base, collected };
            document.nodes().iter().map(|node| reader.node(node)).collect()
        }
        Err(error) => {
            complain(&error, base, collected);
            Vec::new()
        }
    }
}

fn complain(error: &KdlError, base: usize, collected: &mut Collected) {
    for diagnostic in &error.diagnostics {
        let start = base + diagnostic.span.offset();
        let span = Span::study(start, start + diagnostic.span.len().max(1));
        let message = diagnostic.message.as_deref().unwrap_or("this cannot be read");
        let message = format!("not KDL 2: {}", message.to_lowercase());
        let hint = diagnostic.help.clone().unwrap_or_default();
        collected.hinted(MistakeKind::Syntax, span, message, hint);
    }
    if error.diagnostics.is_empty() {
        collected.add(MistakeKind::Syntax, Span::study(base, base + 1), "not KDL 2");
    }
}

struct Reader<'a> {
    scanned: &'a Scanned,
    /// Where the words begin that are read.
    base: usize,
    collected: &'a mut Collected,
}

impl Reader<'_> {
    fn node(&mut self, node: &KdlNode) -> Node {
        let kind = self.word(node.name());
        if let Some(ty) = node.ty() {
            let message = "an annotation belongs to a value, not to a node".to_owned();
            let span = self.word(ty).span;
            self.collected.add(MistakeKind::Syntax, span, message);
        }
        let (mut arguments, mut properties) = (Vec::new(), Vec::new());
        for entry in node.entries() {
            let value = self.entry(entry);
            match entry.name() {
                Some(name) => properties.push((self.word(name), value)),
                None => arguments.push(value),
            }
        }
        Node { kind, arguments, properties, children: Vec::new() }
    }

    fn entry(&mut self, entry: &KdlEntry) -> Entry {
        let end = self.base + entry.span().offset() + entry.span().len();
        let repr = entry.format().map_or("", |format| format.value_repr.as_str());
        let start = end.saturating_sub(repr.len());
        let origin = entry.ty().map_or(Origin::Unstated, |ty| self.origin(ty));
        let mut written = written(entry.value(), repr);
        if self.scanned.failed.binary_search(&start).is_ok() {
            written.form = Form::Failed;
        }
        Entry { written, origin, span: Span::study(start, end) }
    }

    fn origin(&mut self, ty: &KdlIdentifier) -> Origin {
        if ty.repr().is_some_and(|repr| repr.contains('"')) {
            return self.quoted(ty);
        }
        if let Some((_, origin)) = ORIGINS.into_iter().find(|(name, _)| *name == ty.value()) {
            return origin;
        }
        let message = format!("unknown origin ({})", ty.value());
        let hint = match Inference::is_meant(ty.value()) {
            true => format!("name the figure and the hypothesis: {INFERENCE}"),
            false => {
                let hint = nearest::hint(ty.value(), ORIGINS.iter().map(|(name, _)| *name));
                format!("{hint}; quote the title of a source: (\"title\")")
            }
        };
        let span = self.word(ty).span;
        self.collected.hinted(MistakeKind::Value, span, message, hint);
        Origin::Unstated
    }

    /// The title of a source, or what a value was inferred from.
    fn quoted(&mut self, ty: &KdlIdentifier) -> Origin {
        if !Inference::is_meant(ty.value()) {
            return Origin::Published(ty.value().to_owned());
        }
        Inference::read(ty.value()).map_or_else(
            || {
                let message = "an inferred value names a figure and a hypothesis".to_owned();
                let span = self.word(ty).span;
                let hint = format!("write: {INFERENCE}");
                self.collected.hinted(MistakeKind::Value, span, message, hint);
                Origin::Unstated
            },
            Origin::Inferred,
        )
    }

    fn word(&self, identifier: &KdlIdentifier) -> Word {
        let start = self.base + identifier.span().offset();
        let text = identifier.value().to_owned();
        Word { text, span: Span::study(start, start + identifier.span().len()) }
    }
}

fn written(value: &KdlValue, repr: &str) -> Written {
    let (form, text) = match value {
        KdlValue::String(text) => (Form::Text, text.clone()),
        KdlValue::Integer(number) => (Form::Number, number.to_string()),
        KdlValue::Float(_) => (Form::Number, repr.to_owned()),
        KdlValue::Bool(flag) => (Form::Flag, flag.to_string()),
        KdlValue::Null => (Form::Flag, "null".to_owned()),
    };
    Written { form, text }
}
