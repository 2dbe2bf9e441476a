//! `fio` 2 and 3 with `--output-format=json` or `json+`: each job is a stream with its totals,
//! each entry of `disk_util` a device over the whole run.
//!
//! fio 3 counts `io_bytes` in bytes and times in ns (`clat_ns`); fio 2 wrote KiB and µs under
//! `io_bytes` and `clat` (stat.c of both). Only `json+` holds distributions, in buckets that are
//! the same as ours. Time in flight is the mean latency × requests.
//! Flushes and options of jobs that a record has no place for are facts ([`beside`]).
//! It leaves out trims, which is said where there are some, fio's own samples (`bw_mean`), and
//! client and server runs.

use std::collections::BTreeMap;

use iopath_record::{Counter, Kind, Layer};
use serde_json::Value;

use crate::imported::{Course, Imported, Note, Start, Stream};
use crate::{Source, Tool, Wrong};

mod facts;
mod job;
mod latency;

pub(crate) fn read(source: Source<'_>) -> Result<Imported, Wrong> {
    let (value, before) = parse(source)?;
    let mut imported = Imported::new(source.name, Tool::Fio);
    if before > 0 {
        imported.notes.push(Note::at(before, "fio wrote text before its JSON: left out"));
    }
    let Some(jobs) = value.get("jobs").and_then(Value::as_array).filter(|all| !all.is_empty())
    else {
        let what = "it has no \"jobs\"";
        let hint = "use the output of fio --output-format=json of one machine";
        return Err(Wrong::of(source.name, what, hint));
    };
    let version = value.get("fio version").and_then(Value::as_str).unwrap_or_default();
    imported.fact("import.fio.version", version);
    let global = value.get("global options").unwrap_or(&Value::Null);
    let all = job::Jobs { jobs, global, is_old: is_old(version) };
    let mut streams = all.streams(&mut imported);
    facts::options(&all, &mut imported);
    jobs.iter().for_each(|job| facts::left_out(job, &mut imported));
    let end_ns = streams.iter().map(|stream| stream.to_ns).max().unwrap_or_default();
    if end_ns == 0 {
        return Err(Wrong::of(source.name, "no job ran", "use the result of a run with I/O"));
    }
    devices(&value, end_ns, &mut imported);
    if let [_] = imported.things[..] {
        streams.iter_mut().for_each(|stream| stream.on = vec![0]);
    }
    imported.start = start(&value, jobs, end_ns);
    imported.courses = vec![Course { levels: Default::default(), streams: named(streams) }];
    Ok(imported)
}

/// fio's JSON, and the number of lines before it.
fn parse(source: Source<'_>) -> Result<(Value, usize), Wrong> {
    let at = source.text.lines().position(|line| line.starts_with('{'));
    let Some(before) = at else {
        let hint = "use the output of fio --output-format=json";
        return Err(Wrong::of(source.name, "it has no JSON", hint));
    };
    let skipped = source.text.split_inclusive('\n').take(before).map(str::len).sum::<usize>();
    let mut values = serde_json::Deserializer::from_str(&source.text[skipped..]).into_iter();
    match values.next() {
        Some(Ok(value)) => Ok((value, before)),
        Some(Err(error)) => {
            let hint = "the file may be truncated, or contain a message of fio within its JSON";
            let line = before + error.line();
            Err(Wrong::of(source.name, error.to_string(), hint).at(line))
        }
        None => Err(Wrong::of(source.name, "it is empty", "use fio's output")),
    }
}

/// `fio-2.16`, and before.
fn is_old(version: &str) -> bool {
    let major = version.trim_start_matches("fio-").split('.').next();
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major < 3)
}

/// When the first job began: fio tells it since 3.34, before that only when it printed.
fn start(value: &Value, jobs: &[Value], end_ns: u64) -> Start {
    let begun = jobs.iter().filter_map(|job| job.get("job_start").and_then(Value::as_u64)).min();
    let begun = begun.map(|ms| ms.saturating_mul(1_000_000));
    let printed = value.get("timestamp_ms").and_then(Value::as_u64);
    let ended = printed.and_then(|ms| ms.saturating_mul(1_000_000).checked_sub(end_ns));
    begun.or(ended).map_or(Start::Unknown, Start::Unix)
}

/// Jobs of one name get numbers.
fn named(mut streams: Vec<Stream>) -> Vec<Stream> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for stream in &streams {
        *counts.entry(stream.name.clone()).or_default() += 1;
    }
    let mut before: BTreeMap<String, usize> = BTreeMap::new();
    for stream in streams.iter_mut().filter(|stream| counts[&stream.name] > 1) {
        let number = before.entry(stream.name.clone()).or_default();
        stream.name = format!("{}[{number}]", stream.name);
        *number += 1;
    }
    streams
}

/// What each field of `disk_util` counts, and in which unit: ticks are ms.
const COUNTERS: [(&str, Counter, f64); 9] = [
    ("read_ios", Counter::ReadOperations, 1.0),
    ("write_ios", Counter::WriteOperations, 1.0),
    ("read_sectors", Counter::ReadBytes, 512.0),
    ("write_sectors", Counter::WriteBytes, 512.0),
    ("read_merges", Counter::Merged, 1.0),
    ("write_merges", Counter::Merged, 1.0),
    ("read_ticks", Counter::ReadNs, 1e6),
    ("write_ticks", Counter::WriteNs, 1e6),
    ("in_queue", Counter::InFlightNs, 1e6),
];

fn devices(value: &Value, end_ns: u64, imported: &mut Imported) {
    let all = value.get("disk_util").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for disk in all {
        let Some(name) = disk.get("name").and_then(Value::as_str).map(str::trim) else { continue };
        let at = imported.thing(name, Kind::Disk, Layer::Device);
        let thing = &mut imported.things[at];
        for (field, counter, times) in COUNTERS {
            if let Some(value) = disk.get(field).and_then(Value::as_f64) {
                thing.put(counter, 0, value.max(0.0) * times);
            }
        }
        if let Some(percent) = disk.get("util").and_then(Value::as_f64) {
            thing.put(Counter::BusyNs, 0, percent.clamp(0.0, 100.0) / 100.0 * end_ns as f64);
        }
    }
    if !all.is_empty() {
        imported.edges_ns = vec![0, end_ns];
    }
}
