//! Where and how it was measured: facts of the machine, the study as resolved, all laws.

use std::collections::BTreeMap;

use super::compose::Shown;
use super::{Block, Section, Table};
use crate::run::TrialReport;
use crate::words;

/// Trials up to which the study of each case is shown: chosen.
const STUDIES: usize = 24;

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let trials = &shown.run.report.trials;
    let mut blocks = vec![Block::Text(
        "What stood around the figures: a comparison of two runs shows what of it differs."
            .to_owned(),
    )];
    blocks.extend(environment(trials).map(|table| fold("Environment", Block::Table(table))));
    blocks
        .extend(audit(shown, trials).map(|table| fold("Audit: the laws that records keep", table)));
    let studies = trials.iter().filter(|trial| !trial.case.text.is_empty()).take(STUDIES);
    blocks.extend(studies.map(|trial| {
        let title = match trials.len() {
            1 => "Study, as resolved".to_owned(),
            _ => format!("Study of {}, as resolved", trial.label()),
        };
        fold(&title, Block::Verbatim(trial.case.text.trim_end().to_owned()))
    }));
    if trials.len() > STUDIES {
        let left = trials.len() - STUDIES;
        blocks.push(Block::Text(format!("Studies of {left} more cases: `iopath show`.")));
    }
    let title = "Environment, study and audit".to_owned();
    (!trials.is_empty()).then_some(Section { id: "environment", title, blocks })
}

fn fold(title: &str, block: Block) -> Block {
    Block::Fold(title.to_owned(), vec![block])
}

/// Facts that all trials share once, others with the trials that have them.
fn environment(trials: &[TrialReport]) -> Option<Table> {
    let mut facts: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for trial in trials {
        for (key, value) in &trial.environment {
            facts.entry((key, value)).or_default().push(trial.label());
        }
    }
    let rows = facts.into_iter().map(|((key, value), labels)| {
        let whom = match labels.as_slice() {
            all if all.len() == trials.len() => String::new(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            [] => String::new(),
        };
        vec![key.to_owned(), value.to_owned(), whom]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let mut table =
        Table { title: String::new(), head: vec!["fact".to_owned(), "value".to_owned()], rows };
    match table.rows.iter().all(|row| row[2].is_empty()) {
        true => table.rows.iter_mut().for_each(|row| row.truncate(2)),
        false => table.head.push("only in".to_owned()),
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Each law with how often it was looked at; those that are broken one by one.
fn audit(shown: &Shown<'_>, trials: &[TrialReport]) -> Option<Block> {
    let mut laws: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for check in trials.iter().flat_map(|trial| &trial.findings.audit) {
        let (held, all) = laws.entry(check.law.name()).or_default();
        *held += usize::from(check.holds);
        *all += 1;
    }
    let mut rows: Vec<Vec<String>> = laws
        .into_iter()
        .map(|(law, (held, all))| vec![law.to_owned(), format!("{held} of {all} hold")])
        .collect();
    for trial in trials {
        let broken = trial.findings.audit.iter().filter(|check| !check.holds);
        rows.extend(broken.map(|check| {
            let said = words::audit::sentence(&check.law, shown.system);
            let found = format!("broken: {}: {}: {said}", trial.label(), check.entity);
            vec![check.law.name().to_owned(), found]
        }));
    }
    let head = ["law", "what was found"].map(str::to_owned).to_vec();
    (!rows.is_empty()).then_some(Block::Table(Table { title: String::new(), head, rows }))
}
