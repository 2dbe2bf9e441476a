//! fio for the streams of a case: its words, and what it measured.
//!
//! Offsets are drawn without a map of those already drawn, as a simulation draws them. Response is
//! counted from when a request is issued to when fio has its answer. Requests at random times come
//! from as many jobs as may be in flight, each with its share of the rate and one call at a time:
//! many such processes together are one, and fio's deeper loops wait for all that is in flight
//! before they rest, which a constant rate is left to.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::figures::Figures;
use super::stage::Stage;
use super::stream::Stream;
use super::system::System;

/// How long fio may take beyond its time.
const PATIENCE: Duration = Duration::from_secs(30);

/// Seconds that are not counted, and that are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub warm_up: u64,
    pub counted: u64,
}

/// Runs it on a system; keeps what it prints by this name.
pub(crate) fn run(
    stage: &Stage,
    system: &System,
    stream: &Stream,
    time: Time,
    name: &str,
) -> Result<Figures> {
    let mut command = Command::new("fio");
    command.args(globals(stream, time));
    for (number, file) in system.files.iter().enumerate() {
        command.args(jobs(stream, number, file)?);
    }
    let most = Duration::from_secs(time.warm_up + time.counted) + PATIENCE;
    let text = stage.said(command, most)?;
    stage.keep(&format!("{name}.fio.json"), &text)?;
    read(&text)
}

fn globals(stream: &Stream, time: Time) -> Vec<String> {
    let Stream { op, reads_percent, block, depth, is_poisson, .. } = stream;
    let (engine, depth) = if *is_poisson { ("psync", 1) } else { ("io_uring", *depth) };
    let Time { warm_up, counted } = time;
    let text = format!(
        "--output-format=json --ioengine={engine} --direct=1 --time_based --norandommap \
         --group_reporting --unified_rw_reporting=mixed --lat_percentiles=1 --clat_percentiles=0 \
         --percentile_list=99 --ramp_time={warm_up}s --runtime={counted}s --rw={op} \
         --rwmixread={reads_percent} --bs={block} --iodepth={depth} --overwrite=1 --thread"
    );
    text.split_whitespace().map(str::to_owned).collect()
}

/// The jobs on a target: one for each stream, of random times one for each request in flight.
fn jobs(stream: &Stream, number: usize, file: &Path) -> Result<Vec<String>> {
    let bytes = file.metadata().with_context(|| file.display().to_string())?.len();
    let parts = if stream.is_shared { 1 } else { stream.count };
    let part = bytes / parts / stream.block * stream.block;
    let each = if stream.is_poisson { stream.depth } else { 1 };
    let mut words = Vec::new();
    for one in 0..stream.count {
        let offset = if stream.is_shared { 0 } else { one * part };
        words.extend([
            format!("--name={number}.{one}"),
            format!("--filename={}", file.display()),
            format!("--offset={offset}"),
            format!("--size={part}"),
            format!("--numjobs={each}"),
        ]);
        if let Some(rate) = stream.rate {
            let process = if stream.is_poisson { "poisson" } else { "linear" };
            let rate = (rate / (stream.count * each) as f64).round();
            words.extend([format!("--rate_iops={rate}"), format!("--rate_process={process}")]);
        }
    }
    Ok(words)
}

#[derive(Deserialize)]
struct Job {
    mixed: Mixed,
}

#[derive(Deserialize)]
struct Mixed {
    bw_bytes: f64,
    lat_ns: Latency,
}

#[derive(Deserialize)]
struct Latency {
    mean: f64,
    percentile: BTreeMap<String, f64>,
}

fn read(text: &[u8]) -> Result<Figures> {
    let Job { mixed } = crate::bench::fio::first_job(text)?;
    let p99 = mixed.lat_ns.percentile.get("99.000000").context("fio completed no request")?;
    Ok(Figures { bytes_per_sec: mixed.bw_bytes, mean_ns: mixed.lat_ns.mean, p99_ns: *p99 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of fio 3.33, shortened.
    const TEXT: &str = r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "x", "error": 0,
  "mixed": {"iops": 2569.9, "bw_bytes": 10526433, "total_ios": 5145, "lat_ns": {"min": 154619,
    "max": 69432464, "mean": 1555286.225073, "N": 5145, "percentile": {"99.000000": 19005440}}}}]}"#;

    #[test]
    fn reads_and_writes_together_are_read() {
        let expected = Figures {
            bytes_per_sec: 10_526_433.0,
            mean_ns: 1_555_286.225_073,
            p99_ns: 19_005_440.0,
        };
        assert_eq!(read(TEXT.as_bytes()).unwrap(), expected);
    }
}
