//! What the study of a run publishes, held against what was found in it.
//!
//! The bounds beside it are computed anew, of the case as it stands in the record: with what
//! `--set` changed, which the study's own text does not have.

use std::collections::BTreeMap;

use iopath_analysis::agreement::{Answers, StudyAgreement, agree};
use iopath_record::{Record, Technique};
use iopath_study::{Case, Source, Study};

use crate::commands::explain;
use crate::{shipped, studies};

/// The study of a stored run; none where it cannot be understood any more, as where it takes its
/// path from a file that is gone. Files of the studies that come with the program are never gone.
pub(crate) fn stored(text: &str) -> Option<Study> {
    let source = |name: String| Source { name, text: text.to_owned() };
    let places = ["the run's study".to_owned(), shipped::beside("the run's study")];
    places.into_iter().find_map(|name| studies::understand(&source(name), &[]).ok())
}

/// A row for each published statement; empty where the study publishes nothing.
pub(crate) fn agreements(study: &Study, records: &[Record]) -> Vec<StudyAgreement> {
    let publishes =
        study.experiments.iter().any(|experiment| !experiment.published.figures.is_empty());
    let cases = if publishes { study.cases().ok() } else { None };
    cases.into_iter().filter_map(|cases| of_study(study, cases, records)).collect()
}

fn of_study(study: &Study, cases: Vec<Case>, records: &[Record]) -> Option<StudyAgreement> {
    let mut cases = cases.into_iter();
    let mut rows = Vec::new();
    for experiment in &study.experiments {
        let own = cases.by_ref().take(experiment.case_count());
        let answers: Vec<Answers> = own.map(|case| answers(case, records)).collect();
        let is_answered = |one: &Answers| one.measured.is_some() || !one.simulated.is_empty();
        if answers.iter().any(is_answered) {
            rows.extend(agree(experiment, &answers));
        }
    }
    let parameters = study.parameters();
    (!rows.is_empty()).then(|| StudyAgreement {
        study: study.title.clone(),
        rows,
        assumed: parameters.iter().filter(|parameter| parameter.is_assumed()).count(),
        parameters: parameters.len(),
    })
}

/// What the records of a run say of a case.
fn answers(case: Case, records: &[Record]) -> Answers {
    let chosen = case.levels.iter().map(|one| (one.factor.clone(), one.level.clone()));
    let levels: BTreeMap<String, String> = chosen.collect();
    let of_case = |record: &&Record| {
        record.case.experiment == case.experiment && record.case.levels == levels
    };
    let own: Vec<&Record> = records.iter().filter(of_case).collect();
    let simulated = own.iter().filter(|one| matches!(one.technique, Technique::Simulation { .. }));
    let measured = own.iter().find(|one| matches!(one.technique, Technique::Measurement { .. }));
    Answers {
        analytic: own.first().and_then(|record| bounds(record)),
        simulated: simulated.map(|record| (*record).clone()).collect(),
        measured: measured.map(|record| (*record).clone()),
        case,
    }
}

/// The bounds of the path in a record's case; none where it describes none.
fn bounds(record: &Record) -> Option<Record> {
    let (case, network) = explain::described(&record.case)?;
    Some(iopath_analytic::evaluate(&case, &network))
}
