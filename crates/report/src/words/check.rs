//! What the rules about paths find, each with its place and the rule's source.

use iopath_path::Severity;

use crate::view::check::{CheckFinding, CheckReport};
use crate::wrap::harmless;

impl CheckReport {
    /// The mistakes, as they are told; none where there is none.
    #[must_use]
    pub fn mistakes(&self) -> Option<String> {
        let told: Vec<String> = self.of(Severity::Mistake).map(|one| self.told(one)).collect();
        (!told.is_empty()).then(|| told.join("\n\n"))
    }

    /// A finding with its rule and the number of cases that have it.
    pub(crate) fn told(&self, finding: &CheckFinding) -> String {
        let margin = " ".repeat(finding.line.to_string().len());
        let cases = match finding.cases {
            all if all == self.cases => String::new(),
            some => format!(", in {some} of {} cases", self.cases),
        };
        let CheckFinding { rule, rule_source, .. } = finding;
        format!("{}\n {margin} = rule: {rule} ({rule_source}){cases}", finding.told)
    }
}

/// How much a study is, and how much was found.
pub(crate) fn sentence(report: &CheckReport) -> String {
    let count = |number: usize, noun: &str| {
        format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
    };
    let found = |severity, noun| match (report.of(severity).count(), noun) {
        (0, "mistake") => Some("no mistakes".to_owned()),
        (0, _) => None,
        (number, "advice") => Some(format!("{number} advice")),
        (number, noun) => Some(count(number, noun)),
    };
    let all = [
        found(Severity::Mistake, "mistake"),
        found(Severity::Warning, "warning"),
        found(Severity::Advice, "advice"),
    ];
    let found: Vec<String> = all.into_iter().flatten().collect();
    format!(
        "{}: {}; \"{}\" has {} with {}",
        report.file,
        found.join(", "),
        harmless(&report.study),
        count(report.experiments, "experiment"),
        count(report.cases, "case")
    )
}
