//! Intensities of a load's sub-streams as text: a line for each trial, and a table in full.

use iopath_analysis::intensity::Intensity;

use crate::look::Look;
use crate::numbers::{UNKNOWN, operations};
use crate::run::{RunReport, TrialReport};
use crate::table::{Column, render};
use crate::wrap::wrap;

/// Whether each trial with such a load kept them; empty where none has one.
pub(crate) fn lines(run: &RunReport, look: &Look) -> String {
    let with = run.trials.iter().filter(|trial| !trial.findings.intensities.is_empty());
    let lines: Vec<_> = with.map(|trial| wrap(&sentence(trial), 2, look.width)).collect();
    if lines.is_empty() { String::new() } else { format!("intensities\n{}", lines.join("\n")) }
}

fn sentence(trial: &TrialReport) -> String {
    let all = &trial.findings.intensities;
    let count = |kept| all.iter().filter(|one| one.kept == kept).count();
    let (missed, unknown) = (count(Some(false)), count(None));
    let label = trial.label();
    match (missed, unknown) {
        (0, 0) => format!(
            "{label}: kept by all {} sub-streams, within 5 % and with a variation of 0.2 at most",
            all.len()
        ),
        (0, _) => format!(
            "{label}: too few requests to say of {unknown} of {} sub-streams; run longer",
            all.len()
        ),
        _ => format!("{label}: not kept by {missed} of {} sub-streams", all.len()),
    }
}

/// A table of the sub-streams of each trial that has some.
pub(crate) fn tables(run: &RunReport, look: &Look) -> String {
    let with = run.trials.iter().filter(|trial| !trial.findings.intensities.is_empty());
    let of = |trial: &TrialReport| {
        format!("\nintensities of {}\n{}\n", trial.label(), table(trial, look))
    };
    with.map(of).collect()
}

/// The sub-streams of a trial; empty where it has none.
pub(crate) fn table(trial: &TrialReport, look: &Look) -> String {
    match trial.findings.intensities.as_slice() {
        [] => String::new(),
        all => render(columns(all, look), look.width),
    }
}

fn columns(all: &[Intensity], look: &Look) -> Vec<Column> {
    let number =
        |value: Option<f64>| value.map_or(UNKNOWN.to_owned(), |value| format!("{value:.3}"));
    let kept = |one: &Intensity| match one.kept {
        Some(true) => "kept",
        Some(false) => "not kept",
        None => "too few requests",
    };
    let cells = |of: &dyn Fn(&Intensity) -> String| all.iter().map(of).collect::<Vec<_>>();
    let speed = |per_sec| operations(per_sec, look.system);
    vec![
        Column::needed("sub-stream", cells(&|one| one.stream.clone())),
        Column::needed("wanted", cells(&|one| speed(one.wanted_per_sec))),
        Column::needed("completed", cells(&|one| speed(one.measured_per_sec))),
        Column::needed("ratio", cells(&|one| number(one.ratio))),
        Column::needed("variation", cells(&|one| number(one.coefficient_of_variation))),
        Column::needed("", cells(&|one| kept(one).to_owned())),
    ]
}
