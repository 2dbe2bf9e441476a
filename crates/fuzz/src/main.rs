//! Mutation fuzzing of what reads texts of others, the study parser, the record decoder and the
//! readers of other tools' texts, and of what makes most of a study, the simulation.
//!
//! ```text
//! cargo run --release -p iopath-fuzz -- study|record|import|simulation [--seconds 60]
//!                                       [--seed N] [--inputs N] [--input FILE]
//! ```
//!
//! It runs on stable Rust, so it has no view of coverage: an input is kept as a base for others
//! when it makes the program say something that no input before did (novelty of behaviour,
//! J. Lehman and K. Stanley 2011, in place of novelty of branches). A panic, a run of more than 2 s
//! of processor time, an overflow of the stack or more than 2 GiB of memory is a finding. The work
//! is done in a second process, because the last two end it; this one keeps the input that it died
//! of.
#![expect(clippy::print_stdout, reason = "a command for people: what it found goes to stdout")]
#![expect(clippy::print_stderr, reason = "and what went wrong goes to stderr")]

mod corpus;
mod hunt;
mod mutation;
mod order;
mod random;
mod target;
mod worker;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result};

use order::Order;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let order = Order::parse(&words)?;
    match std::env::var_os(worker::CURRENT) {
        Some(current) => {
            println!("{}: {}", order.target.name(), worker::run(&order, Path::new(&current))?);
            Ok(ExitCode::SUCCESS)
        }
        None => watch(&order),
    }
}

/// Starts the worker and keeps the input that it dies of.
fn watch(order: &Order) -> Result<ExitCode> {
    let findings = corpus::folder("findings");
    fs::create_dir_all(&findings).with_context(|| format!("cannot make {}", findings.display()))?;
    let current = findings.join(format!("current-{}", std::process::id()));
    println!("{}, seed {}", order.target.name(), order.seed);
    let status = Command::new(std::env::current_exe()?)
        .args(order.words())
        .env(worker::CURRENT, &current)
        .status()
        .context("cannot start the worker")?;
    if status.success() {
        fs::remove_file(&current).context("cannot remove the last input")?;
        return Ok(ExitCode::SUCCESS);
    }
    if status.code() == Some(2) {
        return Ok(ExitCode::from(2));
    }
    let kept = keep(order, &current)?;
    let (target, seed) = (order.target.name(), order.seed);
    println!("finding: {target}: {} (seed {seed})", reason(status));
    println!(
        "repeat with: cargo run --release -p iopath-fuzz -- {target} --input {}",
        kept.display()
    );
    println!("1 finding");
    Ok(ExitCode::FAILURE)
}

fn keep(order: &Order, current: &Path) -> Result<PathBuf> {
    let name = format!("{}-{}", order.target.name(), order.seed);
    let kept = corpus::folder("findings").join(name);
    fs::rename(current, &kept).with_context(|| format!("cannot keep {}", kept.display()))?;
    Ok(kept)
}

fn reason(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(101), _) => "a panic".to_owned(),
        (Some(worker::TOO_SLOW), _) => "a run that takes too long".to_owned(),
        (_, Some(signal)) => {
            format!("stack or memory exhausted (the worker died of signal {signal})")
        }
        (code, None) => format!("the worker ended with status {code:?}"),
    }
}
