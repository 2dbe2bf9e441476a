//! What `iopath validate --json` and `--field --json` print, as far as the page needs it. The keys
//! are described in docs/validating.md.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Validation {
    pub rows: Vec<Row>,
    pub studies: Vec<Study>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub study: String,
    pub figure: String,
    pub status: Status,
    pub published: String,
    /// A number where bounds claim the figure.
    pub analytic: Value,
    pub error_percent: Option<f64>,
    /// Begins with `met` or `missed` where that was judged.
    pub note: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Given,
    Check,
    Identity,
    Shape,
}

#[derive(Debug, Deserialize)]
pub(super) struct Study {
    pub study: String,
    pub origins: Origins,
    pub bounds: Technique,
    pub simulation: Option<Technique>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Origins {
    pub parameters: usize,
    pub given: usize,
    pub rated: usize,
    pub published: usize,
    pub inferred: usize,
    pub assumed: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Technique {
    pub checks: usize,
    pub checks_held: usize,
    pub mean_error_percent: Option<f64>,
    pub nearest_given: Option<NullMean>,
    pub capacities: Option<NullMean>,
}

/// The mean error of a null model, over so many checks.
#[derive(Debug, Deserialize)]
pub(super) struct NullMean {
    pub checks: usize,
    pub mean_error_percent: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Field {
    pub rows: Vec<FieldRow>,
    pub studies: Vec<FieldStudy>,
    pub ratings_error_percent: Option<f64>,
    pub calibrated_error_percent: Option<f64>,
    pub bounds: usize,
    pub bounds_below: usize,
    pub components: usize,
    pub components_right: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct FieldStudy {
    pub study: String,
    pub origins: Origins,
}

#[derive(Debug, Deserialize)]
pub(super) struct FieldRow {
    pub study: String,
    pub figure: String,
    pub published: String,
    pub ratings: Answer,
    pub calibrated: Option<Answer>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub error_percent: Option<f64>,
    pub is_right: Option<bool>,
}
