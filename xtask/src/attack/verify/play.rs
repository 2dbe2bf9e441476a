//! One run of the program on a disk that fails, and what both have to say.

use std::collections::BTreeSet;
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::super::Attack;
use super::super::disk::{Armed, Disk, Fault};
use super::super::faults::Mounted;
use super::matrix::{Blocks, Case};
use crate::limits::Draw;
use crate::printed::Printed;

/// Longest that a run may take: hundreds of times what it should, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is known after a run.
pub(crate) struct Outcome {
    /// What was run.
    pub command: String,
    pub code: i32,
    /// Whether the fault happened.
    pub fired: bool,
    /// Blocks of the disk that the program was given wrong.
    pub seen: BTreeSet<u64>,
    /// Blocks that were wrong when it had ended.
    pub left: BTreeSet<u64>,
    /// What it found.
    pub found: Vec<Found>,
    pub stderr: String,
}

/// A bad block, as the program reports it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Found {
    pub kind: String,
    pub offset_bytes: u64,
}

#[derive(Deserialize)]
struct Findings {
    #[serde(default)]
    bad_blocks: Option<BadBlocks>,
}

#[derive(Deserialize)]
struct BadBlocks {
    listed: Vec<Found>,
}

pub(super) fn play(case: &Case, attack: &Attack, draw: &mut Draw) -> Result<Outcome> {
    let bytes = match case.blocks {
        Blocks::Idle => 16 << 20,
        Blocks::Busy => 4 << 20,
    };
    let armed = case.fault.map(|fault| arm(fault, case, bytes, draw));
    let mounted = Mounted::new(Disk::new(bytes, armed))?;
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(&attack.program);
    command.args(words(case, bytes, draw)).arg("--target").arg(mounted.file());
    command.arg("--store").arg(folder.path().join("runs.db"));
    let (stdout, stderr) = (folder.path().join("stdout"), folder.path().join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let code = ended(&mut command)?;
    let found = found(&std::fs::read_to_string(&stdout)?)?;
    let stderr = std::fs::read_to_string(&stderr)?;
    let (fired, seen, left) = {
        let disk = mounted.disk();
        (case.fault.is_some() && disk.has_fired(), disk.seen().clone(), disk.left())
    };
    mounted.end()?;
    Ok(Outcome { command: format!("{command:?}"), code, fired, seen, left, found, stderr })
}

/// When the fault happens: while the file is filled, or by the requests of the load.
fn arm(fault: Fault, case: &Case, bytes: usize, draw: &mut Draw) -> Armed {
    let while_filled = case.blocks == Blocks::Idle && !fault.is_read() && draw.within(0, 1) == 0;
    let (most, once_written_bytes) = match case.blocks {
        _ if while_filled => (12, 0),
        Blocks::Idle => (3, bytes as u64),
        Blocks::Busy => (40, bytes as u64),
    };
    // A mapping writes when the kernel likes, in few large requests.
    let most = if case.engine == "mmap" { most.min(2) } else { most };
    Armed { fault, after: draw.within(0, most), once_written_bytes }
}

fn words(case: &Case, bytes: usize, draw: &mut Draw) -> Vec<String> {
    let mut words: Vec<String> = ["measure", "--verify", "--json"].map(str::to_owned).into();
    words.extend(["--no-progress", "--no-path", "--no-report"].map(str::to_owned));
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("op", format!("mix={}", draw.one(&[30, 50, 70])));
    option("pattern", draw.one(&["random", "sequential"]).to_owned());
    option("block", format!("{} KiB", case.block_kib));
    option("size", format!("{bytes} B"));
    option("engine", case.engine.to_owned());
    option("cache", case.cache.to_owned());
    option("depth", draw.one(&[1, 4]).to_string());
    option("time", "200 ms".to_owned());
    option("warm-up", "0 s".to_owned());
    option("passes", "1".to_owned());
    option("seed", draw.within(1, 1_000_000).to_string());
    if case.blocks == Blocks::Idle {
        option("rate", "60/s".to_owned());
    }
    words
}

/// Waits for the end and gives the exit code.
fn ended(command: &mut Command) -> Result<i32> {
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return status.code().with_context(|| format!("{command:?} was killed: {status}"));
        }
        if began.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("{command:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The bad blocks of all trials; a run that failed before its first pass prints none.
fn found(stdout: &str) -> Result<Vec<Found>> {
    if stdout.trim().is_empty() {
        return Ok(Vec::new());
    }
    let output: Printed<Findings> =
        serde_json::from_str(stdout).context("iopath prints another JSON")?;
    let blocks = output.trials.into_iter().filter_map(|trial| trial.findings.bad_blocks);
    Ok(blocks.flat_map(|blocks| blocks.listed).collect())
}
