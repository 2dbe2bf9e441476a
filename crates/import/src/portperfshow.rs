//! `portperfshow` of Brocade switches: bytes a second of each port, received and sent together.
//!
//! ```text
//!     0      1      2      3      Total
//! =======================================
//!  302.2k   1.7m   0      0       2.0m
//! ```
//!
//! Rows may be wrapped into blocks of 16 ports, the last with the total, and begin with a slot.
//! Whether `k` and `m` are powers of 1000 or of 1024, and how long an interval was, the text does
//! not tell (`portperfshow -t`).
//! It leaves out the directions, which the usual form adds up.

use iopath_record::{Counter, Fact, Kind, Layer};
use iopath_units::Nanos;

use crate::asked::prefix;
use crate::imported::{Imported, Note, room};
use crate::text::{Line, lines, number, prefixed};
use crate::{Asked, Source, Tool, Wrong};

/// How far the ports may be from the total: chosen, figures have two to four digits.
const SUM: f64 = 0.05;

/// The ports of one interval.
#[derive(Default)]
struct Report {
    line: usize,
    /// Port and bytes a second.
    ports: Vec<(String, f64)>,
    total: Option<f64>,
}

pub(crate) fn read(source: Source<'_>, asked: &Asked) -> Result<Imported, Wrong> {
    let mut imported = Imported::new(source.name, Tool::Portperfshow);
    let step = prefix(source, asked, Tool::Portperfshow)?;
    let reports = reports(source, step, &mut imported)?;
    let Some(Nanos(interval)) = asked.interval.filter(|interval| interval.0 > 0) else {
        let what = "it has no times, so the length of its reports is not known";
        return Err(Wrong::of(source.name, what, "say --interval 1s (what -t was)"));
    };
    imported.edges_ns =
        (0..=reports.len() as u64).map(|index| index.saturating_mul(interval)).collect();
    let rows = reports.iter().flat_map(|report| &report.ports);
    room(source.name, reports.len(), rows.map(|(port, _)| port.as_str()))?;
    for (index, report) in reports.iter().enumerate() {
        for (port, per_sec) in &report.ports {
            let at = imported.thing(port, Kind::FcPort, Layer::Port);
            let amount = per_sec * interval as f64 / 1e9;
            imported.things[at].put(Counter::MovedBytes, index, amount);
        }
        check(report, &mut imported);
    }
    imported.level();
    imported.fact(Fact::PortPrefix, step.to_string());
    Ok(imported)
}

fn reports(source: Source<'_>, step: u64, imported: &mut Imported) -> Result<Vec<Report>, Wrong> {
    let mut reports: Vec<Report> = Vec::new();
    let mut header: Vec<String> = Vec::new();
    for line in lines(source.text, &mut imported.notes) {
        if line.text.trim_start().starts_with(['=', '-']) {
            continue;
        }
        if let Some(found) = columns(line, &header) {
            header = found;
            continue;
        }
        if header.is_empty() {
            imported.notes.push(Note::at(line.number, "precedes any port: left out"));
            continue;
        }
        let row = row(source.name, line, &header, step)?;
        // A port that was told already begins the next interval.
        let told = |report: &Report| {
            row.iter().any(|(port, _)| report.ports.iter().any(|(known, _)| known == port))
        };
        if reports.last().is_none_or(told) {
            reports.push(Report { line: line.number, ..Report::default() });
        }
        let Some(report) = reports.last_mut() else { continue };
        for (port, per_sec) in row {
            if port == TOTAL {
                report.total = Some(per_sec);
            } else {
                report.ports.push((port, per_sec));
            }
        }
    }
    reports.retain(|report| !report.ports.is_empty());
    if reports.is_empty() {
        let hint = "use portperfshow's output, with its line of port numbers";
        return Err(Wrong::of(source.name, "it has no figure of a port", hint));
    }
    Ok(reports)
}

const TOTAL: &str = "Total";

/// Port numbers that ascend from one to the next, with or without a total behind them. A row of
/// figures can look so only where none has a suffix and each is one more than the one before.
fn columns(line: Line<'_>, header: &[String]) -> Option<Vec<String>> {
    let words = line.words();
    let (numbers, total) = match words.split_last() {
        Some((&TOTAL, numbers)) => (numbers, true),
        _ => (&words[..], false),
    };
    let numbers: Vec<u32> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let follows = numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    let is_lone = numbers.len() < 2 && !total && !header.is_empty();
    if numbers.is_empty() || !follows || is_lone {
        return None;
    }
    let names = numbers.iter().map(|number| format!("port {number}"));
    Some(names.chain(total.then(|| TOTAL.to_owned())).collect())
}

fn row(
    file: &str,
    line: Line<'_>,
    header: &[String],
    step: u64,
) -> Result<Vec<(String, f64)>, Wrong> {
    let (slot, rest) = match line.text.split_once(':') {
        Some((slot, rest)) => (Some(slot.split_whitespace().collect::<Vec<_>>().join(" ")), rest),
        None => (None, line.text),
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let wrong = |what: String| line.wrong(file, what);
    if words.len() != header.len() {
        return Err(wrong(format!("{} figures under {} ports", words.len(), header.len())));
    }
    let mut all = Vec::new();
    for (port, word) in header.iter().zip(&words) {
        let value = figure(word, step).ok_or_else(|| wrong(format!("\"{word}\" is no figure")))?;
        let name = match (&slot, port.as_str()) {
            (Some(slot), port) if port != TOTAL => format!("{slot} {port}"),
            _ => port.clone(),
        };
        all.push((name, value));
    }
    Ok(all)
}

/// `302.2k`, `1.7m`, `0`, or `-` of a port that is off.
fn figure(word: &str, step: u64) -> Option<f64> {
    if word == "-" {
        return Some(0.0);
    }
    let (digits, power) = prefixed(word)?;
    Some(number(digits)? * (step as f64).powi(power.cast_signed()))
}

fn check(report: &Report, imported: &mut Imported) {
    let sum: f64 = report.ports.iter().map(|(_, per_sec)| per_sec).sum();
    if let Some(total) = report.total.filter(|total| (sum - total).abs() > SUM * total.max(sum)) {
        let text = format!(
            "its ports add up to {:.2} of its printed total: a row may be missing",
            sum / total.max(1.0)
        );
        imported.notes.push(Note::at(report.line, text));
    }
}
