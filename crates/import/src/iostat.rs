//! `iostat` of sysstat 9 to 12: reports of devices and processors, as text or JSON.
//!
//! Columns are found by their names, which differ between versions, and say their units. sysstat's
//! kilobyte is 1024 bytes and its sector 512 (iostat(1), and `S_VALUE(…) / 2` in rd_stats.c).
//! Counters grow in an interval by rate × its length; times by operations × mean time
//! (`r_await`), times in flight by the mean in flight (`aqu-sz`).
//! It leaves out discards and flushes, and `svctm`, which sysstat itself calls wrong.

use std::collections::BTreeSet;

use iopath_record::{Counter, Fact, Kind, Layer};

use crate::imported::{Imported, Note, room};
use crate::stamp::{Stamp, axis};
use crate::{Asked, First, Source, Tool, Wrong, names};

mod columns;
mod json;
mod plain;

/// One report.
#[derive(Clone, Debug, Default)]
struct Report {
    /// Its first line; JSON has none.
    line: Option<usize>,
    stamp: Option<Stamp>,
    /// Percentages, by the name without `%`.
    cpu: Vec<(String, f64)>,
    devices: Vec<Device>,
    /// The names of its rows.
    names: BTreeSet<String>,
    has_header: bool,
}

/// One row: values by the names of their columns.
#[derive(Clone, Debug)]
struct Device {
    name: String,
    values: Vec<(String, f64)>,
}

/// What the banner says.
#[derive(Clone, Debug, Default)]
struct Banner {
    host: Option<String>,
    kernel: Option<String>,
    cpus: Option<u32>,
}

/// Reports with what stands around them.
struct Reports {
    banner: Banner,
    reports: Vec<Report>,
    notes: Vec<Note>,
}

pub(crate) fn read(source: Source<'_>, asked: &Asked) -> Result<Imported, Wrong> {
    let is_json = source.text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    let found = if is_json { json::reports(source)? } else { plain::reports(source)? };
    let Reports { banner, mut reports, mut notes } = found;
    let stamps: Vec<Option<Stamp>> = reports.iter().map(|report| report.stamp.clone()).collect();
    if asked.first == First::LeftOut && !reports.is_empty() {
        let first = reports.remove(0);
        let what = "the first report covers the time since boot, unless iostat ran with -y: it \
            is left out; --keep-first keeps it";
        notes.push(Note { line: first.line, text: what.to_owned() });
    }
    if reports.is_empty() {
        let what = "it has only the first report, which covers the time since boot";
        let hint = "use --keep-first if iostat ran with -y, else record several reports";
        return Err(Wrong::of(source.name, what, hint));
    }
    let axis = axis(source.name, &stamps, asked)?;
    let rows = reports.iter().flat_map(|report| &report.devices);
    room(source.name, reports.len(), rows.map(|device| device.name.as_str()))?;
    let mut imported = Imported::new(source.name, Tool::Iostat);
    (imported.start, imported.edges_ns, imported.notes) = (axis.start, axis.edges_ns, notes);
    for (interval, report) in reports.iter().enumerate() {
        fill(&mut imported, interval, report, banner.cpus);
    }
    names::enclose(&mut imported.things);
    imported.level();
    absent(&mut imported);
    facts(&mut imported, banner);
    Ok(imported)
}

fn fill(imported: &mut Imported, interval: usize, report: &Report, cpus: Option<u32>) {
    let seconds = imported.seconds(interval);
    for (name, percent) in &report.cpu {
        if let Some((_, counter)) = CPU_STATES.iter().find(|(state, _)| state == name) {
            imported.processors(cpus, *counter, interval, *percent);
        }
    }
    for device in &report.devices {
        let at = imported.thing(&device.name, Kind::Disk, Layer::Device);
        for (counter, per_sec) in columns::rates(&device.values) {
            imported.things[at].put(counter, interval, per_sec * seconds);
        }
    }
}

/// Devices that some reports do not name (`-z`, or plugged in later).
fn absent(imported: &mut Imported) {
    let mut notes = Vec::new();
    for thing in &imported.things {
        let missing = |column: &Vec<Option<f64>>| column.iter().filter(|one| one.is_none()).count();
        let most = thing.grown.values().map(missing).min().unwrap_or_default();
        if most > 0 {
            notes.push(Note::all(format!("{most} reports do not name {}", thing.name)));
        }
    }
    imported.notes.extend(notes);
}

fn facts(imported: &mut Imported, banner: Banner) {
    let known = [
        (Fact::HostName, banner.host),
        (Fact::KernelRelease, banner.kernel),
        (Fact::Cpus, banner.cpus.map(|cpus| cpus.to_string())),
    ];
    for (name, value) in known {
        if let Some(value) = value {
            imported.fact(name, value);
        }
    }
}

/// Time in a state of all processors, by what `iostat` calls it.
const CPU_STATES: [(&str, Counter); 6] = [
    ("user", Counter::UserNs),
    ("nice", Counter::UserNs),
    ("system", Counter::SystemNs),
    ("iowait", Counter::IoWaitNs),
    ("steal", Counter::StealNs),
    ("idle", Counter::IdleNs),
];
