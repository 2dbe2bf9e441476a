//! Reports as text. A report begins with its time (`-t`), else with the processors, else with the
//! header of devices; headers may be repeated and may differ.

use super::{Banner, Device, Report, Reports};
use crate::imported::Note;
use crate::stamp::Stamp;
use crate::text::{Line, lines, number};
use crate::{Source, Wrong};

/// What the lines below mean.
enum Below {
    Nothing,
    Processors(Vec<String>),
    Devices(Vec<String>),
}

pub(super) fn reports(source: Source<'_>) -> Result<Reports, Wrong> {
    let mut notes = Vec::new();
    let all = lines(source.text, &mut notes);
    let mut found = Reports { banner: Banner::default(), reports: Vec::new(), notes };
    let mut below = Below::Nothing;
    for line in &all {
        below = take(source.name, *line, below, &mut found)?;
    }
    if found.reports.is_empty() {
        let what = "it has no report of devices";
        return Err(Wrong::of(source.name, what, "use the output of iostat -x 1"));
    }
    Ok(found)
}

fn take(file: &str, line: Line<'_>, below: Below, found: &mut Reports) -> Result<Below, Wrong> {
    let words = line.words();
    let header = |words: &[&str]| words[1..].iter().map(|word| (*word).to_owned()).collect();
    match words[0] {
        "Linux" => {
            found.banner = banner(&words);
            return Ok(Below::Nothing);
        }
        "avg-cpu:" => {
            begin(found, line.number, |report| report.has_header || !report.cpu.is_empty());
            return Ok(Below::Processors(header(&words)));
        }
        "Device" | "Device:" => {
            begin(found, line.number, |report| report.has_header).has_header = true;
            return Ok(Below::Devices(header(&words)));
        }
        _ => {}
    }
    let stamp = words[0].starts_with(|c: char| c.is_ascii_digit()) || words[0] == "Time:";
    if let Some(stamp) = Stamp::read(line.text).filter(|_| stamp) {
        begin(found, line.number, |_| true).stamp = Some(stamp);
        return Ok(Below::Nothing);
    }
    row(file, line, &words, &below, found)?;
    Ok(below)
}

/// The last report, or a new one where there is none or the last one has this already.
fn begin(found: &mut Reports, line: usize, is_full: impl Fn(&Report) -> bool) -> &mut Report {
    let reports = &mut found.reports;
    if reports.last().is_none_or(is_full) {
        reports.push(Report { line: Some(line), ..Report::default() });
    }
    let last = reports.len() - 1;
    &mut reports[last]
}

fn row(
    file: &str,
    line: Line<'_>,
    words: &[&str],
    below: &Below,
    found: &mut Reports,
) -> Result<(), Wrong> {
    let Some(report) = found.reports.last_mut() else {
        found.notes.push(Note::at(line.number, "precedes any report: left out"));
        return Ok(());
    };
    let (columns, name, fields) = match below {
        Below::Processors(columns) => (columns, None, words),
        Below::Devices(columns) => (columns, Some(words[0]), &words[1..]),
        Below::Nothing => {
            found.notes.push(Note::at(line.number, "is not iostat output: left out"));
            return Ok(());
        }
    };
    if fields.len() != columns.len() {
        let what = format!("{} figures under {} columns", fields.len(), columns.len());
        return Err(line.wrong(file, what));
    }
    let mut values = Vec::new();
    for (column, field) in columns.iter().zip(fields) {
        let Some(value) = number(field) else {
            let what = format!("\"{field}\" under \"{column}\" is not a number at or above 0");
            let hint = "correct or delete this line; iostat -h cannot be imported";
            return Err(Wrong::of(file, what, hint).at(line.number));
        };
        values.push((column.clone(), value));
    }
    match name {
        Some(name) if !report.names.insert(name.to_owned()) => {
            return Err(line.wrong(file, format!("a second row of {name} in one report")));
        }
        Some(name) => report.devices.push(Device { name: name.to_owned(), values }),
        None => {
            let plain = |(name, v): (String, f64)| (name.trim_start_matches('%').to_owned(), v);
            report.cpu = values.into_iter().map(plain).collect();
        }
    }
    Ok(())
}

/// `Linux 6.18.44 (vm) 11/22/26 _x86_64_ (2 CPU)`.
fn banner(words: &[&str]) -> Banner {
    let bare = |word: &&str| word.trim_matches(['(', ')']).to_owned();
    let cpus = words.windows(2).find(|pair| pair[1] == "CPU)");
    Banner {
        kernel: words.get(1).map(|word| (*word).to_owned()),
        host: words.get(2).filter(|word| word.starts_with('(')).map(bare),
        cpus: cpus.and_then(|pair| pair[0].trim_start_matches('(').parse().ok()),
    }
}
