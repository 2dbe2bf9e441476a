//! Which cases the statements of an experiment refer to: nothing else need be simulated.

use std::collections::BTreeMap;

use iopath_study::experiment::Experiment;
use iopath_study::published::Figure;

use super::selected::Selected;
use super::statement::{rule, words};
use super::{Answers, Predicted, Status, metric};

/// A case that some statement refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Referred {
    /// Its place among the cases of the experiment.
    pub position: usize,
    /// Whether a statement is about how streams share, which a race at their start may decide:
    /// one seed says little then.
    pub is_race: bool,
}

/// The cases that statements refer to, in their order.
#[must_use]
pub fn referred(experiment: &Experiment, answers: &[Answers]) -> Vec<Referred> {
    cases(experiment, answers, experiment.published.figures.iter())
}

/// Those that some figures refer to.
fn cases<'a>(
    experiment: &Experiment,
    answers: &[Answers],
    figures: impl Iterator<Item = &'a Figure>,
) -> Vec<Referred> {
    let mut found: BTreeMap<usize, bool> = BTreeMap::new();
    for figure in figures {
        let is_race = is_of_shares(figure);
        let selected = Selected::new(&experiment.factors, figure, answers);
        let others = selected.cases.iter().flat_map(|of| others(&selected, figure, of));
        for case in selected.cases.iter().copied().chain(others) {
            let position = answers.iter().position(|one| std::ptr::eq(one, case));
            if let Some(position) = position {
                *found.entry(position).or_default() |= is_race;
            }
        }
    }
    found.into_iter().map(|(position, is_race)| Referred { position, is_race }).collect()
}

/// The cases that checks refer to which only a simulation can claim, in their order. Bounds are
/// enough to know which these are.
#[must_use]
pub fn needing(experiment: &Experiment, answers: &[Answers]) -> Vec<Referred> {
    let needs = |figure: &&Figure| {
        let rows = super::rows(experiment, figure, answers);
        rows.iter()
            .any(|row| row.status == Status::Check && row.analytic == Predicted::NeedsSimulation)
    };
    cases(experiment, answers, experiment.published.figures.iter().filter(needs))
}

/// What a case is held against: by a ratio, or along a factor.
pub(super) fn others<'a>(
    selected: &Selected<'a>,
    figure: &Figure,
    of: &Answers,
) -> Vec<&'a Answers> {
    let factor = rule(figure, "along").and_then(words);
    let is_everywhere = rule(figure, "best").is_some();
    let along = factor.map(|factor| selected.along(of, factor, is_everywhere));
    along.into_iter().flatten().chain(selected.against(of)).collect()
}

fn is_of_shares(figure: &Figure) -> bool {
    let rules = ["metric", "best", "rises"].into_iter();
    let told = rules.filter_map(|name| rule(figure, name).and_then(words));
    let metrics = told.map(|key| metric::key(key).1);
    metrics.chain(figure.expects.iter().map(|one| one.metric)).any(metric::is_of_shares)
}
