//! What `check` says of a study that can be read.

use iopath_path::Severity;
use iopath_report::{CheckFinding, CheckReport, Color, Look, check_json, compose};
use iopath_units::System;

const LOOK: Look = Look { width: 120, system: System::Decimal, color: Color::Never };

fn finding(severity: Severity, line: usize, cases: usize) -> CheckFinding {
    CheckFinding {
        severity,
        rule: "raid-width",
        rule_source: "md(4)",
        file: "job.kdl".to_owned(),
        line,
        column: 5,
        text: "too few members".to_owned(),
        hint: "add one".to_owned(),
        parts: vec!["array".to_owned()],
        cases,
        told: format!("job.kdl:{line}:5: too few members"),
    }
}

fn report(findings: Vec<CheckFinding>) -> CheckReport {
    CheckReport {
        file: "job.kdl".to_owned(),
        study: "Arrays".to_owned(),
        experiments: 1,
        cases: 4,
        trees: Vec::new(),
        findings,
    }
}

#[test]
fn a_mistake_has_its_rule_and_the_cases_that_have_it() {
    let all = report(vec![
        finding(Severity::Mistake, 7, 4),
        finding(Severity::Warning, 8, 4),
        finding(Severity::Mistake, 12, 3),
    ]);
    let expected = "job.kdl:7:5: too few members\n   = rule: raid-width (md(4))\n\n\
        job.kdl:12:5: too few members\n    = rule: raid-width (md(4)), in 3 of 4 cases";
    assert_eq!(all.mistakes().as_deref(), Some(expected));
    assert_eq!(report(vec![finding(Severity::Warning, 8, 4)]).mistakes(), None);
}

#[test]
fn the_sentence_counts_and_the_rest_follows_without_mistakes() {
    let all = report(vec![
        finding(Severity::Advice, 3, 4),
        finding(Severity::Mistake, 7, 4),
        finding(Severity::Warning, 8, 1),
    ]);
    let expected = "job.kdl: 1 mistake, 1 warning, 1 advice; \"Arrays\" has 1 experiment with 4 \
        cases\n\njob.kdl:3:5: too few members\n   = rule: raid-width (md(4))\n\n\
        job.kdl:8:5: too few members\n   = rule: raid-width (md(4)), in 1 of 4 cases\n";
    assert_eq!(crate::brief(&compose::check(&all), &LOOK), expected);
    let clean = crate::brief(&compose::check(&report(Vec::new())), &LOOK);
    assert_eq!(clean, "job.kdl: no mistakes; \"Arrays\" has 1 experiment with 4 cases\n");
}

#[test]
fn json_has_every_finding_with_its_place() {
    let value = check_json(&report(vec![finding(Severity::Mistake, 7, 3)]));
    assert_eq!((&value["format"], &value["cases"]), (&"iopath-check/1".into(), &4.into()));
    let found = &value["findings"][0];
    assert_eq!((&found["severity"], &found["line"]), (&"mistake".into(), &7.into()));
    assert_eq!((&found["rule"], &found["cases"]), (&"raid-width".into(), &3.into()));
}
