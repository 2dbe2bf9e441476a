//! Builds of several studies next to one another.

use serde::Serialize;

use super::prediction::PredictedCase;

/// A case of one of several studies.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedBuild {
    /// The file of its study.
    pub file: String,
    /// What is predicted of it.
    #[serde(flatten)]
    pub case: PredictedCase,
    /// What is left with one of each component gone, least first.
    pub losses: Vec<OneLost>,
}

/// What is left with one component gone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneLost {
    /// Its declaration, without indexes.
    pub name: String,
    /// The one that was taken out.
    pub without: String,
    /// What is left, as a share of what there was.
    pub share_left: f64,
}
