//! iopath: its command line for a load, and what its JSON says.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::place::FILE_BYTES;
use super::run::{Done, Load, Op, Order, Storage};
use crate::printed::{Printed, Trial};

/// One pass without warm-up: the requests it tells of are then all that it made. The store is
/// one of its own, so that nobody's list of runs fills up.
pub(crate) fn words(program: &Path, load: &Load, file: &Path, length: Duration) -> Vec<String> {
    let op = match load.op {
        Op::Read => "read",
        Op::Write => "write",
    };
    let pattern = match load.order {
        Order::Sequential => "sequential",
        Order::Random => "random",
    };
    let file = file.display().to_string();
    let store = format!("{file}.db");
    let mut words: Vec<String> = vec![program.display().to_string(), "measure".to_owned()];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("op", op.to_owned());
    option("pattern", pattern.to_owned());
    option("block", format!("{} KiB", load.block_kib));
    option("depth", load.depth.to_string());
    option("streams", load.streams.to_string());
    option("size", format!("{} B", FILE_BYTES));
    option("time", format!("{} ms", length.as_millis()));
    option("warm-up", "0 s".to_owned());
    option("passes", "1".to_owned());
    option("store", store);
    match load.storage {
        Storage::Real => {}
        Storage::ByRing => option("engine", "uring".to_owned()),
        Storage::None => option("engine", "null".to_owned()),
    }
    if load.op == Op::Write {
        // The file holds what was filled in, and fio writes to it too.
        option("allow-destroy", file.clone());
    }
    option("target", file);
    words.extend(["--json", "--no-progress"].map(str::to_owned));
    words
}

#[derive(Deserialize)]
struct Findings {
    requests: f64,
    failed: f64,
    operations_per_sec: f64,
    throughput_bytes_per_sec: f64,
    warnings: Vec<Warning>,
}

#[derive(Deserialize)]
struct Warning {
    kind: String,
}

pub(crate) fn read(stdout: &[u8]) -> Result<Done> {
    let output: Printed<Findings> =
        serde_json::from_slice(stdout).context("iopath prints another JSON")?;
    let [Trial { findings }] = &output.trials[..] else {
        bail!("iopath reports {} trials instead of one", output.trials.len());
    };
    if findings.failed != 0.0 || findings.requests == 0.0 {
        let Findings { requests, failed, .. } = findings;
        bail!("iopath completed {requests} requests, and {failed} failed");
    }
    Ok(Done {
        requests: findings.requests,
        operations_per_sec: findings.operations_per_sec,
        bytes_per_sec: findings.throughput_bytes_per_sec,
        warnings: findings.warnings.iter().map(|warning| warning.kind.clone()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(failed: u32) -> String {
        format!(
            r#"{{"format": "iopath-run/7", "trials": [{{"technique": "measurement", "findings": {{
            "requests": 619935, "failed": {failed}, "operations_per_sec": 619042.5,
            "throughput_bytes_per_sec": 2535598198.2,
            "warnings": [{{"kind": "other-load", "text": "…"}}]}}}}]}}"#
        )
    }

    #[test]
    fn the_only_trial_is_read_with_its_warnings() {
        let expected = Done {
            requests: 619_935.0,
            operations_per_sec: 619_042.5,
            bytes_per_sec: 2_535_598_198.2,
            warnings: vec!["other-load".to_owned()],
        };
        assert_eq!(read(text(0).as_bytes()).unwrap(), expected);
    }

    #[test]
    fn requests_that_failed_make_no_figure() {
        let error = read(text(2).as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "iopath completed 619935 requests, and 2 failed");
    }

    #[test]
    fn only_a_writer_may_destroy() {
        let load = |op| Load {
            op,
            order: Order::Sequential,
            block_kib: 1024,
            depth: 8,
            streams: 1,
            storage: Storage::Real,
        };
        let permits = |op| {
            let program = Path::new("iopath");
            let words = words(program, &load(op), Path::new("/f"), Duration::from_secs(1));
            words.windows(2).any(|pair| pair == ["--allow-destroy", "/f"])
        };
        assert!(permits(Op::Write));
        assert!(!permits(Op::Read));
    }
}
