//! The parser of study files, the cases that come of them, and the text of each case.

use iopath_study::{Assignment, Case, Mistakes, Source, Study, parse, parse_with};

/// Cases that are taken apart one by one (chosen; parsing has looked at all of them).
const MOST_CASES: usize = 64;

/// A line that begins like this is an assignment beside the file.
const SET: &str = "// --set ";

pub(super) fn forms(input: Vec<u8>) -> Vec<Vec<u8>> {
    vec![input]
}

pub(super) fn feed(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input).into_owned();
    let mut sets = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(SET)).take(4) {
        match Assignment::parse(line) {
            Ok(set) => sets.push(set),
            Err(mistakes) => return refusal("set", &mistakes, line),
        }
    }
    let source = Source { name: "fuzz.kdl".into(), text: text.as_str().into() };
    // The input is its own library, so that what is said of included files is met too.
    let text_of_other = text.replace("file=\"other.kdl\"", "");
    let other = Source { name: "other.kdl".into(), text: text_of_other };
    match parse_with(&source, &[other], &sets) {
        Ok(study) => use_everything(&study),
        Err(mistakes) => refusal("study", &mistakes, &text),
    }
}

fn use_everything(study: &Study) -> String {
    let count: usize =
        study.experiments.iter().map(iopath_study::experiment::Experiment::case_count).sum();
    if count > MOST_CASES {
        return format!("read: more than {MOST_CASES} cases");
    }
    let cases = study.cases().expect("parsing has looked at every case");
    assert_eq!(cases.len(), count, "another number of cases");
    for case in &cases {
        same_again(case);
    }
    let first = cases.first();
    let sizes = first.map(|case| (case.targets.len().min(4), case.streams.len().min(4)));
    let kinds = first.and_then(|case| case.streams.first()).map(|stream| format!("{stream:?}"));
    let words = kinds.unwrap_or_default();
    let words: Vec<&str> = words.split(|sign: char| !sign.is_ascii_alphabetic()).collect();
    format!("read: {count} {sizes:?} {}", words.concat())
}

/// The text of a case, which travels in its records, is a study of that case alone.
fn same_again(case: &Case) {
    let source = Source { name: "case.kdl".into(), text: case.text.as_str().into() };
    let again = parse(&source, &[]).and_then(|study| study.cases());
    let again = again.unwrap_or_else(|mistakes| {
        panic!("the text of a case is refused: {mistakes}\n{}", case.text)
    });
    let [again] = again.as_slice() else { panic!("{} cases of one", again.len()) };
    assert_eq!(again.system, case.system, "another system: {}", case.text);
    assert_eq!(again.targets, case.targets, "other targets: {}", case.text);
    assert_eq!(again.workload, case.workload, "another workload: {}", case.text);
    assert_eq!(again.streams, case.streams, "other streams: {}", case.text);
}

/// The sorts of mistakes; each can be shown and lies in the text.
fn refusal(what: &str, mistakes: &Mistakes, text: &str) -> String {
    assert!(!mistakes.list.is_empty(), "refused without a mistake");
    assert!(!mistakes.to_string().is_empty(), "a mistake without words");
    let mut kinds = Vec::new();
    for mistake in &mistakes.list {
        let inside = mistake.source != "fuzz.kdl" || text.get(mistake.span.clone()).is_some();
        assert!(inside, "a mistake outside the text: {mistake:?}");
        let words: String = mistake.message.split('"').step_by(2).collect();
        let words = words.replace(|sign: char| !sign.is_ascii_alphabetic(), "");
        kinds.push(format!("{:?} {words:.40}", mistake.kind));
    }
    kinds.sort();
    kinds.dedup();
    kinds.truncate(2);
    format!("{what}: {kinds:?}")
}
