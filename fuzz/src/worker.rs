//! The second process: feeds inputs until the time is up, or until one ends it.
//!
//! Every input is in a file before it is fed, so that whatever ends the process leaves it there.

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::hunt::Hunt;
use crate::order::Order;

/// Environment variable with the file of the input at work; its presence makes a worker.
pub(crate) const CURRENT: &str = "IOPATH_FUZZ_CURRENT";

/// Exit status of a worker that worked on one input for longer than [`LONGEST_RUN`].
pub(crate) const TOO_SLOW: i32 = 3;

/// Processor time, so that others on the machine make nothing too slow. Chosen: a person waits that
/// long without wondering. Unoptimised code may take longer.
const LONGEST_RUN: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 2 });

/// Address space of the worker in bytes: eight times the longest text that is read.
const MEMORY_BYTES: u64 = 2 << 30;

/// Feeds until the time is up; returns the number of inputs.
pub(crate) fn run(order: &Order, current: &Path) -> Result<u64> {
    let memory = Rlimit { current: Some(MEMORY_BYTES), maximum: Some(MEMORY_BYTES) };
    setrlimit(Resource::As, memory).context("cannot limit the memory")?;
    let mut file =
        File::create(current).with_context(|| format!("cannot write {}", current.display()))?;
    let patience = Patience::start();
    if let Some(input) = &order.input {
        let input = fs::read(input).with_context(|| format!("cannot read {}", input.display()))?;
        write(&mut file, &input)?;
        patience.during(|| println!("{}", order.target.feed(&input)));
        return Ok(1);
    }
    let mut hunt = Hunt::new(order.target, order.seed)?;
    let end = Instant::now() + order.duration;
    let mut inputs = 0;
    while Instant::now() < end && inputs < order.inputs {
        let input = hunt.next_input();
        write(&mut file, &input)?;
        patience.during(|| hunt.feed(input));
        inputs += 1;
    }
    println!("{} behaviours", hunt.behaviours());
    Ok(inputs)
}

fn write(file: &mut File, input: &[u8]) -> Result<()> {
    file.rewind().and_then(|()| file.write_all(input)).context("cannot write the input")?;
    file.set_len(input.len() as u64).context("cannot write the input")
}

/// Ends the process when one run takes too long.
struct Patience {
    /// When the run at work began, in ms of processor time, from 1; 0 between runs.
    began: Arc<AtomicU64>,
}

impl Patience {
    fn start() -> Self {
        let began = Arc::new(AtomicU64::new(0));
        let watched = Arc::clone(&began);
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(100));
                let since = watched.load(Ordering::Relaxed);
                if since > 0 && processor_ms() > since + LONGEST_RUN.as_millis() as u64 {
                    std::process::exit(TOO_SLOW);
                }
            }
        });
        Self { began }
    }

    fn during(&self, run: impl FnOnce()) {
        self.began.store(processor_ms() + 1, Ordering::Relaxed);
        run();
        self.began.store(0, Ordering::Relaxed);
    }
}

/// What this process has used; nothing here waits, so it goes on while a run does.
fn processor_ms() -> u64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(spent).unwrap_or_default().as_millis() as u64
}
