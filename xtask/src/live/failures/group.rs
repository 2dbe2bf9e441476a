//! A system that fails several times, with writers on it.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};

use super::Seen;
use super::catalogue::Kind;
use super::writer::{Outage, Writer};
use crate::live::stage::Stage;
use crate::live::system::{Study, System};

/// When the first writers begin, in milliseconds of the system's time (chosen: it is up by then).
pub(crate) const BEGIN_MS: u64 = 1_500;
/// From when writers begin to when the next ones do, and how long of that they write: a part that
/// fails at 600 ms is used again at 850.
pub(crate) const ROUND_MS: u64 = 1_300;
const WRITING_MS: u64 = 950;
/// Until a failure is known, as studies here say it.
const FAILOVER: Duration = Duration::from_millis(50);
const WRITERS: u64 = 4;
/// Longest that a request may take beyond the time in which writers write.
const HANGS: Duration = Duration::from_secs(10);

/// The failures of a system, at these moments.
pub(crate) fn play(stage: &Stage, kind: &Kind, moments: &[u64], group: u64) -> Result<Seen> {
    let folder = tempfile::tempdir()?;
    let (file, text) = (folder.path().join("fails.kdl"), kind.text(moments));
    std::fs::write(&file, &text)?;
    stage.keep(&format!("{}-{group}.kdl", kind.name.replace([' ', ','], "-")), text.as_bytes())?;
    let system = System::up(stage, &Study::of(&file), &["--media", "files"])?;
    let began = system.report()?.began()?;
    let target = system.files.first().context("no file")?;
    let seed = stage.options.seed + group;
    let writers = (0..WRITERS).map(|number| Writer::new(target, number, kind.promise, seed));
    let mut writers: Vec<Writer> = writers.collect::<Result<_>>()?;
    let mut seen = Seen::default();
    for (round, moment) in (0..).zip(moments) {
        stage.go_on()?;
        let begin = began + Duration::from_millis(BEGIN_MS + ROUND_MS * round);
        let keeps_all = kind.keeps_all_of(round);
        let outage = Outage::at(begin + Duration::from_millis(*moment), FAILOVER);
        let outage = Outage { keeps_all, ..outage };
        let before = seen.reported;
        let lost;
        (writers, lost) = round_of(writers, begin, outage)?;
        seen.reported = system.report()?.lost_bytes;
        seen.silent += u64::from(lost > seen.reported - before);
    }
    seen.failures = system.report()?.failures()?;
    writers.iter().for_each(|writer| seen.add(writer.seen));
    Ok(seen)
}

/// All writers write from a time on, and read everything back; gives what they found lost too.
fn round_of(writers: Vec<Writer>, begin: SystemTime, outage: Outage) -> Result<(Vec<Writer>, u64)> {
    let until = begin + Duration::from_millis(WRITING_MS);
    std::thread::sleep(begin.duration_since(SystemTime::now()).unwrap_or_default());
    let writers = together(writers, until, move |writer| {
        writer.write_until(until, outage);
        0
    })?;
    // Only when nobody writes any more.
    let writers: Vec<Writer> = writers.into_iter().map(|done| done.writer).collect();
    let done = together(writers, until, Writer::check)?;
    let lost = done.iter().map(|done| done.lost).sum();
    Ok((done.into_iter().map(|done| done.writer).collect(), lost))
}

/// A writer that is back, and what it found lost.
struct Done {
    writer: Writer,
    lost: u64,
}

/// Has each writer do something in a thread of its own. A request that hangs keeps its thread until
/// the system is taken away, so nobody waits for threads.
fn together(
    writers: Vec<Writer>,
    until: SystemTime,
    what: impl Fn(&mut Writer) -> u64 + Copy + Send + 'static,
) -> Result<Vec<Done>> {
    let (sender, receiver) = channel();
    let count = writers.len();
    for mut writer in writers {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let lost = what(&mut writer);
            // Who does not wait any more misses nothing.
            let _ = sender.send(Done { writer, lost });
        });
    }
    awaited(&receiver, until + HANGS, count)
}

fn awaited(receiver: &Receiver<Done>, until: SystemTime, count: usize) -> Result<Vec<Done>> {
    let next = || {
        let left = until.duration_since(SystemTime::now()).unwrap_or_default();
        receiver.recv_timeout(left).with_context(|| format!("a request hangs for {HANGS:?}"))
    };
    (0..count).map(|_| next()).collect()
}
