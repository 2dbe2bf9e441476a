//! `analysis` returns enums and numbers: sentences about them are `report`'s, which knows the units
//! that were asked for.
//!
//! A string literal with two spaces and two words is taken for a sentence. Leaves out attributes
//! (errors have their texts there), what `expect` says, tests, and the table of thresholds, which
//! names units.

use std::collections::BTreeMap;
use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};

use super::problem::Problem;
use super::source::Source;

const FOLDER: &str = "crates/analysis/src/";

/// Units of thresholds.
const FREE: &str = "crates/analysis/src/thresholds";

/// Files that still make sentences. The list may only shrink. The one in `balance.rs` is a name, of
/// members below several things.
const FILES: &[&str] = &["crates/analysis/src/judges/balance.rs"];

const THIS_FILE: &str = "xtask/src/tidy/sentences.rs";
const ADVICE: &str = "return a variant with numbers, and write the sentence in report/src/words";

pub(crate) fn check(sources: &BTreeMap<String, Source>) -> Vec<Problem> {
    compare(sources, FILES)
}

fn compare(sources: &BTreeMap<String, Source>, files: &[&str]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut listed = files.to_vec();
    let is_judged = |path: &str| path.starts_with(FOLDER) && !path.starts_with(FREE);
    for source in sources.values().filter(|source| is_judged(&source.path)) {
        let lines = sentences(source);
        if !files.contains(&source.path.as_str()) {
            let problem = |line| Problem::new(&source.path, line, "sentence", ADVICE);
            problems.extend(lines.into_iter().map(problem));
        } else if !lines.is_empty() {
            listed.retain(|path| *path != source.path);
        }
    }
    let advice = |path: &str| format!("{path} makes no sentence: take it off the list");
    let done = listed.into_iter();
    problems.extend(done.map(|path| Problem::new(THIS_FILE, 1, "sentence", advice(path))));
    problems
}

/// The lines of sentences.
fn sentences(source: &Source) -> Vec<usize> {
    let mut lines = Vec::new();
    // A file that is no Rust is named elsewhere.
    find(TokenStream::from_str(&source.body).unwrap_or_default(), &mut lines);
    lines.retain(|line| !source.is_test(*line));
    lines
}

fn find(stream: TokenStream, lines: &mut Vec<usize>) {
    let mut is_free = false;
    for tree in stream {
        let line = tree.span().start().line;
        let follows = is_free;
        is_free = match tree {
            TokenTree::Punct(mark) => mark.as_char() == '#' || follows && mark.as_char() == '!',
            TokenTree::Ident(name) => name == "expect",
            TokenTree::Group(group) => {
                if !follows {
                    find(group.stream(), lines);
                }
                false
            }
            TokenTree::Literal(literal) => {
                if is_sentence(&literal.to_string()) {
                    lines.push(line);
                }
                false
            }
        };
    }
}

/// What is in braces or has fewer than two letters is no word.
fn is_sentence(literal: &str) -> bool {
    let is_text = literal.starts_with('"') || literal.starts_with('r');
    let pieces = || literal.split_whitespace();
    let is_word = |piece: &&str| {
        let outside = piece.split('{').map(|part| part.rsplit('}').next().unwrap_or_default());
        outside.flat_map(str::chars).filter(|letter| letter.is_alphabetic()).count() > 1
    };
    is_text && pieces().count() > 2 && pieces().filter(is_word).count() > 1
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::super::source::parse;
    use super::*;

    fn found(path: &str, body: &str, files: &[&str]) -> Vec<(usize, &'static str)> {
        let path = format!("{FOLDER}{path}");
        let sources = BTreeMap::from([(path.clone(), parse(&path, body))]);
        places(&compare(&sources, files))
    }

    #[test]
    fn a_sentence_is_found_also_in_a_macro() {
        let body = "//! Words of a doc.\n#[error(\"words of an error\")]\nfn f() {\n    \
                    format!(\"{} carry {} no more\", 1, 2);\n}\n";
        assert_eq!(found("a.rs", body, &[]), [(4, "sentence")]);
        assert_eq!(found("thresholds/a.rs", body, &[]), []);
    }

    #[test]
    fn names_of_facts_and_tests_are_none() {
        let names = "const A: &str = \"workload.sync\";\nfn f() { format!(\"{a} {b} {c}\"); }\n";
        assert_eq!(found("a.rs", names, &[]), []);
        assert_eq!(found("a.rs", "fn f() { None.expect(\"there is one\"); }\n", &[]), []);
        let test = "#[cfg(test)]\nmod tests { const A: &str = \"words of a test\"; }\n";
        assert_eq!(found("a.rs", test, &[]), []);
    }

    #[test]
    fn a_file_on_the_list_leaves_it_when_it_makes_none() {
        let listed = format!("{FOLDER}a.rs");
        let sentence = "const A: &str = \"words of a finding\";\n";
        assert_eq!(found("a.rs", sentence, &[&listed]), []);
        assert_eq!(found("a.rs", "", &[&listed]), [(1, "sentence")]);
    }
}
