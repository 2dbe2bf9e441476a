//! What a run that left cases out says of a figure: those of its cases that were run, with all that
//! they are compared with, can miss a statement; nothing can meet it that was not run.

use iopath_study::published::Figure;

use super::referred::others;
use super::selected::Selected;
use super::statement::nothing;
use super::{Agreement, Answers, Judged, Note, Outcome};

/// The cases of a figure that were run; none where all of them were.
pub(super) fn of<'a>(selected: &Selected<'a>, figure: &Figure) -> Option<Selected<'a>> {
    let is_whole =
        |case: &&Answers| is_run(case) && others(selected, figure, case).into_iter().all(is_run);
    if selected.cases.iter().all(is_whole) {
        return None;
    }
    // One case of a group is enough to meet a statement, so all of it must be there to miss one.
    let groups = selected.groups(None).into_iter();
    let whole = groups.filter(|group| group.iter().all(is_whole));
    Some(selected.only(whole.flatten().collect()))
}

fn is_run(case: &Answers) -> bool {
    case.analytic.is_some() || !case.simulated.is_empty() || case.measured.is_some()
}

/// A row of a figure of which cases were not run: only that they were not.
pub(super) fn not_run(row: &mut Agreement) {
    let judged = Judged { error_percent: None, outcome: Outcome::NotRun };
    *row = Agreement {
        figure: std::mem::take(&mut row.figure),
        status: row.status,
        published: row.published.clone(),
        unit: row.unit,
        by_analytic: judged,
        outcome: Outcome::NotRun,
        notes: vec![Note::NotRun],
        ..nothing()
    };
}
