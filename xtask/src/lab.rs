//! `cargo xtask lab`: the program in a QEMU guest with Debian's kernel, on real md, LVM,
//! device-mapper, multipath, control groups and little memory.
//!
//! What the kernel of a build machine does not have is tried here. A processor is translated, ten
//! times slower than a real one, so jobs assert refusals, contents, paths, exit codes and rates of
//! throttled drives, never what the machine could do. [`job::JOBS`] is the table of what is run.
//!
//! The guest's image is built once, as root; see [`image`]. Only x86-64 has guests.

mod guest;
mod image;
mod job;
mod machine;
mod options;
mod outcome;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::ci::packages;
use guest::Host;
use image::Image;
use job::Job;
use options::Options;
use outcome::Outcome;

/// Programs of the host that packages of `ci`'s table have.
pub(crate) const PROGRAMS: [&str; 7] =
    ["qemu-system-x86_64", "mmdebstrap", "mksquashfs", "busybox", "depmod", "cpio", "xz"];

/// Runs the named jobs, or all, with the program as users build it or the one of `--program FILE`.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let options = Options::parse(words)?;
    let jobs = job::named(&options.names)?;
    let boots = job::by_machine(&jobs);
    if options.keep && boots.len() > 1 {
        bail!("--keep: name jobs of one machine: a single guest can be kept");
    }
    play(&boots, options.program, options.keep)
}

/// The step of `ci`. Who is not root builds no image.
pub(crate) fn check() -> Result<()> {
    if !crate::ci::must_run() {
        println!("not run: guests are made as root, where CI is not false");
        return Ok(());
    }
    if !cfg!(target_arch = "x86_64") {
        println!("not run: guests are x86-64, and so must the program be");
        return Ok(());
    }
    play(&job::by_machine(&job::of_ci()), None, false)
}

fn play(boots: &[Vec<&'static Job>], program: Option<PathBuf>, keep: bool) -> Result<()> {
    packages::require(&PROGRAMS)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cache = root.parent().context("xtask lies in the workspace")?.join("target/lab");
    fs::create_dir_all(&cache)?;
    let turn = File::create(cache.join("lock"))?;
    if turn.try_lock().is_err() {
        println!("waiting for another lab to end");
        turn.lock()?;
    }
    let scripts = root.join("lab");
    let image = Image::provide(&scripts, &cache)?;
    let program = program.map_or_else(crate::bench::iopath, Ok)?;
    let host = Host { image, scripts, cache, program, keep };
    let mut outcomes = Vec::new();
    for jobs in boots {
        let machine = jobs.first().context("a machine without a job")?.machine;
        outcomes.extend(host.run(machine, jobs)?);
    }
    verdict(&outcomes)
}

fn verdict(outcomes: &[Outcome]) -> Result<()> {
    print!("\n{}", outcome::table(outcomes));
    let failed: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| !outcome.holds())
        .map(|outcome| outcome.job.name)
        .collect();
    if !failed.is_empty() {
        bail!(
            "{} of {} jobs failed; look around in one with `cargo xtask lab {} --keep`",
            failed.len(),
            outcomes.len(),
            failed[0]
        );
    }
    Ok(())
}
