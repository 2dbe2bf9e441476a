//! The second process: feeds inputs until the time is up, or until one ends it.
//!
//! Every input is in a file before it is fed, so that whatever ends the process leaves it there.

use std::fmt;
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::hunt::{Hunt, Share};
use crate::order::Order;

/// Environment variable with the file of the input at work; its presence makes a worker.
pub(crate) const CURRENT: &str = "IOPATH_FUZZ_CURRENT";

/// Exit status of a worker that worked on one input for longer than [`LONGEST_RUN`].
pub(crate) const TOO_SLOW: i32 = 3;

/// Processor time, so that others on the machine make nothing too slow. Chosen: a person waits that
/// long without wondering. Unoptimised code may take longer.
const LONGEST_RUN: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 2 });

/// What a thread of `iopath serve` has to read a study and to compose a page.
const STACK_BYTES: usize = 2 << 20;

/// Address space of the worker in bytes: eight times the longest text that is read.
const MEMORY_BYTES: u64 = 2 << 30;

/// What was done until the time was up.
#[derive(Debug)]
pub(crate) struct Closing {
    pub inputs: u64,
    pub share: Share,
}

impl fmt::Display for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} inputs, 0 findings", self.inputs)?;
        let Share { made, accepted } = self.share;
        match made {
            0 => Ok(()),
            _ => write!(f, ", {accepted} of {made} generated texts accepted"),
        }
    }
}

/// Feeds until the time is up, on a small stack.
pub(crate) fn run(order: &Order, current: &Path) -> Result<Closing> {
    thread::scope(|scope| {
        let feed = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || feed(order, current));
        feed.context("cannot start a thread")?.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn feed(order: &Order, current: &Path) -> Result<Closing> {
    let memory = Rlimit { current: Some(MEMORY_BYTES), maximum: Some(MEMORY_BYTES) };
    setrlimit(Resource::As, memory).context("cannot limit the memory")?;
    let mut file =
        File::create(current).with_context(|| format!("cannot write {}", current.display()))?;
    let patience = Patience::start();
    if let Some(input) = &order.input {
        let input = fs::read(input).with_context(|| format!("cannot read {}", input.display()))?;
        write(&mut file, &input)?;
        patience.during(|| println!("{}", order.target.feed(&input)));
        return Ok(Closing { inputs: 1, share: Share::default() });
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
    println!("{}: {} behaviours", order.target.name(), hunt.behaviours());
    let share = hunt.share();
    if share.accepted * 2 < share.made {
        let Share { made, accepted } = share;
        bail!(
            "only {accepted} of {made} generated texts are accepted: a reader or its generator is \
             wrong"
        );
    }
    Ok(Closing { inputs, share })
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
