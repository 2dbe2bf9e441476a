//! Changes of the load itself: how much is in flight, which cache it meets, how many issue it.

use std::collections::BTreeSet;

use iopath_study::unindexed;

use super::{Advice, Scene};
use crate::judges::evidence::Cause;
use crate::judges::observed::StreamUse;
use crate::thresholds::trials::OWN_FLUSH_WRITES;

/// How many times as much in flight is tried next: twice shows whether anything waits.
const NEXT: u64 = 2;

/// Too few requests in flight: twice as many are twice as fast while nothing waits (Little's law).
pub(super) fn more_in_flight(scene: &Scene<'_>) -> Option<Advice> {
    if scene.limit.cause != Cause::Latency {
        return None;
    }
    let slots = scene.observed.slots()?;
    let depth = scene.observed.streams.first()?.depth?;
    let is_same = |stream: &StreamUse| stream.depth == Some(depth);
    let again = Again::of(scene, of_streams(scene, "depth"))
        .filter(|_| scene.observed.streams.iter().all(is_same))?;
    let next = NEXT * depth;
    Some(Advice {
        rule: "more-in-flight",
        what: format!(
            "keep {} requests in flight instead of {slots}: a depth of {next} for each stream, or \
             {NEXT} times the streams",
            NEXT * slots
        ),
        commands: vec![again.with(&next.to_string())],
        persistent: Some("the application's own setting of depth, threads or jobs".to_owned()),
        gain: format!(
            "up to {NEXT} times the throughput, as long as requests do not wait for one another \
             (Little's law)"
        ),
        risk: format!("{}; once something is full, each request only takes longer", risk(scene)),
        restart: "the application".to_owned(),
        undo: vec![again.as_it_was()],
    })
}

/// How many writers are tried next where each waits for its own flush: chosen.
const WRITERS: u64 = 8;

/// Each write waits for a flush of its own: writers may share one.
pub(super) fn share_flushes(scene: &Scene<'_>) -> Option<Advice> {
    let own = scene.observed.flushes.own.as_ref()?;
    let streams = &scene.observed.streams;
    let is_alone = streams.iter().all(|stream| stream.depth == Some(1));
    let is_own = own.writes.is_some_and(|writes| writes < OWN_FLUSH_WRITES);
    let is_shared = scene.observed.flushes.is_shared;
    if scene.limit.cause != Cause::Flush || !is_alone || !is_own || !is_shared {
        return None;
    }
    let again = Again::of(scene, of_streams(scene, "depth"))?;
    Some(Advice {
        rule: "share-flushes",
        what: format!(
            "let writers share flushes (group commit): {WRITERS} in flight for each stream, of \
             which those that complete during one flush are covered by the next"
        ),
        commands: vec![again.with(&WRITERS.to_string())],
        persistent: Some("the application's own group commit or number of writers".to_owned()),
        gain: format!(
            "half of {WRITERS} times the commits and more: K writers who take turns at two flushes \
             commit K / (2 flushes) times a second, K in step K / (write + flush)"
        ),
        risk: format!("{}; each commit takes up to two flushes", risk(scene)),
        restart: "the application".to_owned(),
        undo: vec![again.as_it_was()],
    })
}

/// The figure is that of memory.
pub(super) fn past_the_cache(scene: &Scene<'_>) -> Option<Advice> {
    // Where direct I/O was asked for and refused, asking again is of no use.
    let is_buffered = scene.observed.targets.iter().all(|t| t.cache.as_deref() == Some("buffered"));
    let in_memory = scene.observed.targets.iter().any(|target| target.in_memory);
    if scene.limit.cause != Cause::PageCache || !is_buffered || in_memory {
        return None;
    }
    let again = Again::of(scene, vec!["workload.cache".to_owned()])?;
    Some(Advice {
        rule: "past-the-cache",
        what: "to learn what the device does, measure past the page cache".to_owned(),
        commands: vec![again.with("direct")],
        persistent: None,
        gain: "a figure of the device; the application itself gains nothing by it".to_owned(),
        risk: format!(
            "{}; an application that reads again what it read is served by memory for good reason",
            risk(scene)
        ),
        restart: "nothing".to_owned(),
        undo: vec![again.as_it_was()],
    })
}

/// One thread is full while processors are idle.
pub(super) fn more_streams(scene: &Scene<'_>) -> Option<Advice> {
    let is_full = matches!(scene.limit.cause, Cause::Cpu | Cause::Generator);
    let processors = scene.observed.processors.as_ref()?;
    let streams = scene.observed.streams.len();
    let idle = (1.0 - processors.busy) * f64::from(processors.count);
    if !is_full || idle < 1.0 || scene.observed.engine == "null" {
        return None;
    }
    // One declaration, whose count is that of each target.
    let [path] = of_streams(scene, "count").try_into().ok()?;
    let count = (NEXT as usize * streams).checked_div(scene.observed.targets.len())?;
    let again = Again::of(scene, vec![path])?;
    Some(Advice {
        rule: "more-streams",
        what: format!(
            "spread the load over {} streams instead of {streams}: {idle:.1} processors are idle",
            NEXT as usize * streams
        ),
        commands: vec![again.with(&count.to_string())],
        persistent: Some("the application's own number of threads or jobs".to_owned()),
        gain: format!(
            "up to {:.1} times, as far as idle processors go",
            (1.0 + idle / streams as f64).min(NEXT as f64)
        ),
        risk: format!("{}; processors that others want", risk(scene)),
        restart: "the application".to_owned(),
        undo: vec![again.as_it_was()],
    })
}

/// The same command with one property changed. None where the command is not known, as of an
/// imported run, and where a factor varies the property: then the run itself shows what it gives.
struct Again<'a> {
    command: &'a str,
    /// As `--set` names them.
    paths: Vec<String>,
}

impl<'a> Again<'a> {
    fn of(scene: &Scene<'a>, paths: Vec<String>) -> Option<Self> {
        let command = scene.pass.fact("run.command")?;
        let varied = scene.pass.fact("run.varied").unwrap_or_default();
        let is_varied = |path: &String| varied.split(' ').any(|other| unindexed(other) == *path);
        (!paths.is_empty() && !paths.iter().any(is_varied)).then_some(Self { command, paths })
    }

    fn with(&self, value: &str) -> String {
        let sets = self.paths.iter().map(|path| format!(" --set {path}={value}"));
        format!("{}{}", self.command, sets.collect::<String>())
    }

    fn as_it_was(&self) -> String {
        self.command.to_owned()
    }
}

/// A property of every declaration of streams.
fn of_streams(scene: &Scene<'_>, property: &str) -> Vec<String> {
    let names = scene.observed.streams.iter();
    let names: BTreeSet<String> = names.map(|stream| unindexed(&stream.name)).collect();
    names.into_iter().map(|name| format!("{name}.{property}")).collect()
}

/// What repeating a load may do.
fn risk(scene: &Scene<'_>) -> &'static str {
    match scene.observed.application_bytes[1] > 0.0 {
        true => "it writes to its targets again",
        false => "none for data",
    }
}
