//! Texts of other tools, one or several, through what `iopath import` does with them.
//!
//! A text is read as its tool's, or where nobody knows it as one that its length chooses (`--as`);
//! each with nothing said, with everything said, and with the first report kept. What comes out
//! must be a record that can be kept. Half of the texts are made from the tools' formats, as hardly
//! any damaged text is accepted.

use std::collections::BTreeMap;

use iopath_import::{
    Asked, First, Imported, Relate, Source, Together, Tool, Wrong, import, merge, recognise,
};
use iopath_record::Record;
use iopath_units::{Bytes, Nanos, Op};

use super::record::use_everything;
use crate::random::Random;

/// A line that stands between the texts of one run.
const NEXT: &str = "=== next file\n";

/// What the behaviour of texts ends with that were read, but not put together.
const TOGETHER: &str = " together";

/// Texts that are put together (chosen; people have three or four).
const MOST_FILES: usize = 4;

/// Entities that are related to one another, each to all (chosen: that is quadratic).
const MOST_RELATED: usize = 32;

mod texts;

/// A text made from a seed, as a tool prints it.
pub(super) fn made(random: &mut Random) -> Vec<u8> {
    texts::made(random).into_bytes()
}

/// Whether a behaviour is that of texts that became records.
pub(super) fn is_accepted(behaviour: &str) -> bool {
    behaviour.starts_with('[') && !behaviour.ends_with(TOGETHER)
}

pub(super) fn forms(input: Vec<u8>) -> Vec<Vec<u8>> {
    vec![input]
}

pub(super) fn feed(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let texts: Vec<&str> = text.split(NEXT).take(MOST_FILES).collect();
    for asked in [Asked::default(), told(First::LeftOut)] {
        run(&texts, &asked);
    }
    // The one that gets furthest; all of them together would be news at every turn.
    run(&texts, &told(First::Kept))
}

/// Everything that a text may leave open.
fn told(first: First) -> Asked {
    let unit = |tool| (tool, "MiB".to_owned());
    let units: BTreeMap<Tool, String> = [Tool::Portperfshow, Tool::Vxbench].map(unit).into();
    Asked {
        units,
        interval: Some(Nanos(1_000_000_000)),
        first,
        op: Some(Op::Read),
        block: Some(Bytes(4096)),
        zone: Some(3600),
    }
}

fn run(texts: &[&str], asked: &Asked) -> String {
    let (mut read, mut refused) = (Vec::new(), Vec::new());
    for (index, text) in texts.iter().enumerate() {
        let tool = recognise(text).unwrap_or(Tool::ALL[text.len() % Tool::ALL.len()]);
        let name = format!("file-{index}");
        match import(tool, Source { name: &name, text }, asked) {
            Ok(one) => read.push(one),
            Err(wrong) => refused.push(refusal(tool, &wrong, text)),
        }
    }
    refused.dedup();
    if read.is_empty() {
        return refused.join(" ");
    }
    let records = merge(&read, &Together::default());
    let words = match &records {
        Ok(records) => records.iter().take(2).map(kept).collect::<Vec<_>>().join(" "),
        Err(wrong) => format!("{}{TOGETHER}", plain(&wrong.what)),
    };
    if records.is_ok_and(|all| all.iter().all(|one| one.entities.len() <= MOST_RELATED)) {
        related(&read);
    }
    let tools: Vec<&str> = read.iter().map(|one| one.tool.name()).collect();
    format!("{tools:?} {refused:?} {words}")
}

/// A record that is valid, can be written and read, and bears all that is done with one.
fn kept(record: &Record) -> String {
    let broken = record.validate();
    assert!(broken.is_empty(), "an invalid record: {broken:?}");
    use_everything(record)
}

/// Whatever is related to whatever: refused, or records as good as any.
fn related(read: &[Imported]) {
    let relates: Vec<Relate> = ["*=*", "user*=disk:* write=2"]
        .iter()
        .map(|text| text.parse().expect("a statement of the usual form"))
        .collect();
    for relate in relates {
        let together = Together { relates: vec![relate], ..Together::default() };
        for record in merge(read, &together).into_iter().flatten().take(2) {
            kept(&record);
        }
    }
}

/// The sort of refusal; it says where and what to do.
fn refusal(tool: Tool, wrong: &Wrong, text: &str) -> String {
    assert!(!wrong.what.is_empty() && !wrong.hint.is_empty(), "refused without words: {wrong:?}");
    // Where JSON ends too early, it is behind the last line that it ends.
    let lines = text.lines().count() + 1;
    let is_inside = wrong.line.is_none_or(|line| (1..=lines).contains(&line));
    assert!(is_inside, "line {:?} of {lines}", wrong.line);
    format!("{tool}: {}", plain(&wrong.what))
}

/// A message without what it quotes, and without numbers.
fn plain(message: &str) -> String {
    let unquoted: String = message.split('"').step_by(2).collect();
    let letters = unquoted.chars().filter(|sign| sign.is_ascii_alphabetic() || *sign == ' ');
    letters.take(60).collect()
}
