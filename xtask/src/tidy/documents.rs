//! The pages a reader needs are there, and lead to each other.
//!
//! Studies are named in docs/studies.md, dependencies explained in CONTRIBUTING.md, the version is
//! a heading of CHANGELOG.md. Links into the web and anchors inside a page are not followed.

use std::collections::BTreeMap;

use super::problem::Problem;
use super::text::{self, Kind, Text};

const PAGES: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CHANGELOG.md", "CONTRIBUTING.md"];

/// `exists` answers for a path seen from the workspace's root.
pub(crate) fn check(texts: &BTreeMap<String, Text>, exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let mut problems = missing_pages(texts);
    for page in texts.values().filter(|text| text.kind() == Kind::Markdown) {
        problems.extend(broken_links(page, exists));
    }
    problems.extend(unnamed_studies(texts));
    problems.extend(unexplained_dependencies(texts));
    problems
}

fn missing_pages(texts: &BTreeMap<String, Text>) -> Vec<Problem> {
    let missing = PAGES.iter().filter(|page| !texts.contains_key(**page));
    missing.map(|page| Problem::new(page, 1, "missing-page", "write it")).collect()
}

fn broken_links(page: &Text, exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let links = links(&page.body).into_iter();
    let broken = links.filter(|(_, target)| !target.is_empty() && !exists(&join(folder, target)));
    let advice = |target| format!("`{target}` does not exist: correct the link");
    broken.map(|(line, target)| Problem::new(&page.path, line, "link", advice(target))).collect()
}

/// Relative targets of `[text](target)` with their lines, outside of code.
fn links(body: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (line, text) in text::numbered(body) {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let targets = without_code(text);
            let targets = targets.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(targets.filter_map(|(target, _)| Some((line, relative(target)?))));
        }
    }
    found
}

/// A line without what stands between backquotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The file a link leads to; none for an address of the web.
fn relative(target: &str) -> Option<String> {
    let target = target.split_whitespace().next().unwrap_or_default();
    let is_address = target.contains("://") || target.starts_with("mailto:");
    (!is_address).then(|| target.split('#').next().unwrap_or_default().to_owned())
}

fn join(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn unnamed_studies(texts: &BTreeMap<String, Text>) -> Vec<Problem> {
    let page = texts.get("docs/studies.md").map_or("", |text| &text.body);
    let studies =
        texts.keys().filter(|path| path.starts_with("studies/") && path.ends_with(".kdl"));
    let unnamed = studies.filter(|path| !page.contains(path.as_str()));
    let advice = "name it in docs/studies.md";
    unnamed.map(|path| Problem::new(path, 1, "unnamed-study", advice)).collect()
}

/// Each dependency has a row in the table that says what it is for.
fn unexplained_dependencies(texts: &BTreeMap<String, Text>) -> Vec<Problem> {
    let page = texts.get("CONTRIBUTING.md").map_or("", |text| &text.body);
    let manifest = texts.get("Cargo.toml").map_or("", |text| &text.body);
    let explained = |name: &str| page.contains(&format!("| `{name}` |"));
    let unexplained = dependencies(manifest).filter(|(_, name)| !explained(name));
    let advice = |name| format!("say in CONTRIBUTING.md what `{name}` is for and why not by hand");
    let problem = |(line, name)| Problem::new("Cargo.toml", line, "dependency", advice(name));
    unexplained.map(problem).collect()
}

/// The workspace's registry dependencies with their lines; each stands on a line of its own.
fn dependencies(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let section = text::numbered(manifest)
        .skip_while(|(_, line)| *line != "[workspace.dependencies]")
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['));
    let foreign = section.filter(|(_, line)| !line.contains("path ="));
    foreign.filter_map(|(line, text)| Some((line, text.split_once(" = ")?.0)))
}

pub(crate) fn check_changelog(texts: &BTreeMap<String, Text>, version: &str) -> Option<Problem> {
    let page = texts.get("CHANGELOG.md")?;
    let headings = page.body.lines().filter(|line| line.starts_with("## "));
    let count = headings.filter(|line| names_version(line, version)).count();
    let advice = format!("version {version} is the heading of {count} sections: make it one");
    (count != 1).then(|| Problem::new(&page.path, 1, "changelog", advice))
}

fn names_version(heading: &str, version: &str) -> bool {
    heading.split_whitespace().any(|word| word.trim_matches(['[', ']']) == version)
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::*;

    fn texts(pages: &[(&str, &str)]) -> BTreeMap<String, Text> {
        let empty = PAGES.iter().map(|page| (*page, ""));
        let all = empty.chain(pages.iter().copied());
        all.map(|(path, body)| (path.to_owned(), Text::new(path, body))).collect()
    }

    fn check_pages(pages: &[(&str, &str)], expected: &[(usize, &str)]) {
        let exists = |path: &str| matches!(path, "docs/a.md" | "docs" | "README.md");
        assert_eq!(places(&check(&texts(pages), &exists)), expected);
    }

    #[test]
    fn every_page_is_there() {
        check_pages(&[], &[]);
        let mut texts = texts(&[]);
        texts.remove("GLOSSARY.md");
        let problems: Vec<String> =
            check(&texts, &|_| true).iter().map(ToString::to_string).collect();
        assert_eq!(problems, ["GLOSSARY.md:1: missing-page: write it"]);
    }

    #[test]
    fn relative_links_lead_somewhere() {
        check_pages(&[("README.md", "[a](docs/a.md) [b](./docs#x)\n[c](#there)\n")], &[]);
        check_pages(&[("docs/a.md", "[up](../README.md \"title\")\n")], &[]);
        check_pages(&[("docs/a.md", "text\n[gone](README.md)\n")], &[(2, "link")]);
        check_pages(&[("README.md", "[a](docs/a.md) [b](docs/b.md#x)\n")], &[(1, "link")]);
    }

    #[test]
    fn addresses_and_code_are_not_followed() {
        check_pages(&[("README.md", "[a](https://example.org/x) `[b](gone.md)`\n")], &[]);
        check_pages(&[("README.md", "```\n[b](gone.md)\n```\n[c](gone.md)\n")], &[(4, "link")]);
    }

    #[test]
    fn every_study_is_named_on_the_page_of_the_studies() {
        let study = ("studies/disk.kdl", "");
        check_pages(&[study], &[(1, "unnamed-study")]);
        check_pages(&[study, ("docs/studies.md", "see `studies/disk.kdl`")], &[]);
    }

    #[test]
    fn every_dependency_is_explained() {
        let ours = "[workspace.dependencies]\nours = { path = \"a\" }\n";
        let manifest = &format!("{ours}kdl = \"6\"\n[other]\nx = 1\n");
        check_pages(&[("Cargo.toml", manifest)], &[(3, "dependency")]);
        let page = ("CONTRIBUTING.md", "| `kdl` | study files | a grammar |");
        check_pages(&[("Cargo.toml", manifest), page], &[]);
    }

    #[test]
    fn the_version_is_a_heading_of_the_changelog_once() {
        let check = |body: &str| check_changelog(&texts(&[("CHANGELOG.md", body)]), "0.1.0");
        assert_eq!(check("## 0.1.0\n0.1.0\n## 0.0.9\n"), None);
        assert_eq!(check("## [0.1.0] - 2026-11-20\n"), None);
        assert!(check("## 0.1.01\n0.1.0\n").is_some());
        assert!(check("## 0.1.0\n## 0.1.0\n").is_some());
    }
}
