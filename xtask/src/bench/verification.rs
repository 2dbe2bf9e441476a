//! What verification costs while requests run: iopath with `--verify` and without it, on
//! a scratch file in memory, where nothing else is in the way. Filling and reading back lie outside
//! of the passes, so they are in neither figure.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::iopath;
use super::outcome::{Comparison, Goal, Outcome};
use super::place::{Place, Where};
use super::stage::{Stage, tell_progress};

/// How fast it must be with verification, of what it is without.
const AT_LEAST: f64 = 0.85;
/// Larger than caches of processors, and soon filled (chosen).
const FILE: &str = "256 MiB";

/// A load to be verified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verification {
    pub block_kib: u64,
    /// As the option says it.
    pub op: &'static str,
}

pub(crate) fn compare(load: Verification, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for pair in 0..stage.pairs {
        tell_progress("pair", pair, stage.pairs);
        let order = if pair.is_multiple_of(2) { [true, false] } else { [false, true] };
        for verify in order {
            let mut words = words(&stage.iopath, load, &place, stage.length);
            words.extend(verify.then(|| "--verify".to_owned()));
            let (stdout, _) = stage.output(&words, &place)?;
            let rate = iopath::read(&stdout)?.bytes_per_sec;
            if verify { with.push(rate) } else { without.push(rate) }
        }
    }
    tell_progress("pair", stage.pairs, stage.pairs);
    let (rival, goal) = ("without --verify".to_owned(), Goal::AtLeast(AT_LEAST));
    let found = Comparison::new(rival, "bytes/s", with, without, Some(goal));
    outcome.comparisons.push(found.context("no pair was run")?);
    Ok(())
}

fn words(program: &Path, load: Verification, place: &Place, length: Duration) -> Vec<String> {
    let store = place.note().with_extension("db").display().to_string();
    let folder = place.note().parent().unwrap_or(Path::new("/dev/shm")).display().to_string();
    let (block, time) = (format!("{} KiB", load.block_kib), format!("{} ms", length.as_millis()));
    let words = [
        program.to_str().unwrap_or("iopath"),
        "measure",
        "--json",
        "--no-progress",
        "--no-path",
        "--no-report",
        "--warm-up=0 s",
        "--passes=1",
        "--pattern=random",
        "--op",
        load.op,
        "--block",
        &block,
        "--size",
        FILE,
        "--time",
        &time,
        "--target",
        &folder,
        "--store",
        &store,
    ];
    words.map(str::to_owned).into()
}
