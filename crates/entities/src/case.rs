//! What a record says of its case.

use iopath_record::CaseText;
use iopath_study::Case;

/// The case as a record keeps it, of its first trial and pass.
#[must_use]
pub fn case_text(case: &Case, seed: u64) -> CaseText {
    let levels = case.levels.iter().map(|one| (one.factor.clone(), one.level.clone()));
    CaseText {
        study: case.study.clone(),
        experiment: case.experiment.clone(),
        text: case.text.clone(),
        levels: levels.collect(),
        seed,
        ..CaseText::default()
    }
}
