//! docs/mission.md: what it says that iopath has, iopath has.
//!
//! Words in backquotes of the second column are properties and kinds of the language, rules,
//! findings and warnings, or commands with an option. Words of the first column are the sources'.

use std::collections::BTreeMap;

use crate::program::Program;

const MISSION: &str = include_str!("../../../../docs/mission.md");
const LANGUAGE: &str = include_str!("../../../../docs/language.md");
const RULES: [&str; 5] = [
    include_str!("../../../../docs/path-rules.md"),
    include_str!("../../../../docs/discover-findings.md"),
    include_str!("../../../../docs/findings.md"),
    include_str!("../../../../docs/warnings.md"),
    include_str!("../../../../docs/volumes.md"),
];

/// Words in backquotes of the columns of iopath, for each row that says it has something.
fn words(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("|-"));
    let columns = rows.flat_map(|row| row.split(" | ").skip(1));
    columns.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

fn is_in_language(word: &str) -> bool {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let value = value.trim_matches('"');
    LANGUAGE.lines().any(|line| {
        let is_property = line.starts_with(&format!("| `{name}` |")) && line.contains(value);
        let is_kind = line.starts_with("### ") && line.contains(&format!("`{name}`"));
        is_property || (is_kind && value.is_empty())
    })
}

fn is_metric(word: &str) -> bool {
    let line = LANGUAGE.lines().find(|line| line.starts_with("Metrics are "));
    let next = LANGUAGE.lines().skip_while(|line| !line.starts_with("Metrics are ")).nth(1);
    [line, next].into_iter().flatten().any(|line| line.contains(&format!("`{word}`")))
}

fn is_ruled(word: &str) -> bool {
    RULES.iter().any(|page| page.contains(&format!("`{word}`")))
}

/// Commands and their help, each asked for once.
struct Helps {
    program: Program,
    texts: BTreeMap<String, String>,
}

impl Helps {
    fn knows(&mut self, command: &str) -> bool {
        let mut words = command.split(' ');
        let name = words.next().unwrap_or_default();
        let help = self
            .texts
            .entry(name.to_owned())
            .or_insert_with(|| self.program.line(&format!("{name} --help")).done().stdout);
        words.all(|option| help.contains(option))
    }
}

#[test]
fn what_the_mission_page_names_exists() {
    let mut helps = Helps { program: Program::in_memory(), texts: BTreeMap::new() };
    let words = words(MISSION);
    assert!(words.len() > 150, "{}", words.len());
    let unknown = words.into_iter().filter(|word| match word.strip_prefix("iopath ") {
        Some(command) => !helps.knows(command),
        None => !(is_in_language(word) || is_metric(word) || is_ruled(word)),
    });
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn words_that_do_not_exist_are_found() {
    assert_eq!(words("| `a` b | `c`, d | `e` |\n|---|---|---|\n`f`"), ["c", "e"]);
    assert!(is_in_language("lock=\"inode\"") && !is_in_language("lock=\"page\""));
    assert!(is_in_language("asic") && !is_in_language("lun-masking"));
    assert!(is_ruled("wide-zone") && !is_ruled("narrow-zone"));
}
