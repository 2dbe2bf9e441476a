//! What a path carries: a sentence a case, then one table of all cases, or everything about each:
//! bounds, the path with the use of every capacity, what to raise next, the curve, the shares, what
//! it holds, not modelled by the bound.

use iopath_analysis::prediction::{LeftOut, PROCESSOR_TIME, Prediction};
use iopath_record::Fact;
use iopath_units::System;

use crate::document::{Block, Document, Part, Section, Table};
use crate::look::Detail;
use crate::numbers::{UNKNOWN, is_small};
use crate::view::prediction::PredictedCase;
use crate::view::removal::Removal;
use crate::view::run::label;
use crate::words::prediction as words;
use crate::words::removal;

pub(super) mod bounds;
pub(super) mod components;
mod facts;
pub(super) mod shares;

/// Everything of a single case, a row of each of several; everything of each where it is asked for.
#[must_use]
pub fn document(cases: &[PredictedCase], detail: Detail, system: System) -> Document {
    let (sections, parts) = match (cases, detail) {
        ([], _) => {
            (vec![verdict(vec![Block::Verdict("nothing was predicted".to_owned())])], vec![])
        }
        ([one], _) => (in_full(one, detail, system), Vec::new()),
        (_, Detail::Full) => (Vec::new(), cases.iter().map(|case| part(case, system)).collect()),
        (_, Detail::Brief) => (in_lines(cases, system), Vec::new()),
    };
    let title = cases.first().map_or_else(String::new, |case| case.case.study.clone());
    Document { title, sections, parts, ..Document::default() }
}

/// Cases up to which each has its own sentence: chosen, half a screen.
const SENTENCES: usize = 6;

/// What every bound leaves out, so that it says nothing of one case.
const USUAL: [&str; 3] = ["in-flight", "queueing", "start-up"];

fn verdict(blocks: Vec<Block>) -> Section {
    Section { id: "verdict", title: "verdict".to_owned(), blocks }
}

fn part(case: &PredictedCase, system: System) -> Part {
    let id = format!("case-{}", case.case.trial);
    Part { id, sections: in_full(case, Detail::Full, system), ..Part::default() }
}

fn in_lines(cases: &[PredictedCase], system: System) -> Vec<Section> {
    let few = if cases.len() <= SENTENCES { cases } else { &[] };
    let mut sections = vec![verdict(few.iter().flat_map(|case| said(case, system)).collect())];
    let experiments = cases.chunk_by(|a, b| a.case.experiment == b.case.experiment);
    sections.extend(experiments.map(|cases| Section {
        id: "experiment",
        title: cases[0].case.experiment.clone(),
        blocks: vec![Block::Table(table(cases, system))],
    }));
    sections.extend(of_each(cases, system));
    let text = "details: --case LEVEL for one case, --full for all".to_owned();
    sections.push(Section { id: "more", title: String::new(), blocks: vec![Block::Text(text)] });
    sections
}

/// What lost something in several cases: once where it is the same in all.
fn of_each(cases: &[PredictedCase], system: System) -> Option<Section> {
    let lines = |case: &PredictedCase| {
        case.removal.as_ref().map_or_else(Vec::new, |of| removal::losses(of, system))
    };
    let first = lines(cases.first()?);
    let is_same = cases.iter().all(|case| lines(case) == first);
    let said = |case: &PredictedCase| {
        let label = levels(case);
        lines(case).into_iter().map(move |line| format!("{label}: {line}")).collect::<Vec<_>>()
    };
    let all = if is_same { first } else { cases.iter().flat_map(said).collect() };
    Section::of("lost", "losses", Block::lines(all).into_iter().collect())
}

/// What a case carries, and what is left of it where parts were taken out.
fn said(case: &PredictedCase, system: System) -> Vec<Block> {
    let text = format!("{}: {}", case.label(), words::sentence(&case.prediction, system));
    let lost = case.removal.as_ref();
    let lost = lost.map(|lost| removal::sentence(lost, case.left(), "bound", system));
    let lost = lost.map(|lost| Block::Lines(vec![lost]));
    std::iter::once(Block::Verdict(text)).chain(lost).collect()
}

/// A row a case; which of throughput and requests may be left out depends on their size.
fn table(cases: &[PredictedCase], system: System) -> Table {
    let has_small = |case: &PredictedCase| {
        let Prediction { throughput_bytes_per_sec: bytes, operations_per_sec: requests, .. } =
            case.prediction;
        is_small(bytes, requests)
    };
    let (bytes, requests) = if cases.iter().all(has_small) { (4, 0) } else { (0, 4) };
    let share = |case: &PredictedCase| {
        let lost = case.removal.as_ref();
        lost.map_or_else(String::new, |lost| removal::share(lost, case.left()))
    };
    Table::of(cases)
        .column("case", levels)
        .expendable(bytes, "throughput", |case| words::throughput(&case.prediction, system))
        .expendable(requests, "requests", |case| words::requests(&case.prediction, system))
        .column_if(cases.iter().any(|case| case.removal.is_some()), "is left", share)
        .expendable(3, "decided by", decided)
        .column("bottleneck", |case| words::bottleneck(&case.prediction, system))
        // It qualifies the figure, so it stays next to it.
        .column_if(cases.iter().any(|case| !unusual(case).is_empty()), "leaves out", unusual)
        .done()
}

/// What tells a case from the others of its experiment.
fn levels(case: &PredictedCase) -> String {
    match case.case.levels.is_empty() {
        true => case.label(),
        false => label("", &case.case.levels),
    }
}

/// Mechanisms of this case that its bound does not account for, and streams that it has not.
/// Processor time only where the figure needs more than is usual.
fn unusual(case: &PredictedCase) -> String {
    let is_usual = |kind: &&str| {
        let is_processor = *kind == PROCESSOR_TIME;
        USUAL.contains(kind) || is_processor && case.prediction.beyond_processors().is_none()
    };
    let kinds = case.prediction.leaves_out.iter().map(|left_out| left_out.kind.as_str());
    let kinds = kinds.filter(|kind| !is_usual(kind)).map(str::to_owned);
    let unrated = Fact::Unrated.of(&case.prediction.facts);
    let mut all: Vec<String> =
        kinds.chain(unrated.map(|names| format!("{names} (unrated)"))).collect();
    all.dedup();
    all.join(", ")
}

fn decided(case: &PredictedCase) -> String {
    let kind = case.prediction.decided_by.map(words::kind);
    kind.unwrap_or(UNKNOWN).to_owned()
}

fn in_full(case: &PredictedCase, detail: Detail, system: System) -> Vec<Section> {
    let prediction = &case.prediction;
    let sections = [
        Some(verdict(said(case, system))),
        case.removal.as_ref().and_then(|of| losses(of, system)),
        bounds::section(prediction, system),
        components::section(prediction, detail, system),
        bounds::upgrades(prediction, system),
        shares::curve(prediction, system),
        shares::section(prediction, system),
        facts::section(prediction, system),
        left_out(prediction),
        warnings(prediction),
    ];
    sections.into_iter().flatten().collect()
}

/// What lost something, where anything did.
pub(super) fn losses(of: &Removal, system: System) -> Option<Section> {
    let lines = Block::lines(removal::losses(of, system));
    Section::of("lost", "losses", lines.into_iter().collect())
}

fn left_out(prediction: &Prediction) -> Option<Section> {
    let line = |LeftOut { kind, text }: &LeftOut| format!("{kind}: {text}");
    let lines = prediction.leaves_out.iter().map(line).collect();
    Section::of("left-out", "not modelled by the bound", Block::lines(lines).into_iter().collect())
}

fn warnings(prediction: &Prediction) -> Option<Section> {
    let all = prediction.warnings.iter();
    let all = all.map(|one| Block::warning(one.kind.clone(), one.text.clone())).collect();
    Section::of("warnings", "warnings", all)
}
