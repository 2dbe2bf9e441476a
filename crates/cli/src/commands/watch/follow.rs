//! `iopath watch --run`: a run that another process makes, followed through the store until it
//! ends. The store is opened for reading only, and nothing else is shared: whether that process
//! still lives is known by what it tells, once a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use iopath_report::Following;
use iopath_store::{Run, RunEnd, RunId, RunState, Store};
use iopath_units::System;

use super::keys::Wish;
use super::view::View;
use crate::arguments::Watch;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::place;
use crate::run::session::unix_ns;
use crate::run::signals::{self, Pending};

/// How often the store is asked for news (chosen: they come once a second).
const LOOK: Duration = Duration::from_millis(250);

/// A run that tells nothing for so long is given up (chosen: sixty times what is usual; the
/// storage of the store itself may be what is measured).
const PATIENCE_NS: u64 = 60_000_000_000;

/// How often it is said again that there are no news.
const REMIND_NS: u64 = 10_000_000_000;

pub(super) fn run(arguments: &Watch, name: &str) -> Result<ExitStatus, Problem> {
    if arguments.count == Some(0) {
        return Err(Problem::mistake("--count: at least one"));
    }
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(name).map_err(place::problem)?;
    let run = store.run(id).map_err(Problem::unexpected)?;
    if let Some(end) = &run.end {
        return Err(Problem::mistake(over(id, end)));
    }
    let heard_unix_ns = last_sign(&store, &run)?;
    let news = News { told_unix_ns: None, heard_unix_ns };
    let (system, most) = (arguments.show.system(), arguments.count);
    let mut follower = Follower { store, id, system, most, news };
    follower.news.check(id)?;
    let interrupted = signals::watch(Pending::Io)?;
    let mut view = View::open(arguments, None)?;
    let left = follower.follow(&mut view, &interrupted);
    // The terminal is as it was before anything is told.
    drop(view);
    Ok(match left? {
        Left::Over(end) => {
            output::tell(&over(id, &end));
            ExitStatus::Done
        }
        Left::Enough => ExitStatus::Done,
        Left::CutShort => ExitStatus::Interrupted,
    })
}

/// What a run that has ended is, and how to see more of it.
fn over(id: RunId, end: &RunEnd) -> String {
    let how = match &end.state {
        RunState::Finished => "has finished".to_owned(),
        RunState::Interrupted => "was interrupted".to_owned(),
        RunState::Failed(why) => format!("has failed ({why})"),
    };
    format!("run {id} {how}: iopath show {id}, or as a page: iopath report {id}")
}

/// When a run under way last did something that the store knows of. A pass that is stored takes
/// away what was told of it.
fn last_sign(store: &Store, run: &Run) -> Result<u64, Problem> {
    if let Some(told) = store.told_at(run.id).map_err(Problem::unexpected)? {
        return Ok(told);
    }
    let started = run.begin.started_unix_ns;
    if unix_ns().saturating_sub(started) < PATIENCE_NS {
        return Ok(started);
    }
    let records = store.records(run.id).map_err(Problem::unexpected)?;
    let ends = records.iter().map(|record| {
        let length_ns = record.instants_ns.last().copied().unwrap_or_default();
        record.clock.started_unix_ns.saturating_add(length_ns)
    });
    Ok(ends.fold(started, u64::max))
}

/// Why following ended.
enum Left {
    Over(RunEnd),
    /// Whoever looks has seen enough.
    Enough,
    /// A signal came before so many were seen as were asked for.
    CutShort,
}

struct Follower {
    store: Store,
    id: RunId,
    system: System,
    /// Pictures that are enough; none where the run ends it.
    most: Option<u64>,
    news: News,
}

impl Follower {
    fn follow(&mut self, view: &mut View, interrupted: &AtomicBool) -> Result<Left, Problem> {
        let mut shown = None;
        let mut count = 0;
        let mut next = Instant::now();
        loop {
            let run = self.store.run(self.id).map_err(Problem::unexpected)?;
            if let Some(end) = run.end {
                return Ok(Left::Over(end));
            }
            let told = self.store.told_at(self.id).map_err(Problem::unexpected)?;
            self.news.hear(told, unix_ns());
            self.news.check(self.id)?;
            let wanted = self.news.picture(unix_ns());
            // What was seen last stays while the next pass begins.
            let is_gap = told.is_none() && wanted.1 == 0 && shown.is_some();
            if Some(wanted) != shown && !is_gap {
                shown = Some(wanted);
                if view.follow(self.following()?)? == Wish::End {
                    return Ok(Left::Enough);
                }
                count += 1;
                if self.most.is_some_and(|most| count >= most) {
                    return Ok(Left::Enough);
                }
            }
            next = super::after(next, LOOK, Instant::now());
            let stop = || interrupted.load(Ordering::Relaxed);
            if view.wait(next, &stop)? == Wish::End {
                let asked = self.most.is_some() && stop();
                return Ok(if asked { Left::CutShort } else { Left::Enough });
            }
        }
    }

    fn following(&self) -> Result<Following, Problem> {
        let told = self.store.live(self.id).map_err(Problem::unexpected)?;
        let told: Vec<_> = told.into_iter().map(|told| (told.age_ns, told.live)).collect();
        Ok(Following::of(&self.id.to_string(), &told, self.system))
    }
}

/// What is heard of a run, and when.
struct News {
    /// When it told what it told last; none where there is nothing.
    told_unix_ns: Option<u64>,
    /// When it gave its last sign of life.
    heard_unix_ns: u64,
}

impl News {
    /// Takes what the store has now. That it was taken away is a sign too: a pass was stored.
    fn hear(&mut self, told_unix_ns: Option<u64>, now_unix_ns: u64) {
        if told_unix_ns != self.told_unix_ns {
            self.heard_unix_ns = told_unix_ns.unwrap_or(now_unix_ns);
            self.told_unix_ns = told_unix_ns;
        }
    }

    /// What a picture would be of: news, and how long there were none.
    fn picture(&self, now_unix_ns: u64) -> (u64, u64) {
        let silent_ns = now_unix_ns.saturating_sub(self.heard_unix_ns);
        (self.told_unix_ns.unwrap_or_default(), silent_ns / REMIND_NS)
    }

    /// A problem where nothing was heard for too long.
    fn check(&self, id: RunId) -> Result<(), Problem> {
        let silent_ns = unix_ns().saturating_sub(self.heard_unix_ns);
        if silent_ns < PATIENCE_NS {
            return Ok(());
        }
        let seconds = silent_ns / 1_000_000_000;
        Err(Problem::new(
            ExitStatus::Obstacle,
            format!(
                "run {id} has sent no updates for {seconds} s: it was killed, its storage hangs, \
                 or it sends none (watch --record, an emulated path); to show what is stored: \
                 iopath show {id}"
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_something_told_and_a_pass_that_was_stored() {
        let second = 1_000_000_000;
        let mut news = News { told_unix_ns: None, heard_unix_ns: 5 * second };
        news.hear(Some(7 * second), 8 * second);
        assert_eq!(news.heard_unix_ns, 7 * second);
        news.hear(Some(7 * second), 9 * second);
        assert_eq!(news.heard_unix_ns, 7 * second);
        assert_eq!(news.picture(9 * second), news.picture(16 * second));
        assert_ne!(news.picture(9 * second), news.picture(18 * second), "silence is told again");
        news.hear(None, 20 * second);
        assert_eq!(news.heard_unix_ns, 20 * second);
    }
}
