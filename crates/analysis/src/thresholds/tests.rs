//! The table in `docs/findings.md` is that of the code. It leaves out numbers in sentences, which
//! `prose_tests.rs` checks.

use iopath_units::{Bytes, Nanos};

use super::{audit, find_max, groups, limits, reports, trials, validation};

const GUIDE: &str = include_str!("../../../../docs/findings.md");
const MARKS: [&str; 2] = ["<!-- thresholds -->\n", "<!-- end of thresholds -->"];

/// A row of the table.
pub(super) struct Threshold {
    name: &'static str,
    value: String,
    text: String,
}

impl Threshold {
    pub(super) fn of((value, name, text): (String, &'static str, &'static str)) -> Self {
        Self { name, value, text: text.trim().to_owned() }
    }
}

/// A value as the guide has it.
pub(super) trait Shown {
    fn shown(&self, unit: &str) -> String;
}

impl Shown for f64 {
    fn shown(&self, unit: &str) -> String {
        match unit {
            "ns" => Nanos(*self as u64).to_string(),
            _ if *self < 1e-4 => format!("{self:e} {unit}"),
            _ => format!("{} {unit}", (self * 1e4).round() / 1e4),
        }
    }
}

impl Shown for u64 {
    fn shown(&self, unit: &str) -> String {
        match unit {
            "ns" => Nanos(*self).to_string(),
            "bytes" => Bytes(*self).to_string(),
            _ => format!("{self} {unit}"),
        }
    }
}

impl Shown for usize {
    fn shown(&self, unit: &str) -> String {
        format!("{self} {unit}")
    }
}

impl Shown for Nanos {
    fn shown(&self, _: &str) -> String {
        self.to_string()
    }
}

impl Shown for [f64; 3] {
    fn shown(&self, unit: &str) -> String {
        format!("{}, {}, {} {unit}", self[0], self[1], self[2])
    }
}

fn sections() -> [(&'static str, Vec<Threshold>); 7] {
    [
        ("The limit", limits::table()),
        ("Trials and runs", trials::table()),
        ("The highest load", find_max::table()),
        ("Members, classes, layers and shared limits", groups::table()),
        ("The audit", audit::table()),
        ("Validation", validation::table()),
        ("Reports", reports::table()),
    ]
}

#[test]
fn the_guide_has_the_table() {
    let mut table = String::new();
    for (title, rows) in sections() {
        table += &format!("\n### {title}\n\n| threshold | value | what and why |\n|---|---|---|\n");
        for Threshold { name, value, text } in rows {
            table += &format!("| `{name}` | {value} | {text} |\n");
        }
    }
    let [start, end] = MARKS.map(|mark| GUIDE.find(mark).expect(mark));
    let page = &GUIDE[start + MARKS[0].len()..end];
    assert!(page == table, "docs/findings.md should have between its marks:\n{table}");
}

#[test]
fn a_threshold_has_one_name() {
    let rows = || sections().into_iter().flat_map(|(_, rows)| rows);
    let mut names: Vec<&str> = rows().map(|row| row.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    let bare: Vec<&str> =
        rows().filter(|row| !row.text.ends_with('.')).map(|row| row.name).collect();
    assert!(bare.is_empty(), "{bare:?}");
}
