//! Agreement: published, analytic, simulated and measured figures compared.
//!
//! Figures of different units are drawn relative to what is published, which is 100 %. Bars of the
//! simulation reach over its seeds.

use iopath_analysis::agreement::{
    Agreement, Counts, Emulated, Need, NullMean, Nulls, Origins, Outcome, Predicted, Seeds, Status,
    StudyAgreement, Summary, Unit, Worst, summary,
};
use iopath_units::System;

use super::Shown;
use crate::document::{Axis, Block, Chart, Column, Document, Figure, Mark, Section, Table, Trace};
use crate::numbers::{UNKNOWN, between, rate};
use crate::view::run::TrialReport;
use crate::view::{DescribedPath, reached};
use crate::words::validation::{need, notes, published_in, quantity, said};

const GUIDE: &str = "100 % is the published figure; a dot to its right predicts more. An analytic \
    dot far to the right may be a bound without a claim: the table marks rows that need \
    simulation. Bars reach over the seeds of a simulation.";

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let mut blocks: Vec<Block> = Block::table(expected(shown)).into_iter().collect();
    let each = shown.run.agreements.iter().enumerate();
    blocks.extend(each.flat_map(|(number, study)| of_study(study, number, shown.system)));
    Section::of("agreement", "agreement", blocks)
}

/// Studies compared with what is published of them.
#[must_use]
pub fn document(studies: &[StudyAgreement], about: String, system: System) -> Document {
    let all = vec![Block::Verdict(sentence(studies)), Block::Lines(sums(&summary(studies)))];
    let all = Section { id: "verdict", title: "verdict".to_owned(), blocks: all };
    let each = studies.iter().enumerate().map(|(number, study)| Section {
        id: "study",
        title: study.study.clone(),
        blocks: of_study(study, number, system),
    });
    let title = match studies {
        [one] => format!("{} · agreement", one.study),
        _ => "Agreement with published figures".to_owned(),
    };
    let sections = std::iter::once(all).chain(each).collect();
    Document { title, about, sections, parts: Vec::new() }
}

/// The figures of a study: its table, what does not hold, what it comes to.
fn of_study(study: &StudyAgreement, number: usize, system: System) -> Vec<Block> {
    if study.rows.is_empty() {
        return vec![Block::Text("This study publishes no figures.".to_owned())];
    }
    let mut blocks = vec![Block::Table(table(study, system))];
    blocks.extend(missed(study));
    let mut lines = needs(study);
    lines.extend(sums(&study.summary()));
    let Origins { parameters, assumed, inferred, .. } = study.origins;
    lines.push(format!(
        "of {parameters} parameters {assumed} are assumed and {inferred} inferred from published \
         figures (validate --sensitivity shows which matter)"
    ));
    blocks.push(Block::Lines(lines));
    blocks.extend(figure(study, number).map(Block::Figure));
    blocks
}

/// Published figures and what each technique says of them.
fn table(study: &StudyAgreement, system: System) -> Table {
    let figures = figures(study);
    let rows: Vec<(&String, &Agreement)> = figures.iter().zip(&study.rows).collect();
    let any = |is: fn(&Agreement) -> bool| study.rows.iter().any(is);
    let is_simulated = any(|row| row.by_simulation.is_some());
    let is_measured = any(|row| row.measured != Predicted::Nothing);
    Table::of(&rows)
        .column("figure", |(figure, _)| (*figure).clone())
        .column("status", |(_, row)| row.status.word().to_owned())
        .column("published", |(_, row)| published_in(&row.published, system))
        .column("analytic", |(_, row)| analytic(row, system))
        .column("error", |(_, row)| percent(row.by_analytic.error_percent))
        .column_if(is_simulated, "simulated", |(_, row)| said(&row.simulated, row.unit, system))
        .column_if(is_simulated && any(|row| row.seeds.is_some()), "by seeds", |(_, row)| {
            spread(row, system)
        })
        .column_if(is_simulated, "error", |(_, row)| {
            percent(row.by_simulation.and_then(|by| by.error_percent))
        })
        .column_if(is_measured, "emulated", |(_, row)| said(&row.measured, row.unit, system))
        .column_if(is_measured, "of model", |(_, row)| percent(row.measured_of_model_percent))
        .column("holds", |(_, row)| holds(row))
        .expendable(1, "note", |(_, row)| notes(row))
        .done()
}

/// What all studies come to, in a sentence.
fn sentence(studies: &[StudyAgreement]) -> String {
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
    let seeds = furthest_apart(studies).unwrap_or_default();
    format!("{held} of {judged} published statements{of} hold{open}{mean}{seeds}{not_run}")
}

/// How far seeds of one case differ, of all figures that have a unit.
fn furthest_apart(studies: &[StudyAgreement]) -> Option<String> {
    let rows = studies.iter().flat_map(|study| &study.rows);
    let apart = rows.filter(|row| row.unit != Unit::One).filter_map(|row| {
        let Seeds { min, max, .. } = row.seeds?;
        (min > 0.0).then_some((100.0 * (max / min - 1.0), &row.figure))
    });
    let (percent, figure) = apart.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!("; seeds are up to {percent:.1} % apart ({figure})"))
}

/// What the seeds say, least and most, where they differ.
fn spread(row: &Agreement, system: System) -> String {
    let Some(Seeds { min, max, .. }) = row.seeds else { return String::new() };
    let [least, most] = [min, max].map(|end| quantity(end, row.unit, system));
    between(&least, &most)
}

/// What does not hold, with the reason where one is known.
fn missed(study: &StudyAgreement) -> impl Iterator<Item = Block> {
    let is_missed = |row: &&Agreement| {
        row.status != Status::Given && row.outcome == Outcome::Missed && !row.notes.is_empty()
    };
    let missed = study.rows.iter().filter(is_missed);
    missed.map(|row| Block::broken("does not hold", format!("{}: {}", row.figure, notes(row))))
}

/// What decides besides every bound, each once, with how many figures it decides.
fn needs(study: &StudyAgreement) -> Vec<String> {
    let mut counts: Vec<(&Need, usize)> = Vec::new();
    for reason in study.rows.iter().flat_map(|row| &row.needs) {
        match counts.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => counts.push((reason, 1)),
        }
    }
    let line = |(reason, count): &(&Need, usize)| {
        let plural = if *count == 1 { "figure needs" } else { "figures need" };
        format!("{count} {plural} simulation: {}", need(reason))
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
        (Predicted::NeedsSimulation, Some(bound))
            if matches!(row.unit, Unit::BytesPerSec | Unit::OperationsPerSec) =>
        {
            let most = quantity(bound, row.unit, system);
            match row.by_simulation {
                Some(_) => format!("at most {most}"),
                None => format!("needs simulation (at most {most})"),
            }
        }
        (Predicted::NeedsSimulation, _) if row.by_simulation.is_some() => "-".to_owned(),
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
fn sums(summary: &Summary) -> Vec<String> {
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
    parts.extend(nulls(&counts.null));
    if parts.is_empty() { "nothing to check".to_owned() } else { parts.join(", ") }
}

/// What says something of the same checks without a model.
fn nulls(Nulls { nearest_given, capacities }: &Nulls) -> Option<String> {
    let said = |of: &Option<NullMean>, what: &str| {
        let NullMean { checks, mean_error_percent } = (*of)?;
        Some(format!("{what} {mean_error_percent:.2} % ({checks})"))
    };
    let each = [said(nearest_given, "nearest given figure"), said(capacities, "capacities alone")];
    let each: Vec<String> = each.into_iter().flatten().collect();
    (!each.is_empty()).then(|| format!("null models: {}", each.join(", ")))
}

/// A row as shares of the published figure.
struct Shares {
    figure: String,
    analytic: Option<f64>,
    simulated: Option<f64>,
    spread: Option<f64>,
    measured: Option<f64>,
}

fn figure(study: &StudyAgreement, number: usize) -> Option<Figure> {
    let rows: Vec<Shares> = study.rows.iter().filter_map(shares).collect();
    let column = |name: &str, of: fn(&Shares) -> Option<f64>| {
        Column::maybe(format!("{name}_of_published_share"), rows.iter().map(of).collect())
    };
    let columns = vec![
        Column::texts("figure", rows.iter().map(|row| row.figure.clone()).collect()),
        column("analytic", |row| row.analytic),
        column("simulated", |row| row.simulated),
        column("simulated_half_spread", |row| row.spread),
        column("measured", |row| row.measured),
    ];
    let error = rows.iter().any(|row| row.spread.is_some()).then_some(3);
    let simulated = Trace { error, ..Trace::plain("simulated", Mark::Dots, 2, 0) };
    let all = [
        Trace::plain("analytic", Mark::Dots, 1, 0),
        simulated,
        Trace::plain("measured", Mark::Dots, 4, 0),
    ];
    let is_known = |trace: &Trace| columns[trace.x].greatest().is_some();
    let traces: Vec<Trace> = all.into_iter().filter(is_known).collect();
    let (x, y) = (Axis::percent("of the published figure").relative(), Axis::plain("", ""));
    (!traces.is_empty()).then(|| Figure {
        id: format!("agreement-{number}"),
        title: format!("{}: techniques relative to published figures", study.study),
        guide: GUIDE.to_owned(),
        chart: Chart { x, y, traces, shades: Vec::new() },
        columns,
    })
}

/// None where nothing about a row is a number.
fn shares(row: &Agreement) -> Option<Shares> {
    let of = |error: Option<f64>| error.map(|percent| 1.0 + percent / 100.0);
    let analytic = of(row.by_analytic.error_percent);
    let simulated = of(row.by_simulation.and_then(|by| by.error_percent));
    let number = |said: &Predicted| match said {
        Predicted::Number(number) => Some(*number),
        Predicted::Components(_)
        | Predicted::OfBest { .. }
        | Predicted::Falls { .. }
        | Predicted::Flat { .. }
        | Predicted::Rises { .. }
        | Predicted::Nothing
        | Predicted::NeedsSimulation => None,
    };
    // One published number, from whichever technique says how far it lies from it.
    let by = [(&row.analytic, analytic), (&row.simulated, simulated)];
    let published = by.into_iter().find_map(|(said, share)| Some(number(said)? / share?));
    let published = published.filter(|published| *published > 0.0);
    let spread = row.seeds.zip(published).map(|(seeds, one)| (seeds.max - seeds.min) / 2.0 / one);
    let measured = number(&row.measured).zip(published).map(|(said, one)| said / one);
    let is_told = analytic.or(simulated).or(measured).is_some();
    let figure = format!("{}: {}", row.experiment, row.figure);
    is_told.then_some(Shares { figure, analytic, simulated, spread, measured })
}

/// What each real trial reached of what is predicted for its path.
fn expected(shown: &Shown<'_>) -> Table {
    let rows: Vec<(&TrialReport, &DescribedPath, f64)> = shown
        .paths()
        .filter_map(|(trial, path)| {
            Some((trial, path, path.expected.as_ref()?.throughput_bytes_per_sec))
        })
        .collect();
    let share = |share: Option<f64>| {
        share.map_or_else(|| UNKNOWN.to_owned(), |share| format!("{:.1} %", 100.0 * share))
    };
    Table::of(&rows)
        .titled("measured throughput and the described path's capacity")
        .column("trial", |(trial, ..)| trial.label())
        .column("measured in the window", |(trial, ..)| {
            rate(reached(&trial.findings), shown.system)
        })
        .column("bound of the path", |(.., bound)| rate(*bound, shown.system))
        .column("reached", |(trial, path, _)| share(path.reached(&trial.findings)))
        .done()
}
