//! What differs between the studies of two runs' trials: properties of a line that both have, and
//! lines that only one of them has.
//!
//! Lines are compared as a set, each trimmed: studies are short, and their order says little.

use iopath_analysis::compare::pairing;

use crate::view::RunView;
use crate::view::run::TrialReport;

/// A line for each trial that both have and whose study differs.
pub(super) fn differences(a: &RunView, b: &RunView) -> Vec<String> {
    let of = |one: &TrialReport| {
        let same = |other: &&TrialReport| pairing(&other.case) == pairing(&one.case);
        let other = b.report.trials.iter().find(same)?;
        let changed = changed(&one.case.text, &other.case.text)?;
        Some(match a.report.trials.len() {
            1 => changed,
            _ => format!("{}: {changed}", one.label()),
        })
    };
    a.report.trials.iter().filter_map(of).collect()
}

/// What only one of two texts has; none where they say the same.
fn changed(a: &str, b: &str) -> Option<String> {
    let (in_a, mut in_b) = (only(a, b), only(b, a));
    let mut said = Vec::new();
    let mut left = Vec::new();
    for line in in_a {
        let same = in_b.iter().position(|other| name(other) == name(line));
        match same.map(|at| in_b.remove(at)) {
            Some(other) => said.push(properties(line, other)),
            None => left.push(line),
        }
    }
    let or_nothing = |lines: &[&str]| match lines {
        [] => "(nothing)".to_owned(),
        lines => lines.join(" · "),
    };
    if !left.is_empty() || !in_b.is_empty() {
        said.push(format!("{} -> {}", or_nothing(&left), or_nothing(&in_b)));
    }
    (!said.is_empty()).then(|| said.join(" · "))
}

/// Lines of a text that another one has not; the title of a study is no difference.
fn only<'a>(of: &'a str, other: &str) -> Vec<&'a str> {
    let known: Vec<&str> = other.lines().map(str::trim).collect();
    let lines = of.lines().map(str::trim).filter(|line| !known.contains(line));
    lines.filter(|line| !line.is_empty() && !line.starts_with("study ")).collect()
}

/// The node of a line with its name, such as `streams "load"`.
fn name(line: &str) -> Vec<&str> {
    words(line).into_iter().take_while(|word| !is_property(word)).collect()
}

/// What differs between two lines of one name, such as `streams "load": depth=8 -> depth=16`.
fn properties(a: &str, b: &str) -> String {
    let of = |line: &str, other: &str| {
        let known = words(other);
        let own: Vec<&str> = words(line).into_iter().filter(|word| !known.contains(word)).collect();
        if own.is_empty() { "(nothing)".to_owned() } else { own.join(" ") }
    };
    format!("{}: {} -> {}", name(a).join(" "), of(a, b), of(b, a))
}

fn is_property(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, _)| !key.starts_with('"'))
}

/// The words of a line, cut at spaces outside of quotes.
fn words(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let words = line.split(move |c: char| {
        is_quoted ^= c == '"';
        c == ' ' && !is_quoted
    });
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_name_show_the_properties_that_differ() {
        let a = "study \"s\"\nstreams \"load\" op=\"read\" block=\"1 MiB\" depth=8\n";
        let b = "study \"s\"\nstreams \"load\" op=\"read\" block=\"1 MiB\" depth=16\n";
        assert_eq!(changed(a, b).as_deref(), Some("streams \"load\": depth=8 -> depth=16"));
        assert_eq!(changed(a, a), None);
        assert_eq!(changed(a, &a.replace("study \"s\"", "study \"t\"")), None);
        let other = "study \"s\"\nstreams \"log\" op=\"write\"\n";
        let said = changed(a, other).unwrap();
        let own = "streams \"load\" op=\"read\" block=\"1 MiB\" depth=8";
        assert_eq!(said, format!("{own} -> streams \"log\" op=\"write\""));
        let more = changed("seed 1", "seed 1\nworkload time=\"2 s\"").unwrap();
        assert_eq!(more, "(nothing) -> workload time=\"2 s\"");
    }
}
