//! The answer first: what each trial reached and what held it back, the evidence, what to change.

use iopath_analysis::audit::Law;
use iopath_analysis::limit::{Cause, Evidence};
use iopath_units::System;

use super::compose::Shown;
use super::{Block, Section, Table};
use crate::run::TrialReport;
use crate::{text, words};

/// Trials up to which the line of each is shown unasked: chosen, half a screen.
const SENTENCES: usize = 8;

const LOOKED_AT: &str = "What was looked at";

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let trials = &shown.run.report.trials;
    let mut blocks = sentences(shown, trials);
    blocks.extend(epochs(shown, trials));
    blocks.extend(evidence(shown, trials));
    blocks.extend(advice(trials));
    blocks.extend(notices(trials, shown.system));
    (!blocks.is_empty()).then(|| Section { id: "verdict", title: "Verdict".to_owned(), blocks })
}

/// One sentence; of several trials that of the fastest, and then each in a line.
fn sentences(shown: &Shown<'_>, trials: &[TrialReport]) -> Vec<Block> {
    let sentence = |trial: &TrialReport| crate::verdict::verdict(trial, shown.system);
    let Some(first) = crate::verdict::of_several(trials, shown.system) else {
        return trials.iter().map(|trial| Block::Verdict(sentence(trial))).collect();
    };
    let lines = Block::Lines(trials.iter().map(sentence).collect());
    let each = match trials.len() {
        ..=SENTENCES => lines,
        many => Block::Fold(format!("All {many} trials"), vec![lines]),
    };
    vec![Block::Verdict(first), each]
}

/// What ran one after the other, each over its own time.
fn epochs(shown: &Shown<'_>, trials: &[TrialReport]) -> Option<Block> {
    let with = trials.iter().filter(|trial| !trial.findings.epochs.is_empty());
    let rows = with.flat_map(|trial| {
        let rows = text::of_epochs(trial, shown.system).into_iter();
        rows.map(|row| match trials.len() {
            1 => row.to_vec(),
            _ => [vec![trial.label()], row.to_vec()].concat(),
        })
    });
    let rows: Vec<_> = rows.collect();
    let head = ["trial"].into_iter().filter(|_| trials.len() > 1).chain(text::OF_EPOCHS);
    let head = head.map(str::to_owned).collect();
    let table = Table { title: "One after the other".to_owned(), head, rows };
    match (table.rows.is_empty(), trials.len()) {
        (true, _) => None,
        (false, 1) => Some(Block::Table(table)),
        (false, _) => Some(Block::Fold(table.title.clone(), vec![Block::Table(table)])),
    }
}

/// Why: each line with the rule that it follows. Of several trials in one table, folded.
fn evidence(shown: &Shown<'_>, trials: &[TrialReport]) -> Option<Block> {
    let cells = |line: &Evidence| {
        vec![words::evidence::sentence(line, shown.system), line.law().to_string()]
    };
    let head = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    if let [trial] = trials {
        let rows: Vec<_> = trial.findings.limit.evidence.iter().map(cells).collect();
        if rows.is_empty() {
            return None;
        }
        let table = |title| Block::Table(Table { title, head: head(&["evidence", "rule"]), rows });
        return Some(match trial.findings.limit.cause {
            // Much was looked at and nothing was it.
            Cause::Unknown => Block::Fold(LOOKED_AT.to_owned(), vec![table(String::new())]),
            _ => table(cause(trial)),
        });
    }
    let rows = trials.iter().flat_map(|trial| {
        let lines = trial.findings.limit.evidence.iter();
        lines.map(move |line| [vec![trial.label(), cause(trial)], cells(line)].concat())
    });
    let rows: Vec<_> = rows.collect();
    let head = head(&["trial", "limit", "evidence", "rule"]);
    let table = Block::Table(Table { title: String::new(), head, rows });
    (!trials.is_empty()).then(|| Block::Fold("Evidence, trial by trial".to_owned(), vec![table]))
}

fn cause(trial: &TrialReport) -> String {
    let limit = &trial.findings.limit;
    match (limit.cause, &limit.entity) {
        (Cause::Unknown, _) => "not known".to_owned(),
        (cause, Some(entity)) => format!("{} ({entity})", cause.name()),
        (cause, None) => cause.name().to_owned(),
    }
}

/// The advice of all trials, each once.
fn advice(trials: &[TrialReport]) -> Vec<Block> {
    let all = words::advice::texts(trials.iter().flat_map(|trial| &trial.findings.advice));
    all.into_iter().map(|advice| Block::Advice(Box::new(advice))).collect()
}

/// Warnings and broken laws: of those of one kind the first, and how many more there are.
fn notices(trials: &[TrialReport], system: System) -> Vec<Block> {
    let mut all: Vec<(String, String, usize)> = Vec::new();
    for trial in trials {
        let warnings = trial.findings.warnings.iter();
        let warnings =
            warnings.map(|one| (one.kind().to_owned(), words::warnings::text(one, system)));
        let broken = trial.findings.audit.iter().filter(|law| !law.holds);
        let broken = broken.map(|check| {
            let kind = match &check.law {
                Law::Rating(_) => "exceeded rating".to_owned(),
                other => format!("broken law: {}", other.name()),
            };
            (kind, words::audit::sentence(&check.law, system))
        });
        for (kind, text) in warnings.chain(broken) {
            match all.iter_mut().find(|(known, ..)| *known == kind) {
                Some((.., count)) => *count += 1,
                None if trials.len() == 1 => all.push((kind, text, 1)),
                None => all.push((kind, format!("{}: {text}", trial.label()), 1)),
            }
        }
    }
    let told = |(kind, text, count): (String, String, usize)| match count {
        1 => Block::Notice(kind, text),
        _ => Block::Notice(kind, format!("{text} (the first of {count})")),
    };
    all.into_iter().map(told).collect()
}
