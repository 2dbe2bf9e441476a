//! `failures`: parts fail at random moments under load that is checked. Nothing may be lost that
//! the described system promises to keep, what it may lose must be reported, no request may hang,
//! and none may fail while a way is left.
//!
//! A system fails several times: each time writers begin, the part fails while they write, returns,
//! and everything is read back before the next time.

mod blocks;
mod catalogue;
mod group;
mod writer;

use anyhow::{Result, bail};

use super::stage::Stage;
use super::{Tally, verdict};
use crate::limits::Draw;
use catalogue::{ALL, Kind, Promise};

/// Failures of one system (chosen: coming up takes some two seconds).
const EACH: u64 = 5;
/// When a part fails, in milliseconds from when writers begin.
const MOMENTS_MS: (u64, u64) = (200, 600);

const HEAD: &str = "\
| fails | moments | writes | longest | failed | broken | lost | reported | met |
|---|---|---|---|---|---|---|---|---|";

/// What was seen of some failures.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// How often the part failed, by the system's own record.
    pub failures: u64,
    /// Acknowledged writes.
    pub writes: u64,
    pub longest_ms: f64,
    /// Requests that failed.
    pub errors: u64,
    /// Bytes that are not as the system promises.
    pub broken: u64,
    /// Acknowledged bytes that are not there, and need not be.
    pub lost: u64,
    /// Bytes that the system says it lost.
    pub reported: u64,
    /// Failures after which more was lost than reported.
    pub silent: u64,
}

impl Seen {
    pub(crate) fn add(&mut self, other: Self) {
        self.failures += other.failures;
        self.writes += other.writes;
        self.longest_ms = self.longest_ms.max(other.longest_ms);
        self.errors += other.errors;
        self.broken += other.broken;
        self.lost += other.lost;
        self.reported += other.reported;
        self.silent += other.silent;
    }
}

pub(crate) fn play(stage: &Stage) -> Result<Tally> {
    let mut tally = Tally::default();
    println!("Moments of seed {}.\n\n{HEAD}", stage.options.seed);
    for kind in ALL.iter().filter(|kind| stage.options.wants(kind.name)) {
        let seen = kind_of_failure(stage, kind);
        stage.go_on()?;
        match seen {
            Err(error) => {
                println!("| {} | | | | | | | | no: {error:#} |", kind.name);
                tally.add(false);
            }
            Ok(seen) => {
                let missed = missed(kind, &seen, stage.options.moments);
                println!("{}", row(kind, &seen, &missed));
                tally.add(missed.is_empty());
            }
        }
    }
    if tally.of == 0 {
        bail!("no such case; there are {}", ALL.map(|kind| kind.name).join("; "));
    }
    Ok(tally)
}

fn kind_of_failure(stage: &Stage, kind: &Kind) -> Result<Seen> {
    let mut draw = Draw::of(kind.name, stage.options.seed);
    let (least, most) = MOMENTS_MS;
    let moments = (0..stage.options.moments).map(|_| draw.within(least, most));
    let moments: Vec<u64> = moments.collect();
    let mut seen = Seen::default();
    for (number, moments) in moments.chunks(EACH as usize).enumerate() {
        stage.go_on()?;
        seen.add(group::play(stage, kind, moments, number as u64)?);
    }
    Ok(seen)
}

fn missed(kind: &Kind, seen: &Seen, moments: u64) -> Vec<String> {
    let may_lose = kind.promise != Promise::Acknowledged;
    let checks = [
        (seen.failures < moments, "it did not fail each time"),
        (seen.errors > 0, "requests failed though a way was left"),
        (seen.broken > 0, "bytes are not as promised"),
        (seen.silent > 0, "bytes were lost and not reported"),
        (!may_lose && seen.reported > 0, "it reports a loss of what it promises to keep"),
        (may_lose && seen.lost == 0, "nothing was lost, so the load proves nothing"),
    ];
    let missed = checks.iter().filter(|(is_missed, _)| *is_missed);
    missed.map(|(_, why)| (*why).to_owned()).collect()
}

fn row(kind: &Kind, seen: &Seen, missed: &[String]) -> String {
    let Seen { failures, writes, longest_ms, errors, broken, lost, reported, .. } = seen;
    format!(
        "| {} | {failures} | {writes} | {longest_ms:.0} ms | {errors} | {broken} B | {lost} B | \
         {reported} B | {} |",
        kind.name,
        verdict(missed)
    )
}
