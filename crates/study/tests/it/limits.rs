//! Sizes that no study has are refused with a word, and soon.

use iopath_study::{Asked, Assignment, MistakeKind, Source, parse_asked};

use super::read_with;

fn only(text: &str) -> (MistakeKind, String) {
    let mistakes = read_with(text, &[]).unwrap_err();
    (mistakes.list[0].kind, mistakes.list[0].message.clone())
}

#[test]
fn a_chain_of_signs_is_one_mistake_a_sign_and_no_descent() {
    let text = format!("study \"x\"\na b{}", "=t".repeat(8_000));
    let source = Source { name: "chain".to_owned(), text };
    let mistakes = iopath_study::parse(&source, &[]).unwrap_err();
    assert!(mistakes.list.iter().any(|found| found.message.contains("a space is missing")));
}

#[test]
fn properties_without_a_kind_line_after_line() {
    for line in ["ide=\"64 KiB\"\n", "\"a\"=\"b\"\n", "a = \"b\";"] {
        let mistakes =
            read_with(&format!("study \"x\"\n{}", line.repeat(20_000)), &[]).unwrap_err();
        assert!(mistakes.list[0].message.contains("begins with its kind"), "{mistakes}");
    }
}

#[test]
fn braces_in_braces() {
    for deep in ["a{", "a {\n", "/-{", "a \"x\" {"] {
        let mistakes = read_with(&deep.repeat(100_000), &[]).unwrap_err();
        assert!(mistakes.list.len() <= 2, "{mistakes}");
        assert!(mistakes.to_string().contains("deeper"), "{mistakes}");
    }
}

#[test]
fn braces_where_a_confused_parser_might_see_them() {
    let braces = "{ a ".repeat(100_000);
    for text in [
        format!("a=4\"x {braces}\""),
        format!("a=4/*{braces}*/"),
        format!("a #\"{braces}\"#"),
        format!("a \"\"\"\n{braces}\n\"\"\""),
        format!("a=4// {braces}"),
        format!("a \"{braces}"),
        "/*".repeat(100_000),
        "(".repeat(20_000),
        "/-".repeat(100_000),
        "/- ".repeat(100_000),
        "/-\\\n//\n".repeat(100_000),
        "/-a ".repeat(30_000),
        "a /-{} ".repeat(30_000),
        "a /-\n{} ".repeat(30_000),
        "a /-{} \\\n".repeat(30_000),
        "\\".repeat(20_000),
        "\\ ".repeat(20_000),
    ] {
        assert!(read_with(&text, &[]).is_err());
    }
}

#[test]
fn a_long_file() {
    assert_eq!(only(&" ".repeat((4 << 20) + 1)).0, MistakeKind::Limit);
}

#[test]
fn many_cases_and_instances() {
    let numbers = |n: u32| (1..=n).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let study = |count: u64, levels: u32| {
        format!(
            "study \"s\"\nlayout {{ file \"d\" count={count} size=\"1 GiB\" }}
workload {{ streams \"r\" over=\"d[0]\" block=\"4 KiB\" }}
vary {{ factor \"a\" of=\"r.depth\" {0}\nfactor \"b\" of=\"workload.seed\" {0} }}",
            numbers(levels)
        )
    };
    let (kind, message) = only(&study(1, 400));
    assert_eq!(kind, MistakeKind::Limit);
    assert!(message.contains("160000 cases"), "{message}");
    let (kind, message) = only(&study(4_000_000_000, 1));
    assert_eq!(kind, MistakeKind::Limit);
    assert!(message.contains("instances"), "{message}");
    assert!(read_with(&study(1, 9), &[]).is_ok());
}

#[test]
fn of_too_many_cases_those_that_are_named_are_read() {
    let numbers = |n: u32| (1..=n).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let text = format!(
        "study \"s\"\nlayout {{ file \"d\" size=\"1 GiB\" }}
workload {{ streams \"r\" over=\"d\" block=\"4 KiB\" }}
vary {{ factor \"a\" of=\"r.depth\" {0}\nfactor \"b\" of=\"workload.seed\" {0} }}",
        numbers(400)
    );
    let source = Source { name: "many".to_owned(), text };
    let count = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let asked = Asked { cases: Some(&names), ..Asked::default() };
        let study = parse_asked(&source, &[], asked).ok()?;
        Some(study.cases().ok()?.iter().filter(|case| case.is_meant_by(&names)).count())
    };
    assert_eq!(count(&["a=7", "b=9"]), Some(1));
    assert_eq!(count(&["a=7"]), Some(400));
    // Both factors have a 7.
    for unclear in [&["7"][..], &[]] {
        assert_eq!(count(unclear), None, "{unclear:?}");
    }
    for nowhere in [&["a=500"][..], &["a=7", "a=8"]] {
        let names: Vec<String> = nowhere.iter().map(|name| (*name).to_owned()).collect();
        let asked = Asked { cases: Some(&names), ..Asked::default() };
        assert!(!parse_asked(&source, &[], asked).unwrap().has_case(&names), "{nowhere:?}");
    }
    let (sets, names) = ([Assignment::parse("r.block=64KiB").unwrap()], ["a=300".to_owned()]);
    let asked = Asked { sets: &sets, cases: Some(&names), is_template: false };
    let cases = parse_asked(&source, &[], asked).unwrap().cases().unwrap();
    assert!(cases.iter().all(|case| case.streams[0].block.0 == 64 << 10), "--set holds there");
}

#[test]
fn cases_that_are_not_asked_for_need_not_be_possible() {
    let text = "study \"s\"
path { host \"h\" { enclosure \"bay\" slots=2 { nvme \"drive\" } } }
workload { streams \"r\" over=\"h.bay..drive\" block=\"4 KiB\" }
vary { factor \"drives\" of=\"h.bay.drive.count\" 1 2 3\nfactor \"depth\" of=\"r.depth\" 1 2 }";
    let source = Source { name: "bay".to_owned(), text: text.to_owned() };
    let read = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let asked = Asked { cases: Some(&names), ..Asked::default() };
        parse_asked(&source, &[], asked).map(|study| (study.has_case(&names), study.cases()))
    };
    let (is_there, cases) = read(&["drives=2", "depth=1"]).unwrap();
    // The two with a third drive are left out, the others keep their places.
    assert_eq!((is_there, cases.unwrap().len()), (true, 4));
    assert!(!read(&["drives=4"]).unwrap().0);
    let message = |asked: &[&str]| {
        let wrong = read(asked).unwrap_err().list;
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        (wrong[0].message.clone(), wrong[0].hint.clone().unwrap_or_default())
    };
    let (all, hint) = message(&["drives=3"]);
    assert_eq!(all, "h.bay has 2 slots for 3 components");
    let (some, other) = message(&["depth=1"]);
    assert_eq!(some, format!("{all} (where \"drives=3\")"));
    assert_eq!(other, format!("{hint}, or choose other cases: --case \"drives=1\""));
}

#[test]
fn one_mistake_of_many_cases_is_told_once_with_the_levels_that_lead_to_it() {
    let wrong = |factors: &str| {
        let text = format!(
            "study \"s\"
path {{ host \"h\" {{ enclosure \"bay\" slots=4 {{ nvme \"a\"; nvme \"b\" }} }} }}
workload {{ streams \"r\" over=\"h.bay.a\" block=\"4 KiB\" }}
vary {{ {factors} }}"
        );
        let source = Source { name: "bay".to_owned(), text };
        let list = iopath_study::parse(&source, &[]).unwrap_err().list;
        assert!(list.iter().all(|one| !one.hint.as_ref().unwrap().contains("--case")), "{list:?}");
        list.into_iter().map(|mistake| mistake.message).collect::<Vec<_>>()
    };
    let a = "factor \"a\" of=\"h.bay.a.count\" 1 2 3 4 5 6";
    let slots = "h.bay has 4 slots for";
    assert_eq!(wrong(a), [format!("{slots} 5 components (where \"a=4\" or 2 more levels)")]);
    // No level is wrong with every other: the first case, and how many more.
    let both = format!("{a}\nfactor \"b\" of=\"h.bay.b.count\" 1 2");
    let text = format!("{slots} 5 components (where \"a=3\", \"b=2\" or 6 more cases)");
    assert_eq!(wrong(&both), [text]);
    // What every case has says nothing of levels.
    assert_eq!(wrong("factor \"b\" of=\"h.bay.b.count\" 4 5"), [format!("{slots} 5 components")]);
}

#[test]
fn an_experiment_that_is_not_asked_for_need_not_be_possible() {
    let bay = "path { host \"h\" { enclosure \"bay\" slots=2 { nvme \"drive\" count=3 } } };";
    let streams = "workload { streams \"r\" over=\"h.bay..drive\" block=\"4 KiB\" }";
    let text = format!(
        "study \"s\"
experiment \"two\" {{ {} {streams} }}
experiment \"three\" {{ {bay} {streams} }}",
        bay.replace("count=3", "count=2")
    );
    let source = Source { name: "bays".to_owned(), text };
    let read = |name: &str| {
        let names = [name.to_owned()];
        let asked = Asked { cases: Some(&names), ..Asked::default() };
        parse_asked(&source, &[], asked).map(|study| study.cases().unwrap().len())
    };
    assert_eq!(read("two").unwrap(), 1);
    assert!(read("three").unwrap_err().to_string().contains("2 slots for 3"));
}

#[test]
fn experiments_that_are_not_asked_for_may_be_of_any_size() {
    let numbers = |to: usize| (1..=to).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let of = |title: &str, a: usize, b: usize| {
        let (a, b) = (numbers(a), numbers(b));
        format!(
            "experiment \"{title}\" {{
    workload {{ streams \"r\" over=\"d\" block=\"4 KiB\" }}
    vary {{ factor \"{title} a\" of=\"r.depth\" {a}
        factor \"{title} b\" of=\"workload.seed\" {b} }}
}}\n"
        )
    };
    let head = "study \"s\"\nlayout { file \"d\" size=\"1 GiB\" }\n";
    let small = of("small", 2, 2);
    let large = format!("{head}{small}{}", of("large", 400, 400));
    let together = format!("{head}{small}{}{}", of("one", 300, 300), of("two", 300, 300));
    for text in [large, together] {
        let source = Source { name: "many".to_owned(), text };
        let names = ["small".to_owned()];
        let asked = Asked { cases: Some(&names), ..Asked::default() };
        let cases = parse_asked(&source, &[], asked).unwrap().cases().unwrap();
        assert_eq!(cases.len(), 4);
        assert!(cases.iter().all(|case| case.experiment == "small"));
        let all = iopath_study::parse(&source, &[]).unwrap_err().list;
        assert!(all.iter().any(|one| one.kind == MistakeKind::Limit), "{all:?}");
    }
}

#[test]
fn what_only_a_level_that_is_left_out_uses_is_no_mistake() {
    let numbers = (1..=400).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let text = format!(
        "study \"s\"\nlayout {{ file \"d\" size=\"1 GiB\" }}
workload {{ streams \"r\" over=\"d\" block=\"4 KiB\" theta=0.9 }}
vary {{ factor \"a\" of=\"r.depth\" {numbers}\nfactor \"b\" of=\"workload.seed\" {numbers}
factor \"order\" {{ level \"as stated\"; level \"hot\" r.pattern=\"zipf\" }} }}"
    );
    let source = Source { name: "many".to_owned(), text };
    let names = ["a=7", "b=9", "as stated"].map(str::to_owned);
    let asked = Asked { cases: Some(&names), ..Asked::default() };
    let study = parse_asked(&source, &[], asked).unwrap();
    assert_eq!(study.cases().unwrap().len(), 1);
}

#[test]
fn an_assignment_of_any_length() {
    assert!(Assignment::parse(&"a.".repeat(100_000)).is_err());
    assert!(Assignment::parse(&format!("a.b={}", "x".repeat(100_000))).is_ok());
}

#[test]
fn volumes_on_volumes() {
    let study = |order: Vec<u32>| {
        let volume = |at: u32| match at {
            0 => "stripe \"v0\" unit=\"64 KiB\" over=\"box.disk\"\n".to_owned(),
            _ => format!("stripe \"v{at}\" unit=\"64 KiB\" over=\"v{}\"\n", at - 1),
        };
        let volumes: String = order.into_iter().map(volume).collect();
        format!(
            "study \"s\"\npath {{ enclosure \"box\" {{ disk }} }}\nlayout {{\n{volumes}}}
workload {{ streams \"r\" over=\"v0\" block=\"4 KiB\" }}"
        )
    };
    assert!(read_with(&study((0..30).collect()), &[]).is_ok());
    for order in [(0..300).collect(), (0..300).rev().collect()] {
        let mistakes = read_with(&study(order), &[]).unwrap_err();
        assert_eq!(mistakes.list.len(), 1, "{mistakes}");
        assert!(mistakes.list[0].message.contains("more than 32 volumes deep"), "{mistakes}");
    }
}

#[test]
fn parts_that_use_parts() {
    let chain = |length: u32| -> String {
        let part = |at: u32| format!("hba \"p{at}\" use=\"p{}\"\n", at + 1);
        let parts: String = (0..length).map(part).collect();
        format!(
            "study \"s\"\nparts {{\n{parts}hba \"p{length}\" read=\"1 GB/s\"\n}}
path {{ hba use=\"p0\"; disk }}
workload {{ streams \"r\" over=\"disk\" block=\"4 KiB\" }}"
        )
    };
    assert!(read_with(&chain(15), &[]).is_ok());
    let mistakes = read_with(&chain(2_000), &[]).unwrap_err();
    let told = mistakes.list.iter().all(|one| one.message.contains("more than 16 parts"));
    assert!(told, "{}", mistakes.list[0]);
}

#[test]
fn selectors_that_mean_everything() {
    let wires = "wire from=\"h\" to=\"s\"\n".repeat(24);
    let text = format!(
        "study \"s\"\npath {{ host \"h\" count=90000; switch \"s\"; disk\n{wires} }}
workload {{ streams \"r\" over=\"disk\" block=\"4 KiB\" }}"
    );
    let (kind, message) = only(&text);
    assert_eq!(kind, MistakeKind::UnknownName);
    assert!(message.contains("all selectors together"), "{message}");
}

/// Reads a text in a thread with the stack that a thread usually has.
#[expect(clippy::disallowed_types, reason = "only a thread of its own has a stack of known size")]
fn refused_on_a_small_stack(text: String) -> String {
    let read = move || read_with(&text, &[]).unwrap_err().list[0].message.clone();
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(read);
    thread.unwrap().join().expect("neither a panic nor an overflow")
}

#[test]
fn mistakes_line_after_line_need_no_more_stack_than_one() {
    for line in [")\n", "a )\n", "a /a\n", "a (b\n"] {
        refused_on_a_small_stack(line.repeat(1_000));
    }
    refused_on_a_small_stack(format!("path {{\n{}}}", "a /a\n".repeat(1_000)));
}

#[test]
fn signs_that_the_parser_descends_for_are_few_in_a_node() {
    for signs in [")1a", "\")a", "(a ", "## ", "/a ", "a\\\n)", "(", ")", "a= ,"] {
        refused_on_a_small_stack(format!("study \"x\"\na {}", signs.repeat(5_000)));
    }
    for signs in ["(", ")", " /x", " #true"] {
        let told = refused_on_a_small_stack(format!("study \"x\"\na b{}", signs.repeat(20_000)));
        assert!(told.contains("at most 256 of ( ) # and /"), "{signs:?}: {told}");
    }
    for forbidden in ["\u{200e}", "\u{7f}", " \u{feff}"] {
        let told = refused_on_a_small_stack(format!("study \"x\"\na {}", forbidden.repeat(20_000)));
        assert!(told.contains("not allowed in KDL"), "{told}");
    }
}

#[test]
fn more_words_than_a_study_has() {
    let (kind, message) = only(&format!("study \"x\"\npath {}", "a ".repeat(500_001)));
    assert_eq!((kind, message.contains("500000 words")), (MistakeKind::Limit, true), "{message}");
}

#[test]
fn blocks_that_are_taken_out_and_those_that_belong_to_nothing() {
    let with = |layout: &str| {
        format!(
            "study \"s\"\nlayout {{\n{layout}\n}}
workload {{ streams \"r\" over=\"d\" block=\"4 KiB\" }}"
        )
    };
    let file = "file \"d\" size=\"1 GiB\"";
    for layout in [
        format!("{file} /-{{ x }}"),
        format!("{file} /-{{ x {{ y }} }} /-{{ z }}"),
        format!("/-disk \"x\" {{ y }}\n{file}"),
        format!("/-\n  disk \"x\" {{ y }}; {file}"),
        format!("{file} \\\n  /-size=\"2 GiB\""),
        format!("{file} /-\n{{ x }}"),
        format!("{file}; /-disk /-{{ x }} {{ y }}"),
    ] {
        let read = read_with(&with(&layout), &[]);
        assert!(read.is_ok(), "{layout}: {}", read.unwrap_err());
    }
    for (layout, part) in [
        (format!("{file} {{ }} {{ }}"), "one block"),
        (format!("{file} {{ }} \"x\""), "after a }"),
        (format!("{{ {file} }}"), "child block instead of node name"),
        (format!("/- {{ {file} }}"), "child block instead of node name"),
    ] {
        let mistakes = read_with(&with(&layout), &[]).unwrap_err();
        assert!(mistakes.list[0].message.contains(part), "{layout}: {mistakes}");
        assert_eq!(mistakes.list[0].line, 3, "{mistakes}");
    }
}
