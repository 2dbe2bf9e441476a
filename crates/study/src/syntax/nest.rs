//! The words of each node read one after the other, and the blocks between braces put below them.
//!
//! The crate `kdl` would read the whole text at once, but it goes one level down the stack for each
//! mistake that it recovers from, and keeps a kilobyte for each word until the end. Of one node
//! without its block it needs little of both, however long the text is.

use std::ops::Range;

use crate::mistake::{Collected, MistakeKind};
use crate::source::Span;
use crate::syntax::scan::{Edge, Mark, Scanned};
use crate::syntax::{Node, tree};

/// Mistakes behind which nothing more is read (chosen: several times those that are shown).
const ENOUGH: usize = 2_000;

/// What takes out the next node, value or block.
const SLASHDASH: &str = "/-";

/// All nodes of a text; none where it has a mistake.
pub(crate) fn read(scanned: &Scanned, collected: &mut Collected) -> Vec<Node> {
    let mut nest =
        Nest { scanned, marks: scanned.marks.iter(), at: 0, wrong: Collected::default() };
    let mut nodes = Vec::new();
    while nest.marks.len() > 0 {
        nodes.extend(nest.block());
    }
    if nest.wrong.len() > 0 {
        nodes.clear();
    }
    collected.append(nest.wrong);
    nodes
}

struct Nest<'a> {
    scanned: &'a Scanned,
    marks: std::slice::Iter<'a, Mark>,
    /// Where the next words begin.
    at: usize,
    wrong: Collected,
}

/// Words up to an edge.
struct Head {
    range: Range<usize>,
    edge: Edge,
}

impl Nest<'_> {
    /// The nodes up to the end of a block, or of the text.
    fn block(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        while let Some(Head { range, edge }) = self.head() {
            let edge = match edge {
                Edge::Open => self.with_block(range, &mut nodes),
                Edge::Close | Edge::End => {
                    nodes.extend(self.words(range));
                    edge
                }
            };
            if edge == Edge::Close {
                break;
            }
        }
        nodes
    }

    /// A node whose words end in front of a brace. Returns what ends the node.
    fn with_block(&mut self, range: Range<usize>, nodes: &mut Vec<Node>) -> Edge {
        let mut brace = range.end;
        let text = self.scanned.text[range.clone()].trim_end();
        let mut is_out = text.ends_with(SLASHDASH);
        let words = if is_out { text.len() - SLASHDASH.len() } else { text.len() };
        let words = range.start..range.start + words;
        if self.scanned.text[words.clone()].trim().is_empty() {
            self.add(brace, "found child block instead of node name; write its kind in front");
        }
        let mut own = self.words(words);
        let mut is_there = false;
        let edge = loop {
            let block = self.block();
            if !is_out {
                if is_there {
                    self.add(brace, "a node has at most one block");
                }
                is_there = true;
                // Nothing is left of a node that is itself taken out.
                if let Some(node) = own.last_mut() {
                    node.children = block;
                }
            }
            let Some(Head { range, edge }) = self.head() else { break Edge::End };
            let rest = self.scanned.text[range.clone()].trim();
            is_out = rest == SLASHDASH && edge == Edge::Open;
            if !rest.is_empty() && !is_out {
                let start = range.end - self.scanned.text[range.clone()].trim_start().len();
                self.add(start, "after a } comes a new line or a ;");
            }
            if edge != Edge::Open {
                break edge;
            }
            brace = range.end;
        };
        nodes.append(&mut own);
        edge
    }

    fn words(&mut self, range: Range<usize>) -> Vec<Node> {
        match self.scanned.text[range.clone()].trim().is_empty() || self.wrong.len() > ENOUGH {
            true => Vec::new(),
            false => tree::read(self.scanned, range, &mut self.wrong),
        }
    }

    fn head(&mut self) -> Option<Head> {
        let Mark { at, edge } = *self.marks.next()?;
        let range = self.at..at;
        self.at = self.scanned.text.len().min(at + 1);
        Some(Head { range, edge })
    }

    fn add(&mut self, at: usize, message: &str) {
        self.wrong.add(
            MistakeKind::Syntax,
            Span::study(at, at + 1),
            format!("not KDL 2: {message}"),
        );
    }
}
