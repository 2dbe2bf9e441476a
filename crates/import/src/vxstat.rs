//! `vxstat` of the Veritas Volume Manager: operations, blocks and mean times of volumes, plexes,
//! subdisks and disks, one report an interval (`-i`).
//!
//! A block is 512 bytes (vxstat(1M): sectors; 1024 on HP-UX), unless the user says otherwise. The
//! first report is of the whole time before ("the first interval is assumed to encompass the
//! entire previous history"). Time of requests = operations × mean time.
//! It leaves out other fields than the usual six (`-f`) and how objects lie on one another.

use std::collections::BTreeSet;

use iopath_record::{Counter, Fact, Kind, Layer};
use iopath_units::Bytes;

use crate::imported::{Imported, Note, room};
use crate::stamp::{Stamp, axis};
use crate::text::{Line, lines, number};
use crate::{Asked, First, Source, Tool, Wrong};

/// Types in the first column, what they are, and where.
const TYPES: [(&str, Kind, Layer); 6] = [
    ("vol", Kind::Volume, Layer::Volume),
    ("pl", Kind::Plex, Layer::Volume),
    ("plex", Kind::Plex, Layer::Volume),
    ("sd", Kind::Subdisk, Layer::Device),
    ("dm", Kind::Disk, Layer::Device),
    ("disk", Kind::Disk, Layer::Device),
];

/// The six figures of a row, in their order.
const FIGURES: usize = 6;

#[derive(Default)]
struct Report {
    line: usize,
    stamp: Option<Stamp>,
    rows: Vec<Row>,
    /// The kinds and names of its rows.
    names: BTreeSet<(Kind, String)>,
}

struct Row {
    name: String,
    kind: Kind,
    layer: Layer,
    figures: Vec<f64>,
}

pub(crate) fn read(source: Source<'_>, asked: &Asked) -> Result<Imported, Wrong> {
    let block = block(source, asked)?;
    let mut imported = Imported::new(source.name, Tool::Vxstat);
    let mut reports = reports(source, &mut imported)?;
    let stamps: Vec<Option<Stamp>> = reports.iter().map(|report| report.stamp.clone()).collect();
    if asked.first == First::LeftOut && !reports.is_empty() {
        let first = reports.remove(0);
        let what = "the first report covers all earlier time: it is left out; --keep-first keeps \
            it";
        imported.notes.push(Note::at(first.line, what));
    }
    if reports.is_empty() {
        let what = "it has only the first report, which covers all earlier time";
        let hint = "use --keep-first if counters were reset (vxstat -r) when the run began";
        return Err(Wrong::of(source.name, what, hint));
    }
    let axis = axis(source.name, &stamps, asked)?;
    let rows = reports.iter().flat_map(|report| &report.rows);
    room(source.name, reports.len(), rows.map(|row| row.name.as_str()))?;
    (imported.start, imported.edges_ns) = (axis.start, axis.edges_ns);
    for (interval, report) in reports.iter().enumerate() {
        for row in &report.rows {
            fill(&mut imported, interval, row, block);
        }
    }
    imported.level();
    imported.fact(Fact::VxstatBlock, block.to_string());
    Ok(imported)
}

fn block(source: Source<'_>, asked: &Asked) -> Result<u64, Wrong> {
    let Some(text) = asked.units.get(&Tool::Vxstat) else { return Ok(512) };
    match text.parse::<Bytes>() {
        Ok(Bytes(bytes)) if bytes > 0 => Ok(bytes),
        _ => {
            let what = format!("--unit vxstat: \"{text}\" is no size of a block");
            Err(Wrong::of(source.name, what, "say --unit \"vxstat=512 B\""))
        }
    }
}

fn reports(source: Source<'_>, imported: &mut Imported) -> Result<Vec<Report>, Wrong> {
    let mut reports: Vec<Report> = Vec::new();
    for line in lines(source.text, &mut imported.notes) {
        let words = line.words();
        if let Some(row) = row(source.name, line, &words)? {
            let name = (row.kind.clone(), row.name.clone());
            let report = begin(&mut reports, line.number, |report| report.names.contains(&name));
            report.names.insert(name);
            report.rows.push(row);
        } else if is_header(&words) {
            begin(&mut reports, line.number, |report| !report.rows.is_empty());
        } else if let Some(stamp) = Stamp::read(line.text) {
            let is_full = |report: &Report| !report.rows.is_empty() || report.stamp.is_some();
            begin(&mut reports, line.number, is_full).stamp = Some(stamp);
        } else {
            imported.notes.push(Note::at(line.number, "is not vxstat output: left out"));
        }
    }
    reports.retain(|report| !report.rows.is_empty());
    Ok(reports)
}

/// The last report, or a new one where there is none or the last one has this already.
fn begin(reports: &mut Vec<Report>, line: usize, is_full: impl Fn(&Report) -> bool) -> &mut Report {
    if reports.last().is_none_or(is_full) {
        reports.push(Report { line, ..Report::default() });
    }
    let last = reports.len() - 1;
    &mut reports[last]
}

fn is_header(words: &[&str]) -> bool {
    words[0] == "OPERATIONS" || words[0] == "TYP"
}

fn row(file: &str, line: Line<'_>, words: &[&str]) -> Result<Option<Row>, Wrong> {
    let Some((_, kind, layer)) = TYPES.iter().find(|(name, ..)| *name == words[0]) else {
        return Ok(None);
    };
    let figures: Option<Vec<f64>> = words[2.min(words.len())..].iter().map(|w| number(w)).collect();
    let figures = figures.filter(|all| all.len() == FIGURES).ok_or_else(|| {
        let what = "it does not have six figures at or above 0 after its name";
        Wrong::of(
            file,
            what,
            "correct or delete this line; only vxstat -f s is \
             read",
        )
        .at(line.number)
    })?;
    Ok(Some(Row { name: words[1].to_owned(), kind: kind.clone(), layer: *layer, figures }))
}

fn fill(imported: &mut Imported, interval: usize, row: &Row, block: u64) {
    let at = imported.thing(&row.name, row.kind.clone(), row.layer);
    let [reads, writes, read, written, read_ms, write_ms] = row.figures[..] else { return };
    for (counter, amount) in [
        (Counter::ReadOperations, reads),
        (Counter::WriteOperations, writes),
        (Counter::ReadBytes, read * block as f64),
        (Counter::WriteBytes, written * block as f64),
        (Counter::ReadNs, reads * read_ms * 1e6),
        (Counter::WriteNs, writes * write_ms * 1e6),
    ] {
        imported.things[at].put(counter, interval, amount);
    }
}
