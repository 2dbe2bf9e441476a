//! A rank that simulates what rank 0 orders, on threads of its own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

use iopath_ranks::{Communicator, Lost, ROOT};

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

/// Works until rank 0 lets this rank go, or a signal has come and it says nothing for so long.
pub(super) fn work(
    ranks: &RefCell<Communicator>,
    threads: usize,
    interrupted: &AtomicBool,
    farewell: Duration,
) -> Result<ExitStatus, Lost> {
    let (orders, done) = start(threads);
    let mut ending: Option<Instant> = None;
    let mut held = 0;
    loop {
        let (work, within) = match held {
            _ if held >= threads * EACH => (FULL, Duration::ZERO),
            _ if held >= threads => (WORKING, Duration::ZERO),
            _ => (Duration::ZERO, WAIT),
        };
        let first = done.recv_timeout(work).ok();
        for answer in first.into_iter().chain(done.try_iter()) {
            held -= 1;
            send(&mut ranks.borrow_mut(), ROOT, &answer)?;
        }
        let heard = ranks.borrow_mut().receive(within, &|| true)?;
        match heard.map(|(from, message)| read(from, &message)).transpose()? {
            Some(ToRank::Simulate { id, order }) => {
                if orders.send((id, order)).is_ok() {
                    held += 1;
                } else {
                    let cannot = ToRoot::Simulated { id, record: None };
                    send(&mut ranks.borrow_mut(), ROOT, &cannot)?;
                }
            }
            Some(ToRank::Leave) => return Ok(ExitStatus::Done),
            Some(_) | None => {}
        }
        if interrupted.load(Relaxed) && ending.get_or_insert_with(Instant::now).elapsed() > farewell
        {
            return Ok(ExitStatus::Interrupted);
        }
    }
}

/// Threads that outlive this call: what they work on may take minutes and ends with the program.
fn start(threads: usize) -> (Sender<(u64, Order)>, Receiver<ToRoot>) {
    let (orders, taken) = mpsc::channel::<(u64, Order)>();
    let (done, answers) = mpsc::channel();
    let taken = Arc::new(Mutex::new(taken));
    for _ in 0..threads {
        let (taken, done) = (Arc::clone(&taken), done.clone());
        let next = move || taken.lock().ok()?.recv().ok();
        let run = move || {
            while let Some((id, order)) = next() {
                let simulated = catch_unwind(AssertUnwindSafe(|| order.simulated()));
                let record = simulated.ok().and_then(Result::ok).map(Box::new);
                if done.send(ToRoot::Simulated { id, record }).is_err() {
                    return;
                }
            }
        };
        // Fewer threads do the same; without any, orders are sent back.
        drop(Builder::new().spawn(run));
    }
    (orders, answers)
}
