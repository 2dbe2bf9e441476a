//! cargo-mutants, which makes mutants and tries them.
//!
//! It lists all mutants as JSON, runs those whose names are given as patterns, and leaves a file of
//! names for each outcome in `mutants.out` (read as version 27 writes them).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::copy::Copy;
use crate::workspace::cargo;

/// For tests of another crate than the mutant's; chosen.
const LONGEST: &str = "--timeout=1200";

/// `name` is its place and what changes there: `units/src/a.rs:7:9: replace < with <= in f`.
#[derive(Debug, Deserialize)]
pub(crate) struct Mutant {
    pub name: String,
    pub package: String,
    pub file: String,
    pub span: Span,
}

/// The text that is replaced.
#[derive(Debug, Deserialize)]
pub(crate) struct Span {
    pub start: Start,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Start {
    pub line: usize,
}

/// Which tests mutants are tried with.
pub(crate) struct Trial {
    /// Whose tests; none for those of the mutant's own crate.
    pub package: Option<&'static str>,
    /// For `cargo test`.
    pub words: &'static [&'static str],
}

/// Names by what became of them.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub caught: Vec<String>,
    pub missed: Vec<String>,
    pub timeout: Vec<String>,
    pub unviable: Vec<String>,
}

impl Outcomes {
    /// A test that does not end is noticed too.
    pub(crate) fn noticed(&self) -> usize {
        self.caught.len() + self.timeout.len()
    }
}

/// Fails where cargo-mutants is not installed.
pub(crate) fn require() -> Result<()> {
    let version = Command::new(cargo()).args(["mutants", "--version"]).output();
    if !version.is_ok_and(|output| output.status.success()) {
        bail!(
            "cargo-mutants is missing; install it with: cargo install --locked cargo-mutants@^27"
        );
    }
    Ok(())
}

/// Every mutant of these packages.
pub(crate) fn list(root: &Path, packages: &[String]) -> Result<Vec<Mutant>> {
    let output = Command::new(cargo())
        .args(["mutants", "--no-config", "--list", "--json"])
        .args(packages.iter().flat_map(|name| ["--package", name]))
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo does not start")?;
    if !output.status.success() {
        bail!("cargo mutants --list: {}", output.status);
    }
    serde_json::from_slice(&output.stdout).context("cargo mutants --list prints another format")
}

/// Tries each of them in the copy, in place; what cargo-mutants prints is passed on.
///
/// Patterns alone do not do: version 27.1 makes mutants of fields whatever they say. So there is
/// also a diff of the lines in question, and of what remains only the mutants asked for count.
pub(crate) fn try_all(copy: &Copy, mutants: &[&Mutant], trial: &Trial) -> Result<Outcomes> {
    if let Some(package) = trial.package {
        must_pass(copy, package, trial.words)?;
    }
    let diff = copy.results.join("drawn.diff");
    fs::write(&diff, lines_of(mutants, &copy.tree)?).context("drawn.diff")?;
    let packages: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.package.as_str()).collect();
    let patterns = mutants.iter().map(|mutant| format!("--re=^{}$", literal(&mutant.name)));
    let status = Command::new(cargo())
        .args(["mutants", "--no-config", "--in-place", "--output"])
        .arg(&copy.results)
        .arg("--in-diff")
        .arg(&diff)
        .args(packages.iter().flat_map(|name| ["--package", name]))
        .args(patterns)
        .args(trial.package.map(|name| format!("--test-package={name}")))
        .args(trial.package.iter().flat_map(|_| ["--baseline=skip", LONGEST]))
        .arg("--")
        .args(trial.words)
        .current_dir(&copy.tree)
        .status()
        .context("cargo does not start")?;
    // 2: some are missed; 3: some tests did not end. All else is no result.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("cargo mutants: {status}; its logs are in {}", copy.results.display());
    }
    let asked: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.name.as_str()).collect();
    let names = |outcome: &str| names(&copy.results.join("mutants.out"), outcome, &asked);
    Ok(Outcomes {
        caught: names("caught")?,
        missed: names("missed")?,
        timeout: names("timeout")?,
        unviable: names("unviable")?,
    })
}

/// The unaltered tree passes these tests. cargo-mutants looks only at those of the mutants' own
/// crates, and takes its timeout from them.
fn must_pass(copy: &Copy, package: &str, words: &[&str]) -> Result<()> {
    let status = Command::new(cargo())
        .args(["test", "--package", package])
        .args(words)
        .current_dir(&copy.tree)
        .status()
        .context("cargo does not start")?;
    if !status.success() {
        bail!("cargo test --package {package} {}: {status}", words.join(" "));
    }
    Ok(())
}

/// A diff after which the lines of these mutants are as they are.
fn lines_of(mutants: &[&Mutant], tree: &Path) -> Result<String> {
    let mut lines: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for mutant in mutants {
        lines.entry(&mutant.file).or_default().insert(mutant.span.start.line);
    }
    let mut diff = String::new();
    for (file, lines) in lines {
        let body = fs::read_to_string(tree.join(file)).with_context(|| file.to_owned())?;
        diff.push_str(&format!("--- a/{file}\n+++ b/{file}\n"));
        for line in lines {
            let text = body.lines().nth(line - 1).unwrap_or_default();
            diff.push_str(&format!("@@ -{line} +{line} @@\n-\n+{text}\n"));
        }
    }
    Ok(diff)
}

/// Those of them that had this outcome.
fn names(folder: &Path, outcome: &str, asked: &BTreeSet<&str>) -> Result<Vec<String>> {
    let path = folder.join(format!("{outcome}.txt"));
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(text.lines().filter(|name| asked.contains(name)).map(str::to_owned).collect())
}

/// A regular expression that matches the text alone: any sign could mean something, so each is
/// written as its number.
fn literal(text: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' => letter.to_string(),
        _ => format!("\\x{{{:x}}}", u32::from(letter)),
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_pattern_without_signs_of_its_own() {
        assert_eq!(literal("a.rs:7 <"), "a\\x{2e}rs\\x{3a}7\\x{20}\\x{3c}");
    }

    fn listed() -> Vec<Mutant> {
        let json = r#"[{"name": "a/src/b.rs:2:9: replace < with <= in f", "package": "iopath-a",
            "file": "a/src/b.rs", "genre": "BinaryOperator", "replacement": "<=",
            "span": {"start": {"line": 2, "column": 9}, "end": {"line": 2, "column": 10}}}]"#;
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_list_is_read_as_cargo_mutants_writes_it() {
        assert_eq!((listed()[0].package.as_str(), listed()[0].span.start.line), ("iopath-a", 2));
    }

    #[test]
    fn the_diff_has_the_lines_of_the_mutants_as_they_are() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("a/src")).unwrap();
        fs::write(tree.path().join("a/src/b.rs"), "one\n  two < 3\n").unwrap();
        let expected = "--- a/a/src/b.rs\n+++ b/a/src/b.rs\n@@ -2 +2 @@\n-\n+  two < 3\n";
        assert_eq!(lines_of(&listed().iter().collect::<Vec<_>>(), tree.path()).unwrap(), expected);
    }
}
