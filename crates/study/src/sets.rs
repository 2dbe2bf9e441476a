//! Assignments from outside a study (`--set`) made in its experiments. They hold where cases are
//! asked for; an experiment without one stays as its file says, whatever it varies.

use crate::assignment::Assignment;
use crate::declaration::Reader;
use crate::experiment::{Draft, Experiment};
use crate::mistake::{Collected, MistakeKind};
use crate::print::quoted;
use crate::scene::Edit;
use crate::source::{Origin, Sourced, Span};
use crate::vary::Factor;

/// What a study is read for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// Assignments, in order (`--set`).
    pub sets: &'a [Assignment],
    /// Names that the cases asked for must all have (`--case`); `None` where no case can be chosen,
    /// so every experiment is asked for.
    pub cases: Option<&'a [String]>,
    /// Whether its factors are choices of which some cases may not be possible to build, and of
    /// which there may be very many: cases are not looked at beforehand, but for the first and the
    /// last. One of these must be right.
    pub is_template: bool,
}

impl Asked<'_> {
    /// Makes the assignments in every experiment that is asked for and has what they name.
    pub(crate) fn set(self, drafts: &mut [Draft<'_>], reader: &mut Reader) {
        let names = self.cases.unwrap_or_default();
        let (mut chosen, left): (Vec<_>, Vec<_>) =
            drafts.iter_mut().partition(|draft| draft.experiment.is_meant_by(names));
        if chosen.is_empty() {
            // Whoever chose learns that no case is meant, not what could not be set in it.
            return;
        }
        for (index, assignment) in self.sets.iter().enumerate() {
            let span = assignment.path_span(index);
            let path = Sourced { value: assignment.path.clone(), origin: Origin::Unstated, span };
            let make = |draft: &Draft<'_>, reader: &mut Reader| -> Vec<Edit> {
                let entry = assignment.entry(index);
                draft.experiment.scene.edit(reader, &path, &entry).into_iter().collect()
            };
            let fits = |draft: &Draft<'_>| !make(draft, &mut Reader::default()).is_empty();
            let name = path.value.to_string();
            let mut refused = in_any(&mut chosen, make, reader);
            if refused.is_some()
                && let Some(other) = left.iter().find(|draft| fits(draft))
            {
                refused = Some(elsewhere(&name, span, &other.experiment));
            }
            reader.collected.append(refused.unwrap_or_default());
            let free = |draft: &&&mut Draft<'_>| !draft.experiment.varies(&name) && fits(draft);
            let free = chosen.iter().chain(&left).find(free).map(|draft| &draft.experiment);
            for experiment in chosen.iter().map(|draft| &draft.experiment) {
                self.check_free((&name, span), experiment, free, &mut reader.collected);
            }
        }
    }

    /// What holds in every case asked for cannot vary in one.
    fn check_free(
        self,
        (path, span): (&str, Span),
        experiment: &Experiment,
        free: Option<&Experiment>,
        collected: &mut Collected,
    ) {
        let Some(factor) = experiment.factor_of(path) else { return };
        let mut message = format!("{path} is varied by the factor \"{}\"", factor.name);
        if experiment.is_block {
            message.push_str(&format!(" of the experiment \"{}\"", experiment.title));
        }
        let hint = match self.cases {
            Some(_) => instead(factor, free),
            None => "set a property that does not vary, or remove the factor".to_owned(),
        };
        collected.hinted(MistakeKind::Contradiction, span, message, hint);
    }
}

/// What is set is only in an experiment that is not asked for.
fn elsewhere(path: &str, span: Span, other: &Experiment) -> Collected {
    let mut collected = Collected::default();
    let message = format!("{path} is not in the cases asked for");
    let hint = format!("it is in --case {}", quoted(&other.title));
    collected.hinted(MistakeKind::UnknownName, span, message, hint);
    collected
}

/// How to get by `--case` what cannot be set.
fn instead(factor: &Factor, free: Option<&Experiment>) -> String {
    let level = factor.levels.first().map_or("", |level| level.title());
    let level = quoted(&format!("{}={level}", factor.name));
    let other = free.map(|free| format!(", or another experiment: --case {}", quoted(&free.title)));
    format!("select one of its levels instead: --case {level}{}", other.unwrap_or_default())
}

/// Makes assignments in each experiment that has what they name; why not, where none has.
pub(crate) fn in_any(
    drafts: &mut [&mut Draft<'_>],
    make: impl Fn(&Draft<'_>, &mut Reader) -> Vec<Edit>,
    reader: &mut Reader,
) -> Option<Collected> {
    let mut refused = None;
    let mut made = false;
    for draft in drafts {
        let mut trial = Reader::default();
        let edits = make(draft, &mut trial);
        if edits.is_empty() {
            refused.get_or_insert(trial.collected);
            continue;
        }
        made = true;
        reader.collected.append(trial.collected);
        for edit in edits {
            draft.set(edit);
        }
    }
    refused.filter(|_| !made)
}
