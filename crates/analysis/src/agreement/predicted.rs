//! What is published, what a technique says of it, and what a reader should know, as data: `report`
//! has the words. Percent are of what is named.

use serde::Serialize;

/// A statement as it is published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Published {
    /// As the study has it.
    Text(String),
    /// A metric along a factor.
    Along {
        /// What is stated.
        metric: String,
        /// Along which factor.
        factor: String,
    },
}

/// What a technique predicts of a statement; of a measurement, what it found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicted {
    /// The technique was not asked.
    Nothing,
    /// A number.
    Number(f64),
    /// The components that bind; empty where nothing does that is described.
    Components(Vec<String>),
    /// The level that is published as the best.
    OfBest {
        /// What it has of the best.
        share: f64,
        /// Which level is the best.
        level: String,
    },
    /// A metric along a factor falls.
    Falls {
        /// At this level.
        at: String,
    },
    /// A metric along a factor neither falls nor rises.
    Flat {
        /// How many levels it has.
        levels: usize,
    },
    /// A metric along a factor rises and falls nowhere.
    Rises {
        /// How many levels it has.
        levels: usize,
    },
    /// Something decides that no bound accounts for.
    NeedsSimulation,
}

/// What a reader should know of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// Which case it is of: the levels that the figure leaves open.
    Levels(Vec<OpenLevel>),
    /// So many percent above the only edge.
    AboveEdge(f64),
    /// So many percent below the only edge.
    BelowEdge(f64),
    /// Between two edges, so many percent from the nearer one.
    Inside(f64),
    /// The bound lies so many percent above what is published.
    BoundAbove(f64),
    /// The bound lies so many percent below what is published, so the model is wrong.
    BoundBelow(f64),
    /// No case has the levels of the figure.
    NoCase,
    /// Some of its cases were not run.
    NotRun,
}

/// A level of a factor that a figure leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenLevel {
    /// Name of the factor.
    pub factor: String,
    /// Title of the level.
    pub level: String,
}

/// Why only a simulation can claim a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// As the study or the analytic model names it.
    Named(String),
    /// A bound has no such metric.
    NoBound(String),
}
