//! Field studies: what bounds say of figures of systems that the models were not made for.

use iopath_analysis::agreement::{FieldAnswer, FieldStudy, Origins, Predicted, field_summary};
use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::words::validation::{published, shape};

#[derive(Serialize)]
struct Field<'a> {
    rows: Vec<Row<'a>>,
    studies: Vec<Of<'a>>,
    ratings_error_percent: Option<f64>,
    calibrated_error_percent: Option<f64>,
    bounds: usize,
    bounds_below: usize,
    components: usize,
    components_right: usize,
}

#[derive(Serialize)]
struct Row<'a> {
    study: &'a str,
    figure: &'a str,
    published: String,
    ratings: Answer,
    calibrated: Option<Answer>,
}

#[derive(Serialize)]
struct Answer {
    number: Option<f64>,
    words: Option<String>,
    error_percent: Option<f64>,
    is_right: Option<bool>,
}

/// A study: who states its parameters.
#[derive(Serialize)]
struct Of<'a> {
    study: &'a str,
    origins: Origins,
}

/// The rows and what they come to; keys are described in `docs/validating.md`.
#[must_use]
pub fn field_json(studies: &[FieldStudy]) -> Value {
    let all = field_summary(studies);
    let rows = studies.iter().flat_map(|study| {
        study.rows.iter().map(|row| Row {
            study: &study.study,
            figure: &row.figure,
            published: published(&row.published),
            ratings: answer(&row.ratings),
            calibrated: row.calibrated.as_ref().map(answer),
        })
    });
    let field = Field {
        rows: rows.collect(),
        studies: studies.iter().map(|one| Of { study: &one.study, origins: one.origins }).collect(),
        ratings_error_percent: all.ratings_percent,
        calibrated_error_percent: all.calibrated_percent,
        bounds: all.rates,
        bounds_below: all.below,
        components: all.places.0,
        components_right: all.places.1,
    };
    versioned("iopath-field/2", &field)
}

fn answer(of: &FieldAnswer) -> Answer {
    let number = if let Predicted::Number(number) = of.said { Some(number) } else { None };
    let FieldAnswer { error_percent, is_right, .. } = *of;
    Answer { number, words: shape(&of.said), error_percent, is_right }
}
