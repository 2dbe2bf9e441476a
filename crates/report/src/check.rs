//! What `check` says of a study that can be read: how much it is, its paths as trees, and what the
//! rules about paths find, each with its place and the rule's source.

use iopath_path::Severity;
use serde::Serialize;

use crate::document::{Block, Document};
use crate::json;
use crate::text::wrap::harmless;
use crate::tree::NamedTree;

/// A study that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The file, as it was named.
    #[serde(skip)]
    pub file: String,
    /// Title of the study.
    pub study: String,
    /// How many experiments.
    pub experiments: usize,
    /// How many cases of all experiments.
    pub cases: usize,
    /// The path of the first case of each experiment that has another one than those before.
    pub trees: Vec<NamedTree>,
    /// What was found, in the order of the study.
    pub findings: Vec<CheckFinding>,
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct CheckFinding {
    /// How bad it is.
    #[serde(serialize_with = "json::check::severity")]
    pub severity: Severity,
    /// Stable name of the rule.
    pub rule: &'static str,
    /// Where the rule comes from.
    pub rule_source: &'static str,
    /// The text that it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
    /// What is found.
    pub text: String,
    /// What to do.
    pub hint: String,
    /// The parts that are meant, by name.
    pub parts: Vec<String>,
    /// How many cases have it.
    pub cases: usize,
    /// Place, text, excerpt and hint, as mistakes are told.
    #[serde(skip)]
    pub told: String,
}

impl CheckReport {
    /// The findings of one severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &CheckFinding> {
        self.findings.iter().filter(move |finding| finding.severity == severity)
    }

    /// The mistakes, as they are told; none where there is none.
    #[must_use]
    pub fn mistakes(&self) -> Option<String> {
        let told: Vec<String> = self.of(Severity::Mistake).map(|one| self.told(one)).collect();
        (!told.is_empty()).then(|| told.join("\n\n"))
    }

    fn told(&self, finding: &CheckFinding) -> String {
        let margin = " ".repeat(finding.line.to_string().len());
        let cases = match finding.cases {
            all if all == self.cases => String::new(),
            some => format!(", in {some} of {} cases", self.cases),
        };
        let CheckFinding { rule, rule_source, .. } = finding;
        format!("{}\n {margin} = rule: {rule} ({rule_source}){cases}", finding.told)
    }
}

/// The study, without its mistakes.
#[must_use]
pub fn document(report: &CheckReport) -> Document {
    let mut blocks = vec![Block::Verdict(sentence(report))];
    blocks.extend((!report.trees.is_empty()).then(|| Block::Trees(report.trees.clone())));
    let findings = report.findings.iter().filter(|one| one.severity != Severity::Mistake);
    blocks.extend(findings.map(|one| Block::Verbatim(report.told(one))));
    Document::of_blocks(report.study.clone(), blocks)
}

fn sentence(report: &CheckReport) -> String {
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
