//! Only `outfile` opens files for writing, makes or renames them: everything that keeps an output
//! from destroying data is in one place.
//!
//! What is looked for are the names by which std, rustix, libc, SQLite and clap open a file to
//! write to it, in code that is no test. Code in macros counts too, so tokens are read and not the
//! syntax tree. Leaves out: names behind aliases (`use std::fs as files`), and directories.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};

use super::problem::Problem;
use super::source::Source;

/// Who may, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/emulation/src/conditions.rs", "opens the kernel's door to FUSE"),
    (
        "crates/emulation/src/daemon.rs",
        "the log of a daemon, in a directory of ours that is private",
    ),
    ("crates/emulation/src/create.rs", "renames a directory of ours that is private"),
    (
        "crates/emulation/src/manifest.rs",
        "its second name is in the manifest, so that it is removed",
    ),
    ("crates/emulation/src/up.rs", "new backing files, in a directory of ours that is private"),
    (
        "crates/emulation/src/live.rs",
        "the description of a system and its media, in a directory of ours that is private",
    ),
    (
        "crates/cli/src/commands/emulate/live.rs",
        "the number of a process, in the directory of its emulation",
    ),
    ("crates/live/src/arrivals.rs", "requests, in a file that must be new and grows while it runs"),
    ("crates/live/src/media.rs", "media, which the emulation made"),
    ("crates/live/src/mounting.rs", "opens the kernel's door to FUSE"),
    ("crates/live/src/wait.rs", "a request to the kernel's power management"),
    ("crates/machine/src/settings/changed.rs", "a setting of the kernel"),
    ("crates/machine/src/settings/note.rs", "a note in /run, where only root may write"),
    (
        "crates/measurement/src/target/tree/calls.rs",
        "files of a metadata load, in a directory that the run made for them",
    ),
    ("crates/measurement/src/target/open.rs", "targets, which machine's safety check permits"),
];

/// Folders with what is no part of the product, and the one that may.
const FREE: &[&str] = &["crates/outfile/", "xtask/", "crates/fuzz/", "crates/imitation/"];

/// `a::b`, also within `use a::{b, …}`.
const PATHS: &[(&str, &[&str])] = &[
    ("fs", &["write", "rename", "copy", "hard_link"]),
    ("File", &["create", "create_new", "options"]),
    ("OFlags", &["WRONLY", "RDWR", "CREATE", "TRUNC", "APPEND", "TMPFILE"]),
    ("libc", &["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_TMPFILE", "open"]),
    ("Connection", &["open"]),
    ("OpenFlags", &["SQLITE_OPEN_CREATE"]),
];

/// Functions, however they are reached.
const FUNCTIONS: &[&str] = &["renameat", "renameat_with", "linkat", "mknodat", "generate_to"];

/// Methods of `OpenOptions`.
const OPTIONS: &[&str] = &["write", "append", "create", "create_new"];

const ADVICE: &str = "write it through iopath-outfile, or add an exception with its reason";
const THIS_FILE: &str = "xtask/src/tidy/outputs.rs";

pub(crate) fn check(sources: &BTreeMap<String, Source>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut needed = BTreeSet::new();
    for source in sources.values().filter(|source| is_product(&source.path)) {
        let lines = writing(source);
        match EXCEPTIONS.iter().find(|(path, _)| *path == source.path) {
            Some((path, _)) if !lines.is_empty() => _ = needed.insert(*path),
            Some(_) => {}
            None => {
                let problem = |line| Problem::new(&source.path, line, "output", ADVICE);
                problems.extend(lines.into_iter().map(problem));
            }
        }
    }
    let idle = EXCEPTIONS.iter().filter(|(path, _)| !needed.contains(path));
    let advice = |path: &str| format!("{path} opens nothing to write: take the exception out");
    problems.extend(idle.map(|(path, _)| Problem::new(THIS_FILE, 1, "output", advice(path))));
    problems
}

fn is_product(path: &str) -> bool {
    !FREE.iter().any(|folder| path.starts_with(folder))
        && !["/tests/", "/examples/", "/build.rs"].iter().any(|part| path.contains(part))
}

/// The lines at which something is opened to be written, made or renamed.
fn writing(source: &Source) -> BTreeSet<usize> {
    let mut tokens = Vec::new();
    // A file that is no Rust is named elsewhere.
    let stream = TokenStream::from_str(&source.body).unwrap_or_default();
    flatten(stream, &mut tokens);
    tokens.retain(|token| !source.is_test(token.line));
    let has_options = tokens.iter().any(|token| token.text == "OpenOptions");
    let found = (0..tokens.len()).flat_map(|at| {
        let rest = &tokens[at..];
        let direct = is_function(rest) || has_options && is_option(rest);
        let first = direct.then(|| rest[0].line);
        named(rest).into_iter().chain(first)
    });
    found.collect()
}

struct Token {
    text: String,
    line: usize,
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                let text = group.to_string();
                let is_braced = text.starts_with('{');
                let [open, close] = if is_braced { ["{", "}"] } else { ["(", ")"] };
                tokens.push(Token { text: open.to_owned(), line });
                flatten(group.stream(), tokens);
                tokens.push(Token { text: close.to_owned(), line });
            }
            other => tokens.push(Token { text: other.to_string(), line }),
        }
    }
}

fn texts<const N: usize>(tokens: &[Token]) -> Option<[&str; N]> {
    let first = tokens.first_chunk::<N>()?;
    Some(first.each_ref().map(|token| token.text.as_str()))
}

/// Lines of the names of `PATHS` that follow their first part here.
fn named(tokens: &[Token]) -> Vec<usize> {
    let Some([first, ":", ":", second]) = texts(tokens) else { return Vec::new() };
    let Some((_, names)) = PATHS.iter().find(|(name, _)| *name == first) else { return Vec::new() };
    let candidates = match second {
        "{" => &tokens[4..],
        _ => &tokens[3..4],
    };
    let listed = candidates.iter().take_while(|token| token.text != "}");
    listed.filter(|token| names.contains(&token.text.as_str())).map(|token| token.line).collect()
}

fn is_function(tokens: &[Token]) -> bool {
    texts(tokens).is_some_and(|[name, next]| FUNCTIONS.contains(&name) && next == "(")
}

/// `.write(true)`, not `.write(&bytes)` or the `.write()` of a lock.
fn is_option(tokens: &[Token]) -> bool {
    let is_value = |value: &str| !["&", ")", "false"].contains(&value);
    texts(tokens).is_some_and(|[dot, name, open, value]| {
        dot == "." && OPTIONS.contains(&name) && open == "(" && is_value(value)
    })
}

#[cfg(test)]
mod tests {
    use super::super::source::parse;
    use super::*;

    fn lines(body: &str) -> Vec<usize> {
        writing(&parse("crates/cli/src/a.rs", body)).into_iter().collect()
    }

    #[test]
    fn every_way_to_write_a_file_is_found() {
        for body in [
            "fn f() { fs::write(a, b); }",
            "fn f() { std::fs::rename(a, b) }",
            "use std::fs::{self, copy};",
            "fn f() { let a = File::create_new(path)?; }",
            "fn f() { assert!(std::fs::File::create(path).is_ok()); }",
            "fn f() { OpenOptions::new().read(true).write(true).open(path) }",
            "fn f() { let mut options = OpenOptions::new(); options.create(make); }",
            "fn f() { openat(d, n, OFlags::RDONLY | OFlags::CREATE, mode) }",
            "fn f() { renameat_with(a, b, c, d, flags) }",
            "fn f() { options.custom_flags(libc::O_TMPFILE) }",
            "fn f() { Connection::open(path) }",
            "fn f() { clap_mangen::generate_to(command, directory) }",
        ] {
            assert_eq!(lines(body), [1], "{body}");
        }
    }

    #[test]
    fn reading_and_tests_are_free() {
        for body in [
            "fn f() { fs::read(a); File::open(b); file.write(&bytes); lock.write(); }",
            "fn f() { OpenOptions::new().read(true).write(false).open(path); all.append(&mut b) }",
            "fn f() { openat(d, n, OFlags::PATH | OFlags::NOFOLLOW, mode) }",
            "fn write() { \"fs::write(\"; } // File::create(",
            "#[cfg(test)]\nmod tests { fn f() { fs::write(a, b); } }",
        ] {
            assert_eq!(lines(body), [0; 0], "{body}");
        }
    }

    #[test]
    fn problems_name_product_code_and_exceptions_that_nothing_needs() {
        let body = "fn f() {\n    fs::write(a, b);\n}\n";
        let paths = [
            "crates/cli/src/a.rs",
            "crates/cli/tests/it/a.rs",
            "crates/outfile/src/a.rs",
            EXCEPTIONS[0].0,
        ];
        let sources = paths.map(|path| (path.to_owned(), parse(path, body))).into();
        let problems: Vec<String> = check(&sources).iter().map(ToString::to_string).collect();
        assert_eq!(problems[0], format!("crates/cli/src/a.rs:2: output: {ADVICE}"));
        let idle = |(path, _): &(&str, &str)| {
            format!("{THIS_FILE}:1: output: {path} opens nothing to write: take the exception out")
        };
        let expected: Vec<String> = EXCEPTIONS[1..].iter().map(idle).collect();
        assert_eq!(problems[1..], expected);
    }
}
