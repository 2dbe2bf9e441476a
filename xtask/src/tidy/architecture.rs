//! ARCHITECTURE.md describes what is there: its table of crates says what each imports as
//! [`super::edges`] does, and every entry point that it names exists.
//!
//! An entry point is a file in backquotes, whole or as its end (`unite.rs` after
//! `import/src/lib.rs`), or what a file of that row declares, after a comma (`Session::run`).
//! Other words in backquotes are not looked at.

use std::collections::{BTreeMap, BTreeSet};

use super::edges;
use super::problem::Problem;
use super::source::Source;
use super::text::{self, Text};
use crate::workspace::Workspace;

const PAGE: &str = "ARCHITECTURE.md";

/// The heads of the two tables.
const CRATES: &str = "| crate | is | imports |";
const ENTRIES: &str = "| to understand | start at |";

pub(crate) fn check(
    workspace: &Workspace,
    texts: &BTreeMap<String, Text>,
    sources: &BTreeMap<String, Source>,
) -> Vec<Problem> {
    let page = texts.get(PAGE).map_or("", |text| &text.body);
    let mut problems = compare_crates(page, edges::IMPORTS);
    let exists = |path: &str| workspace.root.join(path).exists();
    for (line, row) in table(page, ENTRIES) {
        let mut row_of = Row { sources, exists: &exists, files: Vec::new() };
        let advice = row_of.missing(row.get(1).copied().unwrap_or_default());
        problems
            .extend(advice.into_iter().map(|text| Problem::new(PAGE, line, "entry-point", text)));
    }
    problems
}

/// The rows below a head, with their lines, each as cells.
fn table<'a>(page: &'a str, head: &str) -> Vec<(usize, Vec<&'a str>)> {
    let rows = text::numbered(page).skip_while(|(_, line)| *line != head).skip(2);
    let rows = rows.take_while(|(_, line)| line.starts_with('|'));
    let cells = |row: &'a str| row.trim_matches('|').split('|').map(str::trim).collect();
    rows.map(|(line, row)| (line, cells(row))).collect()
}

fn compare_crates(page: &str, imports: &[(&str, &[&str])]) -> Vec<Problem> {
    let rows = table(page, CRATES);
    let mut problems = Vec::new();
    for (name, imports) in imports {
        let row = rows.iter().find(|(_, cells)| cells[0] == format!("`{name}`"));
        let Some((line, cells)) = row else {
            problems.push(Problem::new(PAGE, 1, "crate-row", format!("give `{name}` a row")));
            continue;
        };
        let said = cells.last().map_or("", |cell| cell.trim_matches('–'));
        let said: BTreeSet<&str> = said.split_whitespace().collect();
        if said != imports.iter().copied().collect() {
            let advice = format!("`{name}` imports: {}", imports.join(" "));
            problems.push(Problem::new(PAGE, *line, "crate-row", advice));
        }
    }
    let is_crate = |cell: &str| imports.iter().any(|(name, _)| cell == format!("`{name}`"));
    for (line, _) in rows.iter().filter(|(_, cells)| !is_crate(cells[0])) {
        let advice = "there is no such crate: take the row out";
        problems.push(Problem::new(PAGE, *line, "crate-row", advice));
    }
    problems
}

/// A row of entry points while it is read.
struct Row<'a> {
    sources: &'a BTreeMap<String, Source>,
    exists: &'a dyn Fn(&str) -> bool,
    /// Those named so far.
    files: Vec<&'a Source>,
}

impl<'a> Row<'a> {
    /// What to correct.
    fn missing(&mut self, cell: &str) -> Vec<String> {
        let mut problems = Vec::new();
        let mut is_list = false;
        let parts: Vec<&str> = cell.split('`').collect();
        for (index, part) in parts.iter().enumerate().skip(1).step_by(2) {
            let follows = is_list && parts[index - 1].trim() == ",";
            is_list = true;
            if part.ends_with(".rs") {
                match self.find(part) {
                    Some(source) => self.files.push(source),
                    None => problems.push(format!("`{part}` does not exist: correct the entry")),
                }
            } else if part.ends_with('/') {
                if !(self.exists)(part) {
                    problems.push(format!("`{part}` does not exist: correct the entry"));
                }
            } else if follows {
                if !self.files.iter().any(|source| declares(source, part)) {
                    problems.push(format!("no file of this row declares `{part}`"));
                }
            } else {
                is_list = false;
            }
        }
        problems
    }

    /// A file by its whole path, or by its end below the `src` of the file before.
    fn find(&self, end: &str) -> Option<&'a Source> {
        let before = self.files.last().and_then(|source| source.path.split_once("/src/"));
        let before = before.map(|(place, _)| format!("{place}/src/"));
        let ending = format!("/{end}");
        let is_below = |path: &str| before.as_ref().is_some_and(|start| path.starts_with(start));
        let is_meant = |path: &str| path == end || (is_below(path) && path.ends_with(&ending));
        self.sources.values().find(|source| is_meant(&source.path))
    }
}

/// Its last name, as a function, type or constant.
fn declares(source: &Source, item: &str) -> bool {
    let name = item.rsplit("::").next().unwrap_or(item);
    let kinds = ["fn", "struct", "enum", "trait", "type", "const"];
    let ends =
        |rest: &str| !rest.starts_with(|letter: char| letter == '_' || letter.is_alphanumeric());
    kinds.iter().any(|kind| {
        let declaration = format!("{kind} {name}");
        source
            .code
            .match_indices(&declaration)
            .any(|(at, found)| ends(&source.code[at + found.len()..]))
    })
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::super::source::parse;
    use super::*;

    fn check_crates(rows: &str, expected: &[(usize, &str)]) {
        let page = format!("{CRATES}\n|---|---|---|\n{rows}\ntext\n| `x` | | |\n");
        let imports: &[(&str, &[&str])] = &[("units", &[]), ("store", &["units", "record"])];
        assert_eq!(places(&compare_crates(&page, imports)), expected);
    }

    #[test]
    fn the_table_of_crates_says_what_each_imports() {
        check_crates("| `units` | a | – |\n| `store` | b | record units |", &[]);
        check_crates("| `units` | a | – |\n| `store` | b | units |", &[(4, "crate-row")]);
        check_crates(
            "| `units` | a | record |\n| `store` | b | units record |",
            &[(3, "crate-row")],
        );
        check_crates("| `store` | b | units record |", &[(1, "crate-row")]);
        let gone = "| `units` | a | – |\n| `store` | b | units record |\n| `gone` | c | – |";
        check_crates(gone, &[(5, "crate-row")]);
    }

    fn missing(cell: &str) -> Vec<String> {
        let files = [
            ("a/src/lib.rs", "pub fn measured() {}"),
            ("a/src/b/unite.rs", "struct Session; impl Session { pub fn run(&self) {} }"),
            ("c/src/other.rs", ""),
        ];
        let source = |(path, body): (&str, &str)| (path.to_owned(), parse(path, body));
        let sources = files.into_iter().map(source).collect();
        let mut row =
            Row { sources: &sources, exists: &|path| path == "loads/", files: Vec::new() };
        row.missing(cell)
    }

    #[test]
    fn entry_points_exist() {
        assert_eq!(missing("`a/src/b/unite.rs`, `Session::run`; for `predict` too"), [""; 0]);
        assert_eq!(
            missing("`a/src/lib.rs`: onto one axis: `unite.rs`, `b/unite.rs`; `loads/`"),
            [""; 0]
        );
        assert_eq!(
            missing("`a/src/lib.rs`, `measure`"),
            ["no file of this row declares `measure`"]
        );
        for gone in ["`a/src/gone.rs`", "`a/src/lib.rs`, then `other.rs`", "`gone/`"] {
            assert_eq!(missing(gone).len(), 1, "{gone}");
        }
    }
}
