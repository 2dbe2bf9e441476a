//! Published figures as JSON.

use iopath_analysis::agreement::{Agreement, Outcome, Said, Sensitivity, Status, StudyAgreement};
use serde_json::{Value, json};

use crate::words::validation::{need, notes, published, shape, technique};

/// The rows as JSON: the numbers are in the base units of their metrics.
#[must_use]
pub fn validation_json(studies: &[StudyAgreement]) -> Value {
    let rows = studies.iter().flat_map(|study| study.rows.iter().map(|row| json_row(study, row)));
    json!({ "rows": rows.collect::<Vec<_>>() })
}

fn json_row(study: &StudyAgreement, row: &Agreement) -> Value {
    let mut value = json!({
        "study": study.study,
        "experiment": row.experiment,
        "figure": row.figure,
        "status": row.status,
        "published": published(&row.published),
        "analytic": json_said(&row.analytic),
        "simulated": json_said(&row.simulated),
        "error_percent": row.error_percent,
        "note": note(row),
    });
    if let Some(by) = row.by_simulation {
        let seeds = row.seeds;
        value["analytic_error_percent"] = json!(row.by_analytic.error_percent);
        value["simulated_error_percent"] = json!(by.error_percent);
        value["simulated_holds"] = json!(by.outcome == Outcome::Met);
        value["seeds"] = json!(seeds.map_or(1, |seeds| seeds.count));
        value["simulated_min"] = json!(seeds.map(|seeds| seeds.min));
        value["simulated_max"] = json!(seeds.map(|seeds| seeds.max));
    }
    if row.measured != Said::Nothing {
        value["measured"] = json_said(&row.measured);
        value["measured_of_model_percent"] = json!(row.measured_of_model_percent);
    }
    value
}

fn json_said(said: &Said) -> Value {
    match said {
        Said::Number(number) => json!(number),
        other => json!(shape(other)),
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

/// The moves as JSON rows.
#[must_use]
pub fn sensitivity_json(studies: &[Sensitivity]) -> Value {
    let rows = studies.iter().flat_map(|study| {
        study.moves.iter().map(move |one| {
            json!({
                "study": study.study,
                "experiment": one.experiment,
                "figure": one.figure,
                "parameter": one.parameter,
                "technique": technique(one),
                "lower_percent": one.lower_percent,
                "higher_percent": one.higher_percent,
            })
        })
    });
    json!({ "moves": rows.collect::<Vec<_>>() })
}
