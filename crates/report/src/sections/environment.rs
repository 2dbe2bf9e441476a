//! Where and how it was measured: facts of the machine, the study as resolved, all laws.

use std::collections::BTreeMap;

use super::Shown;
use crate::document::{Block, Section, Table};
use crate::view::run::TrialReport;

/// Trials up to which the study of each case is shown: chosen.
const STUDIES: usize = 24;

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let trials = shown.trials;
    let facts = Block::table(environment(trials)).and_then(|table| fold("environment", table));
    let laws = Block::table(audit(shown)).and_then(|table| fold("consistency checks", table));
    let studies = trials.iter().filter(|trial| !trial.case.text.is_empty()).take(STUDIES);
    let studies = studies.filter_map(|trial| {
        let title = match trials.len() {
            1 => "study, as resolved".to_owned(),
            _ => format!("study of {}, as resolved", trial.label()),
        };
        fold(&title, Block::Verbatim(trial.case.text.trim_end().to_owned()))
    });
    let left = trials.len().saturating_sub(STUDIES);
    let left =
        (left > 0).then(|| Block::Text(format!("Studies of {left} more cases: `iopath export`.")));
    let blocks = facts.into_iter().chain(laws).chain(studies).chain(left).collect();
    Section::of("environment", "environment, study and consistency checks", blocks)
}

fn fold(title: &str, block: Block) -> Option<Block> {
    Block::fold(title, vec![block])
}

/// A fact with the trials that have it; empty where all have.
struct Known<'a> {
    key: &'a str,
    value: &'a str,
    whom: String,
}

/// Facts that all trials share once, others with the trials that have them.
fn environment(trials: &[TrialReport]) -> Table {
    let mut facts: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for trial in trials {
        for (key, value) in &trial.environment {
            facts.entry((key, value)).or_default().push(trial.label());
        }
    }
    let rows: Vec<Known<'_>> = facts
        .into_iter()
        .map(|((key, value), labels)| {
            let whom = match labels.as_slice() {
                all if all.len() == trials.len() => String::new(),
                [one] => one.clone(),
                [first, rest @ ..] => format!("{first} and {} more", rest.len()),
                [] => String::new(),
            };
            Known { key, value, whom }
        })
        .collect();
    let are_shared = rows.iter().all(|row| row.whom.is_empty());
    Table::of(&rows)
        .column("fact", |row| row.key.to_owned())
        .column("value", |row| row.value.to_owned())
        .column_if(!are_shared, "only in", |row| row.whom.clone())
        .done()
}

/// Each law with how often it was looked at.
fn audit(shown: &Shown<'_>) -> Table {
    let mut laws: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for check in shown.trials.iter().flat_map(|trial| &trial.findings.audit) {
        let [held, all] = laws.entry(check.law.name()).or_default();
        *held += usize::from(check.holds);
        *all += 1;
    }
    let rows: Vec<_> = laws.into_iter().collect();
    Table::of(&rows)
        .column("check", |(law, _)| (*law).to_owned())
        .column("result", |(_, [held, all])| format!("{held} of {all} passed"))
        .done()
}
