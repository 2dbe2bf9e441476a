//! Changes of the load itself: how much is in flight, which cache it meets, how many issue it.

use super::{Advice, Scene};
use crate::limit::Cause;

/// How many times as much in flight is tried next: twice shows whether anything waits.
const NEXT: u64 = 2;

/// Too few requests in flight: twice as many are twice as fast while nothing waits (Little's law).
pub(super) fn more_in_flight(scene: &Scene<'_>) -> Option<Advice> {
    if scene.limit.cause != Cause::Latency {
        return None;
    }
    let slots = scene.observed.slots()?;
    let depth = scene.observed.streams.first()?.depth?;
    let next = NEXT * depth;
    Some(Advice {
        rule: "more-in-flight",
        what: format!(
            "keep {} requests in flight instead of {slots}: a depth of {next} for each stream, or \
             {NEXT} times the streams",
            NEXT * slots
        ),
        commands: vec![again(scene, &format!("--depth {next}"))],
        persistent: Some("the application's own setting of depth, threads or jobs".to_owned()),
        gain: format!(
            "up to {NEXT} times the throughput, as long as requests do not wait for one another \
             (Little's law)"
        ),
        risk: "none for data; once something is full, each request only takes longer".to_owned(),
        restart: "the application".to_owned(),
        undo: vec![again(scene, &format!("--depth {depth}"))],
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
    Some(Advice {
        rule: "past-the-cache",
        what: "to learn what the device does, measure past the page cache".to_owned(),
        commands: vec![again(scene, "--cache direct")],
        persistent: None,
        gain: "a figure of the device; the application itself gains nothing by it".to_owned(),
        risk: "none for data; an application that reads again what it read is served by memory \
               for good reason"
            .to_owned(),
        restart: "nothing".to_owned(),
        undo: vec![again(scene, "--cache buffered")],
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
    Some(Advice {
        rule: "more-streams",
        what: format!(
            "spread the load over {} streams instead of {streams}: {idle:.1} processors are idle",
            NEXT as usize * streams
        ),
        commands: vec![again(scene, &format!("--streams {}", NEXT as usize * streams))],
        persistent: Some("the application's own number of threads or jobs".to_owned()),
        gain: format!(
            "up to {:.1} times, as far as idle processors go",
            (1.0 + idle / streams as f64).min(NEXT as f64)
        ),
        risk: "none for data; processors that others want".to_owned(),
        restart: "the application".to_owned(),
        undo: vec![again(scene, &format!("--streams {streams}"))],
    })
}

/// The command that measures the same with one option changed. Only of reads of one target: what
/// writes, and what a study of one's own describes, is changed where it is written down.
fn again(scene: &Scene<'_>, option: &str) -> String {
    let fact = |name: &str| scene.pass.fact(name);
    let paths = scene.observed.targets.iter();
    let paths: Vec<Option<&str>> =
        paths.map(|target| fact(&format!("target.{}.path", target.name))).collect();
    let reads = scene.observed.application_bytes[1] == 0.0;
    let pattern = fact("workload.pattern").and_then(|pattern| {
        ["Random", "Sequential"].into_iter().find(|known| pattern.starts_with(known))
    });
    match (&paths[..], pattern) {
        ([Some(path)], Some(pattern)) if reads && !path.starts_with("scratch") => {
            let block = fact("workload.block").map(|block| block.replace(' ', ""));
            let block = block.map(|block| format!(" --block {block}")).unwrap_or_default();
            let pattern = pattern.to_lowercase();
            format!("iopath measure --target {path}{block} --pattern {pattern} {option}")
        }
        _ => format!("iopath measure STUDY, with {option} as the property of its streams"),
    }
}
