//! The answer first: what each trial reached and what held it back, the evidence, what to change.

use iopath_analysis::Advice;
use iopath_analysis::limit::Cause;

use super::compose::Shown;
use super::{Block, Section, Table};
use crate::run::TrialReport;

/// Trials up to which each has its own sentence: chosen, half a screen.
const SENTENCES: usize = 8;

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let trials = &shown.run.report.trials;
    let mut blocks = sentences(shown, trials);
    blocks.extend(trials.iter().take(SENTENCES).filter_map(evidence));
    blocks.extend(advice(trials));
    blocks.extend(notices(trials));
    (!blocks.is_empty()).then(|| Section { id: "verdict", title: "Verdict".to_owned(), blocks })
}

/// A sentence for each trial; of many those of the fastest and the slowest.
fn sentences(shown: &Shown<'_>, trials: &[TrialReport]) -> Vec<Block> {
    let sentence =
        |trial: &TrialReport| Block::Verdict(crate::verdict::verdict(trial, shown.system));
    if trials.len() <= SENTENCES {
        return trials.iter().map(sentence).collect();
    }
    let speed = |trial: &&TrialReport| trial.findings.throughput_bytes_per_sec;
    let by_speed = |a: &&TrialReport, b: &&TrialReport| speed(a).total_cmp(&speed(b));
    let ends = [trials.iter().max_by(by_speed), trials.iter().min_by(by_speed)];
    let told = format!("{} trials; the fastest and the slowest:", trials.len());
    std::iter::once(Block::Text(told)).chain(ends.into_iter().flatten().map(sentence)).collect()
}

/// Why: each line with the rule that it follows.
fn evidence(trial: &TrialReport) -> Option<Block> {
    let limit = &trial.findings.limit;
    let title = match (limit.cause, &limit.entity) {
        (Cause::Unknown, _) => format!("{}: what was looked at", trial.label()),
        (cause, Some(entity)) => format!("{}: {} ({entity}), because", trial.label(), cause.name()),
        (cause, None) => format!("{}: {}, because", trial.label(), cause.name()),
    };
    let rows = limit.evidence.iter().map(|line| vec![line.text.clone(), line.law.to_owned()]);
    let head = vec!["evidence".to_owned(), "rule".to_owned()];
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then_some(Block::Table(Table { title, head, rows }))
}

/// The advice of all trials, each once.
fn advice(trials: &[TrialReport]) -> Vec<Block> {
    let mut all: Vec<&Advice> = Vec::new();
    for advice in trials.iter().flat_map(|trial| &trial.findings.advice) {
        if !all.contains(&advice) {
            all.push(advice);
        }
    }
    all.into_iter().map(|advice| Block::Advice(Box::new(advice.clone()))).collect()
}

/// Warnings and broken laws, each once.
fn notices(trials: &[TrialReport]) -> Vec<Block> {
    let mut all: Vec<Block> = Vec::new();
    for trial in trials {
        let warnings = trial.findings.warnings.iter();
        let warnings = warnings.map(|one| Block::Notice(one.kind.clone(), one.text.clone()));
        let broken = trial.findings.audit.iter().filter(|law| !law.holds);
        let broken =
            broken.map(|law| Block::Notice(format!("broken law: {}", law.law), law.text.clone()));
        for notice in warnings.chain(broken) {
            if !all.contains(&notice) {
                all.push(notice);
            }
        }
    }
    all
}
