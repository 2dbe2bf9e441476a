//! One broken rule at one place, printed as `path:line: rule: what to do`.

use std::fmt;

/// Sorted by place, so that a file's problems stand together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    pub path: String,
    /// From 1; 1 also where the whole file is meant.
    pub line: usize,
    pub rule: &'static str,
    pub advice: String,
}

impl Problem {
    pub(crate) fn new(
        path: &str,
        line: usize,
        rule: &'static str,
        advice: impl Into<String>,
    ) -> Self {
        Self { path: path.to_owned(), line, rule, advice: advice.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.advice)
    }
}

/// The short form that the rules' tests compare: line and rule.
#[cfg(test)]
pub(crate) fn places(problems: &[Problem]) -> Vec<(usize, &'static str)> {
    problems.iter().map(|problem| (problem.line, problem.rule)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_one_line_with_place_rule_and_advice() {
        let problem = Problem::new("crates/units/src/lib.rs", 7, "line-length", "split it");
        assert_eq!(problem.to_string(), "crates/units/src/lib.rs:7: line-length: split it");
    }
}
