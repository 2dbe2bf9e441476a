//! Wrong studies: every mistake at its place, none twice, none hiding another.

use iopath_study::{Assignment, MistakeKind};

use super::read_with;

/// A sound study, its lines numbered from 1; tests replace lines of it.
const SOUND: [&str; 8] = [
    "study \"s\"",
    "path { host \"server\" { nvme \"drive\" count=4 }; part \"spare\" size=\"1 GiB\" }",
    "layout { file \"data\" size=\"64 MiB\"; file \"log\" size=\"1 GiB\" }",
    "bind from=\"server.drive\" to=\"/dev/nvme[0-3]n1\"",
    "workload time=\"10 s\" {",
    "    streams \"reader\" over=\"data\" block=\"64 KiB\"",
    "}",
    "vary { factor \"depth\" of=\"reader.depth\" 1 2 4 }",
];

/// The study with some lines replaced.
fn with(changes: &[(usize, &str)]) -> String {
    let mut lines = SOUND.map(str::to_owned);
    for (line, text) in changes {
        lines[line - 1] = (*text).to_owned();
    }
    lines.join("\n")
}

/// Exactly these mistakes, in this order: line and a part of the message or hint.
fn check(text: &str, expected: &[(usize, &str)]) {
    let Err(mistakes) = read_with(text, &[]) else { panic!("no mistake found in\n{text}") };
    let found = format!("{mistakes}\n--- in ---\n{text}");
    assert_eq!(mistakes.list.len(), expected.len(), "{found}");
    for (mistake, (line, part)) in mistakes.list.iter().zip(expected) {
        let said = format!("{} ({})", mistake.message, mistake.hint.as_deref().unwrap_or(""));
        assert!(mistake.line == *line && said.contains(part), "{line} {part:?} in\n{found}");
    }
}

#[test]
fn the_sound_study_is_sound() {
    assert!(read_with(&with(&[]), &[]).is_ok());
}

#[test]
fn quantities() {
    let stream = |values: &str| format!("streams \"reader\" over=\"data\" {values}");
    for (values, part) in [
        ("block=4096", "block: \"4096\" has no unit"),
        ("block=\"4096\"", "write a size such as \"128 KiB\""),
        ("block=4MiB", "a quantity needs quotes; write \"4MiB\""),
        ("block=\"4 MB/s\"", "unknown unit \"MB/s\""),
        ("block=\"0 B\"", "block: 0 B is too small"),
        ("block=\"64 KiB\" depth=0", "0 is not a whole number from 1"),
        ("block=\"64 KiB\" depth=0", "state 1 or more, or leave it out"),
        ("block=\"64 KiB\" depth=-3", "-3 is not a whole number from 1"),
        ("block=\"64 KiB\" depth=1.5", "1.5 is not a whole number from 1"),
        ("block=\"64 KiB\" depth=\"4\"", "a count has no quotes; write 4"),
        ("block=\"64 KiB\" depth=99999999999", "at most 4294967295"),
        ("block=\"64 KiB\" rate=\"5 MB\"", "unknown unit \"MB\""),
        ("block=\"64 KiB\" rate=\"0 /s\"", "too small"),
        ("block=\"64 KiB\" op=\"mix\" reads=70", "more than 100 %"),
        ("block=\"64 KiB\" op=\"wirte\"", "did you mean \"write\"?"),
        ("block=#null", "is not a quantity"),
    ] {
        let part = if values == "block=#null" { "no number in front" } else { part };
        check(&with(&[(6, &stream(values)), (8, "")]), &[(6, part)]);
    }
    check(&with(&[(5, "workload time=10 {")]), &[(5, "time: \"10\" has no unit")]);
    check(&with(&[(5, "workload verify=true {")]), &[(5, "write #true")]);
    check(&with(&[(5, "workload verify=\"true\" {")]), &[(5, "\"true\" is not #true or #false")]);
    check(&with(&[(5, "workload until-ci=\"2\" {")]), &[(5, "more than 100 %")]);
}

#[test]
fn all_quantities_without_quotes_are_reported_beside_others() {
    let text = with(&[
        (3, "layout { file \"data\" size=64MiB; file \"log\" sise=\"1 GiB\" }"),
        (5, "workload time=10s warm-up=2s {"),
        (6, "    streams \"reader\" over=\"dta\" block=4 KiB rate=195MB/s arivals=\"poisson\""),
    ]);
    check(
        &text,
        &[
            (3, "write \"64MiB\""),
            (3, "did you mean \"size\"?"),
            (5, "write \"10s\""),
            (5, "write \"2s\""),
            (6, "did you mean \"data\"?"),
            (6, "block: \"4\" has no unit"),
            (6, "streams does not take \"KiB\" here"),
            (6, "write \"195MB/s\""),
            (6, "did you mean \"arrivals\"?"),
        ],
    );
}

#[test]
fn kinds_and_properties() {
    for (line, text, part) in [
        (2, "path { hots { disk } }", "did you mean \"host\"?"),
        (2, "path { file \"f\" size=\"1 B\" }", "file does not belong in path"),
        (
            3,
            "layout { file \"data\" size=\"64 MiB\" block=\"4 KiB\" }",
            "file has no property \"block\"",
        ),
        (
            6,
            "streams \"reader\" over=\"data\" blok=\"64 KiB\" block=\"4 KiB\"",
            "did you mean \"block\"?",
        ),
        (
            6,
            "streams \"reader\" over=\"data\" block=\"64 KiB\" block=\"4 KiB\"",
            "block appears twice",
        ),
        (
            6,
            "(x)streams \"reader\" over=\"data\" block=\"64 KiB\"",
            "an annotation belongs to a value",
        ),
        (6, "streams \"reader\" over=\"data\" block=(gvien)\"64 KiB\"", "did you mean \"given\"?"),
        (6, "streams \"reader\" over=\"data\" block=\"64 KiB\" { x }", "unknown kind \"x\""),
        (1, "study \"s\" \"t\"", "study does not take \"t\" here"),
        (1, "study", "study needs a title"),
        (1, "", "the file has no study"),
        (1, "study \"s\"; study \"t\"", "study appears twice"),
    ] {
        let change = [(line, text), (4, ""), (8, "")];
        let kept = if line == 2 { &change[..] } else { &change[..1] };
        check(&with(kept), &[(line, part)]);
    }
}

#[test]
fn names() {
    check(
        &with(&[(3, "layout { file \"data\" size=\"64 MiB\"; file \"data\" size=\"1 GiB\" }")]),
        &[(3, "the name \"data\" is already used")],
    );
    check(
        &with(&[(3, "layout { file \"data\" size=\"1 GiB\"; file \"spare\" }")]),
        &[(3, "already used")],
    );
    check(
        &with(&[(3, "layout { file \"da.ta\" size=\"1 GiB\"; file \"data\" size=\"1 GiB\" }")]),
        &[(3, "\"da.ta\" is not a valid name")],
    );
    check(
        &with(&[(6, "streams \"log\" over=\"data\" block=\"4 KiB\""), (8, "")]),
        &[(6, "already used")],
    );
    check(
        &with(&[(6, "streams \"workload\" over=\"data\" block=\"4 KiB\""), (8, "")]),
        &[(6, "reserved for the workload")],
    );
}

#[test]
fn selectors() {
    for (over, part) in [
        ("dat", "did you mean \"data\"?"),
        ("server..nvme", "there is no \"nvme\" in server"),
        ("server.drve", "did you mean \"drive\"?"),
        ("server", "write \"server..drive\""),
        ("server.drive[4]", "there are only 4 of drive"),
        ("data, data", "data is selected twice"),
        ("data[", "a bracket is not closed"),
        ("data,", "a name is missing"),
        ("reader", "neither in path nor in layout"),
        ("", "a name is missing"),
    ] {
        let text = format!("streams \"reader\" over=\"{over}\" block=\"64 KiB\"");
        check(&with(&[(6, &text)]), &[(6, part)]);
    }
    check(&with(&[(6, "streams \"reader\" block=\"64 KiB\"")]), &[(6, "nothing to work on")]);
}

#[test]
fn binds() {
    for (bind, part) in [
        (
            "bind from=\"server.drive\" to=\"/dev/nvme[0-2]n1\"",
            "4 targets (server.drive) to 3 paths",
        ),
        (
            "bind from=\"server.drive[0]\" to=\"/dev/a, /dev/b\"",
            "1 target (server.drive[0]) to 2 paths",
        ),
        ("bind from=\"server\" to=\"/dev/a\"", "server is a host"),
        ("bind from=\"log\" to=\"/tmp/\"", "is a directory"),
        ("bind from=\"log, data\" to=\"/tmp/a, /tmp/a\"", "/tmp/a is bound to log already"),
        ("bind from=\"log\"", "bind needs to="),
        ("bind from=\"log\" to=\"/dev/sd[c-a]\"", "is not a range"),
        ("bind from=\"log\" to=\"/a\"; bind from=\"log\" to=\"/b\"", "log is bound already"),
        ("bind from=\"lg\" to=\"/a\"", "did you mean \"log\"?"),
    ] {
        check(&with(&[(4, bind)]), &[(4, part)]);
    }
    check(
        &with(&[
            (3, "layout { file \"data\" size=\"64 MiB\" directory=\"/tmp\" }"),
            (4, "bind from=\"data\" to=\"/tmp/a\""),
        ]),
        &[(3, "a directory is for scratch files")],
    );
}

#[test]
fn contradictions() {
    for (values, part) in [
        ("arrivals=\"poisson\"", "arrivals counts only with rate"),
        ("reads=\"70 %\"", "reads counts only with op, as in op=\"mix\""),
        ("op=\"mix\"", "needs the share of reads"),
        ("hot-share=\"90 %\"", "hot-share counts only with pattern"),
        ("pattern=\"strided\"", "which needs stride"),
        ("pattern=\"strided\" stride=\"100 KiB\"", "write stride=\"128 KiB\""),
        ("pattern=\"strided\" stride=\"1 GiB\"", "larger than data (64 MiB)"),
        ("pattern=\"resident\" hits=0.5 set=\"64 MiB\"", "leaves no block"),
        ("pattern=\"hot\" hot-share=0.9 hot-band=0", "a band of nothing"),
        ("count=2048", "larger than its part of data (32 KiB)"),
    ] {
        let text = format!("streams \"reader\" over=\"data\" {values} block=\"64 KiB\"");
        check(&with(&[(6, &text)]), &[(6, part)]);
    }
    for (workload, part) in [
        ("workload engine=\"mmap\" {", "add cache=\"buffered\""),
        ("workload engine=\"mmap\" cache=\"direct\" {", "cannot hold"),
        ("workload until-ci=\"2 %\" passes=1 {", "at least two passes"),
        ("workload until-ci=0 {", "cannot be zero"),
        ("workload theta=1.2 {", "theta counts only with pattern"),
        ("workload kernel-readahead=\"5 KiB\" cache=\"drop\" {", "a multiple of 4 KiB"),
        ("workload kernel-readahead=\"1 MiB\" {", "bypasses it"),
    ] {
        check(&with(&[(5, workload)]), &[(5, part)]);
    }
    check(&with(&[(5, "workload advice=\"random\" {")]), &[(5, "advice affects the page cache")]);
    for (workload, stream, part) in [
        ("workload", "sync=\"fsync\"", "only reads, so there is nothing to sync"),
        ("workload", "op=\"write\" sync-every=4", "sync-every needs flushes"),
        ("workload", "op=\"write\" sync=\"dsync\" sync-every=4", "sync-every needs flushes"),
        ("workload", "op=\"write\" sync=\"fdatasync\" sync-every=0", "0"),
        ("workload", "op=\"write\" sync=\"fdatasync\" sync-every=65537", "65536 at most"),
        ("workload", "op=\"write\" sync=\"sync_file_range\"", "sync_file_range"),
        ("workload", "op=\"trim\" sync=\"fsync\"", "trims, so there is nothing to sync"),
        ("workload engine=\"mmap\" cache=\"buffered\"", "op=\"trim\"", "which a mapping cannot"),
        ("workload verify=#true", "op=\"trim\"", "cannot be verified"),
        (
            "workload engine=\"mmap\" cache=\"buffered\"",
            "op=\"write\" sync=\"dsync\"",
            "cannot be synchronous one by one",
        ),
    ] {
        let workload = format!("{workload} {{");
        let stream = format!("streams \"reader\" over=\"data\" block=\"64 KiB\" {stream}");
        check(&with(&[(5, &workload), (6, &stream)]), &[(6, part)]);
    }
    let trims =
        "streams \"reader\" over=\"data\" block=\"1 KiB\" op=\"trim\" pattern=\"spc1-like\"";
    check(&with(&[(6, trims)]), &[(6, "spc1-like reads and writes")]);
    check(&with(&[(5, "workload amount=\"4 KiB\" {")]), &[(6, "less than a block")]);
    check(&with(&[(3, "layout { file \"data\" }"), (4, "")]), &[(3, "needs a size")]);
    check(&with(&[(6, "streams \"reader\" over=\"data\"")]), &[(6, "needs the size of a request")]);
    check(
        &with(&[(6, "streams \"r\" over=\"spare\" block=\"2 GiB\""), (8, "")]),
        &[(6, "larger than spare")],
    );
}

#[test]
fn factors() {
    for (vary, part) in [
        ("vary { factor \"f\" of=\"reader.dpth\" 1 2 }", "did you mean \"depth\"?"),
        ("vary { factor \"f\" of=\"readr.depth\" 1 2 }", "did you mean \"reader\"?"),
        ("vary { factor \"f\" of=\"depth\" 1 2 }", "names no property"),
        ("vary { factor \"f\" of=\"reader.depth\" }", "has no level"),
        ("vary { factor \"f\" of=\"reader.depth\" 1 2 1 }", "the level \"1\" appears twice"),
        ("vary { factor \"f\" of=\"reader.block\" \"4 KiB\" \"1 GiB\" }", "larger than data"),
        ("vary { factor \"f\" of=\"reader.block\" 4096 \"4 KiB\" }", "has no unit"),
        ("vary { factor \"f\" 1 2 }", "needs the property that takes them"),
        ("vary { factor of=\"reader.depth\" 1 2 }", "needs a name in quotes"),
        ("vary { factor \"throughput\" of=\"reader.depth\" 1 2 }", "like a metric"),
        ("vary { factor \"f\" { level \"a\" reader.dpth=1 } }", "did you mean \"depth\"?"),
        ("vary { factor \"f\" { level \"a\" \"data[0].count\"=1 } }", "has no index"),
        ("vary { factor \"f\" { level reader.depth=1 } }", "a level needs a title"),
        ("vary { factor \"f\" of=\"data[3].size\" \"1 GiB\" }", "there are only 1 of data"),
        (
            "vary { factor \"f\" of=\"reader.depth\" 1; factor \"g\" of=\"reader.depth\" 2 }",
            "already",
        ),
        (
            "vary { factor \"f\" of=\"reader.depth\" 1; factor \"f\" of=\"reader.op\" \"read\" }",
            "already",
        ),
        ("vary { factr \"f\" of=\"reader.depth\" 1 }", "did you mean \"factor\"?"),
    ] {
        check(&with(&[(8, vary)]), &[(8, part)]);
    }
}

#[test]
fn experiments() {
    let one = "experiment \"e\" { workload { streams \"r\" over=\"data\" block=\"4 KiB\" } }";
    let head = format!("{}\n{}\n", SOUND[0], SOUND[2]);
    check(&format!("{head}{one}\n{one}"), &[(4, "already an experiment \"e\"")]);
    check(&format!("{head}experiment \"e\" {{ }}"), &[(3, "there is no workload")]);
    check(&head, &[(1, "there is no workload")]);
    check(&format!("{head}workload"), &[(3, "has no streams")]);
    check(&format!("{head}{one}\nvary {{ }}"), &[(4, "outside the experiments")]);
    check(&format!("{head}{one}\nset lg.size=\"1 B\""), &[(4, "did you mean \"log\"?")]);
    let twice = "experiment \"f\" { workload { streams \"r\" over=\"lg\" block=\"4 KiB\" } }";
    check(
        &format!("{head}{one}\n{twice}\nlayout"),
        &[(4, "did you mean"), (5, "layout appears twice")][..],
    );
}

#[test]
fn a_wrong_declaration_is_reported_once_for_all_experiments() {
    let text = "study \"s\"
layout { file \"data\" size=\"64 MB/s\" }
bind from=\"dta\" to=\"/tmp/a\"
experiment \"a\" { workload { streams \"r\" over=\"data\" block=\"4 KiB\" } }
experiment \"b\" { workload { streams \"r\" over=\"data\" block=\"4 KiB\" count=\"x\" } }";
    check(text, &[(2, "unknown unit"), (3, "did you mean"), (5, "\"x\" is not a whole")]);
}

#[test]
fn what_failed_does_not_cascade() {
    check(
        &with(&[
            (2, "path { hots \"server\" { nvme \"drive\" count=4 }; part \"spare\" }"),
            (6, "streams \"reader\" over=\"server.drive\" block=\"64 KiB\""),
        ]),
        &[(2, "did you mean \"host\"?")],
    );
    check(
        &with(&[
            (3, "layout { file \"data\" count=\"x\" size=64 }"),
            (6, "streams \"reader\" over=\"data[7]\" block=4096"),
        ]),
        &[(3, "\"x\" is not"), (3, "has no unit"), (6, "has no unit")],
    );
    check(
        &with(&[
            (6, "streams \"reader\" over=\"data\""),
            (8, "vary { factor \"f\" of=\"reader.blok\" \"4 KiB\" }"),
        ]),
        &[(8, "did you mean \"block\"?")],
    );
}

#[test]
fn published() {
    for (line, part) in [
        ("chek throughput=\"1 GB/s\"", "did you mean \"check\"?"),
        ("check throughptu=\"1 GB/s\"", "did you mean \"throughput\"?"),
        ("check throughput=\"1 GB\"", "throughput: "),
        ("check throughput=\"1 GB/s .. 2\"", "throughput: "),
        ("check throughput=\"1 GB/s\" depth=3", "no level \"3\""),
        ("check rises=\"throughput\" along=\"dept\"", "did you mean \"depth\"?"),
        ("check best=\"speed\"", "there is no \"speed\""),
        ("check throughput=\"1 GB/s\" throughput=\"1 GB/s\"", "appears twice"),
        ("check ratio=1.0 { against dpth=1 }", "did you mean \"depth\"?"),
        ("check writer.throughput=\"1 GB/s\"", "neither a metric nor a factor"),
    ] {
        let text = format!("{}\npublished {{\n{line}\n}}", with(&[]));
        check(&text, &[(10, part)]);
    }
}

#[test]
fn texts_that_are_not_kdl() {
    for (line, text, part) in [
        (6, "streams \"reader over=\"data\" block=\"64 KiB\"", "never ends"),
        (6, "streams \"read\\er\" over=\"data\" block=\"64 KiB\"", "not an escape"),
        (6, "streams \"\\u{110000}\" over=\"data\"", "hex digits"),
        (6, "streams \"reader\" over=\"data\" /* block=\"64 KiB\"", "comment never ends"),
    ] {
        check(&with(&[(line, text)]), &[(line, part)]);
    }
    for (line, text, line_of_mistake, part) in [
        (7, "", 5, "this brace is never closed"),
        (7, "} }", 7, "this brace has no opening one"),
        (6, "streams over==\"data\" block=\"4 KiB\"", 6, "a value is missing"),
        (6, "streams over=\"data\" block=", 6, "a value is missing"),
        (6, "streams \"reader\"over=\"data\" block=\"4 KiB\"", 6, "a space is missing"),
        (6, "streams \"reader\" over=data[0] block=\"4 KiB\"", 6, "belongs into quotes"),
        (6, "{ streams \"reader\" }", 6, "child block instead of node name"),
    ] {
        let mistakes = read_with(&with(&[(line, text)]), &[]).unwrap_err();
        let first = &mistakes.list[0];
        assert_eq!((first.kind, first.line), (MistakeKind::Syntax, line_of_mistake), "{mistakes}");
        assert!(first.message.contains(part), "{mistakes}");
        assert!(mistakes.list.iter().all(|mistake| mistake.line == first.line), "{mistakes}");
    }
}

#[test]
fn sets() {
    let check_set = |set: &str, part: &str| {
        let mistakes = read_with(&with(&[]), &[set]).unwrap_err();
        assert_eq!(mistakes.list.len(), 1, "{mistakes}");
        let text = mistakes.to_string();
        assert!(text.starts_with("--set:1:") && text.contains(part), "{text}");
        assert!(text.contains(set), "{text}");
    };
    check_set("readr.block=4 KiB", "did you mean \"reader\"?");
    check_set("reader.block=4", "has no unit");
    check_set("reader.block=1 GiB", "larger than data");
    check_set("data[0].count=2", "has no index");
    check_set("reader.depth=4", "varied by the factor \"depth\"");
    check_set("server.drive[9].size=1 GiB", "only 4 of drive");
    check_set("workload.verify=yes", "is not #true or #false");
    assert!(Assignment::parse("reader.block").unwrap_err().to_string().contains("reader.block"));
}

#[test]
fn the_whole_message() {
    let text = with(&[(6, "    streams \"reader\" over=\"dta\" block=\"4096\"")]);
    insta::assert_snapshot!(read_with(&text, &["workload.egnine=mmap"]).unwrap_err(), @r#"
    study.kdl:6:27: there is no "dta"
     6 |     streams "reader" over="dta" block="4096"
       |                           ^^^^^
       = hint: did you mean "data"?

    study.kdl:6:39: block: "4096" has no unit; write a size such as "128 KiB"
     6 |     streams "reader" over="dta" block="4096"
       |                                       ^^^^^^

    --set:1:1: workload is a workload and has no property "egnine"
     1 | workload.egnine=mmap
       | ^^^^^^^^^^^^^^^
       = hint: did you mean "engine"?
    "#);
}
