//! Waiting for what every other rank has to say.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::super::messages::{PassOfRank, ToRoot, read};
use super::Leader;
use crate::exit_status::{ExitStatus, Problem};

/// How long it waits at a time; then it looks whether to go on.
const WAIT: Duration = Duration::from_millis(100);

/// After a signal, how long it waits for what the others have measured (chosen: `mpirun` kills its
/// processes a second after it asked them to end).
const FAREWELL: Duration = Duration::from_millis(600);

impl Leader {
    /// One answer of every other rank.
    pub(super) fn collect<T>(
        &self,
        interrupted: &AtomicBool,
        pick: &dyn Fn(ToRoot) -> Option<T>,
    ) -> Result<BTreeMap<u32, T>, Problem> {
        let mut all = BTreeMap::new();
        self.hear(interrupted, |rank, message| {
            all.extend(pick(message).map(|answer| (rank, answer)));
            all.keys().copied().collect()
        })?;
        if all.len() + 1 < self.ranks.borrow().size() as usize {
            let what = "interrupted: no target was read or written yet, and no run is stored";
            return Err(Problem::new(ExitStatus::Interrupted, what));
        }
        Ok(all)
    }

    /// What the others left of a pass. Those that left nothing have ended the trial.
    pub(super) fn passes(
        &self,
        interrupted: &AtomicBool,
    ) -> Result<BTreeMap<u32, PassOfRank>, Problem> {
        let mut passes = BTreeMap::new();
        self.hear(interrupted, |rank, message| {
            match message {
                ToRoot::Pass(pass) => drop(passes.insert(rank, *pass)),
                ToRoot::Ended(ended) => self.ended.borrow_mut().push((rank, ended)),
                _ => {}
            }
            let ended = self.ended.borrow();
            passes.keys().copied().chain(ended.iter().map(|(rank, _)| *rank)).collect()
        })?;
        Ok(passes)
    }

    /// Waits until the others have ended the trial.
    pub(super) fn await_ends(&self, interrupted: &AtomicBool) -> Result<(), Problem> {
        self.hear(interrupted, |rank, message| {
            if let ToRoot::Ended(ended) = message {
                self.ended.borrow_mut().push((rank, ended));
            }
            self.ended.borrow().iter().map(|(rank, _)| *rank).collect()
        })
    }

    /// Hears messages until all other ranks have answered, by what `take` says, or nobody more
    /// will.
    fn hear(
        &self,
        interrupted: &AtomicBool,
        mut take: impl FnMut(u32, ToRoot) -> Vec<u32>,
    ) -> Result<(), Problem> {
        let mut answered: Vec<u32> = self.ended.borrow().iter().map(|(rank, _)| *rank).collect();
        let mut ending: Option<Instant> = None;
        while self.are_awaited(&answered) {
            if interrupted.load(Relaxed) {
                self.ranks.borrow_mut().hurry();
            }
            if interrupted.load(Relaxed)
                && ending.get_or_insert_with(Instant::now).elapsed() > FAREWELL
            {
                return Ok(());
            }
            let received = self.ranks.borrow_mut().receive(WAIT, &|| true);
            if let Some((from, message)) = received.map_err(Problem::unexpected)? {
                let message = read(from, &message).map_err(Problem::unexpected)?;
                answered = take(from, message);
            }
        }
        Ok(())
    }

    fn are_awaited(&self, answered: &[u32]) -> bool {
        let ranks = self.ranks.borrow();
        (1..ranks.size()).any(|rank| ranks.is_here(rank) && !answered.contains(&rank))
    }
}
