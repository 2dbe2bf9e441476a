//! `nmon` of Linux and AIX: sections of comma-separated values, one line a snapshot.
//!
//! `AAA` lines say host, interval and processors, `ZZZZ` lines when a snapshot ended, and sections
//! `DISK…` and `CPU_ALL` have a header with the disks' names. KB is 1024 bytes (`/2` of sectors in
//! lmon.c; AIX documents the same). Where more disks than fit into a line are there, sections are
//! numbered: `DISKREAD`, `DISKREAD1`.
//! It leaves out memory, networks, file systems and processes, and each processor by itself.

use std::collections::BTreeMap;

use iopath_record::{Counter, Fact, Kind, Layer};

use crate::imported::{Imported, Note, room};
use crate::stamp::{Stamp, axis};
use crate::text::{Line, lines, number};
use crate::{Asked, First, Source, Tool, Wrong, names};

/// What a section of disks counts in a second, and how much of the counter one of them is.
const SECTIONS: [(&str, Counter, f64); 6] = [
    ("DISKREAD", Counter::ReadBytes, 1024.0),
    ("DISKWRITE", Counter::WriteBytes, 1024.0),
    ("DISKBUSY", Counter::BusyNs, 1e7),
    ("DISKXFER", Counter::Completed, 1.0),
    ("DISKRIO", Counter::ReadOperations, 1.0),
    ("DISKWIO", Counter::WriteOperations, 1.0),
];

const STATES: [(&str, Counter); 5] = [
    ("User%", Counter::UserNs),
    ("Sys%", Counter::SystemNs),
    ("Wait%", Counter::IoWaitNs),
    ("Idle%", Counter::IdleNs),
    ("Steal%", Counter::StealNs),
];

/// What was read of a text.
#[derive(Default)]
struct Found<'a> {
    facts: BTreeMap<&'a str, &'a str>,
    headers: BTreeMap<&'a str, Vec<&'a str>>,
    /// Snapshots by their names, in order, with their times.
    snapshots: Vec<(&'a str, Stamp)>,
    rows: Vec<(Line<'a>, Vec<&'a str>)>,
}

pub(crate) fn read(source: Source<'_>, asked: &Asked) -> Result<Imported, Wrong> {
    let mut imported = Imported::new(source.name, Tool::Nmon);
    let all = lines(source.text, &mut imported.notes);
    let found = collect(source.name, &all)?;
    if found.snapshots.is_empty() {
        let what = "it has no line ZZZZ, the time of a snapshot";
        return Err(Wrong::of(source.name, what, "use the whole file of nmon -f"));
    }
    let stamps: Vec<Option<Stamp>> =
        found.snapshots.iter().map(|(_, stamp)| Some(stamp.clone())).collect();
    // The first snapshot is of an interval like the others, whose length nmon says.
    let said = found.facts.get("interval").and_then(|text| text.parse::<u64>().ok());
    let said = said.filter(|seconds| (1..=86_400).contains(seconds));
    let own = said.map(|seconds| iopath_units::Nanos(seconds * 1_000_000_000));
    let asked = Asked { first: First::Kept, interval: asked.interval.or(own), ..asked.clone() };
    let axis = axis(source.name, &stamps, &asked)?;
    (imported.start, imported.edges_ns) = (axis.start, axis.edges_ns);
    fill(source.name, &found, &mut imported)?;
    names::enclose(&mut imported.things);
    imported.level();
    for (key, fact) in [("host", Fact::HostName), ("cpus", Fact::Cpus)] {
        if let Some(value) = found.facts.get(key) {
            imported.fact(fact, *value);
        }
    }
    Ok(imported)
}

fn collect<'a>(file: &str, all: &[Line<'a>]) -> Result<Found<'a>, Wrong> {
    let mut found = Found::default();
    for line in all {
        let cells: Vec<&str> = line.text.split(',').map(str::trim).collect();
        match cells[..] {
            ["AAA", key, value, ..] => {
                found.facts.insert(key, value);
            }
            ["ZZZZ", snapshot, time, ref date @ ..] => {
                let text = format!("{time} {}", date.join(" "));
                let wrong = || line.wrong(file, format!("\"{text}\" is no time"));
                let stamp = Stamp::read(&text).ok_or_else(wrong)?;
                found.snapshots.push((snapshot, stamp));
            }
            [section, first, ..] if is_read(section) => {
                let digits = first.strip_prefix('T').unwrap_or_default();
                let is_row = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                if is_row {
                    found.rows.push((*line, cells));
                } else {
                    found.headers.insert(section, cells[2..].to_vec());
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A section without the number of its part.
fn stem(section: &str) -> &str {
    section.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

fn is_read(section: &str) -> bool {
    section == "CPU_ALL" || SECTIONS.iter().any(|(name, ..)| *name == stem(section))
}

fn fill(file: &str, found: &Found<'_>, imported: &mut Imported) -> Result<(), Wrong> {
    let columns = found.rows.iter().filter_map(|(_, cells)| found.headers.get(cells[0]));
    room(file, found.snapshots.len(), columns.flatten().copied())?;
    let places: BTreeMap<&str, usize> =
        found.snapshots.iter().enumerate().rev().map(|(at, (name, _))| (*name, at)).collect();
    let has_directions = found.headers.keys().any(|section| stem(section) == "DISKRIO");
    let mut lost = 0;
    for (line, cells) in &found.rows {
        let Some(interval) = places.get(cells[1]).copied() else {
            lost += 1;
            continue;
        };
        let wrong = |what: String| line.wrong(file, what);
        let header = found.headers.get(cells[0]);
        let header = header.ok_or_else(|| wrong(format!("{} has no header", cells[0])))?;
        for (column, cell) in header.iter().zip(&cells[2..]) {
            if cell.is_empty() || cell.starts_with('-') {
                continue;
            }
            let value = number(cell).ok_or_else(|| wrong(format!("\"{cell}\" is no number")))?;
            put(imported, interval, (cells[0], column, value), (found, has_directions));
        }
    }
    if lost > 0 {
        let text = format!("{lost} lines of snapshots without a time (ZZZZ) are left out");
        imported.notes.push(Note::all(text));
    }
    Ok(())
}

fn put(
    imported: &mut Imported,
    interval: usize,
    (section, column, value): (&str, &str, f64),
    (found, has_directions): (&Found<'_>, bool),
) {
    if section == "CPU_ALL" {
        let count = found.facts.get("cpus").and_then(|text| text.parse().ok());
        if let Some((_, counter)) = STATES.iter().find(|(name, _)| *name == column) {
            imported.processors(count, *counter, interval, value);
        }
        return;
    }
    let known = SECTIONS.iter().find(|(name, ..)| *name == stem(section));
    // Where both directions are told, their sum is not needed.
    let wanted = known.filter(|(_, counter, _)| *counter != Counter::Completed || !has_directions);
    if let Some((_, counter, times)) = wanted {
        let at = imported.thing(column, Kind::Disk, Layer::Device);
        let seconds = imported.seconds(interval);
        imported.things[at].put(*counter, interval, value * times * seconds);
    }
}
