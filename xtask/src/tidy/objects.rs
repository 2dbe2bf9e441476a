//! JSON of our formats is made by types that derive `Serialize`: the keys of an object that is put
//! together by hand stand in no type. Leaves out tests, and what the chart library reads.

use std::collections::BTreeMap;
use std::str::FromStr;

use proc_macro2::{Spacing, TokenStream, TokenTree};

use super::problem::Problem;
use super::source::Source;

/// The crates whose values are formats.
const FOLDERS: [&str; 3] = ["crates/report/src/", "crates/cli/src/", "crates/server/src/"];

/// Charts, in the keys of plotly.
const FREE: &str = "crates/report/src/html/";

const ADVICE: &str = "derive Serialize for a type, as in crates/report/src/json";

pub(crate) fn check(sources: &BTreeMap<String, Source>) -> Vec<Problem> {
    let is_judged = |path: &str| {
        FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.starts_with(FREE)
    };
    let judged = sources.values().filter(|source| is_judged(&source.path));
    let problems = judged.flat_map(|source| {
        let lines = calls(source).into_iter();
        lines.map(|line| Problem::new(&source.path, line, "json", ADVICE))
    });
    problems.collect()
}

/// The lines of `json!`.
fn calls(source: &Source) -> Vec<usize> {
    let mut lines = Vec::new();
    // A file that is no Rust is named elsewhere.
    find(TokenStream::from_str(&source.body).unwrap_or_default(), &mut lines);
    lines.retain(|line| !source.is_test(*line));
    lines
}

fn find(stream: TokenStream, lines: &mut Vec<usize>) {
    let mut named = None;
    for tree in stream {
        let line = tree.span().start().line;
        let before = named.take();
        match tree {
            TokenTree::Ident(name) if name == "json" => named = Some(line),
            TokenTree::Punct(mark) if mark.as_char() == '!' && mark.spacing() == Spacing::Alone => {
                lines.extend(before);
            }
            TokenTree::Group(group) => find(group.stream(), lines),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::super::source::parse;
    use super::*;

    fn found(path: &str, body: &str) -> Vec<(usize, &'static str)> {
        let sources = BTreeMap::from([(path.to_owned(), parse(path, body))]);
        places(&check(&sources))
    }

    #[test]
    fn an_object_by_hand_is_found_also_inside_of_another_macro() {
        let body = "fn f() {\n    let a = json!({});\n    vec![serde_json::json!(1)];\n}\n";
        for folder in FOLDERS {
            assert_eq!(found(&format!("{folder}a.rs"), body), [(2, "json"), (3, "json")]);
        }
    }

    #[test]
    fn charts_tests_and_other_crates_may() {
        let body = "fn f() { json!({}); }\n";
        assert_eq!(found("crates/report/src/html/a.rs", body), []);
        assert_eq!(found("crates/emulation/src/a.rs", body), []);
        let test = "#[cfg(test)]\nmod tests { fn f() { json!({}); } }\n";
        assert_eq!(found("crates/cli/src/a.rs", test), []);
    }

    #[test]
    fn what_is_only_called_json_is_none() {
        let body = "mod json;\nfn f() { json(&a); assert!(json != b); }\n";
        assert_eq!(found("crates/server/src/a.rs", body), []);
    }
}
