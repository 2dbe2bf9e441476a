//! The figures of each trial: a row a trial, with what it is made of below it; of one trial large.

use iopath_analysis::compare::pairing;
use iopath_analysis::{
    ActionFindings, EpochFindings, FlushFindings, Headline, LatencySummary, OpFindings,
};
use iopath_record::Layer;
use iopath_units::{Action, System};

use super::Shown;
use crate::document::{Block, Table, Tile};
use crate::numbers::{UNKNOWN, maybe_ns, maybe_time, operations, plus_minus, rate};
use crate::view::fastest::speed;
use crate::view::run::TrialReport;
use crate::view::watched::Stored;
use crate::words::actions::{moves_nothing, only};
use crate::words::evidence;

/// One line of the table.
struct Row {
    what: String,
    throughput: String,
    operations: String,
    /// Mean, p50, p99, p99.9, max.
    latency: [String; 5],
    cpu: String,
    jain: String,
    limit: String,
    bytes_per_sec: f64,
}

/// Figures of streams; of counters that were only watched what each thing did.
pub(super) fn blocks(shown: &Shown<'_>) -> Vec<Block> {
    let watched = shown.trials.iter().filter_map(|trial| trial.watched.as_ref());
    let mut blocks: Vec<Block> =
        watched.map(|stored| Block::Watched(Box::new(stored.clone()))).collect();
    let measured: Vec<&TrialReport> =
        shown.trials.iter().filter(|trial| !trial.is_watched()).collect();
    if let [trial] = measured[..] {
        blocks.push(Block::Tiles(tiles(trial, shown.system)));
    }
    if let [trial] = shown.trials
        && let Some(stored) = &trial.watched
    {
        blocks.push(Block::Tiles(watched_tiles(trial, stored, shown.system)));
    }
    blocks.extend(Block::table(table(&measured, shown)));
    blocks
}

fn table(trials: &[&TrialReport], shown: &Shown<'_>) -> Table {
    let named = |trial: &TrialReport| {
        let mut rows = rows(trial, shown.system);
        rows.first_mut().into_iter().for_each(|row| row.what = name(trial, shown));
        rows
    };
    let rows: Vec<Row> = trials.iter().flat_map(|trial| named(trial)).collect();
    let has_cpu = rows.iter().any(|row| !matches!(row.cpu.as_str(), "" | UNKNOWN));
    let has_streams = trials.iter().any(|trial| trial.findings.streams.len() > 1);
    let mut table = Table::of(&rows)
        .column("trial", |row| row.what.clone())
        .column("throughput", |row| row.throughput.clone());
    if trials.len() > 1 {
        table = table.bars(|row| row.bytes_per_sec);
    }
    let latency = |at: usize| move |row: &Row| row.latency[at].clone();
    table = table
        .column("requests", |row| row.operations.clone())
        .expendable(3, "mean", latency(0))
        .expendable(5, "p50", latency(1))
        .column("p99", latency(2))
        .expendable(4, "p99.9", latency(3))
        .expendable(1, "max", latency(4));
    if has_cpu {
        table = table.expendable(2, "CPU/request", |row| row.cpu.clone());
    }
    if has_streams {
        table = table.expendable(2, "Jain", |row| row.jain.clone());
    }
    if trials.len() > 1 {
        table = table.expendable(6, "limit", |row| row.limit.clone());
    }
    table.done()
}

/// What tells a trial from the others. The title of a study, which its only trial has where the
/// experiment has none, is long and stands above.
fn name(trial: &TrialReport, shown: &Shown<'_>) -> String {
    let is_untitled = pairing(&trial.case).experiment.is_empty();
    match shown.run.report.trials.len() {
        1 if is_untitled && trial.case.levels.is_empty() => "all requests".to_owned(),
        _ => shown.label(trial),
    }
}

/// The figures that people ask for first.
fn tiles(trial: &TrialReport, system: System) -> Vec<Tile> {
    let findings = &trial.findings;
    let Some(Row { throughput, operations, latency: [mean, p50, p99, p999, max], .. }) =
        rows(trial, system).into_iter().next()
    else {
        return Vec::new();
    };
    let spread = findings.confidence.map(|known| plus_minus(known.half_width_percent));
    let tile =
        |name: &str, value: String, note: String| Tile { name: name.to_owned(), value, note };
    let limit = findings.limit.entity.clone().filter(|name| name != findings.limit.cause.name());
    let limit = limit.unwrap_or_default();
    let all = [
        tile("throughput", throughput, spread.unwrap_or_default()),
        tile("requests", operations, String::new()),
        tile("p50", p50, format!("mean {mean}")),
        tile("p99", p99, String::new()),
        tile("p99.9", p999, format!("max {max}")),
        tile("limit", evidence::cause_alone(findings.limit.cause).to_owned(), limit),
    ];
    let is_known = |tile: &Tile| !matches!(tile.value.as_str(), "" | UNKNOWN);
    all.into_iter().filter(is_known).collect()
}

/// What an observation comes to: reads and writes in all, and the busiest device.
fn watched_tiles(trial: &TrialReport, stored: &Stored, system: System) -> Vec<Tile> {
    let findings = &trial.findings;
    let tile =
        |name: &str, value: String, note: String| Tile { name: name.to_owned(), value, note };
    let carried = trial.carried();
    let mut all =
        vec![tile("throughput", rate(carried.throughput_bytes_per_sec, system), String::new())];
    if carried.operations_per_sec > 0.0 {
        all.push(tile("requests", operations(carried.operations_per_sec, system), String::new()));
    }
    let seen = stored.watched();
    let devices = seen.entities.iter().zip(seen.usage);
    let devices = devices.filter(|(entity, _)| entity.layer == Layer::Device);
    let busy = devices.filter_map(|(entity, usage)| Some((entity, usage, usage.utilisation?)));
    if let Some((entity, usage, busy)) = busy.max_by(|a, b| a.2.total_cmp(&b.2)) {
        let whose = format!("of {}", entity.name);
        let time = |ns: Option<f64>| maybe_time(ns, system);
        all.push(tile("utilisation", format!("{:.1} %", 100.0 * busy), whose.clone()));
        all.push(tile("time of a read", time(usage.read.ns_mean), whose.clone()));
        all.push(tile("time of a write", time(usage.write.ns_mean), whose));
    }
    let limit = findings.limit.entity.clone().filter(|name| name != findings.limit.cause.name());
    let limit = limit.unwrap_or_default();
    all.push(tile("limit", evidence::cause_alone(findings.limit.cause).to_owned(), limit));
    all.retain(|tile| !matches!(tile.value.as_str(), "" | UNKNOWN));
    all
}

/// A trial, and below it its reads and writes where it has both, or what ran one after the other.
fn rows(trial: &TrialReport, system: System) -> Vec<Row> {
    let findings = &trial.findings;
    let ns = |value: Option<u64>| maybe_ns(value, system);
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
        limit: evidence::cause(&findings.limit),
        bytes_per_sec: speed(trial),
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
    let ns = |value: Option<u64>| maybe_ns(value, system);
    let LatencySummary { mean, p50, p99, p999, max, .. } = *latency;
    Row {
        what: what.to_owned(),
        throughput: String::new(),
        operations: String::new(),
        latency: [maybe_time(mean, system), ns(p50), ns(p99), ns(p999), ns(max)],
        cpu: String::new(),
        jain: String::new(),
        limit: String::new(),
        bytes_per_sec: 0.0,
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
