//! Agreement: published, analytic, simulated and measured figures side by side.
//!
//! Figures of different units are drawn relative to what is published, which is 100 %. Bars of the
//! simulation reach over its seeds.

use iopath_analysis::agreement::{Agreement, Said, StudyAgreement};

use super::compose::Shown;
use super::{Axis, Block, Chart, Column, Figure, Mark, Page, Section, Table, Trace};
use crate::numbers::{UNKNOWN, rate};
use crate::validation;
use crate::view::reached;
use iopath_units::System;

const GUIDE: &str = "100 % is what was published; a dot to the right of it is a technique that \
    says more. An analytic dot far to the right may be a bound and no claim: the table says which \
    rows need simulation. Bars reach over the seeds of a simulation.";

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let mut blocks: Vec<Block> = expected(shown).into_iter().map(Block::Table).collect();
    let each = shown.run.agreements.iter().enumerate();
    blocks.extend(each.flat_map(|(number, study)| of_study(study, number, shown.system)));
    let title = "Agreement".to_owned();
    (!blocks.is_empty()).then_some(Section { id: "agreement", title, blocks })
}

/// The page of studies held against what is published.
#[must_use]
pub fn compose_validation(studies: &[StudyAgreement], about: String, system: System) -> Page {
    let all = Section {
        id: "verdict",
        title: "Verdict".to_owned(),
        blocks: vec![
            Block::Verdict(validation::sentence(studies)),
            Block::Lines(validation::sums(studies)),
        ],
    };
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
    Page { title, about, sections, parts: Vec::new() }
}

fn of_study(study: &StudyAgreement, number: usize, system: System) -> Vec<Block> {
    let figure = figure(study, number).map(Block::Figure);
    let (head, rows) = validation::cells(study, system);
    let title = format!("Published figures of {}", study.study);
    let mut blocks: Vec<Block> = figure.into_iter().collect();
    blocks.push(match rows.is_empty() {
        true => Block::Text("This study names no published figures.".to_owned()),
        false => Block::Table(Table { title, head, rows }),
    });
    blocks
}

/// A row as shares of what is published.
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
    let (x, y) = (Axis::percent("of what is published").relative(), Axis::plain("", ""));
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
    let number = |said: &Said| match said {
        Said::Number(number) => Some(*number),
        Said::Components(_)
        | Said::OfBest { .. }
        | Said::Falls { .. }
        | Said::Flat { .. }
        | Said::Rises { .. }
        | Said::Nothing
        | Said::NeedsSimulation => None,
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
fn expected(shown: &Shown<'_>) -> Option<Table> {
    let rows = shown.run.trials().filter_map(|(trial, path)| {
        let bound = path.expected.as_ref()?.throughput_bytes_per_sec;
        let reached = reached(&trial.findings);
        let share = path.reached(&trial.findings);
        let share =
            share.map_or_else(|| UNKNOWN.to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let cells = [trial.label(), rate(reached, shown.system), rate(bound, shown.system), share];
        Some(cells.to_vec())
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let head = ["trial", "measured in the window", "bound of the path", "reached"]
        .map(str::to_owned)
        .to_vec();
    let title = "Measured beside what the described path can carry".to_owned();
    (!rows.is_empty()).then_some(Table { title, head, rows })
}
