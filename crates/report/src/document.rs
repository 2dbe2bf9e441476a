//! What a command has to say, before anybody decides how it looks: sections of blocks, each a plain
//! value.
//!
//! ```text
//! view ──sections──▶ Document{[Section{[Block]}], [Part]} ──▶ text::render │ html::render
//! ```
//!
//! Text and page show the same blocks. What only one of them can show has its place in the other:
//! a diagram carries its table, which text prints; a fold is opened by a click, or by `--full`; a
//! case is chosen in a list, and `--full` prints all; figures are charts with their data, which
//! text leaves to the page. A figure holds its data once, as columns with names that end in their
//! unit; its chart, its CSV and what hovering shows are all made of these. JSON is made of findings
//! and not of blocks.

mod advice;
mod axis;
mod diagram;
mod figure;
mod table;

pub use advice::AdviceText;
pub use diagram::{Band, Diagram, DiagramBox, DiagramTier};
pub use figure::{Axis, Chart, Column, Figure, Mark, Quantile, Shade, Trace, Values};
pub use table::{Cells, Table};

use crate::look::Tone;
use crate::view::tree::NamedTree;
use crate::view::watched::Stored;

/// All that a command says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// What it is about, for the browser's title.
    pub title: String,
    /// One line about when, where and by which command.
    pub about: String,
    /// In the order of reading: the first is the answer.
    pub sections: Vec<Section>,
    /// Several runs or cases, each with sections of its own, which are not among those above.
    pub parts: Vec<Part>,
}

/// One of several runs or cases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Its anchor, and what the anchors of its sections begin with: unique in the document.
    pub id: String,
    pub title: String,
    /// One line about when, where and by which command.
    pub about: String,
    /// In the order of reading. Figures have anchors that are unique in the document.
    pub sections: Vec<Section>,
}

/// What is under one heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Its anchor: a word, the same in every document.
    pub id: &'static str,
    pub title: String,
    pub blocks: Vec<Block>,
}

/// What sections are made of.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a document has some hundred blocks")]
pub enum Block {
    /// The answer, in a sentence.
    Verdict(String),
    /// Figures of one case, large.
    Tiles(Vec<Tile>),
    /// A paragraph.
    Text(String),
    /// Lines of a list.
    Lines(Vec<String>),
    /// Commands to copy.
    Commands(Vec<String>),
    /// Text whose line breaks count: a study.
    Verbatim(String),
    /// A warning or a failed check.
    Notice(Notice),
    Table(Table),
    /// A chart with its data.
    Figure(Figure),
    /// Boxes in tiers.
    Diagram(Box<Diagram>),
    /// What is worth changing, each numbered.
    Advice(Vec<AdviceText>),
    /// Counters that were watched, as `iopath watch` shows them.
    Watched(Box<Stored>),
    /// Paths, as trees.
    Trees(Vec<NamedTree>),
    /// Blocks that a reader opens when they are wanted, under their title.
    Fold(String, Vec<Block>),
    /// The same of each case: the first is shown, a reader of the page chooses another.
    Cases(Vec<Case>),
}

/// What is shown of one case of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The number of its trial: unique in the run.
    pub trial: u32,
    pub title: String,
    /// May be empty.
    pub blocks: Vec<Block>,
}

/// A figure with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    pub name: String,
    pub value: String,
    /// What qualifies it, such as its interval; may be empty.
    pub note: String,
}

/// What a reader must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    /// A word for what it is; empty where the section says so.
    pub what: String,
    pub text: String,
}

impl Document {
    /// A document that is an answer alone.
    pub(crate) fn of_blocks(title: String, blocks: Vec<Block>) -> Self {
        let answer = Section { id: "verdict", title: "verdict".to_owned(), blocks };
        Self { title, sections: vec![answer], ..Self::default() }
    }
}

impl Section {
    /// A section, where it has anything to show.
    pub(crate) fn of(
        id: &'static str,
        title: impl Into<String>,
        blocks: Vec<Block>,
    ) -> Option<Self> {
        (!blocks.is_empty()).then(|| Self { id, title: title.into(), blocks })
    }
}

impl Block {
    /// Lines, where there are any.
    pub(crate) fn lines(lines: Vec<String>) -> Option<Self> {
        (!lines.is_empty()).then_some(Self::Lines(lines))
    }

    /// A table, where it has a row.
    pub(crate) fn table(table: Table) -> Option<Self> {
        (table.rows() > 0).then_some(Self::Table(table))
    }

    /// Blocks to be opened, where there are any.
    pub(crate) fn fold(title: impl Into<String>, blocks: Vec<Self>) -> Option<Self> {
        (!blocks.is_empty()).then(|| Self::Fold(title.into(), blocks))
    }

    pub(crate) fn warning(what: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Notice(Notice { tone: Tone::Warning, what: what.into(), text: text.into() })
    }

    pub(crate) fn broken(what: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Notice(Notice { tone: Tone::Broken, what: what.into(), text: text.into() })
    }
}
