//! `iopath verify RUN`: what a run that was cut off had written, against the journals that it left.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use iopath_machine::Root;
use iopath_measurement::{CannotUse, LeftJournal};
use iopath_record::{AfterCrash, Fact, Record, Technique};
use iopath_report::{CrashReport, Detail, compose, crash_json};
use iopath_store::{Run, RunEnd, RunState};

use crate::arguments::Verify;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::place;
use crate::run::journals::{self, Shelf};
use crate::run::progress::{Display, Wanted};
use crate::run::signals::{self, Pending};

pub(crate) fn run(arguments: &Verify) -> Result<ExitStatus, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(place::problem)?;
    let run = store.run(id).map_err(Problem::unexpected)?;
    let shelf = Shelf::of(store.path());
    let paths = shelf.of_run(id);
    if paths.is_empty() {
        let records = store.records(id).map_err(Problem::unexpected)?;
        return Err(Problem::new(ExitStatus::Obstacle, no_journal(&run, &records)));
    }
    if arguments.forget {
        return forget(&shelf, &run, &paths);
    }
    let interrupted = signals::watch(Pending::Io)?;
    let wanted = Wanted::unless(arguments.no_progress);
    let mut display = Display::lasting(0, wanted, arguments.show.system());
    let mut report = CrashReport::of(id.to_string());
    for path in &paths {
        match check(path, &run, (&interrupted, &mut display)) {
            Ok((target, is_current)) => {
                report.is_current &= is_current;
                report.targets.push(target);
            }
            Err(problem) => report.problems.push(format!("{}: {problem}", path.display())),
        }
    }
    display.end();
    if interrupted.load(Ordering::Relaxed) {
        let what = "interrupted: verification is incomplete, so there is no verdict; the journals \
                    are kept";
        return Err(Problem::new(ExitStatus::Interrupted, what));
    }
    show(arguments, &report)?;
    status(&report)
}

fn check(
    path: &Path,
    run: &Run,
    (interrupted, display): (&AtomicBool, &mut Display),
) -> Result<(AfterCrash, bool), CannotUse> {
    let left = LeftJournal::open(&File::open(path)?, &Root::live())?;
    if left.run() != run.id.0 || left.started_unix_ns() != run.begin.started_unix_ns {
        return Err(CannotUse::Damaged("it belongs to a run with this number in another store"));
    }
    let found = left.check(interrupted, &mut |progress| display.show(&progress))?;
    Ok((found, left.is_current()))
}

fn show(arguments: &Verify, report: &CrashReport) -> Result<(), Problem> {
    if arguments.show.json {
        return output::print_json(&crash_json(report));
    }
    if report.targets.is_empty() {
        return Ok(());
    }
    output::print_document(&compose::crash(report), Detail::Brief, arguments.show.system())
}

/// Damage weighs more than a target of which nothing can be said.
fn status(report: &CrashReport) -> Result<ExitStatus, Problem> {
    let damage = report.damage().map(|what| format!("wrong data: {what}"));
    let is_damaged = damage.is_some();
    let texts: Vec<String> = damage.into_iter().chain(report.problems.iter().cloned()).collect();
    match (is_damaged, texts.is_empty()) {
        (false, true) => Ok(ExitStatus::Done),
        (false, false) => Err(Problem::new(ExitStatus::Obstacle, texts.join("\n"))),
        (true, _) => Err(Problem::wrong_data(texts.join("\n"))),
    }
}

fn forget(shelf: &Shelf, run: &Run, paths: &[PathBuf]) -> Result<ExitStatus, Problem> {
    for path in paths {
        let opened = File::open(path).map_err(CannotUse::from);
        if let Err(CannotUse::InUse) = opened.and_then(|it| LeftJournal::open(&it, &Root::live())) {
            let what = format!("run {} is still in progress; its journals are in use", run.id);
            return Err(Problem::new(ExitStatus::Obstacle, what));
        }
    }
    let removed = paths.iter().filter(|path| journals::remove(path)).count();
    shelf.tidy();
    output::tell(&format!("removed: {}", output::count(removed, "journal")));
    Ok(ExitStatus::Done)
}

fn no_journal(run: &Run, records: &[Record]) -> String {
    let why = match run.end.as_ref().map(|RunEnd { state, .. }| state) {
        _ if records.iter().any(is_of_another_tool) => {
            "it was imported from the output of another tool, whose writes iopath does not verify"
        }
        _ if records.iter().any(|record| record.technique.is_model()) => {
            "it is a simulation, which writes nothing"
        }
        _ if records.iter().any(|record| record.technique == Technique::Observation) => {
            "it watched the I/O of other programs, whose writes iopath does not verify"
        }
        Some(RunState::Finished) if !records.iter().any(is_verified) => "it ran without --verify",
        Some(RunState::Finished) => {
            "it ended normally: a run with --verify reads its writes back at the end"
        }
        Some(RunState::Interrupted | RunState::Failed(_)) | None => {
            "only runs with --verify that write to files or devices with a name keep one, and it \
             goes with --forget, or when a later run writes there; scratch files vanish with the \
             program"
        }
    };
    format!("run {} has no journal: {why}", run.id)
}

/// Each imported file is a fact, `import.FILE`.
fn is_of_another_tool(record: &Record) -> bool {
    record.environment.keys().any(|key| key.starts_with("import."))
}

fn is_verified(record: &Record) -> bool {
    Fact::Verify.of(&record.environment).is_some_and(|verify| verify != "off")
}
