//! Eight ranks that sleep most of the time, and a crowd that does no I/O (64 by `--ranks 64`, which
//! takes two processors some minutes: each rank looks for messages a thousand times a second).

use anyhow::{Context, Result};

use super::super::launcher::Mpi;
use super::super::options::Shape;
use super::row::Row;
use super::stage::{By, Record, Stage};

const HOSTS: u32 = 8;

pub(super) fn run(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let cluster =
        stage.front.cluster(&Shape { hosts: HOSTS, skew_s: 86_400, ..Shape::default() })?;
    let by = By { cluster: &cluster, mpi: Mpi::OpenMpi, ranks: HOSTS };
    let mut rows = vec![sleeping(stage, by)?];
    rows.extend(crowd(stage, By { ranks: stage.check.crowd, ..by })?);
    Ok(rows)
}

fn sleeping(stage: &Stage<'_>, by: By<'_>) -> Result<Row> {
    let words = words(stage, "sleeping", "time=\"250 ms\" passes=20 rate=\"100 /s\"", by.ranks)?;
    let records = stage.records(by, &words)?;
    let mut skews: Vec<u64> =
        records.iter().map(|one| one.number("ranks.start_skew_ns")).collect::<Result<_>>()?;
    skews.sort_unstable();
    let p95 = skews.get((skews.len() * 95).div_ceil(100).saturating_sub(1)).context("no pass")?;
    let reached = format!("{:.3} ms of {} passes", *p95 as f64 / 1e6, skews.len());
    Ok(Row::of("start skew, 8 ranks that sleep", "p95 ≤ 1 ms", reached, *p95 <= 1_000_000))
}

fn crowd(stage: &Stage<'_>, by: By<'_>) -> Result<Vec<Row>> {
    let words = words(stage, "crowd", "passes=3 region=\"own\"", by.ranks)?;
    let alone = stage.alone(&words)?;
    let records = stage.records(by, &words)?;
    let all = |records: &[Record]| records.iter().map(Record::totals).collect::<Vec<_>>();
    let equal = all(&alone) == all(&records);
    let said = if equal { "equal" } else { "not equal" };
    // From the end of a pass to the next: records to rank 0, merging, clocks, the start.
    let between = records
        .windows(2)
        .map(|pair| pair[1].clock.started_unix_ns.saturating_sub(pair[0].ended_unix_ns()));
    let most = between.max().context("one pass only")? as f64 / 1e9;
    let merged = records.iter().filter_map(|one| one.number("ranks.merge_ns").ok()).max();
    let mut rows = vec![
        Row::of(
            format!("totals, {} ranks without I/O", by.ranks),
            "as one host, to the byte",
            said.to_owned(),
            equal,
        ),
        Row::figure(
            format!("from pass to pass, {} ranks", by.ranks),
            format!("{most:.2} s, merging included"),
        ),
    ];
    if let Some(ns) = merged {
        let s = ns as f64 / 1e9;
        rows.push(Row::of(
            format!("merging, {} ranks", by.ranks),
            "≤ 1 s",
            format!("{s:.3} s"),
            s <= 1.0,
        ));
    }
    Ok(rows)
}

fn words(stage: &Stage<'_>, name: &str, workload: &str, streams: u32) -> Result<Vec<String>> {
    let text = format!(
        "study \"{name}\"\nlayout {{ file \"data\" size=\"512 MiB\" }}\n\
         workload {workload} engine=\"null\" {{\n    \
         streams \"s\" count={streams} over=\"data\" op=\"read\" block=\"64 KiB\"\n}}\n"
    );
    Ok(Stage::measure(&stage.study(&format!("{name}.kdl"), &text)?))
}
