//! What differs between the studies of two runs' trials: lines that only one of them has.
//!
//! Lines are compared as a set, each trimmed: studies are short, and their order says little.

use crate::view::RunView;
use crate::view::run::TrialReport;

/// A line for each trial that both have and whose study differs.
pub(super) fn differences(a: &RunView, b: &RunView) -> Vec<String> {
    let of = |one: &TrialReport| {
        let same = |other: &&TrialReport| other.label() == one.label();
        let other = b.report.trials.iter().find(same)?;
        changed(&one.case.text, &other.case.text)
            .map(|changed| format!("{}: {changed}", one.label()))
    };
    a.report.trials.iter().filter_map(of).collect()
}

/// What only one of two texts has; none where they say the same.
fn changed(a: &str, b: &str) -> Option<String> {
    let only = |of: &str, other: &str| {
        let known: Vec<&str> = other.lines().map(str::trim).collect();
        let lines = of.lines().map(str::trim).filter(|line| !known.contains(line));
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        if lines.is_empty() { "(nothing)".to_owned() } else { lines.join(" · ") }
    };
    let (in_a, in_b) = (only(a, b), only(b, a));
    (in_a != in_b).then(|| format!("{in_a} -> {in_b}"))
}
