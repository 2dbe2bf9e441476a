//! Crashes against `iopath verify`: the program killed on a real file; killed together with a disk
//! that loses its cache; and the same with a disk that acknowledged a flush and dropped a write.
//!
//! What must be found is not guessed: the disk compares what it was given with what it has. Only
//! of the last writes, as many as may be in flight, it cannot know whether the program had heard of
//! their end. Left out: `O_DSYNC` on that disk, as FUSE does not tell of it (they are on real
//! files), and mappings, whose pages the kernel writes after the program was killed.

mod cache;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Attack;
use super::bench::{Bench, await_that, finish, kill, report};
use super::faults::Mounted;
use crate::limits::Draw;
use cache::{Cached, Fate, Lie};

/// Of each kind, where there is time for all.
const CRASHES: u32 = 100;
/// Bytes of a target (chosen: most blocks are written several times, and all are filled at once).
const BYTES: usize = 4 << 20;
const UNIT: u64 = 4096;

/// One way to crash: prepares, lets the program run, ends it, and judges what it says then.
struct Kind {
    name: &'static str,
    run: fn(&Bench<'_>, &mut Draw) -> Result<Outcome>,
}

/// What a crash has proved.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    lost: usize,
    damaged: usize,
}

const KINDS: [Kind; 3] = [
    Kind { name: "kill -9 on a real file", run: killed },
    Kind { name: "a disk that loses its cache", run: powerless },
    Kind { name: "a disk that lies", run: lying },
];

/// What `verify --json` prints.
#[derive(Deserialize)]
struct Verified {
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    units: u64,
    lost: Vec<Place>,
    torn: Vec<Place>,
    bad_blocks: BadBlocks,
}

#[derive(Deserialize)]
struct BadBlocks {
    listed: Vec<Place>,
}

#[derive(Deserialize)]
struct Place {
    offset_bytes: u64,
}

pub(super) fn run(attack: &Attack) -> Result<bool> {
    let mut draw = Draw::of("crash", attack.seed);
    let mut totals = KINDS.map(|_| (0, Outcome::default()));
    let in_time = || attack.until.is_none_or(|until| Instant::now() < until);
    let mut held = true;
    while held && totals[0].0 < CRASHES && in_time() {
        for (kind, (crashes, total)) in KINDS.iter().zip(&mut totals) {
            *crashes += 1;
            let folder = tempfile::Builder::new().prefix("iopath-crash-").tempdir()?;
            let bench = Bench { program: &attack.program, directory: folder.path().to_owned() };
            let crashed = (kind.run)(&bench, &mut draw);
            match crashed.with_context(|| format!("crash {crashes}: {}", kind.name)) {
                Ok(found) => {
                    total.lost += found.lost;
                    total.damaged += found.damaged;
                }
                Err(error) => held &= report(kind.name, &Err(error)),
            }
        }
    }
    for (kind, (crashes, Outcome { lost, damaged })) in KINDS.iter().zip(totals) {
        println!("{crashes:>4} × {}: {lost} lost writes, {damaged} lost flushes", kind.name);
    }
    Ok(held)
}

/// A run that writes until it is killed.
struct Load {
    words: String,
    depth: usize,
}

impl Load {
    fn drawn(draw: &mut Draw, sync: &str, engines: &[&str], target: &Path) -> Self {
        let depth = draw.one(&[1, 4]);
        let engine = draw.one(engines);
        let cache = match engine {
            "mmap" => "buffered",
            _ => draw.one(&["direct", "buffered"]),
        };
        let words = format!(
            "measure --verify --target {} --size {BYTES}B --op {} --pattern {} --block {}KiB \
             --depth {depth} --sync {sync} --engine {engine} --cache {cache} --rate 3000/s \
             --time 60s --warm-up 0s --seed {} --no-progress --no-path --no-report",
            target.display(),
            draw.one(&["write", "mix=40"]),
            draw.one(&["random", "sequential"]),
            draw.one(&[4, 16]),
            draw.within(1, 1_000_000),
        );
        Self { words, depth }
    }

    /// Lets it run until something is so, and a moment longer; then kills it.
    fn run(&self, bench: &Bench<'_>, after: Duration, is_so: impl Fn() -> bool) -> Result<()> {
        let mut child = bench.command(&self.words).spawn().context("the program does not start")?;
        let id = child.id();
        let awaited = await_that("the run has come so far", || {
            is_so() || child.try_wait().is_ok_and(|ended| ended.is_some())
        });
        std::thread::sleep(after);
        kill(id, "KILL");
        let ended = finish(child)?;
        awaited?;
        ensure!(ended.signal == Some(9), "{} ended by itself: {}", self.words, ended.stderr);
        Ok(())
    }
}

fn killed(bench: &Bench<'_>, draw: &mut Draw) -> Result<Outcome> {
    let file = bench.path("file");
    let sync = draw.one(&["fdatasync=8", "fsync=1", "dsync", "end", "none"]);
    let engines: &[&str] =
        if sync == "dsync" { &["uring", "calls"] } else { &["uring", "calls", "threads", "mmap"] };
    let load = Load::drawn(draw, sync, engines, &file);
    let after = Duration::from_millis(draw.within(0, 600));
    load.run(bench, after, || journal(bench).is_some())?;
    let found = verified(bench, &[0])?;
    ensure!(found.lost.is_empty(), "{}: lost {:?}", load.words, found.lost);
    // Stores to a mapping are cut off anywhere.
    let is_cut = load.words.contains("mmap");
    ensure!(is_cut || found.torn.is_empty(), "{}: torn {:?}", load.words, found.torn);
    Ok(Outcome::default())
}

fn powerless(bench: &Bench<'_>, draw: &mut Draw) -> Result<Outcome> {
    let (load, mounted) = on_disk(draw, None)?;
    let after = Duration::from_millis(draw.within(0, 600));
    load.run(bench, after, || mounted.disk().flushes() > 0)?;
    let fate = mounted.disk().fail(draw);
    let found = verified(bench, &[0])?;
    mounted.end()?;
    let told: BTreeSet<u64> = found.lost.union(&found.torn).copied().collect();
    let Fate { changed, unsure, .. } = fate;
    let missed: Vec<_> = changed.difference(&told).filter(|unit| !unsure.contains(unit)).collect();
    let invented: Vec<_> = told.difference(&changed).collect();
    let words = &load.words;
    ensure!(missed.is_empty(), "{words}: not reported: {missed:?}");
    ensure!(invented.is_empty(), "{words}: reported, although nothing is lost: {invented:?}");
    Ok(Outcome { lost: told.len(), damaged: 0 })
}

fn lying(bench: &Bench<'_>, draw: &mut Draw) -> Result<Outcome> {
    let lie = Lie { from_flush: draw.within(2, 12), which: draw.within(0, 1 << 20) as usize };
    let (load, mounted) = on_disk(draw, Some(lie))?;
    load.run(bench, Duration::ZERO, || mounted.disk().has_lied())?;
    let Fate { dropped, rewritten, .. } = mounted.disk().fail(draw);
    let sure: BTreeSet<u64> = dropped.difference(&rewritten).copied().collect();
    let found = verified(bench, if sure.is_empty() { &[0, 6] } else { &[6] })?;
    mounted.end()?;
    let words = &load.words;
    ensure!(sure.is_subset(&found.bad), "{words}: {sure:?} lost, found {:?}", found.bad);
    ensure!(found.bad.is_subset(&dropped), "{words}: {dropped:?} lost, found {:?}", found.bad);
    Ok(Outcome { lost: 0, damaged: found.bad.len() })
}

/// A load on a disk with a volatile cache. A flush covers more writes than are in flight, so that
/// some of them were surely acknowledged before it.
fn on_disk(draw: &mut Draw, lie: Option<Lie>) -> Result<(Load, Mounted<Cached>)> {
    let sync = draw.one(&["fdatasync=16", "fsync=8"]);
    // The most that a load has in flight.
    let mounted = Mounted::new(Cached::new(BYTES, 4, lie))?;
    let load = Load::drawn(draw, sync, &["uring", "calls"], &mounted.file());
    ensure!(load.depth <= 4, "the disk must know how many writes are in flight");
    Ok((load, mounted))
}

/// The journal of the run, once it is whole.
fn journal(bench: &Bench<'_>) -> Option<PathBuf> {
    let folder = bench.path("data/iopath/runs.db.journals");
    let path = std::fs::read_dir(folder).ok()?.flatten().next()?.path();
    path.metadata().is_ok_and(|facts| facts.len() > 0).then_some(path)
}

/// Blocks by number, as the program tells of them.
struct Told {
    lost: BTreeSet<u64>,
    torn: BTreeSet<u64>,
    bad: BTreeSet<u64>,
}

fn verified(bench: &Bench<'_>, codes: &[i32]) -> Result<Told> {
    let ended = bench.run("verify last --json --no-progress")?;
    ended.with(codes)?;
    let found: Verified =
        serde_json::from_str(&ended.stdout).context("verify prints another JSON")?;
    ensure!(found.targets.len() == 1, "{} targets", found.targets.len());
    let Target { units, lost, torn, bad_blocks } = &found.targets[0];
    ensure!(*units <= BYTES as u64 / UNIT, "{units} blocks checked");
    let numbers = |places: &[Place]| places.iter().map(|at| at.offset_bytes / UNIT).collect();
    Ok(Told { lost: numbers(lost), torn: numbers(torn), bad: numbers(&bad_blocks.listed) })
}
