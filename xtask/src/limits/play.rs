//! One run of the program, and of fio for reference, on what a rig made.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::printed::Printed;

/// What the program says holds a run back.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Limit {
    pub cause: String,
    pub entity: Option<String>,
    pub capacity: Option<Capacity>,
    pub evidence: Vec<Evidence>,
    /// The name of the run that was judged.
    #[serde(skip)]
    pub run: String,
    /// What was reached.
    #[serde(skip)]
    pub throughput: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Capacity {
    pub bytes_per_sec: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Evidence {
    pub entity: String,
    pub law: String,
    pub text: String,
}

#[derive(Deserialize)]
struct Findings {
    throughput_bytes_per_sec: f64,
    limit: Limit,
}

#[derive(Deserialize)]
struct Fio {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    read: Moved,
    write: Moved,
}

#[derive(Deserialize)]
struct Moved {
    bw_bytes: f64,
}

/// The program that is asked.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub iopath: PathBuf,
    /// Where runs are kept, rather than with what is gone after a case.
    pub kept: Option<PathBuf>,
}

/// How a program is started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The control group that it joins first.
    pub group: Option<PathBuf>,
    /// The only processor that it may use.
    pub processor: Option<usize>,
}

/// A load that both programs can make.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub target: String,
    pub op: &'static str,
    pub block: u64,
    pub depth: u64,
    pub seconds: u64,
}

impl Load {
    /// As options of `iopath measure`.
    pub(crate) fn options(&self) -> Vec<String> {
        let Self { target, op, block, depth, seconds } = self;
        let text = format!(
            "--target {target} --op {op} --block {block}B --depth {depth} --time {seconds}s \
             --warm-up 200ms --passes 1 --pattern random"
        );
        text.split_whitespace().map(str::to_owned).collect()
    }
}

/// Measures, and gives what the program says limits it.
pub(crate) fn measure(
    program: &Program,
    store: &Path,
    options: &[String],
    around: &Around,
) -> Result<Limit> {
    let store = program.kept.as_deref().unwrap_or(store);
    let mut all = vec![program.iopath.display().to_string(), "measure".to_owned()];
    all.extend(options.iter().cloned());
    all.extend(["--json", "--no-progress", "--store"].map(str::to_owned));
    all.push(store.display().to_string());
    let text = run(&all, around)?;
    let output: Printed<Findings> =
        serde_json::from_str(&text).context("iopath measure prints no run")?;
    let trial = output.trials.into_iter().next_back().context("no trial")?;
    let Findings { throughput_bytes_per_sec: throughput, limit } = trial.findings;
    Ok(Limit { run: output.run.unwrap_or_default(), throughput, ..limit })
}

/// Bytes a second that fio gets.
pub(crate) fn fio(load: &[Load], around: &Around) -> Result<f64> {
    let mut all = "fio --output-format=json --ioengine=io_uring --direct=1 --time_based \
                   --group_reporting --size=100% --ramp_time=200ms"
        .split_whitespace()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    for (index, Load { target, op, block, depth, seconds }) in load.iter().enumerate() {
        let text = format!(
            "--name=load{index} --filename={target} --rw=rand{op} --bs={block} --iodepth={depth} \
             --runtime={seconds}"
        );
        all.extend(text.split_whitespace().map(str::to_owned));
    }
    let text = run(&all, around)?;
    // Notes may stand before the value.
    let begin = text.find('{').unwrap_or_default();
    let fio: Fio = serde_json::from_str(&text[begin..]).context("fio prints no result")?;
    Ok(fio.jobs.iter().map(|job| job.read.bw_bytes + job.write.bw_bytes).sum())
}

fn run(all: &[String], around: &Around) -> Result<String> {
    let mut words: Vec<String> = Vec::new();
    if let Some(group) = &around.group {
        let script = format!("echo $$ > {}/tasks && exec \"$@\"", group.display());
        words.extend(["sh".to_owned(), "-c".to_owned(), script, "sh".to_owned()]);
    }
    if let Some(processor) = around.processor {
        words.extend(["taskset".to_owned(), "--cpu-list".to_owned(), processor.to_string()]);
    }
    words.extend(all.iter().cloned());
    let output = Command::new(&words[0]).args(&words[1..]).output();
    let output = output.with_context(|| format!("{} does not start", words[0]))?;
    if !output.status.success() {
        bail!("{}: {}", all.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
