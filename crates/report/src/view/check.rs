//! A study that was checked: its paths as trees, and what the rules about paths find.

use iopath_path::Severity;
use serde::{Serialize, Serializer};

use super::tree::NamedTree;

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
    #[serde(serialize_with = "severity")]
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
}

fn severity<S: Serializer>(of: &Severity, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(of)
}
