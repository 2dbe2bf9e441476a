//! What puts figures in doubt: failed consistency checks, exceeded ratings, warnings. Each text
//! once, with the trials that have it; of many of one kind the first.

use iopath_analysis::LawCheck;
use iopath_analysis::audit::Law;

use super::Shown;
use crate::document::{Block, Notice, Section};
use crate::look::Tone;
use crate::view::run::TrialReport;
use crate::words::{audit, warnings};

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let all = shown.trials.iter().flat_map(|trial| {
        let each = trial.findings.warnings.iter();
        each.map(|one| TrialNotice {
            what: one.kind().to_owned(),
            text: warnings::text(one, shown.system),
            label: shown.label(trial),
        })
    });
    Section::of("warnings", "warnings", grouped(all, Tone::Warning))
}

/// Laws that a true record keeps and this one does not: what it says before that is in doubt, so
/// this comes first after the verdict.
pub(crate) fn broken_laws(shown: &Shown<'_>) -> Option<Section> {
    let all = broken(shown, |law| !matches!(law, Law::Rating(_)));
    let title = "failed consistency checks: at least one counter or model is wrong; do not \
         trust these results";
    Section::of("laws", title, grouped(all, Tone::Broken))
}

/// Ratings that were exceeded: they put no figure in doubt.
pub(crate) fn exceeded_ratings(shown: &Shown<'_>) -> Option<Section> {
    let all = broken(shown, |law| matches!(law, Law::Rating(_)));
    let title = "exceeded ratings: the ratings were not measured, so doubt them rather than the \
                 results";
    Section::of("ratings", title, grouped(all, Tone::Warning))
}

/// How many laws hold, where all do.
pub(crate) fn kept_laws(shown: &Shown<'_>) -> Option<Section> {
    let checks = || shown.trials.iter().flat_map(|trial| &trial.findings.audit);
    let all = checks().count();
    let is_true = all > 0 && checks().all(|check| check.holds);
    let line = Block::Lines(vec![format!("{all} of {all} passed")]);
    Section::of("audit", "consistency checks", if is_true { vec![line] } else { Vec::new() })
}

fn broken<'a>(
    shown: &Shown<'a>,
    is: fn(&Law) -> bool,
) -> impl Iterator<Item = TrialNotice> + use<'a> {
    let shown = *shown;
    shown.trials.iter().flat_map(move |trial: &TrialReport| {
        let broken = trial.findings.audit.iter().filter(move |one| !one.holds && is(&one.law));
        broken.map(move |check: &LawCheck| TrialNotice {
            what: check.law.name().to_owned(),
            text: format!(
                "{}: {}: {}",
                check.entity,
                audit::excess(check, shown.system),
                audit::sentence(&check.law, shown.system)
            ),
            label: shown.label(trial),
        })
    })
}

/// Something that is said of a trial.
struct TrialNotice {
    what: String,
    text: String,
    label: String,
}

/// One text with the trials that have it.
struct Group {
    what: String,
    text: String,
    labels: Vec<String>,
}

/// Texts of one kind that are shown unasked: chosen.
const EACH: usize = 3;

/// The first texts of each kind, with their trials; other texts of that kind below them, folded.
fn grouped(all: impl Iterator<Item = TrialNotice>, tone: Tone) -> Vec<Block> {
    let mut groups: Vec<Group> = Vec::new();
    let mut is_of_one = true;
    for TrialNotice { what, text, label } in all {
        is_of_one &= groups.first().is_none_or(|group| group.labels[0] == label);
        match groups.iter_mut().find(|group| group.what == what && group.text == text) {
            Some(group) => group.labels.push(label),
            None => groups.push(Group { what, text, labels: vec![label] }),
        }
    }
    let mut blocks = Vec::new();
    while !groups.is_empty() {
        let kind = groups[0].what.clone();
        let (own, rest): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|group| group.what == kind);
        let mut notices = own.iter().map(|group| group.notice(tone, is_of_one));
        blocks.extend(notices.by_ref().take(EACH));
        let others: Vec<Block> = notices.collect();
        blocks.extend(Block::fold(format!("{} more: {kind}", others.len()), others));
        groups = rest;
    }
    blocks
}

impl Group {
    fn notice(&self, tone: Tone, is_of_one: bool) -> Block {
        let whom = match self.labels.as_slice() {
            _ if is_of_one => String::new(),
            [one] => format!(" ({one})"),
            [first, rest @ ..] => format!(" ({first} and {} more)", rest.len()),
            [] => String::new(),
        };
        let text = format!("{}{whom}", self.text);
        Block::Notice(Notice { tone, what: self.what.clone(), text })
    }
}
