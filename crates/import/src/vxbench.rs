//! `vxbench` of Veritas: a line for each user and one for the total.
//!
//! ```text
//! user  1:  300.010 sec  24886 KB/s  cpu:  0.76 sys   0.01 user
//! total:    300.012 sec  1578817 KB/s  cpu:  323.1 sys  0.60 user
//! ```
//!
//! Whether its KB is 1000 or 1024 bytes stands nowhere in the text. What users did and in which
//! size stands in its command line, where that was kept with the text.
//! It leaves out latencies, which vxbench does not print, and when a run began.

use iopath_record::Fact;
use iopath_units::Op;

use crate::asked::prefix;
use crate::imported::{Course, Imported, Note, Stream};
use crate::text::{Line, lines, number, prefixed};
use crate::{Asked, Source, Tool, Wrong};

/// How far the users may be from the total: chosen, each is printed in whole KB/s, times in ms.
const SUM: f64 = 0.01;

/// What a line says.
struct Row {
    name: String,
    seconds: f64,
    kb_per_sec: f64,
    system: f64,
    user: f64,
}

/// What the command line says.
#[derive(Clone, Copy, Default)]
struct Command {
    op: Option<Op>,
    block: Option<u64>,
}

pub(crate) fn read(source: Source<'_>, asked: &Asked) -> Result<Imported, Wrong> {
    let mut imported = Imported::new(source.name, Tool::Vxbench);
    let (mut users, mut totals, mut command) = (Vec::new(), Vec::new(), Command::default());
    for line in lines(source.text, &mut imported.notes) {
        if line.text.contains("vxbench ") && line.text.contains(" -w ") {
            command = said(line.text, &mut imported);
        } else if let Some(row) = row(source.name, line)? {
            if row.name == "total" { totals.push(row) } else { users.push(row) }
        } else {
            imported.notes.push(Note::at(line.number, "is not vxbench output: left out"));
        }
    }
    let unit = prefix(source, asked, Tool::Vxbench)? as f64;
    let Some(op) = asked.op.or(command.op) else {
        let what = "it does not say whether users read or wrote";
        return Err(Wrong::of(source.name, what, "use --op read or --op write"));
    };
    let block = asked.block.map(|block| block.0).or(command.block).filter(|block| *block > 0);
    // Without users of its own the total is all that is known.
    let rows = if users.is_empty() { &totals } else { &users };
    if rows.is_empty() {
        let what = "it has no line \"user N: …\" and no \"total: …\"";
        return Err(Wrong::of(source.name, what, "use vxbench's output"));
    }
    check(&users, &totals, &mut imported);
    if block.is_none() {
        let what = "the request size is not known, so requests are not: use --block 1MiB";
        imported.notes.push(Note::all(what));
    }
    let streams = rows.iter().map(|row| stream(row, unit, op, block)).collect();
    imported.courses = vec![Course { levels: Default::default(), streams }];
    imported.fact(Fact::VxbenchKb, format!("{unit}"));
    Ok(imported)
}

fn row(file: &str, line: Line<'_>) -> Result<Option<Row>, Wrong> {
    let Some((name, rest)) = line.text.split_once(':') else { return Ok(None) };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if !(name == "total" || name.starts_with("user ")) {
        return Ok(None);
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    let before = |unit: &[&str]| {
        let at = words.iter().position(|word| unit.contains(word))?;
        number(words.get(at.checked_sub(1)?)?)
    };
    let (seconds, rate) = (before(&["sec"]), before(&["KB/s", "KB/sec"]));
    let Some((seconds, kb_per_sec)) = seconds.zip(rate).filter(|(seconds, _)| *seconds > 0.0)
    else {
        let what = "it has not \"SECONDS sec\" above 0 and \"RATE KB/s\"";
        return Err(line.wrong(file, what));
    };
    let system = before(&["sys"]).unwrap_or_default();
    Ok(Some(Row { name, seconds, kb_per_sec, system, user: before(&["user"]).unwrap_or_default() }))
}

fn stream(row: &Row, unit: f64, op: Op, block: Option<u64>) -> Stream {
    let bytes = (row.kb_per_sec * unit * row.seconds).round() as u64;
    let [read_bytes, write_bytes] = match op {
        Op::Read => [bytes, 0],
        Op::Write => [0, bytes],
    };
    let nanos = |seconds: f64| (seconds * 1e9).round() as u64;
    Stream {
        name: row.name.clone(),
        to_ns: nanos(row.seconds),
        read_bytes,
        write_bytes,
        completed: block.map_or(0, |block| bytes / block),
        user_ns: nanos(row.user),
        system_ns: nanos(row.system),
        ..Stream::default()
    }
}

/// The users' sum beside the total.
fn check(users: &[Row], totals: &[Row], imported: &mut Imported) {
    let sum: f64 = users.iter().map(|row| row.kb_per_sec).sum();
    if let [total] = totals
        && !users.is_empty()
        && (sum / total.kb_per_sec - 1.0).abs() > SUM
    {
        let text = format!(
            "its users add up to {sum:.0} KB/s, its total is {:.0}: a line may be missing, or \
            users ran in turn; the users' lines are kept",
            total.kb_per_sec
        );
        imported.notes.push(Note::all(text));
    }
}

fn said(text: &str, imported: &mut Imported) -> Command {
    let words: Vec<&str> = text.split_whitespace().collect();
    let after = |option: &str| words.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1]);
    let op = match after("-w") {
        Some("read" | "rand_read") => Some(Op::Read),
        Some("write" | "rand_write") => Some(Op::Write),
        _ => None,
    };
    let options = after("-i").into_iter().flat_map(|all| all.split(','));
    let size = options.filter_map(|one| one.strip_prefix("iosize=")).next();
    imported.fact("import.vxbench.command", text.trim());
    Command { op, block: size.and_then(bytes) }
}

/// `1024k`: vxbench's own suffixes are powers of 1024, as its sizes in memory are.
fn bytes(text: &str) -> Option<u64> {
    let (digits, power) = prefixed(text)?;
    digits.parse::<u64>().ok()?.checked_mul(1 << (10 * power))
}
