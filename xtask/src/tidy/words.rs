//! Words that are not written here, each with what to write instead.
//!
//! A word is looked for where it means something: in code, in string literals, in comments, or in
//! the text of other files. So a message may speak of `dbg!(` without being taken for one.

use super::problem::Problem;
use super::source::Source;
use super::text::{self, Text};

/// This file lists the words as string literals.
const THIS_FILE: &str = "xtask/src/tidy/words.rs";

struct Word {
    find: &'static str,
    fit: Fit,
    places: &'static [Place],
    tests: Tests,
    /// Path prefixes where the word belongs.
    allowed: &'static [&'static str],
    rule: &'static str,
    advice: &'static str,
}

/// How the text around a found word must look; a letter beside it makes another word of it.
#[derive(Clone, Copy)]
enum Fit {
    Whole,
    Start,
    /// Anywhere, in capitals or not.
    Part,
    /// A whole word of a sentence: neither a name in backquotes nor one in the braces of a format.
    Spoken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    Strings,
    Comments,
    /// Files other than Rust.
    Prose,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tests {
    Checked,
    Exempt,
}

const EVERYWHERE: &[Place] = &[Place::Code, Place::Strings, Place::Comments, Place::Prose];

/// The common case; a row of the table names what differs.
const CODE: Word = Word {
    find: "",
    fit: Fit::Whole,
    places: &[Place::Code],
    tests: Tests::Checked,
    allowed: &[],
    rule: "banned-word",
    advice: "",
};

const UNFINISHED: Word = Word {
    places: &[Place::Comments, Place::Prose],
    rule: "unfinished",
    advice: "do it now, or write an issue and say here what holds today",
    ..CODE
};

const CLOCK: Word = Word {
    allowed: &[
        "crates/measurement/",
        "crates/machine/",
        // Its answers are due by the wall clock.
        "crates/live/",
        "crates/emulation/tests/",
        // Its own code is handed a clock; its tests compare real ones.
        "crates/ranks/tests/",
        "crates/store/",
        "crates/cli/",
        "xtask/",
        "crates/fuzz/",
    ],
    rule: "clock",
    advice: "this crate reads no clock: take the time as an argument",
    ..CODE
};

const PRINT: Word = Word {
    tests: Tests::Exempt,
    // A build script speaks to cargo by printing.
    allowed: &["crates/cli/", "xtask/", "crates/fuzz/", "crates/report/build.rs"],
    rule: "print",
    advice: "only the program prints: return the text instead",
    ..CODE
};

const KERNEL: Word = Word {
    places: &[Place::Strings],
    tests: Tests::Exempt,
    // imitation writes such files, below a folder of a test; a file without a name gets one by the
    // kernel's path to it; attacks hide these files from the program; what layout writes is for sh.
    allowed: &[
        "crates/machine/",
        "crates/imitation/",
        "crates/layout/src/",
        "crates/outfile/src/draft.rs",
        "xtask/src/attack/",
        "xtask/src/cluster/",
    ],
    rule: "kernel-files",
    advice: "only machine reads the kernel's files, under a root path: ask it",
    ..CODE
};

const OUTSIDE: Word = Word {
    places: EVERYWHERE,
    rule: "outside",
    advice: "this names a private machine or mirror: remove it",
    ..CODE
};

/// What a person reads is in the words of fio, iostat and the kernel.
const DIALECT: Word = Word {
    fit: Fit::Part,
    places: &[Place::Strings],
    tests: Tests::Exempt,
    rule: "english",
    ..CODE
};

/// Words of a dialect that read as translated, for messages. Documents: [`SPOKEN`].
const SAID: Word = Word { fit: Fit::Spoken, ..DIALECT };

const SPOKEN: Word = Word {
    fit: Fit::Spoken,
    places: &[Place::Prose],
    // Earlier entries and licences stay as they are; studies and scripts speak for themselves.
    allowed: &["CHANGELOG.md", "LICENSE", "studies/", "crates/", "xtask/", ".ci/"],
    rule: "english",
    ..CODE
};

const WORDS: &[Word] = &[
    Word { find: "dbg!(", advice: "remove it, or assert what it showed", ..CODE },
    Word { find: "todo!(", advice: "write it now, or leave it out", ..CODE },
    Word { find: "unimplemented!(", advice: "write it now, or leave it out", ..CODE },
    Word { find: "assert!(true", advice: "assert something that can fail", ..CODE },
    Word { find: "fn get_", fit: Fit::Start, advice: "name it without `get_`", ..CODE },
    Word { find: "TODO", ..UNFINISHED },
    Word { find: "FIXME", ..UNFINISHED },
    Word { find: "XXX", ..UNFINISHED },
    Word { find: "Instant::now", ..CLOCK },
    Word { find: "SystemTime::now", ..CLOCK },
    Word { find: "println!(", ..PRINT },
    Word { find: "eprintln!(", ..PRINT },
    Word { find: "print!(", ..PRINT },
    Word { find: "eprint!(", ..PRINT },
    Word {
        find: "unsafe",
        allowed: &["crates/measurement/", "crates/machine/src/ioctl.rs", "crates/mpi/src/calls.rs"],
        rule: "unsafe",
        advice: "unsafe code is kept in measurement, crates/machine/src/ioctl.rs and \
                 crates/mpi/src/calls.rs: use rustix",
        ..CODE
    },
    Word { find: "/proc", ..KERNEL },
    Word { find: "/sys", ..KERNEL },
    Word {
        find: "<html",
        fit: Fit::Part,
        places: &[Place::Strings],
        allowed: &["crates/report/"],
        rule: "html",
        advice: "only report knows HTML",
        ..CODE
    },
    Word {
        find: "bandwidth",
        fit: Fit::Part,
        places: EVERYWHERE,
        allowed: &["GLOSSARY.md", "studies/"],
        rule: "vocabulary",
        advice: "say throughput (achieved) or capacity (rated limit)",
        ..CODE
    },
    Word {
        find: "held against",
        places: &[Place::Strings, Place::Prose],
        // Earlier entries stay as they were.
        allowed: &["CHANGELOG.md", "studies/"],
        advice: "say compared with",
        ..DIALECT
    },
    Word { find: "broken law", advice: "say failed consistency check", ..DIALECT },
    Word { find: "told", advice: "say see, reported or documented", ..SAID },
    Word { find: "told", advice: "say see, reported or documented", ..SPOKEN },
    Word { find: "tells", advice: "say says, shows or reports", ..SAID },
    Word { find: "tells", advice: "say says, shows or reports", ..SPOKEN },
    Word { find: "telling", advice: "say reporting", ..SAID },
    Word { find: "telling", advice: "say reporting", ..SPOKEN },
    Word { find: "beside", advice: "say with, next to or compared with", ..SAID },
    Word { find: "beside", advice: "say with, next to or compared with", ..SPOKEN },
    Word { find: "alike", advice: "say equal or similar", ..SAID },
    Word { find: "alike", advice: "say equal or similar", ..SPOKEN },
    Word { find: "nobody", advice: "name the thing, or use the passive", ..SAID },
    Word { find: "nobody", advice: "name the thing, or use the passive", ..SPOKEN },
    Word { find: "whoever", advice: "name the program or the person", ..SAID },
    Word { find: "whoever", advice: "name the program or the person", ..SPOKEN },
    Word { find: "whom", advice: "name the program or the person", ..SAID },
    Word { find: "whom", advice: "name the program or the person", ..SPOKEN },
    Word { find: "somebody", advice: "name the program or the person", ..SAID },
    Word { find: "somebody", advice: "name the program or the person", ..SPOKEN },
    Word { find: "anybody", advice: "name the program or the person", ..SAID },
    Word { find: "anybody", advice: "name the program or the person", ..SPOKEN },
    Word { find: "lies on", advice: "say is on", ..SAID },
    Word { find: "lies on", advice: "say is on", ..SPOKEN },
    Word { find: "lie on", advice: "say are on", ..SAID },
    Word { find: "lie on", advice: "say are on", ..SPOKEN },
    Word { find: "shall", advice: "say must, or the plain verb", ..SAID },
    Word { find: "shall", advice: "say must, or the plain verb", ..SPOKEN },
    Word { find: "for want of", advice: "say without", ..SAID },
    Word { find: "for want of", advice: "say without", ..SPOKEN },
    Word { find: "/work/", fit: Fit::Start, ..OUTSIDE },
    Word { find: "/.cargo/registry", fit: Fit::Part, ..OUTSIDE },
    Word { find: "crates.io", ..OUTSIDE },
    Word { find: "deb.debian.org", ..OUTSIDE },
];

pub(crate) fn check_source(source: &Source) -> Vec<Problem> {
    let views = [
        (Place::Code, &source.code),
        (Place::Strings, &source.strings),
        (Place::Comments, &source.comments),
    ];
    let mut problems = Vec::new();
    for (place, view) in views {
        if place != Place::Strings || source.path != THIS_FILE {
            let found = check_lines(&source.path, view, place);
            problems.extend(found.filter(|(word, line)| is_checked(word, source, *line)));
        }
    }
    problems.into_iter().map(|(word, line)| problem(&source.path, word, line)).collect()
}

/// For files other than Rust.
pub(crate) fn check_text(text: &Text) -> Vec<Problem> {
    let found = check_lines(&text.path, &text.body, Place::Prose);
    found.map(|(word, line)| problem(&text.path, word, line)).collect()
}

fn check_lines<'a>(
    path: &'a str,
    body: &'a str,
    place: Place,
) -> impl Iterator<Item = (&'static Word, usize)> + 'a {
    let words = WORDS.iter().filter(move |word| {
        let is_allowed = word.allowed.iter().any(|start| path.starts_with(start));
        // Most words are in few files: one look at the whole text spares a look at each line.
        word.places.contains(&place) && !is_allowed && is_anywhere(word, body)
    });
    words.flat_map(move |word| {
        let lines = text::numbered(body).filter(|(_, line)| occurs(word.find, word.fit, line));
        lines.map(move |(line, _)| (word, line))
    })
}

fn is_anywhere(word: &Word, body: &str) -> bool {
    match word.fit {
        Fit::Part => body.to_lowercase().contains(word.find),
        Fit::Start | Fit::Whole | Fit::Spoken => body.contains(word.find),
    }
}

fn is_checked(word: &Word, source: &Source, line: usize) -> bool {
    word.tests == Tests::Checked || !source.is_test(line)
}

fn problem(path: &str, word: &Word, line: usize) -> Problem {
    Problem::new(path, line, word.rule, format!("`{}`: {}", word.find, word.advice))
}

fn occurs(word: &str, fit: Fit, line: &str) -> bool {
    match fit {
        Fit::Part => line.to_lowercase().contains(word),
        Fit::Start => line.match_indices(word).any(|(at, _)| starts(word, &line[..at])),
        Fit::Whole => line
            .match_indices(word)
            .any(|(at, _)| is_whole(word, &line[..at], &line[at + word.len()..])),
        Fit::Spoken => line.match_indices(word).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + word.len()..]);
            is_whole(word, before, after) && !before.ends_with(['`', '{', '/'])
        }),
    }
}

fn is_whole(word: &str, before: &str, after: &str) -> bool {
    starts(word, before) && ends(word, after)
}

/// Nothing of a longer word stands before; a path begins at its `/`.
fn starts(word: &str, before: &str) -> bool {
    let goes_on = |letter: char| {
        is_letter(letter) || (word.starts_with('/') && matches!(letter, '.' | '-' | '~' | '/'))
    };
    !before.ends_with(goes_on)
}

fn ends(word: &str, after: &str) -> bool {
    !(word.ends_with(is_letter) && after.starts_with(is_letter))
}

fn is_letter(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::super::source::parse;
    use super::*;

    fn check(path: &str, body: &str, expected: &[(usize, &str)]) {
        assert_eq!(places(&check_source(&parse(path, body))), expected, "{path}: {body}");
    }

    fn check_prose(path: &str, body: &str, expected: &[(usize, &str)]) {
        assert_eq!(places(&check_text(&Text::new(path, body))), expected, "{path}: {body}");
    }

    #[test]
    fn every_word_is_found_where_it_is_banned_and_nowhere_it_is_allowed() {
        for word in WORDS {
            for place in word.places {
                let banned = check_lines("other/a", word.find, *place);
                assert_eq!(banned.filter(|(found, _)| found.find == word.find).count(), 1);
            }
            for allowed in word.allowed {
                let mut found = check_lines(allowed, word.find, word.places[0]);
                assert!(found.all(|(found, _)| found.find != word.find), "{}", word.find);
            }
        }
    }

    #[test]
    fn unfinished_code_is_found_in_tests_too() {
        check("crates/units/src/a.rs", "fn f() {\n    dbg!(1);\n}", &[(2, "banned-word")]);
        check("crates/units/src/a.rs", "fn f() { todo!() }", &[(1, "banned-word")]);
        let test = "#[cfg(test)]\nmod tests {\n    fn f() { unimplemented!(); }\n}";
        check("crates/units/src/a.rs", test, &[(3, "banned-word")]);
        check("crates/units/src/a.rs", "fn f() { assert!(true); }", &[(1, "banned-word")]);
        check("crates/units/src/a.rs", "fn f() { debug_assert!(truth); }", &[]);
    }

    #[test]
    fn code_words_in_strings_and_comments_are_only_spoken_of() {
        check("crates/units/src/a.rs", "// dbg!(x)\nfn f() { g(\"dbg!(x)\") }", &[]);
    }

    #[test]
    fn marks_of_unfinished_work_are_found_in_comments_and_prose() {
        check("crates/units/src/a.rs", "// TODO later\n", &[(1, "unfinished")]);
        check("crates/units/src/a.rs", "/// FIXME\nfn f() { g(\"XXX\") }", &[(1, "unfinished")]);
        check_prose("docs/a.md", "a\nXXX\n", &[(2, "unfinished")]);
        check_prose("docs/a.md", "mktemp a.XXXXXX\n", &[]);
    }

    #[test]
    fn the_clock_is_read_by_few_crates() {
        check("crates/analysis/src/a.rs", "fn f() { Instant::now(); }", &[(1, "clock")]);
        check(
            "crates/record/src/a.rs",
            "fn f() { std::time::SystemTime::now(); }",
            &[(1, "clock")],
        );
        check("crates/measurement/src/a.rs", "fn f() { Instant::now(); }", &[]);
    }

    #[test]
    fn only_the_program_prints_but_a_test_may_say_why_it_was_not_run() {
        check("crates/store/src/a.rs", "fn f() { println!(\"a\"); }", &[(1, "print")]);
        check("crates/store/src/a.rs", "fn f() { eprint!(\"a\"); }", &[(1, "print")]);
        check("crates/cli/src/a.rs", "fn f() { println!(\"a\"); }", &[]);
        check("crates/store/src/a.rs", "#[cfg(test)]\nmod tests { fn f() { println!(); } }", &[]);
    }

    #[test]
    fn unsafe_code_stays_in_measurement() {
        check("crates/units/src/a.rs", "fn f() { unsafe { g() } }", &[(1, "unsafe")]);
        check("crates/units/src/a.rs", "#![forbid(unsafe_code)]\n", &[]);
        check("crates/measurement/src/a.rs", "fn f() { unsafe { g() } }", &[]);
    }

    #[test]
    fn the_kernel_s_files_are_named_in_machine_only() {
        check("crates/cli/src/a.rs", "fn f() { g(\"/proc/stat\") }", &[(1, "kernel-files")]);
        check("crates/cli/src/a.rs", "fn f() { g(\"/sys\") }", &[(1, "kernel-files")]);
        check("crates/cli/src/a.rs", "fn f() { g(\"/system a/sys ./proc\") } // /proc", &[]);
        check("crates/machine/src/a.rs", "fn f() { g(\"/proc/stat\") }", &[]);
        check("crates/cli/src/a.rs", "#[cfg(test)]\nmod tests { const A: &str = \"/proc\"; }", &[]);
    }

    #[test]
    fn functions_are_named_without_get() {
        check("crates/units/src/a.rs", "fn get_bytes() {}", &[(1, "banned-word")]);
        check("crates/units/src/a.rs", "fn target() {} fn gets() { map.get(1) }", &[]);
    }

    #[test]
    fn throughput_is_the_word() {
        check("crates/units/src/a.rs", "struct MaxBandwidth;", &[(1, "vocabulary")]);
        check(
            "crates/units/src/a.rs",
            "// bandwidths\nfn f() { g(\"BANDWIDTH\") }",
            &[(2, "vocabulary"), (1, "vocabulary")],
        );
        check_prose("README.md", "bandwidth\n", &[(1, "vocabulary")]);
        check_prose("GLOSSARY.md", "bandwidth\n", &[]);
    }

    #[test]
    fn only_report_knows_html() {
        check("crates/cli/src/a.rs", "fn f() { g(\"<HTML>\") }", &[(1, "html")]);
        check("crates/report/src/a.rs", "fn f() { g(\"<html>\") }", &[]);
    }

    #[test]
    fn messages_and_documents_are_in_the_field_s_english() {
        check("crates/cli/src/a.rs", "fn f() { g(\"is told here\") }", &[(1, "english")]);
        check("crates/cli/src/a.rs", "fn f() { g(\"{told}, retold\") } // told", &[]);
        check("crates/cli/src/a.rs", "#[cfg(test)]\nmod tests { const A: &str = \"told\"; }", &[]);
        check_prose("docs/a.md", "it lies on a disk\n", &[(1, "english")]);
        check_prose("docs/a.md", "the key `alike`, in `judges/alike.rs`\n", &[]);
        check_prose("CHANGELOG.md", "told\n", &[]);
    }

    #[test]
    fn nobody_s_machine_is_named() {
        check_prose("README.md", "see `/work/a`\n", &[(1, "outside")]);
        check_prose("README.md", "see docs/work/a and https://example.org/work/\n", &[]);
        check("crates/cli/src/a.rs", "// from crates.io\n", &[(1, "outside")]);
    }
}
