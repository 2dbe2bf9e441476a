//! `iopath watch --live`: what is inside a live emulation that is up, by its own counters, which
//! it is asked for once an interval.
//!
//! Figures are those of the original, whatever the scale. A component that no request has come to
//! yet may be counted with others like it. From its first request on it has counters of its own,
//! which began at 0. Left out: how late answers were, which a measurement says.

use std::path::Path;
use std::time::{Duration, Instant};

use iopath_analysis::usage::between;
use iopath_emulation::Standing;
use iopath_machine::{Root, environment};
use iopath_record::{CaseText, Fact, Moments, Record, from_json};
use iopath_report::Watched;
use iopath_study::Scale;

use super::Schedule;
use super::kept::Kept;
use super::keys::Wish;
use super::view::View;
use crate::arguments::Watch;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::output;
use crate::run::emulated::{self, only_live};
use crate::run::session::unix_ns;
use crate::run::signals::{self, Pending};

/// Shortest interval: chosen, as the thread that answers requests also answers this.
const SHORTEST: Duration = Duration::from_millis(100);

/// A system that does not answer is asked again for so long: it may be on its way down.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two looks at one that is on its way down: chosen.
const LOOK: Duration = Duration::from_millis(50);

pub(super) fn run(
    arguments: &Watch,
    study: Option<&Path>,
    schedule: Schedule,
) -> Result<ExitStatus, Problem> {
    if schedule.interval < SHORTEST {
        return Err(Problem::mistake("--interval: at least 100 ms with --live"));
    }
    let directory = emulated::directory(arguments.directory.as_ref());
    let planned = study.map(|study| studies::read(study, &[])).transpose()?;
    let title = planned.map(|planned| planned.study.title);
    let system = only_live("--live", &directory, title.as_deref())?;
    let (first, scale) = moment(&system)?;
    let at = if scale == Scale::ONE { String::new() } else { format!(" at {scale}") };
    let what = format!("inside {}, live{at}", system.label);
    let interrupted = signals::watch(Pending::Io)?;
    let mut kept = arguments.record.then(|| Kept::begin(arguments, &Root::live())).transpose()?;
    let mut view = View::open(arguments, kept.as_ref().map(Kept::run))?;
    let moments = Moments::new(first, unix_ns());
    let mut inside = Inside { system, what, scale, moments, records: 0, is_down: false };
    let ended = schedule.follow(&mut view, &interrupted, &mut |view| {
        let wish = inside.interval(view)?;
        match kept.as_mut() {
            Some(kept) if inside.moments.are_long() => kept.add(inside.record())?,
            Some(_) => {}
            None => inside.moments.forget(),
        }
        Ok(wish)
    });
    // The terminal is as it was before anything is told.
    drop(view);
    if inside.is_down {
        output::tell(&format!("{} was taken down", inside.system.label));
    }
    match kept {
        Some(kept) => kept.end(&arguments.store, inside.record(), ended),
        None => ended,
    }
}

struct Inside {
    system: Standing,
    what: String,
    scale: Scale,
    moments: Moments,
    /// How many were made of moments.
    records: u32,
    /// Whether it was taken down meanwhile.
    is_down: bool,
}

impl Inside {
    /// Shows what happened since the moment before.
    fn interval(&mut self, view: &mut View) -> Result<Wish, Problem> {
        let Some(later) = self.later()? else {
            self.is_down = true;
            return Ok(Wish::End);
        };
        let at_unix_ns = unix_ns();
        self.moments.add(later, at_unix_ns);
        let later = self.moments.last();
        let [before, now] = self.moments.interval();
        let usage = between(&later.entities, &before, &now);
        let watched = Watched {
            what: &self.what,
            entities: &later.entities,
            relations: &later.relations,
            usage: &usage,
            at_unix_ns,
            interval_ns: now.at_ns.saturating_sub(before.at_ns),
        };
        let new = later.events.iter().filter(|event| event.at_ns > before.at_ns);
        let events: Vec<String> = new.map(|event| event.what.clone()).collect();
        view.show(&watched, &events)
    }

    /// What was counted since the record before.
    fn record(&mut self) -> Option<Record> {
        let record = self.moments.take(CaseText::watched(&self.what, self.records))?;
        self.records += 1;
        let machine = environment::read(&Root::live()).facts;
        let own =
            [Fact::Version.is(env!("CARGO_PKG_VERSION")), Fact::Inside.is(self.scale.to_string())];
        Some(Record { environment: machine.into_iter().chain(own).collect(), ..record })
    }

    /// Its counters now; none where it was taken down, or another one is in its place.
    fn later(&self) -> Result<Option<Record>, Problem> {
        let begun = Instant::now();
        loop {
            let problem = match moment(&self.system) {
                Ok((later, _)) => {
                    let began = |record: &Record| record.clock.started_unix_ns;
                    return Ok(
                        Some(later).filter(|later| began(later) == began(self.moments.last()))
                    );
                }
                Err(problem) => problem,
            };
            if !self.system.directory.exists() {
                return Ok(None);
            }
            if begun.elapsed() > PATIENCE {
                return Err(problem);
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Its counters now in the figures of the original, and the scale that it has.
fn moment(system: &Standing) -> Result<(Record, Scale), Problem> {
    let cannot = |why: &dyn std::fmt::Display| {
        Problem::new(ExitStatus::Obstacle, format!("--live: {}: {why}", system.label))
    };
    let report = system.moment().map_err(|trouble| cannot(&trouble))?;
    let report = report.ok_or_else(|| cannot(&"it has no inside"))?;
    let record = from_json(&report.record).map_err(|error| cannot(&error))?;
    let scale = Scale::new(report.scale, report.stretch).map_err(|error| cannot(&error))?;
    let restored = record.restored_counters(report.scale, report.stretch);
    Ok((restored.map_err(|error| cannot(&error))?, scale))
}
