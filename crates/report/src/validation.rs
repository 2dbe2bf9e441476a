//! Published figures against what the techniques say: a table a study, then what it comes to.

use iopath_analysis::agreement::{
    Agreement, Counts, Emulated, Move, Need, Outcome, Said, Seeds, Sensitivity, Status,
    StudyAgreement, Summary, Unit, Worst, summary,
};
use iopath_analysis::thresholds::validation::SIMULATED_MOVE_PERCENT;
use iopath_units::System;
use serde_json::{Value, json};

use crate::look::{Look, Tone};
use crate::table::{Column, render};
use crate::words::validation::{need, notes, published, quantity, said, shape};
use crate::wrap::wrap;

/// The table of every study, then the means.
#[must_use]
pub fn render_validation(studies: &[StudyAgreement], look: &Look) -> String {
    let mut parts: Vec<String> = studies.iter().map(|study| one(study, look)).collect();
    if studies.len() > 1 {
        let title = look.paint(Tone::Verdict, &format!("All {} studies", studies.len()));
        parts.push([vec![title], comes_to(&summary(studies), look)].concat().join("\n"));
    }
    format!("{}\n", parts.join("\n\n"))
}

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

fn one(study: &StudyAgreement, look: &Look) -> String {
    let title = look.paint(Tone::Verdict, &study.study);
    let assumed = format!(
        "{} of {} parameters are assumed (validate --sensitivity shows which matter)",
        study.assumed, study.parameters
    );
    let mut lines = vec![title, render(columns(study, look.system), look.width)];
    lines.extend(missed(study, look));
    lines.extend(needs(study, look));
    lines.extend(comes_to(&study.summary(), look));
    lines.push(wrap(&assumed, 2, look.width));
    lines.join("\n")
}

/// What the table of a study shows.
fn columns(study: &StudyAgreement, system: System) -> Vec<Column> {
    let column = |cell: &dyn Fn(&Agreement) -> String| study.rows.iter().map(cell).collect();
    let mut columns = vec![
        Column::needed("figure", figures(study)),
        Column::needed("status", column(&|row| row.status.word().to_owned())),
        Column::needed("published", column(&|row| published(&row.published))),
        Column::needed("analytic", column(&|row| analytic(row, system))),
    ];
    let errors = |of: fn(&Agreement) -> Option<f64>| {
        let cells = study.rows.iter().map(|row| percent(of(row))).collect();
        Column::needed("error", cells)
    };
    columns.push(errors(|row| row.by_analytic.error_percent));
    if study.rows.iter().any(|row| row.by_simulation.is_some()) {
        let cells = column(&|row| said(&row.simulated, row.unit, system));
        columns.push(Column::needed("simulated", cells));
        if study.rows.iter().any(|row| row.seeds.is_some()) {
            let cells = column(&|row| spread(row, system));
            columns.push(Column::needed("by seeds", cells));
        }
        columns.push(errors(|row| row.by_simulation.and_then(|by| by.error_percent)));
    }
    if study.rows.iter().any(|row| row.measured != Said::Nothing) {
        let cells = column(&|row| said(&row.measured, row.unit, system));
        columns.push(Column::needed("emulated", cells));
        columns.push(Column::needed(
            "of model",
            column(&|row| percent(row.measured_of_model_percent)),
        ));
    }
    columns.push(Column::needed("holds", column(&holds)));
    columns.push(Column { title: "note", cells: column(&notes), expendable: 1 });
    columns
}

/// The table of a study as headings and rows.
pub(crate) fn cells(study: &StudyAgreement, system: System) -> (Vec<String>, Vec<Vec<String>>) {
    let columns = columns(study, system);
    let head = columns.iter().map(|column| column.title.to_owned()).collect();
    let row = |at: usize| columns.iter().map(|column| column.cells[at].clone()).collect();
    (head, (0..study.rows.len()).map(row).collect())
}

/// What all studies come to, in a sentence.
pub(crate) fn sentence(studies: &[StudyAgreement]) -> String {
    let Summary { missed, open, not_run, analytic, simulated, .. } = summary(studies);
    let rows = studies.iter().flat_map(|study| &study.rows);
    let judged = rows.filter(|row| row.status != Status::Given).count() - not_run;
    let of =
        if studies.len() == 1 { String::new() } else { format!(" of {} studies", studies.len()) };
    let mean = simulated.and_then(|counts| counts.mean_error_percent);
    let mean = mean.or(analytic.mean_error_percent);
    let mean = mean.map(|mean| format!("; mean error of the checks {mean:.2} %"));
    let open = if open == 0 { String::new() } else { format!(", {open} need simulation") };
    let held = judged.saturating_sub(missed);
    let not_run = if not_run == 0 { String::new() } else { format!("; {not_run} were not run") };
    let mean = mean.unwrap_or_default();
    format!("{held} of {judged} published statements{of} hold{open}{mean}{not_run}")
}

/// What the rows of all studies come to: a line a technique.
pub(crate) fn sums(studies: &[StudyAgreement]) -> Vec<String> {
    sums_of(&summary(studies))
}

/// What the seeds say, least and most, where they differ.
fn spread(row: &Agreement, system: System) -> String {
    let Some(Seeds { min, max, .. }) = row.seeds else { return String::new() };
    let [least, most] = [min, max].map(|end| quantity(end, row.unit, system));
    match (least.split_once(' '), most.split_once(' ')) {
        _ if least == most => String::new(),
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} .. {most}"),
        _ => format!("{least} .. {most}"),
    }
}

/// What does not hold, with the reason where there is one to tell.
fn missed(study: &StudyAgreement, look: &Look) -> Vec<String> {
    let missed = |row: &&Agreement| {
        row.status != Status::Given && row.outcome == Outcome::Missed && !row.notes.is_empty()
    };
    let line = |row: &Agreement| {
        let text = format!("does not hold: {}: {}", row.figure, notes(row));
        look.paint(Tone::Broken, &wrap(&text, 2, look.width))
    };
    study.rows.iter().filter(missed).map(line).collect()
}

/// What decides besides every bound, each once, with how many figures it decides.
fn needs(study: &StudyAgreement, look: &Look) -> Vec<String> {
    let mut counts: Vec<(&Need, usize)> = Vec::new();
    for reason in study.rows.iter().flat_map(|row| &row.needs) {
        match counts.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => counts.push((reason, 1)),
        }
    }
    let line = |(reason, count): &(&Need, usize)| {
        let plural = if *count == 1 { "figure needs" } else { "figures need" };
        wrap(&format!("{count} {plural} simulation: {}", need(reason)), 2, look.width)
    };
    counts.iter().map(line).collect()
}

/// Whether a row holds by what decides it, and where the simulation beside that says otherwise.
fn holds(row: &Agreement) -> String {
    let word = |outcome| match outcome {
        Outcome::Open => "-",
        Outcome::Met => "yes",
        Outcome::Missed => "NO",
        Outcome::NotRun => "not run",
    };
    match (row.status, row.by_simulation) {
        (_, _) if row.outcome == Outcome::NotRun => word(row.outcome).to_owned(),
        (Status::Given, _) => "-".to_owned(),
        (_, Some(by)) if by.outcome != row.outcome => {
            format!("{}, simulated {}", word(row.outcome), word(by.outcome))
        }
        _ => word(row.outcome).to_owned(),
    }
}

fn analytic(row: &Agreement, system: System) -> String {
    match (&row.analytic, row.bound) {
        (Said::NeedsSimulation, Some(bound))
            if matches!(row.unit, Unit::BytesPerSec | Unit::OperationsPerSec) =>
        {
            let most = quantity(bound, row.unit, system);
            match row.by_simulation {
                Some(_) => format!("at most {most}"),
                None => format!("needs simulation (at most {most})"),
            }
        }
        (Said::NeedsSimulation, _) if row.by_simulation.is_some() => "-".to_owned(),
        (other, _) => said(other, row.unit, system),
    }
}

/// Names of figures, each experiment's title before its first one.
fn figures(study: &StudyAgreement) -> Vec<String> {
    let mut last = None;
    let name = |row: &Agreement| {
        let is_new = last.replace(row.experiment.clone()).as_ref() != Some(&row.experiment);
        match is_new && row.experiment != study.study {
            true => format!("{} / {}", row.experiment, row.figure),
            false => row.figure.clone(),
        }
    };
    study.rows.iter().map(name).collect()
}

fn percent(error: Option<f64>) -> String {
    match error {
        // Rounding of whole bytes per second is no error.
        Some(percent) if percent.abs() < 5e-5 => "0 %".to_owned(),
        Some(percent) if percent.abs() < 5e-3 => "0.00 %".to_owned(),
        Some(percent) => format!("{percent:+.2} %"),
        None => "-".to_owned(),
    }
}

/// What rows come to: a line a technique.
fn comes_to(summary: &Summary, look: &Look) -> Vec<String> {
    sums_of(summary).iter().map(|line| wrap(line, 2, look.width)).collect()
}

fn sums_of(summary: &Summary) -> Vec<String> {
    let open = |open: usize| match open {
        0 => String::new(),
        open => format!(", {open} need simulation"),
    };
    let mut lines =
        vec![format!("analytic: {}{}", counted(&summary.analytic, "exact"), open(summary.open))];
    let simulated = summary.simulated.as_ref();
    lines.extend(simulated.map(|one| format!("simulated: {}", counted(one, "within 1 %"))));
    if let Some(Emulated { rows, mean_percent, worst_percent }) = summary.emulated {
        let plural = if rows == 1 { "figure" } else { "figures" };
        lines.push(format!(
            "emulated: {rows} {plural}, {mean_percent:.2} % off the model in the mean, \
             {worst_percent:+.2} % at worst"
        ));
    }
    lines
}

/// How what one technique says holds.
fn counted(counts: &Counts, exact: &str) -> String {
    let pair = |(all, met): (usize, usize), noun: &str, verb: &str| match all {
        0 => None,
        _ => Some(format!("{met} of {all} {noun} {verb}")),
    };
    let mut parts: Vec<String> = [
        pair(counts.identities, "identities", exact),
        pair(counts.checks, "checks", "within tolerance"),
        pair(counts.shapes, "shapes", "hold"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(mean) = counts.mean_error_percent {
        parts.push(format!("mean error of the checks {mean:.2} %"));
    }
    if let Some(Worst { error_percent, figure }) = &counts.worst {
        parts.push(format!("at worst {error_percent:+.2} % ({figure})"));
    }
    if parts.is_empty() { "nothing to check".to_owned() } else { parts.join(", ") }
}

/// How far check figures move with assumed parameters.
#[must_use]
pub fn render_sensitivity(studies: &[Sensitivity], look: &Look) -> String {
    let parts: Vec<String> = studies.iter().map(|study| moved(study, look)).collect();
    format!("{}\n", parts.join("\n\n"))
}

fn moved(study: &Sensitivity, look: &Look) -> String {
    let table = table(study, look);
    match study.left {
        0 => table,
        left => {
            let plural = match left {
                1 => "figure needs simulation and is",
                _ => "figures need simulation and are",
            };
            let text = format!("{left} check {plural} not moved here (--simulated moves them)");
            format!("{table}\n{}", wrap(&text, 2, look.width))
        }
    }
}

/// The figures that move.
fn table(study: &Sensitivity, look: &Look) -> String {
    let title = look.paint(Tone::Verdict, &study.study);
    let Sensitivity { checks, parameters, moves, .. } = study;
    if moves.is_empty() {
        let text = match (checks, parameters) {
            (0, _) => "no check figure has a number that could move".to_owned(),
            (_, 0) => "no parameter is assumed".to_owned(),
            _ => format!(
                "none of {checks} check figures moves when one of {parameters} assumed parameters \
                 moves by 20 %"
            ),
        };
        return format!("{title}\n{}", wrap(&text, 2, look.width));
    }
    let column = |cell: &dyn Fn(&Move) -> String| moves.iter().map(cell).collect();
    let mut columns = vec![
        Column::needed("figure", column(&|m| format!("{} / {}", m.experiment, m.figure))),
        Column::needed("assumed parameter", column(&|m| m.parameter.clone())),
        Column::needed("-20 %", column(&|m| format!("{:+.2} %", m.lower_percent))),
        Column::needed("+20 %", column(&|m| format!("{:+.2} %", m.higher_percent))),
    ];
    if !moves.iter().any(|one| one.is_simulated) {
        return format!("{title}\n{}", render(columns, look.width));
    }
    columns.push(Column::needed("by", column(&|m| by(m).to_owned())));
    let text = format!(
        "simulated moves below {SIMULATED_MOVE_PERCENT} % are not told: they may be chance"
    );
    format!("{title}\n{}\n{}", render(columns, look.width), wrap(&text, 2, look.width))
}

/// The technique that says how far a figure moves.
fn by(one: &Move) -> &'static str {
    if one.is_simulated { "simulation" } else { "analytic" }
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
                "technique": by(one),
                "lower_percent": one.lower_percent,
                "higher_percent": one.higher_percent,
            })
        })
    });
    json!({ "moves": rows.collect::<Vec<_>>() })
}
