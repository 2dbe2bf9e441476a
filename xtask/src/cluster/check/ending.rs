//! A rank that is killed at a random moment, and one that hangs: the run ends, and leaves nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::super::front::Cluster;
use super::super::hosts::Process;
use super::super::launcher::Mpi;
use super::super::options::Shape;
use super::row::Row;
use super::stage::{By, Stage};
use crate::limits::Draw;

const HOSTS: u32 = 8;
/// For a run to end after a rank was killed.
const MOST: Duration = Duration::from_secs(40);
/// For a run to end after a rank hangs.
const HANG: Duration = Duration::from_secs(15);
/// Of the devices while they are measured; they have another.
const READAHEAD: &str = "256 KiB";

/// Moments between passes are as likely as others.
const SHORT: &str = "time=\"300 ms\" passes=15";
/// A rank hangs while its streams run: before and between, it may be in a long call of the kernel.
const LONG: &str = "time=\"30 s\" passes=1";
/// When all streams run, on a busy machine too.
const UNTIL: Duration = Duration::from_secs(8);

/// Which rank is killed, and when.
#[derive(Clone, Copy)]
struct Blow {
    victim: usize,
    after: Duration,
}

/// What was seen after a rank's end.
struct Seen {
    state: String,
    passes: u64,
}

pub(super) fn kills(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for mpi in stage.mpis() {
        let cluster = stage.front.cluster(&shape())?;
        let by = By { cluster: &cluster, mpi, ranks: HOSTS };
        let words = words(stage, &cluster, SHORT)?;
        let whole = stage.start(by, &words)?.finish(MOST)?;
        ensure!(whole.status.success(), "{}: {}", whole.status, whole.stderr);
        let most = u64::try_from(whole.took.as_millis())?;
        let mut draw = Draw::of("cluster", stage.check.seed);
        let mut all = Vec::new();
        for kill in 0..stage.check.kills {
            // Rank 0 as often as all others.
            let victim = if kill % 2 == 0 { draw.within(1, u64::from(HOSTS) - 1) } else { 0 };
            let after = Duration::from_millis(draw.within(100, most));
            let what = || format!("{}: rank {victim} killed after {after:?}", mpi.name());
            let blow = Blow { victim: victim as usize, after };
            let seen = killed(stage, by, &words, blow);
            all.push(seen.with_context(what)?);
        }
        rows.push(row(mpi, &all));
    }
    Ok(rows)
}

fn row(mpi: Mpi, all: &[Seen]) -> Row {
    let count = |state: &str| all.iter().filter(|one| one.state == state).count();
    let states = ["failed", "interrupted", "unfinished", "finished", "none"]
        .map(|state| (state, count(state)))
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| format!("{count} {state}"));
    let passes: u64 = all.iter().map(|one| one.passes).sum();
    let states: Vec<String> = states.collect();
    let reached = format!("{} of {}: {}, {passes} passes", all.len(), all.len(), states.join(", "));
    Row::of(
        format!("kill -9 of one of 8, {}", mpi.name()),
        "clean ends, nothing left",
        reached,
        true,
    )
}

fn killed(stage: &Stage<'_>, by: By<'_>, words: &[String], blow: Blow) -> Result<Seen> {
    let before = readahead(by.cluster)?;
    let runs = stage.runs(by.mpi)?;
    let job = stage.start(by, words)?;
    sleep(blow.after);
    let was_there = signal(by.cluster, blow.victim, Signal::KILL).is_ok();
    let ended = job.finish(MOST)?;
    ensure!(was_there || ended.status.success(), "{}: {}", ended.status, ended.stderr);
    clean(stage, by.cluster, &before)?;
    if stage.runs(by.mpi)? == runs {
        // It was killed before there was one.
        return Ok(Seen { state: "none".to_owned(), passes: 0 });
    }
    let run = stage.last_run(by.mpi)?;
    let is_known = ["failed", "interrupted", "unfinished", "finished"].contains(&&*run.state);
    ensure!(is_known, "the run is {}", run.state);
    Ok(Seen { state: run.state, passes: run.passes })
}

pub(super) fn hang(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let cluster = stage.front.cluster(&shape())?;
    let by = By { cluster: &cluster, mpi: Mpi::OpenMpi, ranks: HOSTS };
    let before = readahead(&cluster)?;
    let job = stage.start(by, &words(stage, &cluster, LONG)?)?;
    sleep(UNTIL);
    signal(&cluster, 3, Signal::STOP).context("no rank 3")?;
    let begin = Instant::now();
    let ended = job.finish(MOST)?;
    let took = begin.elapsed();
    clean(stage, &cluster, &before)?;
    let named = ended.stderr.contains("host3: rank 3 ");
    let said =
        format!("{:.1} s, {}", took.as_secs_f64(), if named { "named" } else { "not named" });
    let goal = "≤ 15 s, says who";
    Ok(vec![Row::of("SIGSTOP of one of 8", goal, said, named && took <= HANG)])
}

fn shape() -> Shape {
    let disk = Some("64M".to_owned());
    Shape { hosts: HOSTS, skew_s: 86_400, disk, ..Shape::default() }
}

/// Reads of each host's own disk for longer than any moment, in short passes, with a setting of its
/// kernel, which the disks must have back.
fn words(stage: &Stage<'_>, cluster: &Cluster<'_>, passes: &str) -> Result<Vec<String>> {
    let nodes = nodes(cluster).iter().map(|node| node.display().to_string()).collect::<Vec<_>>();
    let binds: String = nodes
        .iter()
        .enumerate()
        .map(|(host, node)| format!("bind from=\"node[{host}].disk\" to=\"{node}\"\n"))
        .collect();
    let streams: String = (0..HOSTS)
        .map(|host| {
            format!("    streams \"s{host}\" on=\"node[{host}]\" over=\"node[{host}].disk\"\n")
        })
        .collect();
    let text = format!(
        "study \"kills\"\n\
         path {{ host \"node\" count={HOSTS} {{ disk \"disk\" size=\"64 MiB\" }} }}\n\
         {binds}workload {passes} kernel-readahead=\"{READAHEAD}\" op=\"read\" \
         cache=\"buffered\" block=\"64 KiB\" rate=\"50 /s\" {{\n{streams}}}\n"
    );
    Ok(Stage::measure(&stage.study("kills.kdl", &text)?))
}

/// A rank's own process: there is one a host.
fn signal(cluster: &Cluster<'_>, rank: usize, signal: Signal) -> Result<()> {
    let host = cluster.hosts.get(rank).context("no such host")?;
    let is_rank = |one: &Process| one.name.starts_with("iopath");
    let Some(process) = host.processes().into_iter().find(is_rank) else {
        bail!("no rank runs on {}", host.name());
    };
    let id = i32::try_from(process.id).ok().and_then(Pid::from_raw).context("no number")?;
    kill_process(id, signal).context("it cannot be killed")
}

/// That nothing is left: no process, no file, no setting.
fn clean(stage: &Stage<'_>, cluster: &Cluster<'_>, before: &[String]) -> Result<()> {
    let left = cluster.left();
    ensure!(left.is_empty(), "left running: {}", left.join(", "));
    let strange = stage.strange_files()?;
    ensure!(strange.is_empty(), "left in the folder: {}", strange.join(", "));
    let now = readahead(cluster)?;
    ensure!(now == before, "readahead is {now:?}, was {before:?}");
    Ok(())
}

fn nodes(cluster: &Cluster<'_>) -> Vec<PathBuf> {
    cluster.hosts.iter().filter_map(|host| host.disk().map(Path::to_owned)).collect()
}

fn readahead(cluster: &Cluster<'_>) -> Result<Vec<String>> {
    let nodes = nodes(cluster);
    let read = |node: &PathBuf| {
        let name = node.file_name().context("no name")?;
        let file = Path::new("/sys/block").join(name).join("queue/read_ahead_kb");
        Ok(fs::read_to_string(file)?.trim().to_owned())
    };
    nodes.iter().map(read).collect()
}
