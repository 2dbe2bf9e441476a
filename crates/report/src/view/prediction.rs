//! A case and what is predicted of it.

use iopath_analysis::{Prediction, predict};
use iopath_record::{CaseText, Fact, Record, Technique};
use serde::Serialize;

use super::case::{Case, technique};
use super::removal::{Carried, Removal};
use super::run::label;

/// One case and what is predicted of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictedCase {
    /// What was asked for.
    #[serde(with = "Case")]
    pub case: CaseText,
    /// Who answered.
    #[serde(serialize_with = "technique")]
    pub technique: Technique,
    /// What the record says.
    pub prediction: Prediction,
    /// What was taken out, and what there was before; none where all is there.
    #[serde(rename = "without")]
    pub removal: Option<Removal>,
}

impl PredictedCase {
    /// What a record predicts of its case.
    #[must_use]
    pub fn of(record: &Record, removal: Option<Removal>) -> Self {
        Self {
            case: record.case.clone(),
            technique: record.technique.clone(),
            prediction: predict(record),
            removal,
        }
    }

    /// What is left with parts taken out; none where every stream stops.
    pub(crate) fn left(&self) -> Option<Carried> {
        let has_stopped = Fact::NothingLeft.of(&self.prediction.facts).is_some();
        (!has_stopped).then(|| Carried::predicted(&self.prediction))
    }

    pub(crate) fn label(&self) -> String {
        label(&self.case.experiment, &self.case.levels)
    }
}
