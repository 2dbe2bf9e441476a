//! A picture of boxes in tiers with what flows between them, every figure already in words.

use super::{Column, Table};

/// Boxes in tiers.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    /// Its anchor, and the name of its CSV file: unique on the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub guide: String,
    /// From top to bottom.
    pub tiers: Vec<DiagramTier>,
    /// All boxes, which tiers name by position.
    pub boxes: Vec<DiagramBox>,
    /// Bands between boxes.
    pub bands: Vec<Band>,
    /// What a band of which width is: bytes a second, and in words.
    pub scale: Option<(f64, String)>,
    /// Every thing with all its figures.
    pub columns: Vec<Column>,
    /// The same as a table, for text.
    pub table: Table,
}

/// Boxes side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramTier {
    /// What they are.
    pub title: String,
    /// What is said of them together, a line each.
    pub notes: Vec<String>,
    /// Positions of the boxes.
    pub boxes: Vec<usize>,
}

/// One box.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramBox {
    /// Its name, in full.
    pub name: String,
    /// What it is, how many, what it carries: two short texts.
    pub about: [String; 2],
    /// The share that is used, from 0 to 1, of those that are least and most used.
    pub share: Option<(f64, f64)>,
    /// The same in words; where no share is known what else is worth a line.
    pub share_text: String,
    /// Whether it held the trial back.
    pub is_limit: bool,
    /// Everything known of it, name and value.
    pub details: Vec<(&'static str, String)>,
    /// What it stands for, where that is several things.
    pub members: Option<Table>,
}

/// A band from boxes to boxes further down.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Positions of the upper boxes, with bytes a second of each.
    pub uppers: Vec<(usize, f64)>,
    /// The lower ones.
    pub lowers: Vec<(usize, f64)>,
}
