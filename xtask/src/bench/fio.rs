//! fio: its command line for a load, and what its JSON says.
//!
//! Its latency statistics stay at their default. Offsets are drawn without a map of those already
//! drawn (`norandommap`), as iopath draws them; that is also fio's faster way.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::place::FILE_BYTES;
use super::run::{Done, Load, Op, Order};

/// An engine with one of its settings, as words without blanks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine {
    pub name: &'static str,
    pub settings: &'static str,
}

pub(crate) fn words(engine: Engine, load: &Load, file: &Path, length: Duration) -> Vec<String> {
    let order = match (load.order, load.op) {
        (Order::Random, Op::Read) => "randread",
        (Order::Random, Op::Write) => "randwrite",
        (Order::Sequential, Op::Read) => "read",
        (Order::Sequential, Op::Write) => "write",
    };
    // A call that blocks has one request in flight; asking for more makes fio complain.
    let depth = if engine.name == "psync" { 1 } else { load.depth };
    let mut words: Vec<String> = ["fio", "--name=bench", "--direct=1", "--time_based"]
        .into_iter()
        .chain(["--norandommap", "--output-format=json"])
        .map(str::to_owned)
        .collect();
    words.extend([
        format!("--filename={}", file.display()),
        format!("--size={FILE_BYTES}"),
        format!("--rw={order}"),
        format!("--bs={}k", load.block_kib),
        format!("--iodepth={depth}"),
        format!("--numjobs={}", load.streams),
        format!("--runtime={}ms", length.as_millis()),
        format!("--ioengine={}", engine.name),
    ]);
    words.extend(engine.settings.split_whitespace().map(str::to_owned));
    words
}

#[derive(Deserialize)]
struct Output<F> {
    jobs: Vec<Job<F>>,
}

#[derive(Deserialize)]
struct Job<F> {
    error: i64,
    #[serde(flatten)]
    figures: F,
}

#[derive(Deserialize)]
struct Both {
    read: Side,
    write: Side,
}

#[derive(Deserialize)]
struct Side {
    total_ios: f64,
    iops: f64,
    bw_bytes: f64,
}

/// What is asked of the first job: all loads here that fio runs have one stream.
pub(crate) fn first_job<F: DeserializeOwned>(stdout: &[u8]) -> Result<F> {
    // Notes to people may stand before the JSON.
    let start = stdout.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let output: Output<F> =
        serde_json::from_slice(&stdout[start..]).context("fio prints another JSON")?;
    let Job { error, figures } = output.jobs.into_iter().next().context("fio printed no job")?;
    if error != 0 {
        bail!("fio failed with error {error}");
    }
    Ok(figures)
}

pub(crate) fn read(stdout: &[u8]) -> Result<Done> {
    let job: Both = first_job(stdout)?;
    let requests = job.read.total_ios + job.write.total_ios;
    if requests == 0.0 {
        bail!("fio completed no request");
    }
    Ok(Done {
        requests,
        operations_per_sec: job.read.iops + job.write.iops,
        bytes_per_sec: job.read.bw_bytes + job.write.bw_bytes,
        warnings: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::run::Storage;
    use super::*;

    /// Of fio 3.33, shortened.
    const TEXT: &str = r#"note: both iodepth >= 1 and synchronous I/O engine are selected
{"fio version": "fio-3.33", "jobs": [{"jobname": "bench", "error": 0,
  "read": {"io_bytes": 2983923712, "bw_bytes": 1488983888, "iops": 363521.457086,
    "runtime": 2004, "total_ios": 728497},
  "write": {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0}}]}"#;

    #[test]
    fn the_first_job_is_read_behind_notes() {
        let expected = Done {
            requests: 728_497.0,
            operations_per_sec: 363_521.457_086,
            bytes_per_sec: 1_488_983_888.0,
            warnings: Vec::new(),
        };
        assert_eq!(read(TEXT.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn a_job_that_failed_or_did_nothing_is_an_error() {
        let failed = TEXT.replace("\"error\": 0", "\"error\": 5");
        let idle = TEXT.replace("728497", "0");
        assert_eq!(read(failed.as_bytes()).unwrap_err().to_string(), "fio failed with error 5");
        assert_eq!(read(idle.as_bytes()).unwrap_err().to_string(), "fio completed no request");
    }

    #[test]
    fn settings_are_words_of_their_own_and_psync_has_no_depth() {
        let load = Load {
            op: Op::Write,
            order: Order::Sequential,
            block_kib: 1024,
            depth: 8,
            streams: 1,
            storage: Storage::Real,
        };
        let words = |name, settings| {
            let engine = Engine { name, settings };
            words(engine, &load, Path::new("/f"), Duration::from_millis(100)).join(" ")
        };
        let ring = words("io_uring", "--fixedbufs --registerfiles");
        assert!(ring.contains("--filename=/f --size=1073741824 --rw=write --bs=1024k --iodepth=8"));
        assert!(ring.ends_with("--runtime=100ms --ioengine=io_uring --fixedbufs --registerfiles"));
        assert!(words("psync", "").contains("--iodepth=1 "));
    }
}
