//! What a path carries, for people: a sentence a case, then one table of all cases, or everything
//! about each: bounds, the path with the use of every capacity, what to raise next, the curve, the
//! shares, what it holds, what the bound leaves out.

use iopath_analysis::predict;
use iopath_analysis::prediction::{LeftOut, Prediction};
use iopath_record::{CaseText, Fact, Record, Technique};

use crate::look::{Look, Tone};
use crate::numbers::is_small;
use crate::run::label;
use crate::table::{Column, render};
use crate::wrap::wrap;

mod bounds;
mod components;
mod facts;
mod json;
mod removal;
mod sentence;
mod shares;
mod wanted;
pub(crate) mod words;

pub(crate) use components::section as path;
pub(crate) use json::without;
pub use json::{Timing, prediction_json};
pub use removal::{Carried, Lost, Removal};
pub(crate) use sentence::sentence;
pub(crate) use shares::section as shares;

/// One case and what is predicted of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedCase {
    /// What was asked for.
    pub case: CaseText,
    /// Who answered.
    pub technique: Technique,
    /// What the record says.
    pub prediction: Prediction,
    /// What was taken out, and what there was before; none where all is there.
    pub removal: Option<Removal>,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Everything of a single case, a line of each of several.
    Fitting,
    /// Everything of every case, idle components and every limit included.
    Full,
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
    fn left(&self) -> Option<Carried> {
        let has_stopped = words::nothing_left(&self.prediction).is_some();
        (!has_stopped).then(|| Carried::predicted(&self.prediction))
    }

    pub(crate) fn label(&self) -> String {
        label(&self.case.experiment, &self.case.levels)
    }
}

/// The predictions as text.
#[must_use]
pub fn render_prediction(cases: &[PredictedCase], detail: Detail, look: &Look) -> String {
    let text = match (cases, detail) {
        ([], _) => "nothing was predicted".to_owned(),
        ([one], _) => in_full(one, detail, look),
        (_, Detail::Full) => {
            let each: Vec<_> = cases.iter().map(|case| in_full(case, detail, look)).collect();
            each.join("\n\n\n")
        }
        (_, Detail::Fitting) => in_lines(cases, look),
    };
    format!("{text}\n")
}

/// Cases up to which each has its own sentence: chosen, half a screen.
const SENTENCES: usize = 6;

/// What every bound leaves out, so that it tells nothing of one case.
const USUAL: [&str; 3] = ["in-flight", "queueing", "start-up"];

fn in_lines(cases: &[PredictedCase], look: &Look) -> String {
    let mut parts = Vec::new();
    if cases.len() <= SENTENCES {
        let each = cases.iter().map(|case| verdict(case, look));
        parts.push(each.collect::<Vec<_>>().join("\n"));
    }
    for experiment in cases.chunk_by(|a, b| a.case.experiment == b.case.experiment) {
        let title = look.paint(Tone::Verdict, &experiment[0].case.experiment);
        parts.push(format!("{title}\n{}", render(columns(experiment, look), look.width)));
    }
    parts.push("everything about one of them: --case LEVEL; about all of them: --full".into());
    parts.join("\n\n")
}

fn verdict(case: &PredictedCase, look: &Look) -> String {
    let text = format!("{}: {}", case.label(), sentence(&case.prediction, look.system));
    let text = wrap(&text, 0, look.width);
    match &case.removal {
        None => look.paint(Tone::Verdict, &text),
        Some(removal) => {
            let lost = wrap(&removal.sentence(case.left(), look.system, "bound"), 2, look.width);
            format!("{}\n{lost}", look.paint(Tone::Verdict, &text))
        }
    }
}

/// A line a case; which of throughput and requests may be left out depends on their size.
fn columns(cases: &[PredictedCase], look: &Look) -> Vec<Column> {
    let system = look.system;
    let cells = |of: &dyn Fn(&PredictedCase) -> String| cases.iter().map(of).collect::<Vec<_>>();
    let column = |title, cells, expendable| Column { title, cells, expendable };
    let has_small = |case: &PredictedCase| {
        let Prediction { throughput_bytes_per_sec: bytes, operations_per_sec: requests, .. } =
            case.prediction;
        is_small(bytes, requests)
    };
    let (bytes, requests) = if cases.iter().all(has_small) { (4, 0) } else { (0, 4) };
    let mut columns = vec![
        Column::needed("case", cells(&levels)),
        column("throughput", cells(&|case| words::throughput(&case.prediction, system)), bytes),
        column("requests", cells(&|case| words::requests(&case.prediction, system)), requests),
    ];
    if cases.iter().any(|case| case.removal.is_some()) {
        let share = |case: &PredictedCase| {
            let removal = case.removal.as_ref();
            removal.map_or_else(String::new, |removal| removal.share(case.left()))
        };
        columns.push(Column::needed("is left", cells(&share)));
    }
    columns.push(column("decided by", cells(&decided), 3));
    columns.push(Column::needed(
        "bottleneck",
        cells(&|case| words::bottleneck(&case.prediction, system)),
    ));
    if cases.iter().any(|case| !unusual(case).is_empty()) {
        // It qualifies the figure, so it stays beside it.
        columns.push(Column::needed("leaves out", cells(&unusual)));
    }
    columns
}

/// What tells a case from the others of its experiment.
fn levels(case: &PredictedCase) -> String {
    match case.case.levels.is_empty() {
        true => case.label(),
        false => label("", &case.case.levels),
    }
}

/// Mechanisms of this case that its bound does not account for, and streams that it has not.
fn unusual(case: &PredictedCase) -> String {
    let kinds = case.prediction.leaves_out.iter().map(|left_out| left_out.kind.as_str());
    let kinds = kinds.filter(|kind| !USUAL.contains(kind)).map(str::to_owned);
    let unrated = Fact::Unrated.of(&case.prediction.facts);
    let mut all: Vec<String> =
        kinds.chain(unrated.map(|names| format!("{names} (unrated)"))).collect();
    all.dedup();
    all.join(", ")
}

fn decided(case: &PredictedCase) -> String {
    let kind = case.prediction.decided_by.map(words::kind);
    kind.unwrap_or(crate::numbers::UNKNOWN).to_owned()
}

fn in_full(case: &PredictedCase, detail: Detail, look: &Look) -> String {
    let prediction = &case.prediction;
    let removal = case.removal.as_ref();
    let parts = [
        verdict(case, look),
        removal.map(|removal| removal.losses(look)).unwrap_or_default(),
        bounds::section(prediction, look),
        components::section(prediction, detail, look),
        bounds::upgrades(prediction, look),
        shares::curve(prediction, look),
        shares::section(prediction, look),
        facts::section(prediction, look),
        left_out(prediction, look),
        warnings(prediction, look),
    ];
    let shown: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    shown.join("\n\n")
}

fn left_out(prediction: &Prediction, look: &Look) -> String {
    let line = |LeftOut { kind, text }: &LeftOut| wrap(&format!("{kind}: {text}"), 2, look.width);
    section(
        "what the bound leaves out",
        &prediction.leaves_out.iter().map(line).collect::<Vec<_>>(),
    )
}

fn warnings(prediction: &Prediction, look: &Look) -> String {
    let line = |warning: &iopath_record::Warning| {
        let text = wrap(&format!("{}: {}", warning.kind, warning.text), 2, look.width);
        look.paint(Tone::Warning, &text)
    };
    section("warnings", &prediction.warnings.iter().map(line).collect::<Vec<_>>())
}

/// Lines below a title; nothing where there are none.
fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("{title}\n{}", lines.join("\n")) }
}
