//! `cargo xtask tidy --lines`: production lines of each crate, here and at another commit.
//!
//! A production line is a line of a member's Rust with code or text of a string literal on it: no
//! blank, no comment. Items under `#[cfg(test)]` and files that are only built for tests or benches
//! are left out, and so is everything that no target reaches. Members are found by their
//! Cargo.toml, wherever they lie. What is no part of the product is counted apart.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use super::modules;
use super::source::Source;
use super::text;
use crate::workspace::{Package, Workspace};

/// Crates that users do not get.
const APART: [&str; 3] = ["fuzz", "imitation", "xtask"];

/// Production lines by crate.
type Counts = BTreeMap<String, usize>;

pub(crate) fn print() -> Result<()> {
    print!("{}", table(&count_below(&Workspace::read()?)?));
    Ok(())
}

/// Besides what is here, `commit`, which is unpacked below a directory of its own for a moment.
pub(crate) fn print_since(commit: &str) -> Result<()> {
    let workspace = Workspace::read()?;
    let commit = crate::git::commit(&workspace.root, commit)?;
    let folder = tempfile::tempdir().context("no directory for another commit")?;
    crate::git::unpack(&workspace.root, &commit, folder.path())?;
    let before = count_below(&Workspace::read_at(folder.path())?)?;
    print!("{}", comparison(&count_below(&workspace)?, &before, &commit));
    Ok(())
}

fn count_below(workspace: &Workspace) -> Result<Counts> {
    let (mut sources, problems) = super::parse_sources(&super::read_texts(workspace)?);
    if let Some(problem) = problems.first() {
        bail!("{problem}");
    }
    let dead = modules::check(&modules::roots(workspace), &mut sources);
    let dead = dead.iter().filter(|problem| problem.rule == "dead-file");
    let dead: BTreeSet<&str> = dead.map(|problem| problem.path.as_str()).collect();
    let names = workspace.packages.iter().map(Package::folder);
    let mut counts: Counts = names.map(|name| (name, 0)).collect();
    for source in sources.values().filter(|source| !dead.contains(source.path.as_str())) {
        if let Some(package) = workspace.package_of(&source.path) {
            *counts.entry(package.folder()).or_default() += count(source);
        }
    }
    Ok(counts)
}

fn count(source: &Source) -> usize {
    let views = text::numbered(&source.code).zip(source.strings.lines());
    let written = views.filter(|((_, code), string)| !is_blank(code) || !is_blank(string));
    written.filter(|((line, _), _)| !source.is_test(*line)).count()
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn table(counts: &Counts) -> String {
    let row = |name: &str, lines: usize| format!("{name:<14}{lines:>8}\n");
    rows(counts.keys(), &|name, names| row(name, sum(counts, names)))
}

fn comparison(here: &Counts, before: &Counts, commit: &str) -> String {
    let short = commit.get(..8).unwrap_or(commit);
    let head = format!("{:<14}{:>8}{short:>10}{:>8}\n", "", "here", "change");
    let row = |name: &str, names: &[&String]| {
        let (here, before) = (sum(here, names), sum(before, names));
        let change = here.cast_signed() - before.cast_signed();
        format!("{name:<14}{here:>8}{before:>10}{change:>+8}\n")
    };
    let names: BTreeSet<&String> = here.keys().chain(before.keys()).collect();
    head + &rows(names, &row)
}

fn sum(counts: &Counts, names: &[&String]) -> usize {
    names.iter().filter_map(|name| counts.get(*name)).sum()
}

/// A row for each crate of the product and for their sum, then those apart.
fn rows<'a>(
    names: impl IntoIterator<Item = &'a String>,
    row: &dyn Fn(&str, &[&String]) -> String,
) -> String {
    let is_apart = |name: &&String| APART.contains(&name.as_str());
    let (apart, product): (Vec<&String>, Vec<&String>) = names.into_iter().partition(is_apart);
    let each = |names: &[&String]| -> String {
        names.iter().map(|name| row(name.as_str(), &[*name])).collect()
    };
    format!("{}{}\n{}", each(&product), row("product", &product), each(&apart))
}

#[cfg(test)]
mod tests {
    use super::super::source::parse;
    use super::*;

    fn counts(rows: &[(&str, usize)]) -> Counts {
        rows.iter().map(|(name, lines)| ((*name).to_owned(), *lines)).collect()
    }

    #[test]
    fn code_and_lines_of_strings_count_but_not_blanks_comments_and_tests() {
        let body = "//! Doc.\n\n/// What f is.\nfn f() {\n    // Why.\n    g(\"a\n    b\");\n}\n\
                    #[cfg(test)]\nfn h() {}\n#[cfg(test)]\nmod tests {\n    fn i() {}\n}\n";
        assert_eq!(count(&parse("a/src/lib.rs", body)), 4);
    }

    #[test]
    fn crates_that_users_do_not_get_are_not_in_the_sum() {
        let table = table(&counts(&[("cli", 20), ("fuzz", 1000), ("units", 3)]));
        let expected = "\
cli                 20
units                3
product             23

fuzz              1000
";
        assert_eq!(table, expected);
    }

    #[test]
    fn crates_that_came_or_went_are_compared_with_nothing() {
        let here = counts(&[("cli", 20), ("new", 5)]);
        let before = counts(&[("cli", 30), ("old", 1)]);
        let expected = "                  here  abcdef01  change
cli                 20        30     -10
new                  5         0      +5
old                  0         1      -1
product             25        31      -6

";
        assert_eq!(comparison(&here, &before, "abcdef0123"), expected);
    }

    #[test]
    fn members_are_found_wherever_they_lie_and_tests_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, body: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, body).unwrap();
        };
        write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/a\", \"b\"]\n");
        for path in ["crates/a", "b"] {
            let name = &path[path.len() - 1..];
            let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n");
            write(&format!("{path}/Cargo.toml"), &manifest);
            write(&format!("{path}/src/lib.rs"), "mod c;\n#[cfg(test)]\nmod t;\n");
            write(&format!("{path}/src/c.rs"), "fn c() {}\n");
            write(&format!("{path}/src/t.rs"), "fn t() {}\n");
            write(&format!("{path}/tests/it.rs"), "fn it() {}\n");
        }
        write("b/src/dead.rs", "fn dead() {}\n");
        let workspace = Workspace::read_at(folder.path()).unwrap();
        assert_eq!(count_below(&workspace).unwrap(), counts(&[("a", 2), ("b", 2)]));
    }
}
