//! What the study of a run publishes, compared with what was found in it.
//!
//! The bounds beside it are those of the case as it stands in the record: with what `--set`
//! changed, which the study's own text does not have.

use std::collections::BTreeMap;

use iopath_analysis::agreement::{Answers, Origins, StudyAgreement, agree};
use iopath_record::{CaseText, Record, Technique};
use iopath_study::{Case, Source, Study};

use crate::bundled_studies;
use crate::inputs::studies;
use crate::results::described::Described;

/// The study of a stored run; none where it cannot be understood any more, as where it takes its
/// path from a file that is gone. Files of the studies that come with the program are never gone.
/// Cases that were not run may be impossible: they were left out by `--case`.
pub(crate) fn stored(text: &str, records: &[Record]) -> Option<Study> {
    let names = records.first().map(|record| names(&record.case)).unwrap_or_default();
    let source = |name: String| Source { name, text: text.to_owned() };
    let places = ["the run's study".to_owned(), bundled_studies::beside("the run's study")];
    places.into_iter().find_map(|name| studies::understand_for(&source(name), &names).ok())
}

/// What `--case` would have to name for this case.
fn names(case: &CaseText) -> Vec<String> {
    let levels = case.levels.iter().map(|(factor, level)| format!("{factor}={level}"));
    std::iter::once(case.experiment.clone()).chain(levels).collect()
}

/// Whether a study states any figure.
pub(crate) fn publishes(study: &Study) -> bool {
    study.experiments.iter().any(|experiment| !experiment.published.figures.is_empty())
}

/// A row for each published statement; none where no case of the study was answered. `described`
/// are the paths of the trials, by their numbers.
pub(crate) fn agreement(
    study: &Study,
    records: &[Record],
    described: &BTreeMap<u32, Described>,
) -> Option<StudyAgreement> {
    let mut cases = study.cases().ok()?.into_iter().peekable();
    let mut rows = Vec::new();
    for experiment in &study.experiments {
        let is_own = |case: &Case| case.experiment == experiment.title;
        let own = std::iter::from_fn(|| cases.next_if(is_own));
        let answers: Vec<Answers> = own.map(|case| answers(case, records, described)).collect();
        let is_answered = |one: &Answers| one.measured.is_some() || !one.simulated.is_empty();
        if answers.iter().any(is_answered) {
            rows.extend(agree(&study.experiments, experiment, &answers));
        }
    }
    let agreement =
        StudyAgreement { study: study.title.clone(), rows, origins: Origins::of(study) };
    Some(agreement).filter(|agreement| !agreement.rows.is_empty())
}

/// What the records of a run say of a case.
fn answers(case: Case, records: &[Record], described: &BTreeMap<u32, Described>) -> Answers {
    let chosen = case.levels.iter().map(|one| (one.factor.clone(), one.level.clone()));
    let levels: BTreeMap<String, String> = chosen.collect();
    let of_case = |record: &&Record| {
        record.case.experiment == case.experiment && record.case.levels == levels
    };
    let own: Vec<&Record> = records.iter().filter(of_case).collect();
    let simulated = own.iter().filter(|one| matches!(one.technique, Technique::Simulation { .. }));
    let measured = own.iter().find(|one| matches!(one.technique, Technique::Measurement { .. }));
    let bounds = own.first().and_then(|record| described.get(&record.case.trial));
    Answers {
        analytic: bounds.map(|described| described.bounds.clone()),
        simulated: simulated.map(|record| (*record).clone()).collect(),
        measured: measured.map(|record| (*record).clone()),
        case,
    }
}
