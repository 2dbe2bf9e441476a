//! The page: what is explained and what is fitted, as tables of published and of field studies.

use std::fmt::Write;

use super::printed::{
    Answer, Field, FieldRow, FieldStudy, NullMean, Origins, Row, Status, Study, Technique,
    Validation,
};
use super::{FIELD, VALIDATE};

/// How many misses a table names: chosen.
const MISSES: usize = 12;

const TERMS: &str = "\
*Fitted* are figures that set a parameter: `given` ones, and those that a parameter was inferred
from. They prove nothing. *Explained* are checks, identities and shapes that hold, as far as they
do not follow from assumed parameters: `iopath validate --sensitivity` says which do. A mean error
says something only where it is below those of the null models in its row.";

const ORIGINS: &str = "parameters | given | rated | cited | inferred | assumed";

pub(super) fn text(validation: &Validation, field: &Field) -> String {
    let mut page = format!(
        "# Accuracy: what is explained, what is fitted\n\nWritten by `cargo xtask accuracy` from \
         `iopath {VALIDATE}` and `iopath {FIELD}`; changes by hand are lost. Terms: \
         [validating](validating.md).\n\n{TERMS}\n\n"
    );
    published(&mut page, validation);
    field_studies(&mut page, field);
    page
}

fn published(page: &mut String, all: &Validation) {
    let count = |status| all.rows.iter().filter(|row| row.status == status).count();
    let _ = writeln!(
        page,
        "## Published studies\n\nOf {} figures {} are given, so fitted; {} are checks, {} \
         identities, {} shapes. Errors are means of the checks that a technique can claim, in \
         percent; null models are over the same checks, in parentheses how many they can claim.\n",
        all.rows.len(),
        count(Status::Given),
        count(Status::Check),
        count(Status::Identity),
        count(Status::Shape),
    );
    let each = "checks held | error | nearest given | capacities alone";
    let head = format!("study | bounds: {each} | simulation: {each} | component named");
    header(page, &head);
    for study in &all.studies {
        let bounds = technique(Some(&study.bounds));
        let simulation = technique(study.simulation.as_ref());
        let named = named(&all.rows, &study.study);
        let _ = writeln!(page, "| {} | {bounds} | {simulation} | {named} |", study.study);
    }
    let origins = all.studies.iter().map(|Study { study, origins, .. }| (study.as_str(), origins));
    parameters(page, "### Where their parameters come from", origins);
    let checks = all.rows.iter().filter(|row| row.status == Status::Check);
    let misses = checks.filter_map(|row| Some(Miss::of(row, row.error_percent?)));
    largest(page, "by", misses.collect());
}

/// Figures that say which component limits: how many of them hold.
fn named(rows: &[Row], study: &str) -> String {
    let of = |row: &&Row| row.study == study && row.figure.ends_with(": bottleneck");
    let places: Vec<&Row> = rows.iter().filter(of).collect();
    let right = places.iter().filter(|row| row.note.starts_with("met")).count();
    share(right, places.len())
}

fn technique(of: Option<&Technique>) -> String {
    let Some(of) = of else { return "– | – | – | –".to_owned() };
    format!(
        "{} | {} | {} | {}",
        share(of.checks_held, of.checks),
        percent(of.mean_error_percent),
        null(of.nearest_given.as_ref()),
        null(of.capacities.as_ref()),
    )
}

fn field_studies(page: &mut String, field: &Field) {
    let _ = writeln!(
        page,
        "\n## Field studies\n\nSystems that the models were not made for, bounds only. By ratings \
         alone they are {} % off in the mean over studies and name {} components rightly; {} of {} \
         lie more than 5 % below what was measured, which no bound should. Calibrated, the median \
         error is {} %. Errors below are means over the study's figures, in percent.\n",
        percent(field.ratings_error_percent),
        share(field.components_right, field.components),
        field.bounds_below,
        field.bounds,
        percent(field.calibrated_error_percent),
    );
    let head = "study | figures | by ratings: error | component named | calibrated: error | \
                component named";
    header(page, head);
    for FieldStudy { study, .. } in &field.studies {
        let rows: Vec<&FieldRow> = field.rows.iter().filter(|row| row.study == *study).collect();
        let ratings: Vec<&Answer> = rows.iter().map(|row| &row.ratings).collect();
        let calibrated: Vec<&Answer> =
            rows.iter().filter_map(|row| row.calibrated.as_ref()).collect();
        let (one, other) = (answers(&ratings), answers(&calibrated));
        let _ = writeln!(page, "| {study} | {} | {one} | {other} |", rows.len());
    }
    let origins = field.studies.iter().map(|one| (one.study.as_str(), &one.origins));
    parameters(page, "### Where the parameters of field studies come from", origins);
    let misses = field.rows.iter().filter_map(|row| {
        Some(Miss::of_field(row, row.ratings.error_percent?, row.calibrated.as_ref()))
    });
    largest(page, "calibrated", misses.collect());
}

/// Mean error of numbers, and how many components are named rightly.
fn answers(of: &[&Answer]) -> String {
    let errors: Vec<f64> = of.iter().filter_map(|one| one.error_percent).map(f64::abs).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let places: Vec<bool> = of.iter().filter_map(|one| one.is_right).collect();
    let right = places.iter().filter(|is_right| **is_right).count();
    format!("{} | {}", percent((!errors.is_empty()).then_some(mean)), share(right, places.len()))
}

fn parameters<'a>(
    page: &mut String,
    title: &str,
    studies: impl Iterator<Item = (&'a str, &'a Origins)>,
) {
    let _ = writeln!(
        page,
        "\n{title}\n\nLimits and costs that no level sets; *cited*: another source is named.\n"
    );
    header(page, &format!("study | {ORIGINS}"));
    for (study, of) in studies {
        let Origins { parameters, given, rated, published, inferred, assumed } = of;
        let _ = writeln!(
            page,
            "| {study} | {parameters} | {given} | {rated} | {published} | {inferred} | {assumed} |"
        );
    }
}

struct Miss<'a> {
    study: &'a str,
    figure: &'a str,
    published: &'a str,
    error_percent: f64,
    /// Which technique says so, or the error of another.
    with: String,
}

impl<'a> Miss<'a> {
    fn of(row: &'a Row, error_percent: f64) -> Self {
        let by = if row.analytic.is_number() { "bounds" } else { "simulation" };
        Self {
            study: &row.study,
            figure: &row.figure,
            published: &row.published,
            error_percent,
            with: by.to_owned(),
        }
    }

    fn of_field(row: &'a FieldRow, error_percent: f64, calibrated: Option<&Answer>) -> Self {
        let with = calibrated.and_then(|one| one.error_percent);
        Self {
            study: &row.study,
            figure: &row.figure,
            published: &row.published,
            error_percent,
            with: with.map_or_else(|| "–".to_owned(), |percent| format!("{percent:+.1} %")),
        }
    }
}

fn largest(page: &mut String, with: &str, mut misses: Vec<Miss<'_>>) {
    misses.sort_by(|a, b| b.error_percent.abs().total_cmp(&a.error_percent.abs()));
    let shown = misses.len().min(MISSES);
    let _ = writeln!(page, "\n### The largest {shown} of {} errors\n", misses.len());
    header(page, &format!("study | figure | published | error | {with}"));
    for Miss { study, figure, published, error_percent, with } in &misses[..shown] {
        let _ =
            writeln!(page, "| {study} | {figure} | {published} | {error_percent:+.1} % | {with} |");
    }
}

fn header(page: &mut String, columns: &str) {
    let rule = "|---".repeat(columns.split(" | ").count());
    let _ = writeln!(page, "| {columns} |\n{rule}|");
}

fn share(part: usize, all: usize) -> String {
    if all == 0 { "–".to_owned() } else { format!("{part} of {all}") }
}

fn percent(of: Option<f64>) -> String {
    of.map_or_else(|| "–".to_owned(), |percent| format!("{percent:.1}"))
}

fn null(of: Option<&NullMean>) -> String {
    of.map_or_else(
        || "–".to_owned(),
        |one| format!("{:.1} ({})", one.mean_error_percent, one.checks),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    fn origins() -> Value {
        json!({
            "parameters": 6, "given": 1, "rated": 2, "published": 1, "inferred": 1, "assumed": 1,
        })
    }

    fn validation() -> Validation {
        let technique = json!({
            "identities": 0, "identities_held": 0, "checks": 3, "checks_held": 2,
            "shapes": 1, "shapes_held": 1, "mean_error_percent": 4.25, "worst": null,
            "nearest_given": {"checks": 2, "mean_error_percent": 30.0}, "capacities": null,
        });
        let row = |figure: &str, status: &str, analytic: Value, error: Option<f64>| {
            json!({
                "study": "A", "experiment": "e", "figure": figure, "status": status,
                "published": "1 GB/s", "analytic": analytic, "simulated": null,
                "error_percent": error, "note": "met",
            })
        };
        let all = json!({
            "rows": [
                row("a: throughput", "given", json!(1e9), Some(90.0)),
                row("b: throughput", "check", json!(1e9), Some(1.5)),
                row("c: throughput", "check", json!(null), Some(-7.0)),
                row("d: bottleneck", "shape", json!("host"), None),
            ],
            "studies": [{
                "study": "A", "origins": origins(), "bounds": technique, "simulation": null,
            }],
        });
        from_value(all).unwrap()
    }

    fn field() -> Field {
        let number = |error: f64| json!({"error_percent": error, "is_right": null});
        let place = |is_right: bool| json!({"error_percent": null, "is_right": is_right});
        let row = |figure: &str, ratings: Value, calibrated: Value| {
            json!({
                "study": "F", "figure": figure, "published": "2 GB/s", "ratings": ratings,
                "calibrated": calibrated,
            })
        };
        let all = json!({
            "format": "iopath-field/2",
            "rows": [
                row("one: throughput", number(-20.0), number(2.0)),
                row("two: throughput", number(60.0), number(4.0)),
                row("two: bottleneck", place(false), place(true)),
            ],
            "studies": [{"study": "F", "origins": origins()}],
            "ratings_error_percent": 40.0, "calibrated_error_percent": 3.0, "bounds": 2,
            "bounds_below": 1, "components": 1, "components_right": 0,
        });
        from_value(all).unwrap()
    }

    #[test]
    fn the_page_says_what_is_fitted_and_how_far_the_rest_is_off() {
        let page = text(&validation(), &field());
        for line in [
            "Of 4 figures 1 are given, so fitted; 2 are checks, 0 identities, 1 shapes. ",
            "| A | 2 of 3 | 4.2 | 30.0 (2) | – | – | – | – | – | 1 of 1 |",
            "| A | 6 | 1 | 2 | 1 | 1 | 1 |",
            "### The largest 2 of 2 errors",
            "| F | 3 | 40.0 | 0 of 1 | 3.0 | 1 of 1 |",
            "| F | two: throughput | 2 GB/s | +60.0 % | +4.0 % |",
        ] {
            assert!(page.contains(line), "no {line:?} in\n{page}");
        }
    }

    #[test]
    fn misses_are_checks_by_size_with_the_technique_that_decides() {
        let page = text(&validation(), &field());
        let missed = "| A | c: throughput | 1 GB/s | -7.0 % | simulation |\n\
                      | A | b: throughput | 1 GB/s | +1.5 % | bounds |\n";
        assert!(page.contains(missed), "{page}");
        assert!(!page.contains("+90.0 %"), "a given figure is no miss");
    }
}
