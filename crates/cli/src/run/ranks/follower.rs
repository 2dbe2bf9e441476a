//! A rank that follows: it does what rank 0 says, and says what came of it.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use iopath_machine::Root;
use iopath_measurement::{CannotBegin, Ending, Failure, Host, Next, Part, Stage, Targets, measure};
use iopath_ranks::{Communicator, Lost, ROOT};
use iopath_record::Record;
use iopath_study::Case;

use super::aside::{Alone, run_aside};
use super::carrier;
use super::examined::{examined, found, host, identities};
use super::messages::{Ended, Hindrance, How, PassOfRank, ToRank, ToRoot, TrialSent, read, send};
use super::own_path::OwnPaths;
use super::sent::read_case;
use super::share::Deal;
use super::workshop::Workshop;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::run::guard::Guard;
use crate::run::signals::{self, Pending};

/// How long it waits at a time for what rank 0 says next; it then waits again.
const WAIT: Duration = Duration::from_millis(500);

/// After a signal, how long it waits for rank 0 to end the run in order (chosen: `mpirun` kills its
/// processes a second after it asked them to end).
const FAREWELL: Duration = Duration::from_millis(800);

struct Follower<'a> {
    /// The command, for where each host runs it for itself.
    alone: &'a Alone<'a>,
    ranks: RefCell<Communicator>,
    root: Root,
    targets: Targets,
    deal: Deal,
    cases: Vec<Case>,
    /// Why it has not the cases of the run.
    unread: Option<String>,
    /// What it has discovered below its targets; none of a command that measures nothing.
    paths: Option<OwnPaths>,
}

/// Follows to the end of the run.
pub(super) fn follow(
    ranks: Communicator,
    alone: &Alone<'_>,
    paths: Option<OwnPaths>,
) -> Result<ExitStatus, Problem> {
    let interrupted = signals::watch(Pending::Io)?;
    let root = Root::live();
    let targets = Targets::new(root.clone(), PathBuf::from("."));
    let (ranks, deal, cases) = (RefCell::new(ranks), Deal::default(), Vec::new());
    let unread = None;
    let mut follower = Follower { alone, ranks, root, targets, deal, cases, unread, paths };
    let left = follower.serve(&interrupted).inspect(|status| {
        follower.ranks.borrow_mut().leave(*status as i32);
    });
    left.or_else(|lost| {
        // MPI would wait for all ranks at the end, and some are not there any more.
        let status = output::tell_problem(&Problem::unexpected(lost));
        carrier::abandon(status);
        Ok(status)
    })
}

impl Follower<'_> {
    fn serve(&mut self, interrupted: &AtomicBool) -> Result<ExitStatus, Lost> {
        self.say(&ToRoot::Host(host(&self.root)))?;
        let mut guard = None;
        loop {
            let Some(message) = self.hear(interrupted)? else {
                return Ok(ExitStatus::Interrupted);
            };
            match message {
                ToRank::Cases { texts, ranks } => {
                    self.deal = Deal::over(ranks, self.ranks.borrow().rank());
                    let cases: Result<_, _> = texts.iter().map(|text| read_case(text)).collect();
                    self.cases = cases.unwrap_or_else(|why| {
                        self.unread = Some(why);
                        Vec::new()
                    });
                    self.deal.with_cases(&self.cases);
                    let found = found(&self.root, &self.cases, &self.deal);
                    self.say(&ToRoot::Found(found))?;
                }
                ToRank::Examine { found, named } => {
                    self.deal.with_found(&found);
                    self.examine(&named, interrupted)?;
                    guard = guard.or_else(|| Guard::of_settings(&self.cases));
                }
                ToRank::Trial(trial) => {
                    let ended = match trial.case.read() {
                        Ok(case) => self.measure(&trial, &case, interrupted),
                        Err(why) => self.cannot(why),
                    };
                    self.say(&ToRoot::Ended(ended))?;
                }
                ToRank::Crew { threads, study } => {
                    let workshop = Workshop::open(threads.get(), study.and_then(|one| one.read()));
                    return workshop.work(&self.ranks, interrupted, FAREWELL);
                }
                ToRank::Run => self.run()?,
                ToRank::Next { .. } | ToRank::Simulate { .. } => {}
                // mpirun makes one exit code of those of all.
                ToRank::Leave if interrupted.load(Relaxed) => return Ok(ExitStatus::Interrupted),
                ToRank::Leave => return Ok(ExitStatus::Done),
            }
        }
    }

    /// Runs the command for its host.
    fn run(&self) -> Result<(), Lost> {
        let status = run_aside(self.alone, &mut |printed| {
            if !printed.is_empty() {
                self.say(&ToRoot::Printed(printed))?;
            }
            self.ranks.borrow_mut().look_after()
        });
        self.say(&ToRoot::Ran(status))
    }

    fn examine(&mut self, named: &[String], interrupted: &AtomicBool) -> Result<(), Lost> {
        let targets = &mut self.targets;
        let mut found = examined(targets, &self.deal, &self.cases, named, interrupted);
        found
            .hindrances
            .extend(self.unread.take().map(|text| Hindrance { text, is_refusal: false }));
        self.say(&ToRoot::Examined(found))
    }

    /// Measures its part of a case; rank 0 is given the record of each pass.
    fn measure(&mut self, trial: &TrialSent, case: &Case, interrupted: &AtomicBool) -> Ended {
        let share = match self.deal.share(case) {
            Ok(share) => share,
            Err(error) => return self.cannot(error.to_string()),
        };
        let paths = self.paths.as_ref().filter(|_| trial.discovers);
        let below = paths.map(|paths| paths.below(&self.root, case, &self.deal));
        let own = below.unwrap_or_default();
        let (ranks, root) = (&self.ranks, &self.root);
        let host = Host {
            root,
            interrupted,
            // Something that takes long goes on: rank 0 is not to take this rank for hung.
            tell: &mut |_| drop(ranks.borrow_mut().look_after()),
            keep: &mut |record| kept(ranks, root, own.noted(record), interrupted),
            ranks: Some(ranks),
        };
        let part = Part { runs: &share.runs, holds: &share.holds, path: own.path.as_ref() };
        let ending = measure(part, trial.index, &mut self.targets, host);
        if !matches!(ending, Ok(Ending::Finished)) {
            // Whoever waits for its streams waits in vain.
            drop(self.ranks.borrow_mut().give_up());
        }
        Ended {
            how: How::of(ending),
            remarks: own.remarks.into_iter().chain(self.targets.take_remarks()).collect(),
            written: self.targets.written().map(str::to_owned).collect(),
        }
    }

    /// Whoever waits for its streams waits in vain.
    fn cannot(&self, why: String) -> Ended {
        drop(self.ranks.borrow_mut().give_up());
        Ended { how: How::Failed(why), remarks: Vec::new(), written: Vec::new() }
    }

    fn say(&self, message: &ToRoot) -> Result<(), Lost> {
        send(&mut self.ranks.borrow_mut(), ROOT, message)
    }

    /// What rank 0 says next; none where the run is to end and it says nothing.
    fn hear(&self, interrupted: &AtomicBool) -> Result<Option<ToRank>, Lost> {
        hear(&self.ranks, interrupted)
    }
}

fn hear(ranks: &RefCell<Communicator>, interrupted: &AtomicBool) -> Result<Option<ToRank>, Lost> {
    loop {
        let is_ending = interrupted.load(Relaxed);
        let wants_more = || interrupted.load(Relaxed) == is_ending;
        let within = if is_ending { FAREWELL } else { WAIT };
        match ranks.borrow_mut().receive(within, &wants_more)? {
            Some((from, message)) => return read(from, &message).map(Some),
            None if is_ending => return Ok(None),
            None => {}
        }
    }
}

/// Gives rank 0 the record of a pass, and asks for the next.
fn kept(
    ranks: &RefCell<Communicator>,
    root: &Root,
    record: Record,
    interrupted: &AtomicBool,
) -> Next {
    let (kept, ended_ns) = (ranks.borrow().last_pass(), ranks.borrow().now_ns());
    let identities = identities(root, &record.entities);
    let pass = PassOfRank { record, identities, kept, ended_ns };
    let said = send(&mut ranks.borrow_mut(), ROOT, &ToRoot::Pass(Box::new(pass)));
    match said.and_then(|()| hear(ranks, interrupted)) {
        Ok(Some(ToRank::Next { more: true })) => Next::Continue,
        Ok(_) => Next::Enough,
        Err(_) => {
            // Nobody waits for more passes of this rank, nor hears of them.
            interrupted.store(true, Relaxed);
            Next::Enough
        }
    }
}

impl How {
    fn of(ending: Result<Ending, CannotBegin>) -> Self {
        match ending {
            Ok(Ending::Finished) => Self::Finished,
            Ok(Ending::Interrupted) => Self::Interrupted,
            Ok(Ending::Failed(failure)) => {
                let text = failure.to_string();
                match failure {
                    Failure::Damaged { read_back, .. } => Self::WrongData { text, read_back },
                    _ => Self::Failed(text),
                }
            }
            Err(error) if matches!(error.stage, Stage::Open | Stage::Set | Stage::Journal) => {
                Self::NotBegun { text: error.to_string(), is_refusal: error.is_refusal() }
            }
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}
