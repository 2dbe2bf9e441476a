//! A report before anybody says how it looks: sections of blocks, each a plain value.
//!
//! ```text
//! [RunView] ──compose──▶ Page{[Section{[Block]}], [Part]} ──html::render──▶ one file
//! ```
//!
//! A figure holds its data once, as columns with names that end in their unit; its chart, its CSV
//! and what hovering shows are all made of these. Sections know nothing of HTML, and renderers
//! nothing of findings.
//! It leaves out how a column is scaled for an axis: [`Axis`] names the unit, renderers divide.

mod agreement;
mod axis;
mod chosen;
mod comparison;
mod compose;
mod damage;
mod data;
mod diagram;
mod environment;
mod fairness;
mod latency;
mod over_time;
mod path;
mod sweep;
mod tiers;
mod time;
mod verdict;

pub use agreement::compose_validation;
pub use compose::{compose, compose_all};
pub use data::{Axis, Chart, Column, Figure, Mark, Quantile, Shade, Trace, Values};
pub use diagram::{Band, Diagram, DiagramBox, DiagramTier};

use crate::words::advice::AdviceText;

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What the page is of, for the browser's title.
    pub title: String,
    /// One line about when, where and by which command.
    pub about: String,
    /// In the order of reading.
    pub sections: Vec<Section>,
    /// The runs, where the page is of several; their sections are not among those above.
    pub parts: Vec<Part>,
}

/// One of several runs on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its anchor, and what the anchors of its sections begin with: unique on the page.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// One line about when, where and by which command.
    pub about: String,
    /// In the order of reading. Figures have anchors that are unique on the page.
    pub sections: Vec<Section>,
}

/// A part of a report under one heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its anchor: a word, the same in every report.
    pub id: &'static str,
    /// Its heading.
    pub title: String,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// What sections are made of.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a page has some hundred blocks")]
pub enum Block {
    /// The answer, in a sentence.
    Verdict(String),
    /// A paragraph.
    Text(String),
    /// Lines of a list.
    Lines(Vec<String>),
    /// Text whose line breaks count: a study, commands.
    Verbatim(String),
    /// A warning or a broken law: a word for what it is, and what it says.
    Notice(String, String),
    /// Rows of cells under headings.
    Table(Table),
    /// A chart with its data.
    Figure(Figure),
    /// Boxes in tiers.
    Diagram(Box<Diagram>),
    /// What is worth changing.
    Advice(Box<AdviceText>),
    /// Blocks that a reader opens when they are wanted, under their title.
    Fold(String, Vec<Block>),
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows, in a few words.
    pub title: String,
    /// Headings.
    pub head: Vec<String>,
    /// Cells, as they are read; rows are as long as the headings.
    pub rows: Vec<Vec<String>>,
}
