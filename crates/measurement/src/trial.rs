//! The story of a trial: open, prepare, calibrate, pass after pass, read back what was written.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use iopath_machine::Root;
use iopath_machine::safety::Refusal;
use iopath_ranks::Communicator;
use iopath_record::{BadBlocks, Progress, Record};
use iopath_study::Case;
use iopath_study::case::{CacheMode, EngineKind, Pacing, Until, Verify};
use iopath_units::{Action, Nanos};
use thiserror::Error;

use crate::between::{Between, announce, going_on, look_after, pause};
use crate::compose::{Composer, PassFacts, PathBelow};
use crate::engine::choice::{Choice, Way};
use crate::failure::Failure;
use crate::pass::{Pass, StreamCounts, seed_of};
use crate::readback;
use crate::target::{OpenTarget, Targets, drop_cached, write_back};

/// The world outside a trial.
pub struct Host<'a> {
    /// Where /proc and /sys are.
    pub root: &'a Root,
    /// Set when the user wants an end.
    pub interrupted: &'a AtomicBool,
    /// Told what happens.
    pub tell: &'a mut dyn FnMut(Progress),
    /// Given the record of each pass as soon as it exists.
    pub keep: &'a mut dyn FnMut(Record) -> Next,
    /// The other ranks, where there are some.
    pub ranks: Option<&'a RefCell<Communicator>>,
}

/// What a rank does of a case; all of it where there is one.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The case with the streams that run here.
    pub runs: &'a Case,
    /// With those of other ranks that this one opens and fills targets for. The targets are the
    /// same.
    pub holds: &'a Case,
    /// Of one of several hosts: a case whose path is what this host knows of its own.
    pub path: Option<&'a Case>,
}

impl<'a> Part<'a> {
    /// All of a case.
    #[must_use]
    pub fn whole(case: &'a Case) -> Self {
        Self { runs: case, holds: case, path: None }
    }

    /// Whether streams of other ranks use a target that this one holds.
    pub(crate) fn others_use(&self, target: usize) -> bool {
        let on_it = |case: &Case| case.streams.iter().filter(|one| one.target == target).count();
        on_it(self.holds) > on_it(self.runs)
    }
}

/// Whether whoever keeps the records wants more passes than the study asks for at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// One more, up to [`MOST_PASSES`].
    Continue,
    /// The study's number will do.
    Enough,
}

/// A trial that is repeated until it is precise enough gives up after this many passes (chosen:
/// the half-width falls with the square root of the number, so more would hardly help).
pub const MOST_PASSES: u32 = 30;

/// How a trial ended.
#[derive(Debug)]
pub enum Ending {
    /// As the study says.
    Finished,
    /// The user wanted an end; finished passes are kept, the interrupted one too, with a note.
    Interrupted,
    /// Something failed; what was measured before is kept.
    Failed(Failure),
}

/// Why a trial could not begin.
#[derive(Debug, Error)]
#[error("{target} could not be {stage}: {source}")]
pub struct CannotBegin {
    /// Which target, or all of them.
    pub target: String,
    /// What was tried.
    pub stage: Stage,
    /// The kernel's answer.
    pub source: io::Error,
}

impl CannotBegin {
    /// Whether a target was refused, because somebody has taken it into use since it was permitted.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.source.get_ref().is_some_and(|inner| inner.is::<Refusal>())
    }
}

/// What a trial does with its targets before its first pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Stage {
    /// Set how far the kernel reads ahead of them; nothing was opened yet.
    #[strum(to_string = "set as the study requires")]
    Set,
    /// Open them; nothing was read or written yet.
    #[strum(to_string = "opened")]
    Open,
    /// Begin their journals; nothing was read or written yet.
    #[strum(to_string = "verified")]
    Journal,
    /// Write what will be read.
    #[strum(to_string = "filled")]
    Fill,
    /// Empty the page cache of them.
    #[strum(to_string = "dropped from the page cache")]
    Drop,
}

/// How long the tool's own ceiling is measured at a time before a trial.
const CALIBRATION: Duration = Duration::from_millis(50);

/// How often at most: chosen. On a busy machine a thread may get two turns in 50 ms, so the ceiling
/// is the best of several times.
const CALIBRATIONS: usize = 5;

/// How far the best two may be apart to be believed: chosen. What others on the machine take is
/// seldom as much twice.
const AGREE: f64 = 1.1;

/// Measures one case, or a rank's part of it.
pub fn measure(
    part: Part<'_>,
    trial: u32,
    targets: &mut Targets,
    host: Host<'_>,
) -> Result<Ending, CannotBegin> {
    let case = part.holds;
    let failed = |stage| move |source| CannotBegin { target: names(case), stage, source };
    targets.change_settings(case).map_err(failed(Stage::Set))?;
    let ended = with_settings(part, trial, targets, host);
    targets.restore_settings();
    ended
}

/// The trial while the kernel is set as its case wants.
fn with_settings(
    part: Part<'_>,
    trial: u32,
    targets: &mut Targets,
    mut host: Host<'_>,
) -> Result<Ending, CannotBegin> {
    let case = part.holds;
    let failed = |stage| move |source| CannotBegin { target: names(case), stage, source };
    let mut open = targets.open(case).map_err(failed(Stage::Open))?;
    let kept = targets.keep_stamps(case, &mut open).map_err(failed(Stage::Journal));
    let prepared = kept.map(|()| targets.prepare(part, &open, (host.interrupted, host.tell)));
    let ended = prepared.and_then(|prepared| match prepared {
        Ok(()) => {
            let Host { root, interrupted, ref mut tell, ref mut keep, ranks } = host;
            run_passes(part, trial, targets, (&open, Host { root, interrupted, tell, keep, ranks }))
        }
        Err(_) if host.interrupted.load(Relaxed) => Ok(Ending::Interrupted),
        Err(source) => Err(failed(Stage::Fill)(source)),
    });
    // Whatever the end was: these files are ours, and the next run must know them again.
    targets.mark_written(case, &open);
    targets.remove_trees(&mut open, host.tell);
    ended
}

/// All passes of a trial whose targets are ready, and the reading back.
fn run_passes(
    part: Part<'_>,
    trial: u32,
    targets: &mut Targets,
    (open, host): (&[OpenTarget], Host<'_>),
) -> Result<Ending, CannotBegin> {
    let Host { root, interrupted, tell, keep, ranks } = host;
    let Part { runs: case, holds, path } = part;
    let failed = |stage| move |source| CannotBegin { target: names(case), stage, source };
    let ceiling = calibrate(case, open, interrupted);
    let choice = &Choice::of(case, open);
    let settings = targets.changed_settings();
    let path = path.map_or(PathBelow::OfCase(case), PathBelow::OfHost);
    let composer = Composer { case, path, trial, root, targets: open, choice, ceiling, settings };

    let (mut pass, mut found) = (0, BadBlocks::default());
    loop {
        come_to_pass(pass, case, interrupted, ranks);
        make_ready((holds, targets), open, (interrupted, tell)).map_err(failed(Stage::Fill))?;
        let trimmed = targets.trimmed(case);
        let dropped = (!interrupted.load(Relaxed)).then(|| drop_all(case, open)).transpose();
        let left_cached = dropped.map_err(failed(Stage::Drop))?.unwrap_or_default();
        if interrupted.load(Relaxed) {
            // A pass that ends before it began would be kept as if it told something.
            return Ok(damaged(found, BadBlocks::default()).unwrap_or(Ending::Interrupted));
        }
        tell(Progress::PassStarted { pass, expected_ns: case.pass_time().map(|time| time.0) });
        let (sources, entities) = composer.sources();
        let (engine, lasts, sources) = (choice.engine, None, Some(sources));
        let between = Some(Between { case, targets, open, interrupted, ranks });
        let seed = seed_of(case, trial, pass);
        let run =
            Pass { case, targets: open, engine, seed, lasts, sources, between, interrupted, ranks };
        let mut outcome = run.run(tell);
        if outcome.cancelled {
            return Ok(outcome.failure.map_or(Ending::Interrupted, Ending::Failed));
        }
        note_written(case, targets, &outcome);
        targets.note_trimmed_elsewhere(part);
        let failure = outcome.failure.take();
        let ended_early = outcome.interrupted;
        let bad_blocks = take_found(open);
        found.merge(bad_blocks.clone());
        let failed = failure.as_ref();
        let facts = PassFacts { pass, left_cached, trimmed, failed, bad_blocks, entities };
        let next = keep(composer.record(outcome, facts));
        tell(Progress::PassEnded { pass });
        if let Some(failure) = failure {
            return Ok(Ending::Failed(failure));
        }
        if ended_early || interrupted.load(Relaxed) {
            return Ok(damaged(found, BadBlocks::default()).unwrap_or(Ending::Interrupted));
        }
        pass += 1;
        let wanted = next == Next::Continue;
        if pass >= case.workload.passes && !(wanted && pass < MOST_PASSES) {
            break;
        }
    }
    announce(ranks);
    let checked = write_back(case, open);
    let checked = checked.and_then(|()| readback::check(open, interrupted, tell));
    Ok(match (damaged(found, take_found(open)), checked) {
        (Some(damaged), _) => damaged,
        (None, Err(failure)) => Ending::Failed(failure),
        // What was not read back any more is not known to be right.
        (None, Ok(())) if interrupted.load(Relaxed) => Ending::Interrupted,
        (None, Ok(())) => Ending::Finished,
    })
}

/// The pause before a pass; the other ranks are not to take this one for hung.
fn come_to_pass(
    pass: u32,
    case: &Case,
    interrupted: &AtomicBool,
    ranks: Option<&RefCell<Communicator>>,
) {
    let mut goes_on = || {
        look_after(ranks);
        !interrupted.load(Relaxed)
    };
    if pass > 0 {
        pause(case.workload.pass_delay, &mut goes_on);
    }
    if changes_targets_between_passes(case) {
        announce(ranks);
    }
}

/// Whether targets are emptied from the page cache, filled or made anew before each pass.
fn changes_targets_between_passes(case: &Case) -> bool {
    let changed = |action: &Action| *action == Action::Trim || action.is_of_files();
    case.workload.cache == CacheMode::Drop
        || case.streams.iter().any(|stream| changed(&stream.action))
}

/// Fills what an earlier pass has trimmed, and makes the files of trees as the first streams of a
/// pass need them. An end that the user wants is seen by who asks for it.
fn make_ready(
    (case, targets): (&Case, &mut Targets),
    open: &[OpenTarget],
    (interrupted, tell): (&AtomicBool, &mut dyn FnMut(Progress)),
) -> io::Result<()> {
    let first = &case.epochs()[0];
    let mut go_on = going_on(interrupted, tell);
    let made = open.iter().enumerate().try_for_each(|(index, target)| {
        targets.make_ready((case, index), first, target, &mut go_on)
    });
    match made {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        made => made,
    }
}

/// What verification found since this was asked last.
fn take_found(open: &[OpenTarget]) -> BadBlocks {
    let mut found = BadBlocks::default();
    let checkers = open.iter().filter_map(|target| target.checker.as_ref());
    checkers.for_each(|checker| found.merge(checker.take_found()));
    found
}

/// How a trial ends whose data is wrong.
fn damaged(mut found: BadBlocks, read_back: BadBlocks) -> Option<Ending> {
    found.merge(read_back.clone());
    let (found, read_back) = (Box::new(found), Box::new(read_back));
    (!found.is_empty()).then_some(Ending::Failed(Failure::Damaged { found, read_back }))
}

fn names(case: &Case) -> String {
    let name = |target: &iopath_study::case::Target| {
        target.binding.clone().unwrap_or_else(|| target.name.clone())
    };
    case.targets.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Requests per second of this very case without any storage, in a closed loop: of those that run
/// one after the other, of the slowest.
fn calibrate(case: &Case, open: &[OpenTarget], interrupted: &AtomicBool) -> Option<u64> {
    // Where workers block there are more of them than the null engine has, and stamps cost what it
    // does not pay: such a ceiling would be too high to say anything.
    let workers_differ =
        matches!(case.workload.engine, EngineKind::Null | EngineKind::Threads | EngineKind::Mmap);
    // What names cost is all there is to a metadata load, and that engine knows no names.
    let only_files = case.streams.iter().all(|stream| stream.action.is_of_files());
    if workers_differ || only_files || case.workload.verify == Verify::Stamps {
        return None;
    }
    let mut unpaced = case.clone();
    unpaced.streams.iter_mut().for_each(|stream| stream.pacing = Pacing::Closed);
    unpaced.workload.until = Until { time: Some(Nanos(u64::MAX)), amount: None };
    let engine = Way::Null;
    let once = || {
        let (lasts, sources, between) = (Some(CALIBRATION), None, None);
        let case = &unpaced;
        let (targets, seed, ranks) = (open, case.workload.seed, None);
        let run = Pass { case, targets, engine, seed, lasts, sources, between, interrupted, ranks };
        let outcome = run.run(&mut |_| {});
        // What keeps this from running will keep the trial from it, and is reported then.
        let epochs = case.epochs();
        let completed = epochs.iter().map(|streams| outcome.completed(streams));
        outcome.failure.is_none().then(|| completed.min().unwrap_or(0))
    };
    let requests = best_of(once)?;
    Some((u128::from(requests) * 1_000 / CALIBRATION.as_millis()) as u64)
}

/// The most of several tries, of which there are more until the best two agree.
fn best_of(mut once: impl FnMut() -> Option<u64>) -> Option<u64> {
    let (mut best, mut second) = (once()?, 0);
    for _ in 1..CALIBRATIONS {
        let next = once()?;
        (best, second) = (best.max(next), second.max(best.min(next)));
        if best > 0 && best as f64 <= AGREE * second as f64 {
            break;
        }
    }
    Some(best)
}

/// Bytes that stayed in the page cache of each target, where `drop` was asked for.
fn drop_all(case: &Case, open: &[OpenTarget]) -> io::Result<Vec<Option<u64>>> {
    open.iter().map(|target| drop_cached(target, case.workload.cache)).collect()
}

fn note_written(case: &Case, targets: &mut Targets, outcome: &crate::pass::Outcome) {
    let moved: Vec<u64> = outcome.streams.iter().map(StreamCounts::bytes).collect();
    if moved.len() == case.streams.len() {
        case.epochs().iter().for_each(|streams| targets.note_written(case, streams, &moved));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_is_the_best_of_tries_of_which_two_agree() {
        let of = |tries: &[u64]| {
            let mut left = tries.iter().copied();
            (best_of(|| left.next()), left.count())
        };
        assert_eq!(of(&[100_000, 99_000, 1]), (Some(100_000), 1));
        // No turn on a busy machine, twice; then what it can do.
        assert_eq!(of(&[0, 0, 5_000, 100_000, 98_000, 1]), (Some(100_000), 1));
        assert_eq!(of(&[16, 64, 400, 3_000, 90_000, 1]), (Some(90_000), 1));
        assert_eq!(of(&[]), (None, 0));
    }
}
