//! `iopath check FILE`: every mistake of a study at once; of one without, its paths drawn as trees
//! and what the rules about paths find.

use std::collections::BTreeSet;

use iopath_path::{PathFinding, Severity, check, distinct, tree};
use iopath_report::{CheckFinding, CheckReport, Detail, NamedTree, check_json, compose};
use iopath_study::{Case, Study, Trial};
use iopath_units::System;

use crate::arguments::Check;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::inputs::studies::Planned;
use crate::output;

pub(crate) fn run(arguments: &Check) -> Result<ExitStatus, Problem> {
    let planned = studies::read_for(&arguments.study, &arguments.set, &arguments.cases)?;
    let report = report(arguments, &planned);
    if arguments.json {
        output::print_json(&check_json(&report))?;
    } else {
        output::print_document(&compose::check(&report), Detail::Brief, System::Decimal)?;
    }
    report.mistakes().map_or(Ok(ExitStatus::Done), |mistakes| Err(Problem::mistake(mistakes)))
}

fn report(arguments: &Check, planned: &Planned) -> CheckReport {
    let trials = &planned.plan.trials;
    CheckReport {
        file: arguments.study.display().to_string(),
        study: planned.study.title.clone(),
        experiments: planned.study.experiments.len(),
        cases: trials.len(),
        trees: trees(trials),
        findings: findings(&planned.study, trials, arguments.full),
    }
}

/// The path of the first case of each experiment; one that is like an earlier one is left out.
fn trees(trials: &[Trial]) -> Vec<NamedTree> {
    let mut all: Vec<NamedTree> = Vec::new();
    let mut experiment = None;
    for case in trials.iter().map(|trial| &trial.case) {
        if experiment.replace(&case.experiment) == Some(&case.experiment) {
            continue;
        }
        let tree = tree(case);
        if !all.iter().any(|other| other.tree == tree) {
            all.push(NamedTree { experiment: case.experiment.clone(), tree });
        }
    }
    all
}

/// What the rules find in all cases, each finding once.
fn findings(study: &Study, trials: &[Trial], full: bool) -> Vec<CheckFinding> {
    let nothing = BTreeSet::new();
    let of_cases = trials.iter().map(|trial| check(&trial.case, &nothing));
    let told = distinct(of_cases).into_iter();
    let told = told.filter(|(finding, _)| full || !finding.rule.is_detail());
    let cases: Vec<&Case> = trials.iter().map(|trial| &trial.case).collect();
    told.map(|(finding, count)| located(study, &cases, finding, count)).collect()
}

fn located(study: &Study, cases: &[&Case], finding: PathFinding, count: usize) -> CheckFinding {
    let text = match finding.severity {
        Severity::Mistake => finding.text.clone(),
        severity => format!("{severity}: {}", finding.text),
    };
    let hint = Some(finding.hint.as_str()).filter(|hint| !hint.is_empty());
    let remark = study.remark(finding.span, &text, hint);
    CheckFinding {
        severity: finding.severity,
        rule: finding.rule.name(),
        rule_source: finding.rule.source(),
        file: remark.source.clone(),
        line: remark.line,
        column: remark.column,
        parts: names(cases, &finding),
        text: finding.text,
        hint: finding.hint,
        cases: count,
        told: remark.to_string(),
    }
}

/// The names of the parts, of the first case that has them all.
fn names(cases: &[&Case], finding: &PathFinding) -> Vec<String> {
    let has_all = |case: &&&Case| finding.parts.iter().all(|id| id.0 < case.system.parts.len());
    let Some(case) = cases.iter().find(has_all) else { return Vec::new() };
    finding.parts.iter().map(|id| case.system.part(*id).name.clone()).collect()
}
