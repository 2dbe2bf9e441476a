//! `iozone`: its table of rates by file size and record size, and the same in Excel form (`-R`).
//!
//! Each figure is a trial of its own: a file of so many KB, moved in records of so many, at so many
//! KB/s. iozone's KB is 1024 bytes (`kilobytes64 * 1024` in iozone.c). The time follows from size
//! and rate, as iozone's rate is the whole file over its time.
//! It leaves out `-O` (operations a second), `-N`, throughput of several processes (`-t`), and
//! when tests began.

use std::collections::BTreeSet;

use crate::imported::{Course, Imported, Stream};
use crate::text::{Line, lines, number};
use crate::{Source, Tool, Wrong};

/// Tests in the order of the table: what iozone calls them in its Excel form, their names, and
/// whether they write.
const TESTS: [(&str, &str, bool); 13] = [
    ("Writer report", "write", true),
    ("Re-writer report", "rewrite", true),
    ("Reader report", "read", false),
    ("Re-reader report", "reread", false),
    ("Random read report", "random read", false),
    ("Random write report", "random write", true),
    ("Backward read report", "backward read", false),
    ("Record rewrite report", "record rewrite", true),
    ("Stride read report", "stride read", false),
    ("Fwrite report", "fwrite", true),
    ("Re-Fwrite report", "frewrite", true),
    ("Fread report", "fread", false),
    ("Re-Fread report", "freread", false),
];

/// One figure: test, KB of the file, KB of a record, KB/s.
type Cell = (&'static str, u64, u64, f64);

pub(crate) fn read(source: Source<'_>) -> Result<Imported, Wrong> {
    let mut imported = Imported::new(source.name, Tool::Iozone);
    let all = lines(source.text, &mut imported.notes);
    if all.iter().any(|line| line.text.contains("ops/sec") || line.text.contains("Children see")) {
        let what = "it was made with -O or -t, whose figures are not the throughput of one file";
        return Err(Wrong::of(source.name, what, "use the table of iozone without them"));
    }
    let mut cells = Vec::new();
    let (mut is_table, mut report, mut records) = (false, None, Vec::new());
    for line in &all {
        let words = line.words();
        if words.contains(&"reclen") || words.contains(&"reclen,") {
            (is_table, report) = (true, None);
        } else if let Some(name) = title(line.text) {
            (is_table, report, records) = (false, Some(name), Vec::new());
        } else if let Some(test) = report {
            excel(source.name, *line, test, (&mut records, &mut cells))?;
        } else if is_table {
            is_table = row(source.name, *line, &mut cells)?;
        }
    }
    if cells.is_empty() {
        let hint = "use iozone's output, with its column names";
        return Err(Wrong::of(source.name, "it has no figure of a test", hint));
    }
    // The Excel form stands behind the table and says the same.
    let mut seen = BTreeSet::new();
    cells.retain(|(test, kb, record, _)| seen.insert((*test, *kb, *record)));
    imported.courses = cells.into_iter().map(course).collect();
    Ok(imported)
}

fn title(text: &str) -> Option<&'static str> {
    let text = text.trim().trim_matches('"');
    TESTS.iter().find(|(title, ..)| *title == text).map(|(_, test, _)| *test)
}

fn course((test, kb, record, rate): Cell) -> Course {
    let bytes = kb.saturating_mul(1024);
    let writes = TESTS.iter().any(|(_, name, writes)| *name == test && *writes);
    let levels = [
        ("test", test.to_owned()),
        ("file", format!("{kb} KiB")),
        ("record", format!("{record} KiB")),
    ];
    let nanos = bytes as f64 / (rate * 1024.0) * 1e9;
    let stream = Stream {
        name: "iozone".to_owned(),
        to_ns: (nanos.round() as u64).max(1),
        read_bytes: if writes { 0 } else { bytes },
        write_bytes: if writes { bytes } else { 0 },
        completed: kb.checked_div(record).unwrap_or(0),
        ..Stream::default()
    };
    let levels = levels.into_iter().map(|(factor, level)| (factor.to_owned(), level)).collect();
    Course { levels, streams: vec![stream] }
}

/// A row of the table: two sizes, then as many rates as tests ran. What follows the table ends it.
fn row(file: &str, line: Line<'_>, cells: &mut Vec<Cell>) -> Result<bool, Wrong> {
    let words = line.words();
    if number(words[0]).is_none() {
        return Ok(false);
    }
    let numbers: Option<Vec<f64>> = words.iter().map(|word| number(word)).collect();
    let numbers = numbers.filter(|all| (3..=15).contains(&all.len()));
    let wrong = || line.wrong(file, "it is not two sizes in KB and 1 to 13 rates");
    let numbers = numbers.ok_or_else(wrong)?;
    let rest = line.text.trim_start();
    let gap = rest.split(|letter: char| !letter.is_whitespace()).map(str::len).max();
    if gap.unwrap_or_default() >= EMPTY {
        let what = "it has empty columns, so tests are identified only by position";
        let hint = "import the Excel form (iozone -R), which names them";
        return Err(Wrong::of(file, what, hint).at(line.number));
    }
    // Fewer figures than tests: the first tests, as no column between is empty.
    for ((_, test, _), rate) in TESTS.iter().zip(&numbers[2..]) {
        push(cells, test, (numbers[0], numbers[1]), *rate);
    }
    Ok(true)
}

/// Blanks between two figures that only an empty column leaves: columns are up to 10 letters wide.
const EMPTY: usize = 10;

/// A line of the Excel form: record sizes, or a file size with its rates.
fn excel(
    file: &str,
    line: Line<'_>,
    test: &'static str,
    (records, cells): (&mut Vec<f64>, &mut Vec<Cell>),
) -> Result<(), Wrong> {
    let words = line.words();
    if !words[0].starts_with('"') {
        return Ok(());
    }
    let quoted = |word: &&str| number(word.trim_matches('"'));
    if words.iter().all(|word| word.starts_with('"')) && words.len() > 1 || records.is_empty() {
        *records = words.iter().filter_map(quoted).collect();
        return Ok(());
    }
    let kb = quoted(&words[0]);
    let rates: Option<Vec<f64>> = words[1..].iter().map(|word| number(word)).collect();
    let Some((kb, rates)) = kb.zip(rates).filter(|(_, rates)| rates.len() <= records.len()) else {
        let what = format!("it is not a size and up to {} rates", records.len());
        return Err(line.wrong(file, what));
    };
    for (record, rate) in records.iter().zip(rates) {
        push(cells, test, (kb, *record), rate);
    }
    Ok(())
}

/// A rate of 0 is a test that did not run.
fn push(cells: &mut Vec<Cell>, test: &'static str, (kb, record): (f64, f64), rate: f64) {
    if rate > 0.0 && kb >= 1.0 {
        cells.push((test, kb as u64, record as u64, rate));
    }
}
