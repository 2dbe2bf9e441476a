//! Commits: `fdatasync` after each write, one write in flight, iopath and fio in turns.
//!
//! On the disk the flush is what the machine makes of it. On a file of this process (FUSE) each
//! flush takes a known time, so that both tools must find it. It leaves out commits that several
//! writers share.
//!
//! With `io_uring` fio counts a flush from when its submission has returned (`fio_ioring_commit` in
//! engines/io_uring.c), iopath from before. Handing a flush to a kernel worker takes some 30 µs,
//! which a flush of 1 ms hides and one of 50 µs does not: on the disk flushes are compared by
//! blocking calls, of which both count all, and commits by both.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::fio;
use super::outcome::{Comparison, Goal, Outcome};
use super::place::{Place, Where};
use super::stage::{Stage, tell_progress};
use crate::attack::faults::Mounted;
use crate::printed::Printed;

/// What is flushed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flushed {
    /// A file on disk.
    Disk,
    /// A file whose flush takes so long.
    Delayed { flush: Duration },
}

/// A load of commits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commits {
    pub on: Flushed,
    pub by: Way,
    /// Of commits, and of the mean time of a flush where both tools count the same.
    pub commits: Goal,
    pub flushes: Option<Goal>,
}

/// How both tools hand requests to the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    Ring,
    Calls,
}

impl Way {
    /// What each tool calls it: iopath, fio.
    fn engines(self) -> [&'static str; 2] {
        match self {
            Self::Ring => ["uring", "io_uring"],
            Self::Calls => ["calls", "psync"],
        }
    }
}

/// Larger than a disk's cache is not needed: all of it is written again and again (chosen).
const BYTES: u64 = 64 << 20;
const BLOCK: &str = "8k";

/// A figure of a run.
type Figure = fn(&Found) -> f64;

/// What a run found.
struct Found {
    writes_per_sec: f64,
    flush_ns_mean: f64,
}

pub(crate) fn compare(commits: Commits, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let (mounted, place, file) = match commits.on {
        Flushed::Disk => {
            let place = stage.place(Where::Disk)?;
            let file = place.file();
            (None, place, file)
        }
        Flushed::Delayed { flush } => {
            let mounted = Mounted::flushing_in(BYTES as usize, flush)?;
            let file = mounted.file();
            (Some(mounted), Place::empty(&stage.folder(Where::Memory))?, file)
        }
    };
    let mut samples = [Vec::new(), Vec::new()];
    for pair in 0..stage.pairs {
        tell_progress("pair", pair, stage.pairs);
        let order = if pair.is_multiple_of(2) { [0, 1] } else { [1, 0] };
        for tool in order {
            samples[tool].push(run(commits.by, tool == 0, &file, stage, &place)?);
        }
    }
    tell_progress("pair", stage.pairs, stage.pairs);
    mounted.map_or(Ok(()), Mounted::end)?;
    let figures: [(&str, Figure, Option<Goal>); 2] = [
        ("commits/s", |found| found.writes_per_sec, Some(commits.commits)),
        ("flush mean ns", |found| found.flush_ns_mean, commits.flushes),
    ];
    let [_, rival] = commits.by.engines();
    for (figure, of, goal) in figures {
        let [ours, theirs] = samples.each_ref().map(|all| all.iter().map(of).collect());
        let comparison = Comparison::new(format!("fio {rival}"), figure, ours, theirs, goal);
        outcome.comparisons.push(comparison.context("no pair was run")?);
    }
    Ok(())
}

fn run(by: Way, is_ours: bool, file: &Path, stage: &Stage, place: &Place) -> Result<Found> {
    let [ours, theirs] = by.engines();
    let mut words = match is_ours {
        true => iopath_words(&stage.iopath, file, place, stage.length),
        false => fio_words(file, stage.length),
    };
    words.push(if is_ours { format!("--engine={ours}") } else { format!("--ioengine={theirs}") });
    let (stdout, _) = stage.output(&words, place)?;
    if is_ours { iopath_found(&stdout) } else { fio_found(&stdout) }
}

fn iopath_words(program: &Path, file: &Path, place: &Place, length: Duration) -> Vec<String> {
    let store: PathBuf = place.note().with_extension("db");
    let [program, file, store] = [program, file, &store].map(|path| path.display().to_string());
    let mut words = vec![program, "measure".to_owned(), "--target".to_owned(), file.clone()];
    words.extend(["--allow-destroy".to_owned(), file, "--store".to_owned(), store]);
    words.extend([format!("--size={BYTES} B"), format!("--time={} ms", length.as_millis())]);
    let load = ["--op=write", "--block=8 KiB", "--depth=1", "--sync=fdatasync"];
    let rest =
        ["--warm-up=0 s", "--passes=1", "--no-path", "--no-report", "--no-progress", "--json"];
    words.extend(load.into_iter().chain(rest).map(str::to_owned));
    words
}

fn fio_words(file: &Path, length: Duration) -> Vec<String> {
    let load = ["--rw=write", "--iodepth=1", "--fdatasync=1", "--direct=1"];
    let rest = ["--time_based", "--overwrite=1", "--output-format=json"];
    let mut words = vec!["fio".to_owned(), "--name=bench".to_owned()];
    words.extend(load.into_iter().chain(rest).map(str::to_owned));
    words.extend([
        format!("--filename={}", file.display()),
        format!("--size={BYTES}"),
        format!("--bs={BLOCK}"),
        format!("--runtime={}ms", length.as_millis()),
    ]);
    words
}

#[derive(Deserialize)]
struct Findings {
    operations_per_sec: f64,
    flush: Flush,
}

#[derive(Deserialize)]
struct Flush {
    latency_ns: Mean,
}

#[derive(Deserialize)]
struct Mean {
    mean: f64,
}

fn iopath_found(stdout: &[u8]) -> Result<Found> {
    let printed: Printed<Findings> =
        serde_json::from_slice(stdout).context("iopath prints another JSON")?;
    let Findings { operations_per_sec, flush } =
        printed.trials.into_iter().next().context("iopath printed no trial")?.findings;
    Ok(Found { writes_per_sec: operations_per_sec, flush_ns_mean: flush.latency_ns.mean })
}

#[derive(Deserialize)]
struct Job {
    write: Side,
    sync: Sync,
}

#[derive(Deserialize)]
struct Side {
    iops: f64,
}

#[derive(Deserialize)]
struct Sync {
    lat_ns: Mean,
}

fn fio_found(stdout: &[u8]) -> Result<Found> {
    let Job { write, sync } = fio::first_job(stdout)?;
    Ok(Found { writes_per_sec: write.iops, flush_ns_mean: sync.lat_ns.mean })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tools_say_how_long_a_flush_took() {
        let ours =
            br#"{"format": "iopath-run/7", "trials": [{"findings": {"operations_per_sec": 842.5,
            "flush": {"flushes": 4212, "latency_ns": {"mean": 1050000.5, "p50": 1}}}}]}"#;
        let found = iopath_found(ours).unwrap();
        assert_eq!((found.writes_per_sec, found.flush_ns_mean), (842.5, 1_050_000.5));
        // Of fio 3.33, shortened.
        let theirs = br#"{"jobs": [{"jobname": "bench", "error": 0, "write": {"iops": 835.0},
            "sync": {"total_ios": 4175, "lat_ns": {"min": 1, "mean": 1060000.0}}}]}"#;
        let found = fio_found(theirs).unwrap();
        assert_eq!((found.writes_per_sec, found.flush_ns_mean), (835.0, 1_060_000.0));
    }
}
