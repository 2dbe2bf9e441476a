//! Text to a tree whose every word knows its place. The format is KDL 2 (<https://kdl.dev/spec/>)
//! without annotations on nodes; the crate `kdl` reads it. What that crate reports badly or could
//! not survive is found by a scan of the text beforehand. Nothing here knows kinds or properties.

mod nest;
pub(crate) mod scan;
mod tree;

use crate::mistake::{Collected, MistakeKind};
use crate::source::{Origin, Span, Text};

/// The largest study file.
const LONGEST_TEXT: usize = 4 << 20;

/// A node as written.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The word in front, and where it stands.
    pub kind: Word,
    /// Values without a key.
    pub arguments: Vec<Entry>,
    /// Values with a key, in order; a key may be there twice.
    pub properties: Vec<(Word, Entry)>,
    /// Nodes between the braces.
    pub children: Vec<Self>,
}

/// A word and its place.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub text: String,
    pub span: Span,
}

/// A value as written, not yet of any type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub written: Written,
    pub origin: Origin,
    pub span: Span,
}

/// The form and text of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub form: Form,
    /// Text without quotes; a number as its digits, a truth value as `true` or `false`.
    pub text: String,
}

/// In which form a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A string, quoted or not.
    Text,
    /// A number without quotes.
    Number,
    /// `#true` or `#false`.
    Flag,
    /// From outside a file, where nothing has quotes: whatever its property takes.
    Raw,
    /// Already reported: says nothing more.
    Failed,
}

/// Reads the whole text. Mistakes of the text are collected; the tree is empty where the text
/// could not be read at all.
pub(crate) fn read(text: &str, place: Text, collected: &mut Collected) -> Vec<Node> {
    let mut own = Collected::default();
    let mut nodes = read_study(text, &mut own);
    if place != Text::Study {
        nodes.iter_mut().for_each(|node| node.move_to(place));
        own.move_to(place);
    }
    collected.append(own);
    nodes
}

impl Node {
    /// Says that the node stands in another text.
    fn move_to(&mut self, place: Text) {
        self.kind.span.text = place;
        self.arguments.iter_mut().for_each(|entry| entry.span.text = place);
        for (key, entry) in &mut self.properties {
            key.span.text = place;
            entry.span.text = place;
        }
        self.children.iter_mut().for_each(|child| child.move_to(place));
    }
}

fn read_study(text: &str, collected: &mut Collected) -> Vec<Node> {
    if text.len() > LONGEST_TEXT {
        let message = format!("the file has {} bytes; at most {LONGEST_TEXT} are read", text.len());
        collected.add(MistakeKind::Limit, Span::study(0, 0), message);
        return Vec::new();
    }
    let Some(scanned) = scan::scan(text, collected) else { return Vec::new() };
    nest::read(&scanned, collected)
}
