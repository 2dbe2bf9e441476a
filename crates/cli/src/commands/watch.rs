//! `iopath watch`: samples at even times, each shown as it comes, all kept where that is wanted;
//! with `--live` those of a live emulation; or with `--run` a run that goes on elsewhere.

mod follow;
mod inside;
mod interval;
mod kept;
mod keys;
mod live;
mod view;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use iopath_analysis::usage::between;
use iopath_machine::Root;
use iopath_measurement::{CannotWatch, Keep, Observation};
use iopath_record::Sample;
use iopath_report::Watched;
use iopath_units::Nanos;

use crate::arguments::Watch;
use crate::exit_status::{ExitStatus, Problem};
use crate::run::signals::{self, Pending};
use kept::Kept;
use keys::Wish;
use view::View;

/// Shortest interval: chosen; the kernel's own counters move in steps of up to 10 ms.
const SHORTEST: Duration = Duration::from_millis(10);

/// When to sample, and until when.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    interval: Duration,
    /// Intervals; none where only the user ends it.
    most: Option<u64>,
}

pub(crate) fn run(arguments: &Watch) -> Result<ExitStatus, Problem> {
    if let Some(name) = &arguments.run {
        return follow::run(arguments, name);
    }
    let schedule = schedule(arguments)?;
    if let Some(study) = &arguments.live {
        return inside::run(arguments, study.as_deref(), schedule);
    }
    let root = arguments.root.as_ref().map_or_else(Root::live, Root::at);
    let keep = if arguments.record { Keep::Records } else { Keep::Nothing };
    let observation = Observation::begin(&root, &arguments.targets, keep).map_err(problem)?;
    let interrupted = signals::watch(Pending::Io)?;
    let mut kept = arguments.record.then(|| Kept::begin(arguments, &root)).transpose()?;
    let mut view = View::open(arguments, kept.as_ref().map(Kept::run))?;
    let mut watcher = Watcher { observation, earlier: Sample::default() };
    let ended = watcher.watch(schedule, &mut view, kept.as_mut(), &interrupted);
    // The terminal is as it was before anything is told.
    drop(view);
    match kept {
        Some(kept) => kept.end(&arguments.store, watcher.observation.record(), ended),
        None => ended,
    }
}

fn problem(error: CannotWatch) -> Problem {
    match error {
        CannotWatch::NoMachine(_) => Problem::mistake(format!("--root: {error}")),
        CannotWatch::NoTarget { .. }
        | CannotWatch::NoStorage { .. }
        | CannotWatch::Target { .. }
        | CannotWatch::Devices(_) => Problem::new(ExitStatus::Obstacle, error),
    }
}

fn schedule(arguments: &Watch) -> Result<Schedule, Problem> {
    let time = |name: &str, text: &str| {
        let parsed = text.parse::<Nanos>();
        parsed
            .map(|time| Duration::from_nanos(time.0))
            .map_err(|error| Problem::mistake(format!("{name}: {error}")))
    };
    let interval = time("--interval", &arguments.interval)?;
    if interval < SHORTEST {
        return Err(Problem::mistake("--interval: at least 10 ms"));
    }
    let by_time = arguments.time.as_deref().map(|text| time("--time", text)).transpose()?;
    let intervals = |time: Duration| {
        u64::try_from(time.as_nanos().div_ceil(interval.as_nanos())).unwrap_or(u64::MAX)
    };
    let most = arguments.count.into_iter().chain(by_time.map(intervals)).min();
    match most {
        Some(0) => Err(Problem::mistake("--count and --time: at least one interval")),
        _ => Ok(Schedule { interval, most }),
    }
}

impl Schedule {
    /// Has each interval shown when it is over, until it is enough.
    fn follow(
        &self,
        view: &mut View,
        interrupted: &AtomicBool,
        interval: &mut dyn FnMut(&mut View) -> Result<Wish, Problem>,
    ) -> Result<ExitStatus, Problem> {
        let mut done: u64 = 0;
        let mut next = Instant::now();
        while self.most.is_none_or(|most| done < most) {
            next = after(next, self.interval, Instant::now());
            let stop = || interrupted.load(Ordering::Relaxed);
            if view.wait(next, &stop)? == Wish::End {
                // Who watches without an end ends it himself; a wish for so many is cut short.
                let asked = self.most.is_some() && stop();
                return Ok(if asked { ExitStatus::Interrupted } else { ExitStatus::Done });
            }
            if interval(view)? == Wish::End {
                break;
            }
            done += 1;
        }
        Ok(ExitStatus::Done)
    }
}

/// Takes samples of the machine.
struct Watcher {
    observation: Observation,
    earlier: Sample,
}

impl Watcher {
    fn watch(
        &mut self,
        schedule: Schedule,
        view: &mut View,
        mut kept: Option<&mut Kept>,
        interrupted: &AtomicBool,
    ) -> Result<ExitStatus, Problem> {
        self.earlier.clone_from(self.observation.sample());
        schedule.follow(view, interrupted, &mut |view| {
            let wish = self.interval(view)?;
            if let Some(kept) = kept.as_deref_mut().filter(|_| self.observation.is_long()) {
                kept.add(self.observation.record())?;
            }
            Ok(wish)
        })
    }

    /// Samples and shows what happened since the sample before.
    fn interval(&mut self, view: &mut View) -> Result<Wish, Problem> {
        let later = self.observation.sample();
        let interval_ns = later.at_ns.saturating_sub(self.earlier.at_ns);
        let events: Vec<String> =
            self.observation.events().iter().map(|event| event.what.clone()).collect();
        let later = self.observation.last();
        let entities = self.observation.entities();
        let usage = between(entities, &self.earlier, later);
        let relations = self.observation.relations();
        let watched = Watched {
            what: self.observation.what(),
            entities,
            relations: &relations,
            usage: &usage,
            at_unix_ns: self.observation.started_unix_ns().saturating_add(later.at_ns),
            interval_ns,
        };
        let wish = view.show(&watched, &events)?;
        self.earlier.clone_from(later);
        Ok(wish)
    }
}

/// The next instant of the grid; those that are over already (a machine that slept) are left out.
fn after(last: Instant, interval: Duration, now: Instant) -> Instant {
    let next = last + interval;
    if next >= now { next } else { now + interval }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_on_a_grid_unless_they_are_late() {
        let begin = Instant::now();
        let second = Duration::from_secs(1);
        assert_eq!(after(begin, second, begin + second / 2), begin + second);
        assert_eq!(after(begin, second, begin + second * 5), begin + second * 6);
    }
}
