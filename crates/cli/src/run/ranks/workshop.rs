//! A rank that simulates what rank 0 orders, on threads of its own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

use iopath_ranks::{Communicator, Lost, ROOT};
use iopath_study::Study;

use super::messages::{ToRank, ToRoot, read, send};
use super::order::Order;
use crate::exit_status::ExitStatus;

/// Simulations that another rank has for each of its threads: one under way, one that waits, so
/// that no thread waits for a message.
pub(crate) const EACH: usize = 2;

/// How long it waits at a time for what rank 0 orders; then it looks for what is done.
const WAIT: Duration = Duration::from_millis(1);

/// The same while all its threads work, where an answer ends it at once: each look at MPI takes the
/// processor from a simulation. Chosen: less than most simulations take, as the next order comes
/// behind an answer.
const WORKING: Duration = Duration::from_millis(5);

/// The same while each thread also has its next order, so that rank 0 has nothing to say but that
/// the run ends (chosen: soon enough for a person).
const FULL: Duration = Duration::from_millis(20);

/// Threads with what they get and what they have done.
pub(super) struct Workshop {
    threads: usize,
    orders: Sender<(u64, Order)>,
    done: Receiver<ToRoot>,
    /// Orders that are not answered.
    held: usize,
}

impl Workshop {
    /// Starts threads, which outlive it: what they work on may take minutes and ends with the
    /// program. The cases are those of this study, where it is known.
    pub(super) fn open(threads: usize, study: Option<Study>) -> Self {
        let (orders, taken) = mpsc::channel::<(u64, Order)>();
        let (answers, done) = mpsc::channel();
        let (taken, study) = (Arc::new(Mutex::new(taken)), Arc::new(study));
        for _ in 0..threads {
            let (taken, answers) = (Arc::clone(&taken), answers.clone());
            let study = Arc::clone(&study);
            let next = move || taken.lock().ok()?.recv().ok();
            let run = move || {
                while let Some((id, order)) = next() {
                    if answers.send(answer(id, &order, study.as_ref().as_ref())).is_err() {
                        return;
                    }
                }
            };
            // Fewer threads do the same; without any, orders are sent back.
            drop(Builder::new().name("simulation".to_owned()).spawn(run));
        }
        Self { threads, orders, done, held: 0 }
    }

    /// Works until rank 0 lets this rank go, or a signal has come and it says nothing for so long.
    pub(super) fn work(
        mut self,
        ranks: &RefCell<Communicator>,
        interrupted: &AtomicBool,
        farewell: Duration,
    ) -> Result<ExitStatus, Lost> {
        let mut ending: Option<Instant> = None;
        loop {
            let (work, within) = match self.held {
                held if held >= self.threads * EACH => (FULL, Duration::ZERO),
                held if held >= self.threads => (WORKING, Duration::ZERO),
                _ => (Duration::ZERO, WAIT),
            };
            let first = self.done.recv_timeout(work).ok();
            for answer in first.into_iter().chain(self.done.try_iter()) {
                self.held -= 1;
                send(&mut ranks.borrow_mut(), ROOT, &answer)?;
            }
            let heard = ranks.borrow_mut().receive(within, &|| true)?;
            match heard.map(|(from, message)| read(from, &message)).transpose()? {
                Some(ToRank::Simulate { id, order }) => self.take(ranks, id, order)?,
                Some(ToRank::Leave) => return Ok(ExitStatus::Done),
                Some(_) | None => {}
            }
            if interrupted.load(Relaxed)
                && ending.get_or_insert_with(Instant::now).elapsed() > farewell
            {
                return Ok(ExitStatus::Interrupted);
            }
        }
    }

    /// Gives an order to the threads, or back where there are none.
    fn take(&mut self, ranks: &RefCell<Communicator>, id: u64, order: Order) -> Result<(), Lost> {
        if self.orders.send((id, order)).is_ok() {
            self.held += 1;
            return Ok(());
        }
        send(&mut ranks.borrow_mut(), ROOT, &ToRoot::Simulated { id, record: None })
    }
}

fn answer(id: u64, order: &Order, study: Option<&Study>) -> ToRoot {
    let simulated = catch_unwind(AssertUnwindSafe(|| order.simulated(study)));
    let record = simulated.ok().and_then(Result::ok).map(Box::new);
    ToRoot::Simulated { id, record }
}
