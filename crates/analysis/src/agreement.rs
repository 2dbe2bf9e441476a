//! Agreement: what a study publishes against what the techniques say. Each figure selects cases by
//! the levels of factors; each of its statements becomes one row with its error.
//!
//! * A single value: error = (said − published) / published.
//! * A range, or `>` and `<`: the distance to its nearer edge, relative to that edge; 0 inside.
//! * A ratio, a best level, a rise, a bottleneck: met or missed.
//!
//! A figure that names a range of levels is met if one of them meets it: the nearest one is told.
//! What decides a case and no bound accounts for is told as "needs simulation" instead of a number;
//! the bound is then held against the figure from above only, and the simulation decides where
//! there is one. Of several seeds the median is judged, and their spread told. A simulated rate of
//! all streams is known to within half of its 95 % interval: where that reaches the tolerance it
//! holds, and a metric neither falls nor rises by less. A wider interval than wanted excuses no
//! more. A run may leave cases out: what it says of the others can miss a statement, and can meet
//! none; that is reported as "not run".
//!
//! Means (Jain 1991, chapter 12): only `check` figures enter one, by their absolute error; a mean
//! is taken over each study, then over studies, so that a study with many figures weighs no more.

mod bottleneck;
mod edges;
mod field;
mod metric;
mod null;
mod predicted;
mod referred;
mod rules;
mod run;
mod selected;
mod statement;
mod summary;

use std::collections::BTreeSet;

use iopath_record::Record;
use iopath_study::Case;
use iopath_study::experiment::Experiment;
use iopath_study::published::{Figure, Sort};
use serde::Serialize;

pub use field::{
    BELOW_PERCENT, Basis, FieldAnswer, FieldRow, FieldStudy, FieldSummary, field, field_summary,
};
pub use null::Null;
pub use predicted::{Need, Note, OpenLevel, Predicted, Published};
pub use referred::{Referred, needing, referred};
pub use summary::{
    Counts, Emulated, Move, NullMean, Nulls, Origins, Sensitivity, StudyAgreement, Summary, Worst,
    left, movable, moves, summary,
};

use selected::Selected;

/// The kind of a warning that says what decides a case beside every bound.
pub const NEEDS_SIMULATION: &str = "needs-simulation";

/// What the techniques say of one case.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The case.
    pub case: Case,
    /// The analytic record.
    pub analytic: Option<Record>,
    /// The simulated records, one a seed.
    pub simulated: Vec<Record>,
    /// What was measured on an emulated path.
    pub measured: Option<Record>,
}

/// One published statement and what the techniques say of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// Title of the experiment.
    pub experiment: String,
    /// Title of the figure and the metric that is stated.
    pub figure: String,
    /// What the figure is good for: `given`, `check`, `identity`, `shape`.
    pub status: Status,
    /// As it is published.
    pub published: Published,
    /// What the metric is in, so that numbers can be printed.
    pub unit: Unit,
    /// What the analytic model says.
    pub analytic: Predicted,
    /// How that holds.
    pub by_analytic: Judged,
    /// What the simulation says: the median over its seeds.
    pub simulated: Predicted,
    /// How that holds; none where nothing was simulated.
    pub by_simulation: Option<Judged>,
    /// What the seeds say, where there are several.
    pub seeds: Option<Seeds>,
    /// What was measured on the emulated path.
    pub measured: Predicted,
    /// How far that lies from what the analytic model says, or from its bound; signed.
    pub measured_of_model_percent: Option<f64>,
    /// The error of what decides: of the simulation where only that can claim it, else of the
    /// analytic model; signed.
    pub error_percent: Option<f64>,
    /// Whether it holds, by what decides.
    pub outcome: Outcome,
    /// Why only a simulation can claim it; empty where the analytic model can.
    pub needs: Vec<Need>,
    /// The bound, where it is no claim.
    pub bound: Option<f64>,
    /// How far that lies off; signed.
    pub bound_error_percent: Option<f64>,
    /// What says something of it without a model.
    pub null: Null,
    /// What a reader should know: the case, by how much an edge is kept or a bound lies above.
    pub notes: Vec<Note>,
}

/// How what one technique says holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// Its error, signed; none of words, or where it says nothing.
    pub error_percent: Option<f64>,
    /// Whether it holds.
    pub outcome: Outcome,
}

/// What several seeds say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seeds {
    /// How many.
    pub count: usize,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

/// What a figure is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It went into the study.
    Given,
    /// The study must reproduce it.
    Check,
    /// It follows from others by arithmetic, exactly.
    Identity,
    /// It names a trend or a place, met or missed.
    Shape,
}

/// What numbers of a row are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes per second.
    BytesPerSec,
    /// Operations per second.
    OperationsPerSec,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A pure number.
    One,
    /// No number at all: names of components, trends.
    Words,
}

/// Whether a statement holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Within its tolerance.
    Met,
    /// Not.
    Missed,
    /// Only a simulation can claim it; the bound lies above it.
    Open,
    /// Some of its cases were not run, and those that were do not miss it.
    NotRun,
}

impl Status {
    /// The word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Check => "check",
            Self::Identity => "identity",
            Self::Shape => "shape",
        }
    }
}

impl From<Sort> for Status {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Given => Self::Given,
            Sort::Check => Self::Check,
            Sort::Identity => Self::Identity,
            Sort::Shape => Self::Shape,
        }
    }
}

/// One row for each statement of an experiment, in the order written. `answers` are the answers to
/// its cases, in their order; `all` are the experiments of its study, which have given figures too.
#[must_use]
pub fn agree(all: &[Experiment], experiment: &Experiment, answers: &[Answers]) -> Vec<Agreement> {
    let mut found = Vec::new();
    for figure in &experiment.published.figures {
        let mut rows = rows(experiment, figure, answers);
        // Rows of metrics stand first.
        for (row, expected) in rows.iter_mut().zip(&figure.expects) {
            row.null.nearest_given_percent = null::nearest_given(all, experiment, figure, expected);
        }
        found.append(&mut rows);
    }
    found
}

/// Positions of the cases whose throughput is published and that the analytic model can claim:
/// those that are worth a measurement on an emulated path, which has rates and no caches.
#[must_use]
pub fn claimed_throughputs(experiment: &Experiment, answers: &[Answers]) -> Vec<usize> {
    let mut wanted = BTreeSet::new();
    for figure in &experiment.published.figures {
        let selected = Selected::new(&experiment.factors, figure, answers);
        let mut rows = figure.expects.iter().map(|expected| {
            (metric::unit(expected.metric), statement::expected(&selected, figure, expected))
        });
        let is_claimed = rows.any(|(unit, row)| {
            unit == Unit::BytesPerSec && matches!(row.analytic, Predicted::Number(_))
        });
        let cases = selected.cases.iter().filter(|_| is_claimed);
        wanted.extend(cases.filter_map(|case| position(answers, case)));
    }
    wanted.into_iter().collect()
}

fn position(answers: &[Answers], wanted: &Answers) -> Option<usize> {
    answers.iter().position(|one| std::ptr::eq(one, wanted))
}

fn rows(experiment: &Experiment, figure: &Figure, answers: &[Answers]) -> Vec<Agreement> {
    let selected = Selected::new(&experiment.factors, figure, answers);
    let run = run::of(&selected, figure);
    let mut rows = statements(run.as_ref().unwrap_or(&selected), figure);
    if let Some(run) = &run {
        let is_missed = |row: &Agreement| !run.cases.is_empty() && row.outcome == Outcome::Missed;
        rows.iter_mut().filter(|row| !is_missed(row)).for_each(run::not_run);
    }
    for row in &mut rows {
        row.experiment.clone_from(&experiment.title);
    }
    rows
}

/// A row for each statement of a figure.
fn statements(selected: &Selected<'_>, figure: &Figure) -> Vec<Agreement> {
    let expects = figure.expects.iter();
    let rows = expects.map(|expected| statement::expected(selected, figure, expected));
    rows.chain(rules::rules(selected, figure)).collect()
}
