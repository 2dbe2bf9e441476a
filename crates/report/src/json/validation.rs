//! Published figures against what the techniques say, and how far check figures move with assumed
//! parameters: rows in the base units of their metrics. Neither has a version.

use iopath_analysis::agreement::{
    Agreement, Counts, Move, NullMean, Origins, Outcome, Predicted, Sensitivity, Status,
    StudyAgreement, Worst,
};
use serde::Serialize;
use serde_json::Value;

use super::value;
use crate::words::validation::technique;
use crate::words::validation::{need, notes, published, shape};

#[derive(Serialize)]
struct Rows<'a> {
    rows: Vec<Row<'a>>,
    studies: Vec<Of<'a>>,
}

/// What the rows of a study come to, and who states its parameters.
#[derive(Serialize)]
struct Of<'a> {
    study: &'a str,
    origins: Origins,
    bounds: Technique,
    simulation: Option<Technique>,
}

/// How what one technique says holds: how many, and how many of them hold.
#[derive(Serialize)]
struct Technique {
    identities: usize,
    identities_held: usize,
    checks: usize,
    checks_held: usize,
    shapes: usize,
    shapes_held: usize,
    mean_error_percent: Option<f64>,
    worst: Option<Worst>,
    nearest_given: Option<NullMean>,
    capacities: Option<NullMean>,
}

#[derive(Serialize)]
struct Row<'a> {
    study: &'a str,
    experiment: &'a str,
    figure: &'a str,
    status: Status,
    published: String,
    analytic: Answer,
    simulated: Answer,
    error_percent: Option<f64>,
    note: String,
    #[serde(flatten)]
    by_simulation: Option<Simulated>,
    #[serde(flatten)]
    measurement: Option<Measured>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Number(f64),
    Words(Option<String>),
}

#[derive(Serialize)]
struct Simulated {
    analytic_error_percent: Option<f64>,
    simulated_error_percent: Option<f64>,
    simulated_holds: bool,
    seeds: usize,
    simulated_min: Option<f64>,
    simulated_max: Option<f64>,
}

#[derive(Serialize)]
struct Measured {
    measured: Answer,
    measured_of_model_percent: Option<f64>,
}

/// The rows as a value; keys are described in `docs/json.md`.
#[must_use]
pub fn validation_json(studies: &[StudyAgreement]) -> Value {
    let rows = studies.iter().flat_map(|study| study.rows.iter().map(|of| row(study, of)));
    value(&Rows { rows: rows.collect(), studies: studies.iter().map(of).collect() })
}

fn of(study: &StudyAgreement) -> Of<'_> {
    let summary = study.summary();
    Of {
        study: &study.study,
        origins: study.origins,
        bounds: counts(summary.analytic),
        simulation: summary.simulated.map(counts),
    }
}

fn counts(of: Counts) -> Technique {
    let Counts { identities, checks, shapes, mean_error_percent, worst, null } = of;
    Technique {
        identities: identities.0,
        identities_held: identities.1,
        checks: checks.0,
        checks_held: checks.1,
        shapes: shapes.0,
        shapes_held: shapes.1,
        mean_error_percent,
        worst,
        nearest_given: null.nearest_given,
        capacities: null.capacities,
    }
}

fn row<'a>(study: &'a StudyAgreement, row: &'a Agreement) -> Row<'a> {
    let is_measured = row.measured != Predicted::Nothing;
    Row {
        study: &study.study,
        experiment: &row.experiment,
        figure: &row.figure,
        status: row.status,
        published: published(&row.published),
        analytic: answer(&row.analytic),
        simulated: answer(&row.simulated),
        error_percent: row.error_percent,
        note: note(row),
        by_simulation: simulated(row),
        measurement: is_measured.then(|| Measured {
            measured: answer(&row.measured),
            measured_of_model_percent: row.measured_of_model_percent,
        }),
    }
}

fn simulated(row: &Agreement) -> Option<Simulated> {
    let by = row.by_simulation?;
    Some(Simulated {
        analytic_error_percent: row.by_analytic.error_percent,
        simulated_error_percent: by.error_percent,
        simulated_holds: by.outcome == Outcome::Met,
        seeds: row.seeds.map_or(1, |seeds| seeds.count),
        simulated_min: row.seeds.map(|seeds| seeds.min),
        simulated_max: row.seeds.map(|seeds| seeds.max),
    })
}

fn answer(said: &Predicted) -> Answer {
    match said {
        Predicted::Number(number) => Answer::Number(*number),
        other => Answer::Words(shape(other)),
    }
}

fn note(row: &Agreement) -> String {
    let outcome = match (row.status, row.outcome) {
        (Status::Given, Outcome::Met | Outcome::Missed) => "",
        (_, Outcome::Met) => "met",
        (_, Outcome::Missed) => "missed",
        (_, Outcome::Open | Outcome::NotRun) => "",
    };
    let needs = match row.needs.is_empty() {
        true => String::new(),
        false => {
            let each: Vec<String> = row.needs.iter().map(need).collect();
            format!("needs simulation: {}", each.join("; "))
        }
    };
    let notes = notes(row);
    let parts = [outcome, needs.as_str(), notes.as_str()].into_iter();
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

#[derive(Serialize)]
struct Moves<'a> {
    moves: Vec<Moved<'a>>,
}

#[derive(Serialize)]
struct Moved<'a> {
    study: &'a str,
    experiment: &'a str,
    figure: &'a str,
    parameter: &'a str,
    technique: &'static str,
    lower_percent: f64,
    higher_percent: f64,
}

/// The moves as a value; keys are described in `docs/json.md`.
#[must_use]
pub fn sensitivity_json(studies: &[Sensitivity]) -> Value {
    let moves = studies.iter().flat_map(|study| study.moves.iter().map(|of| moved(study, of)));
    value(&Moves { moves: moves.collect() })
}

fn moved<'a>(study: &'a Sensitivity, one: &'a Move) -> Moved<'a> {
    Moved {
        study: &study.study,
        experiment: &one.experiment,
        figure: &one.figure,
        parameter: &one.parameter,
        technique: technique(one),
        lower_percent: one.lower_percent,
        higher_percent: one.higher_percent,
    }
}
