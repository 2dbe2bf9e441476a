//! A run as text: verdicts, one table, then limits, warnings and broken laws.

use iopath_analysis::audit::Law;
use iopath_analysis::limit::Cause;
use iopath_analysis::{
    ActionFindings, EpochFindings, FlushFindings, Headline, LatencySummary, OpFindings,
};
use iopath_units::{Action, System};

use crate::actions::{moves_nothing, only};
use crate::fastest;
use crate::look::{Look, Tone};
use crate::numbers::{UNKNOWN, maybe_time, operations, rate};
use crate::run::{RunReport, TrialReport};
use crate::table::{Column, render};
use crate::verdict::verdict;
use crate::words::{audit, evidence};
use crate::wrap::wrap;
use crate::{advice, bad_blocks, depths, intensity, ladder, words};

/// Verdicts up to which each trial has its own sentence: chosen, half a screen.
pub(crate) const SENTENCES: usize = 12;

/// The whole run: what most people want to read.
#[must_use]
pub fn render_text(run: &RunReport, look: &Look) -> String {
    if run.trials.is_empty() {
        return "nothing was measured\n".to_owned();
    }
    // Counters that were only watched have no figures of streams.
    let is_watched = run.trials.iter().all(TrialReport::is_watched);
    let figures = || render(columns(run, look.system), look.width);
    let table = if is_watched { pictures(run, look) } else { figures() };
    let parts = [
        verdicts(run, look),
        bad_blocks::section(run, look),
        table,
        ladder::text(run, look),
        depths::text(&run.trials, look),
        intensity::lines(run, look),
        limits(run, look),
        advice::section(run, look),
        warnings(run, look),
        laws(run, look),
    ];
    let shown: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n", shown.join("\n\n"))
}

/// What each thing did that was watched.
fn pictures(run: &RunReport, look: &Look) -> String {
    let all = run.trials.iter().filter_map(|trial| trial.watched.as_ref());
    all.map(|stored| stored.text(look)).collect::<Vec<_>>().join("\n\n")
}

pub(crate) fn verdicts(run: &RunReport, look: &Look) -> String {
    let sentence = |trial: &TrialReport| {
        look.paint(Tone::Verdict, &wrap(&verdict(trial, look.system), 0, look.width))
    };
    if run.trials.len() <= SENTENCES {
        return run.trials.iter().map(sentence).collect::<Vec<_>>().join("\n");
    }
    let of = |at: usize| sentence(&run.trials[at]);
    let both = fastest::ends(&run.trials)
        .map(|ends| format!("{}\n{}", of(ends.fastest), of(ends.slowest)));
    let both = both.unwrap_or_default();
    format!("{} trials; the fastest and the slowest:\n{both}", run.trials.len())
}

/// One line of the table.
struct Row {
    what: String,
    throughput: String,
    operations: String,
    /// Mean, p50, p99, p99.9, max.
    latency: [String; 5],
    cpu: String,
    jain: String,
}

fn columns(run: &RunReport, system: System) -> Vec<Column> {
    let rows: Vec<Row> = run.trials.iter().flat_map(|trial| rows(trial, system)).collect();
    let cells = |of: &dyn Fn(&Row) -> &String| rows.iter().map(|row| of(row).clone()).collect();
    let column = |title, expendable, of: &dyn Fn(&Row) -> &String| Column {
        title,
        cells: cells(of),
        expendable,
    };
    let mut columns = vec![
        column("trial", 0, &|row| &row.what),
        column("throughput", 0, &|row| &row.throughput),
        column("requests", 0, &|row| &row.operations),
        column("mean", 3, &|row| &row.latency[0]),
        column("p50", 5, &|row| &row.latency[1]),
        column("p99", 0, &|row| &row.latency[2]),
        column("p99.9", 4, &|row| &row.latency[3]),
        column("max", 1, &|row| &row.latency[4]),
        column("CPU/request", 2, &|row| &row.cpu),
    ];
    if run.trials.iter().any(|trial| trial.findings.streams.len() > 1) {
        columns.push(column("Jain", 2, &|row| &row.jain));
    }
    columns
}

/// A trial, and below it its reads and writes where it has both, or what ran one after the other.
fn rows(trial: &TrialReport, system: System) -> Vec<Row> {
    let findings = &trial.findings;
    let ns = |value: Option<u64>| maybe_time(value.map(|ns| ns as f64), system);
    let jain = findings.jain.map_or_else(|| UNKNOWN.to_owned(), |jain| format!("{jain:.3}"));
    let only = only(&findings.actions, findings.requests);
    let mut rows = vec![Row {
        what: trial.label(),
        throughput: match only {
            Some(only) => acted(only, system),
            None if moves_nothing(&findings.actions, findings.requests) => String::new(),
            None => rate(trial.carried().throughput_bytes_per_sec, system),
        },
        operations: requests(
            (findings.requests, findings.bytes),
            trial.carried().operations_per_sec,
            system,
        ),
        latency: [
            maybe_time(findings.latency_ns_mean, system),
            ns(findings.latency_ns_p50),
            ns(findings.latency_ns_p99),
            ns(findings.latency_ns_p999),
            ns(findings.latency_ns_max),
        ],
        cpu: maybe_time(findings.cpu_ns_per_request, system),
        jain,
    }];
    if findings.epochs.is_empty() {
        rows.extend(of_ops([&findings.read, &findings.write], system));
    }
    rows.extend(from_intended_start(trial, system));
    rows.extend(findings.epochs.iter().flat_map(|epoch| of_epoch(epoch, system)));
    if findings.epochs.is_empty() {
        rows.extend(findings.flush.iter().flat_map(|flush| of_flushes(flush, system)));
        let actions = Some(&findings.actions[..]).filter(|_| only.is_none()).unwrap_or_default();
        rows.extend(of_actions(actions, system));
    }
    rows
}

/// Reads, then writes, as far as there are both.
fn of_ops(ops: [&Option<OpFindings>; 2], system: System) -> Vec<Row> {
    let row = |(what, op): (&str, &OpFindings)| {
        let latency = LatencySummary {
            mean: op.latency_ns_mean,
            p50: op.latency_ns_p50,
            p90: op.latency_ns_p90,
            p99: op.latency_ns_p99,
            p999: op.latency_ns_p999,
            max: op.latency_ns_max,
        };
        Row {
            throughput: rate(op.throughput_bytes_per_sec, system),
            operations: requests((op.requests, op.bytes), op.operations_per_sec, system),
            ..latency_row(what, &latency, system)
        }
    };
    let named = ["· read", "· write"].into_iter().zip(ops);
    named.filter_map(|(what, op)| Some(row((what, op.as_ref()?)))).collect()
}

/// What the cells of [`of_epochs`] are.
pub(crate) const OF_EPOCHS: [&str; 8] =
    ["streams", "throughput", "requests", "mean", "p50", "p99", "p99.9", "max"];

/// What ran one after the other, each with its reads, writes and flushes.
pub(crate) fn of_epochs(trial: &TrialReport, system: System) -> Vec<[String; 8]> {
    let rows = trial.findings.epochs.iter().flat_map(|epoch| of_epoch(epoch, system));
    let cells = rows.map(|Row { what, throughput, operations, latency, .. }| {
        let [mean, p50, p99, p999, max] = latency;
        [what, throughput, operations, mean, p50, p99, p999, max]
    });
    cells.collect()
}

/// Streams that ran together after others, or before them: all of their rows are over their time.
fn of_epoch(epoch: &EpochFindings, system: System) -> Vec<Row> {
    let Headline { throughput_bytes_per_sec, operations_per_sec, .. } = epoch.headline;
    let streams = format!("· {}", epoch.streams.join(", "));
    let mut all = latency_row(&streams, &epoch.latency_ns, system);
    let only = only(&epoch.actions, epoch.requests);
    all.throughput = match only {
        Some(only) => acted(only, system),
        None if moves_nothing(&epoch.actions, epoch.requests) => String::new(),
        None => rate(throughput_bytes_per_sec, system),
    };
    all.operations = requests((epoch.requests, epoch.bytes), operations_per_sec, system);
    let ops = of_ops([&epoch.read, &epoch.write], system).into_iter();
    let parts = ops.chain(epoch.flush.iter().flat_map(|flush| of_flushes(flush, system)));
    let actions = Some(&epoch.actions[..]).filter(|_| only.is_none()).unwrap_or_default();
    let parts = parts.chain(of_actions(actions, system));
    let parts = parts.map(|row| Row { what: format!("  {}", row.what), ..row });
    std::iter::once(all).chain(parts).collect()
}

/// What moves no data, a row for each kind; of trims the bytes that were given up.
fn of_actions(actions: &[ActionFindings], system: System) -> Vec<Row> {
    let row = |one: &ActionFindings| Row {
        throughput: acted(one, system),
        operations: requests((one.requests, one.bytes), one.operations_per_sec, system),
        ..latency_row(&format!("· {}", one.action), &one.latency_ns, system)
    };
    actions.iter().map(row).collect()
}

/// Bytes a second of what moves no data.
fn acted(one: &ActionFindings, system: System) -> String {
    match one.action {
        Action::Trim => rate(one.bytes_per_sec, system),
        Action::Transfer | Action::Create | Action::Stat | Action::Open | Action::Unlink => {
            String::new()
        }
    }
}

/// Flushes, and writes until the flush that covers them was done.
fn of_flushes(flush: &FlushFindings, system: System) -> Vec<Row> {
    let mut of_flushes = latency_row("· flush", &flush.latency_ns, system);
    // Those at the end are no rate.
    of_flushes.operations = match flush.commit_latency_ns {
        Some(_) => operations(flush.flushes_per_sec, system),
        None => format!("{} in all", flush.flushes),
    };
    let commits = [
        ("· commit (write + flush)", &flush.commit_latency_ns, flush.commits_per_sec),
        ("· commit from intended start", &flush.intended_commit_latency_ns, None),
    ];
    let commits = commits.into_iter().filter_map(|(what, latency, per_sec)| {
        let mut row = latency_row(what, latency.as_ref()?, system);
        row.operations = per_sec.map(|rate| operations(rate, system)).unwrap_or_default();
        Some(row)
    });
    std::iter::once(of_flushes).chain(commits).collect()
}

/// A row that has latencies only.
fn latency_row(what: &str, latency: &LatencySummary, system: System) -> Row {
    let ns = |value: Option<u64>| maybe_time(value.map(|ns| ns as f64), system);
    let LatencySummary { mean, p50, p99, p999, max, .. } = *latency;
    Row {
        what: what.to_owned(),
        throughput: String::new(),
        operations: String::new(),
        latency: [maybe_time(mean, system), ns(p50), ns(p99), ns(p999), ns(max)],
        cpu: String::new(),
        jain: String::new(),
    }
}

/// Requests a second; bytes without a request mean that nobody counted them.
fn requests(counted: (u64, u64), per_sec: f64, system: System) -> String {
    match counted {
        (0, 1..) => UNKNOWN.to_owned(),
        _ => operations(per_sec, system),
    }
}

/// Latency of an open loop as its users would see it.
fn from_intended_start(trial: &TrialReport, system: System) -> Option<Row> {
    let findings = &trial.findings;
    let intended = LatencySummary {
        mean: findings.intended_latency_ns_mean,
        p50: findings.intended_latency_ns_p50,
        p90: findings.intended_latency_ns_p90,
        p99: findings.intended_latency_ns_p99,
        p999: findings.intended_latency_ns_p999,
        max: findings.intended_latency_ns_max,
    };
    intended.mean.map(|_| latency_row("· from intended start", &intended, system))
}

pub(crate) fn limits(run: &RunReport, look: &Look) -> String {
    let mut lines = Vec::new();
    for trial in run.trials.iter().take(SENTENCES) {
        let limit = &trial.findings.limit;
        let word = if limit.cause == Cause::Unknown { "seen" } else { "because" };
        let told = limit.evidence.iter().map(|line| evidence::sentence(line, look.system));
        let texts: Vec<_> = told.collect();
        let text =
            format!("{}: {}, {word}: {}", trial.label(), limit.cause.name(), texts.join("; "));
        lines.push(wrap(&text, 2, look.width));
    }
    format!("limit\n{}", lines.join("\n"))
}

pub(crate) fn warnings(run: &RunReport, look: &Look) -> String {
    let mut kept: Vec<(String, Vec<String>)> = Vec::new();
    for trial in &run.trials {
        for warning in &trial.findings.warnings {
            let text =
                format!("{}: {}", warning.kind(), words::warnings::text(warning, look.system));
            match kept.iter_mut().find(|(seen, _)| *seen == text) {
                Some((_, labels)) => labels.push(trial.label()),
                None => kept.push((text, vec![trial.label()])),
            }
        }
    }
    let lines = kept.iter().map(|(text, labels)| {
        // Who is warned about only matters when it is not everybody.
        let of = if labels.len() == run.trials.len() { String::new() } else { whom(labels) };
        look.paint(Tone::Warning, &wrap(&format!("{text}{of}"), 2, look.width))
    });
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() { String::new() } else { format!("warnings\n{}", lines.join("\n")) }
}

fn whom(labels: &[String]) -> String {
    match labels {
        [one] => format!(" ({one})"),
        [first, rest @ ..] => format!(" ({first} and {} more)", rest.len()),
        [] => String::new(),
    }
}

/// Broken laws only; that the others hold is in the JSON. Ratings that were exceeded stand apart:
/// they put no figure in doubt.
pub(crate) fn laws(run: &RunReport, look: &Look) -> String {
    let [mut ratings, mut lines] = [Vec::new(), Vec::new()];
    for trial in &run.trials {
        for check in trial.findings.audit.iter().filter(|check| !check.holds) {
            let text = format!(
                "{}: {} of {}: {}: {}",
                trial.label(),
                check.law.name(),
                check.entity,
                audit::excess(check, look.system),
                audit::sentence(&check.law, look.system)
            );
            let text = wrap(&text, 2, look.width);
            match check.law {
                Law::Rating(_) => ratings.push(look.paint(Tone::Warning, &text)),
                _ => lines.push(look.paint(Tone::Broken, &text)),
            }
        }
    }
    let section = |title: &str, lines: &[String]| match lines.is_empty() {
        true => None,
        false => Some(format!("{title}\n{}", lines.join("\n"))),
    };
    let all = [
        section(
            "broken laws: a counter, its reading or a model is wrong, do not trust these figures",
            &lines,
        ),
        section(
            "exceeded ratings: they were not measured, so doubt them and not the figures",
            &ratings,
        ),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}
