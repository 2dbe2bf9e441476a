//! `rate`: how late answers are at 20,000 requests a second, alone and while `iopath watch --live`
//! looks inside.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::fio::{self, Time};
use super::stage::Stage;
use super::stream::Stream;
use super::system::{Study, System};
use super::{Tally, verdict};

const PER_SEC: f64 = 20_000.0;
const SERVICE_US: u64 = 200;
/// In flight at most; four are on average.
const DEPTH: u64 = 32;
/// Microseconds within which 99 % of the answers must follow their due time.
const LATE_US: f64 = 200.0;
/// Percent of the rate that fio must have reached for the figure to say something.
const REACHED: f64 = 98.0;
const TIME: Time = Time { warm_up: 1, counted: 8 };

const HEAD: &str = "\
| disks | watched | reached | mean response | late at the median | at p99 | in time | met |
|---|---|---|---|---|---|---|---|";

/// Disks below the volume, and how often each is looked at, where it is.
#[derive(Clone, Copy)]
struct Row {
    disks: u64,
    watched: Option<Watched>,
}

#[derive(Clone, Copy)]
struct Watched {
    interval: &'static str,
    /// Looks without which a row says nothing: half of those in the counted time.
    least: usize,
}

/// The default interval, and the shortest one that the program takes.
const SELDOM: Watched = Watched { interval: "1s", least: 4 };
const OFTEN: Watched = Watched { interval: "100ms", least: 40 };

const ROWS: [Row; 4] = [
    Row { disks: 1, watched: None },
    Row { disks: 1, watched: Some(SELDOM) },
    Row { disks: 100, watched: Some(SELDOM) },
    Row { disks: 100, watched: Some(OFTEN) },
];

pub(crate) fn play(stage: &Stage) -> Result<Tally> {
    println!("{HEAD}");
    let mut tally = Tally::default();
    for row in ROWS {
        tally.add(is_met(stage, row)?);
    }
    Ok(tally)
}

fn is_met(stage: &Stage, Row { disks, watched }: Row) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("rate.kdl");
    std::fs::write(&file, study(disks))?;
    let system = System::up(stage, &Study::of(&file), &[])?;
    let watch = |one: Watched| Watcher::start(stage, &system, one.interval);
    let watcher = watched.map(watch).transpose()?;
    system.restart()?;
    let figures = fio::run(stage, &system, &stream(), TIME, "rate")?;
    let lateness = system.report()?.lateness;
    let looks = watcher.map(Watcher::looks).transpose()?;
    let reached = figures.bytes_per_sec / stream().block as f64;
    let (p50, p99) = (lateness.micros(0.5), lateness.micros(0.99));
    let mut missed = Vec::new();
    if reached < PER_SEC * REACHED / 100.0 {
        missed.push("the rate was not reached".to_owned());
    }
    if p99 > LATE_US {
        missed.push(format!("later than {LATE_US} µs at p99"));
    }
    if let (Some(looks), Some(watched)) = (looks, watched)
        && looks < watched.least
    {
        missed.push(format!("looked only {looks} times"));
    }
    println!(
        "| {disks} | {} | {reached:.0}/s | {:.0} µs | {p50:.0} µs | {p99:.0} µs | {:.2} % | {} |",
        watched.map_or("no".to_owned(), |one| format!("every {}", one.interval)),
        figures.mean_ns / 1e3,
        lateness.in_time_percent(),
        verdict(&missed)
    );
    Ok(missed.is_empty())
}

/// A stripe over disks in which each request takes the same time, and keeps no other waiting. It
/// says one in flight: more than this machine carries would be refused, and fio is to ask for more.
fn study(disks: u64) -> String {
    format!(
        r#"study "rate"
path {{ host "h" {{ disk "d" count={disks} size="1 GB" latency="{SERVICE_US} us" }} }}
layout {{ stripe "v" unit="64 KiB" over="h.d" }}
workload time="2 s" {{
    streams "s" over="v" pattern="random" block="4 KiB"
}}
"#
    )
}

fn stream() -> Stream {
    Stream {
        op: "randread".to_owned(),
        reads_percent: 100,
        block: 4096,
        depth: DEPTH,
        count: 1,
        is_shared: false,
        rate: Some(PER_SEC),
        is_poisson: false,
    }
}

/// `iopath watch --live`, until its value goes.
struct Watcher {
    watch: Child,
    /// A line of JSON for each look.
    said: File,
}

impl Watcher {
    fn start(stage: &Stage, system: &System, interval: &str) -> Result<Self> {
        let mut watch = Command::new(&stage.iopath);
        watch.args(["watch", "--live", "--json", "--interval", interval]);
        watch.args(["--directory", &system.directory()]);
        let said = tempfile::tempfile()?;
        watch.stdin(Stdio::null()).stdout(said.try_clone()?);
        Ok(Self { watch: watch.spawn().context("watch does not start")?, said })
    }

    /// How often it has looked inside.
    fn looks(mut self) -> Result<usize> {
        if let Some(status) = self.watch.try_wait()? {
            anyhow::bail!("watch ended by itself: {status}");
        }
        // What it still says would go where this file is read.
        self.end();
        self.said.rewind()?;
        Ok(BufReader::new(&self.said).lines().count())
    }

    fn end(&mut self) {
        let _ = self.watch.kill();
        let _ = self.watch.wait();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.end();
    }
}
