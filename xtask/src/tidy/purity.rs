//! The pure crates let clippy refuse clock, file, environment, network and threads.
//!
//! Clippy takes one clippy.toml, the nearest, so each pure crate carries the whole list; the copies
//! are held equal here. What is on the list is checked by clippy itself.

use std::collections::BTreeMap;

use super::problem::Problem;
use super::text::Text;
use crate::workspace::crate_folder;

/// The crates that turn values into values.
const PURE: [&str; 12] = [
    "units",
    "study",
    "path",
    "workload",
    "record",
    "entities",
    "analytic",
    "simulation",
    "analysis",
    "layout",
    "report",
    "import",
];

/// One path of each kind of effect; the list itself is longer.
const REFUSED: [&str; 8] = [
    "std::time::Instant",
    "std::time::SystemTime",
    "std::env::var",
    "std::fs::File",
    "std::fs::read_to_string",
    "std::net::TcpStream",
    "std::process::Command",
    "std::thread::spawn",
];

pub(crate) fn check(texts: &BTreeMap<String, Text>) -> Vec<Problem> {
    let first = texts.get(&settings(PURE[0])).map_or("", |text| &text.body);
    let problems = PURE.iter().filter_map(|name| {
        let path = settings(name);
        let advice = broken(texts.get(&path).map(|text| text.body.as_str()), first)?;
        Some(Problem::new(&path, 1, "pure-crate", advice))
    });
    problems.collect()
}

fn settings(name: &str) -> String {
    format!("{}/clippy.toml", crate_folder(name))
}

fn broken(body: Option<&str>, first: &str) -> Option<String> {
    let Some(body) = body else {
        return Some(format!("copy {} here: a pure crate refuses effects", settings(PURE[0])));
    };
    let listed = |path: &&str| body.contains(&format!("\"{path}\""));
    if let Some(missing) = REFUSED.iter().find(|path| !listed(path)) {
        return Some(format!("list `{missing}`: a pure crate refuses effects"));
    }
    (body != first).then(|| format!("make it equal to {}", settings(PURE[0])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(change: impl Fn(&str, String) -> Option<String>) -> BTreeMap<String, Text> {
        let body: String = REFUSED.iter().map(|path| format!("\"{path}\"\n")).collect();
        let text = |name: &&str| {
            let path = settings(name);
            Some((path.clone(), Text::new(path, change(name, body.clone())?)))
        };
        PURE.iter().filter_map(text).collect()
    }

    fn check_texts(texts: &BTreeMap<String, Text>) -> Vec<String> {
        check(texts).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn equal_lists_in_all_pure_crates_are_right() {
        assert_eq!(check_texts(&texts(|_, body| Some(body))), [""; 0]);
    }

    #[test]
    fn a_pure_crate_without_a_list_is_refused() {
        let texts = texts(|name, body| (name != "record").then_some(body));
        let expected = "crates/record/clippy.toml:1: pure-crate: \
                        copy crates/units/clippy.toml here: a pure crate refuses effects";
        assert_eq!(check_texts(&texts), [expected]);
    }

    #[test]
    fn a_list_that_lets_an_effect_pass_is_refused() {
        let texts = texts(|name, body| {
            Some(if name == "study" { body.replace("std::thread::spawn", "") } else { body })
        });
        let expected = "crates/study/clippy.toml:1: pure-crate: \
                        list `std::thread::spawn`: a pure crate refuses effects";
        assert_eq!(check_texts(&texts), [expected]);
    }

    #[test]
    fn a_list_that_differs_is_refused() {
        let texts = texts(|name, body| Some(if name == "report" { body + "#\n" } else { body }));
        let expected =
            "crates/report/clippy.toml:1: pure-crate: make it equal to crates/units/clippy.toml";
        assert_eq!(check_texts(&texts), [expected]);
    }
}
