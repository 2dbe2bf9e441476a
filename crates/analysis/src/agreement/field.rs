//! Field studies: systems that the models were not made for. Their bounds are taken twice, from
//! ratings alone and calibrated on given figures: the levels of a factor called `basis`.
//!
//! The bound stands for a figure also where a simulation would decide it, since that is what a plan
//! from data sheets has. Courses and ratios of more than one case are judged as anywhere else.

use iopath_study::Study;
use serde::Serialize;

use super::{Agreement, Answers, Origins, Outcome, Predicted, Published, Status, Unit, agree};
use crate::statistics::{mean, median};

/// The factor that says what a case knows.
const BASIS: &str = "basis";

/// What a case knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Ratings and the catalogue.
    Ratings,
    /// Besides, what the given figures say.
    Calibrated,
}

impl Basis {
    fn level(self) -> &'static str {
        match self {
            Self::Ratings => "ratings",
            Self::Calibrated => "calibrated",
        }
    }
}

/// What the bounds of a field study come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldStudy {
    /// Its title.
    pub study: String,
    /// A row for each check with a number, and for each place that limits.
    pub rows: Vec<FieldRow>,
    /// Who states its parameters; those that a level sets are not counted.
    pub origins: Origins,
}

/// A published figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldRow {
    /// Its title and metric.
    pub figure: String,
    /// As it is published.
    pub published: Published,
    /// What numbers of it are in.
    pub unit: Unit,
    /// From ratings alone.
    pub ratings: FieldAnswer,
    /// Calibrated; none where the study has nothing to calibrate on.
    pub calibrated: Option<FieldAnswer>,
}

/// What a bound says of a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldAnswer {
    /// A number, or the components that bind.
    pub said: Predicted,
    /// How far a number is off, signed.
    pub error_percent: Option<f64>,
    /// Whether the right component is named; none of numbers.
    pub is_right: Option<bool>,
}

/// What field studies come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FieldSummary {
    /// From ratings alone: mean over studies of the means of their absolute errors, in percent.
    pub ratings_percent: Option<f64>,
    /// From ratings alone: rates that the bound lies more than [`BELOW_PERCENT`] below.
    pub below: usize,
    /// Figures that are rates.
    pub rates: usize,
    /// Calibrated: median of the absolute errors, in percent.
    pub calibrated_percent: Option<f64>,
    /// Places that limit, and how many of them the ratings name rightly.
    pub places: (usize, usize),
}

/// No bound lies below what was measured; doubt about units and rounding apart: chosen.
pub const BELOW_PERCENT: f64 = 5.0;

/// The rows of a study; `answers` are those to the cases of each of its experiments.
#[must_use]
pub fn field(study: &Study, answers: &[&[Answers]]) -> FieldStudy {
    let ratings = rows(study, answers, Basis::Ratings);
    let mut calibrated = rows(study, answers, Basis::Calibrated).into_iter();
    let is_calibrated = calibrated.len() == ratings.len();
    let row = |of: Agreement| FieldRow {
        calibrated: calibrated.next().filter(|_| is_calibrated).map(|row| FieldAnswer::of(&row)),
        ratings: FieldAnswer::of(&of),
        figure: of.figure,
        published: of.published,
        unit: of.unit,
    };
    FieldStudy {
        study: study.title.clone(),
        rows: ratings.into_iter().map(row).collect(),
        origins: Origins::of(study),
    }
}

/// Statements that are no given, of the cases of one basis.
fn rows(study: &Study, answers: &[&[Answers]], basis: Basis) -> Vec<Agreement> {
    let mut all = Vec::new();
    for (experiment, answers) in study.experiments.iter().zip(answers) {
        let is_meant = |one: &&Answers| {
            let mut levels = one.case.levels.iter();
            levels.any(|level| level.factor == BASIS && level.level == basis.level())
        };
        let own: Vec<Answers> = answers.iter().filter(is_meant).cloned().collect();
        if !own.is_empty() {
            let found = agree(&study.experiments, experiment, &own);
            all.extend(found.into_iter().filter(|row| row.status != Status::Given));
        }
    }
    all
}

impl FieldAnswer {
    fn of(row: &Agreement) -> Self {
        let bound = row.bound.map(Predicted::Number);
        let said = bound.unwrap_or_else(|| row.analytic.clone());
        let is_place = matches!(said, Predicted::Components(_));
        Self {
            error_percent: row.by_analytic.error_percent.or(row.bound_error_percent),
            is_right: is_place.then_some(row.by_analytic.outcome == Outcome::Met),
            said,
        }
    }
}

/// What all of them come to.
#[must_use]
pub fn field_summary(studies: &[FieldStudy]) -> FieldSummary {
    let of_study = |study: &FieldStudy| {
        let errors = study.rows.iter().filter_map(|row| row.ratings.error_percent);
        mean(&errors.map(f64::abs).collect::<Vec<_>>())
    };
    let means: Vec<f64> = studies.iter().filter_map(of_study).collect();
    let rows = || studies.iter().flat_map(|study| &study.rows);
    let is_rate = |row: &&FieldRow| matches!(row.unit, Unit::BytesPerSec | Unit::OperationsPerSec);
    let rates = rows().filter(is_rate).filter_map(|row| row.ratings.error_percent);
    let rates: Vec<f64> = rates.collect();
    let calibrated = rows().filter_map(|row| row.calibrated.as_ref()?.error_percent);
    let places: Vec<bool> = rows().filter_map(|row| row.ratings.is_right).collect();
    FieldSummary {
        ratings_percent: mean(&means),
        below: rates.iter().filter(|error| **error < -BELOW_PERCENT).count(),
        rates: rates.len(),
        calibrated_percent: median(calibrated.map(f64::abs).collect()),
        places: (places.len(), places.iter().filter(|is_right| **is_right).count()),
    }
}
