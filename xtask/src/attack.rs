//! `cargo xtask attack`: does the program keep its promises when somebody tries to break them?
//!
//! A family is one promise and a function that attacks it. It prints what it found and says
//! whether the promise held. Needs root and /dev/fuse; without them it says that it was not run.
//! It leaves out what needs a kernel of its own: that is for the laboratory.

pub(crate) mod bench;
mod crash;
pub(crate) mod disk;
mod environments;
pub(crate) mod faults;
mod kills;
mod repro;
mod verify;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How long each family takes in `ci`.
const IN_CI: Duration = Duration::from_secs(60);

/// One promise.
struct Family {
    name: &'static str,
    /// What holds when it passes.
    proves: &'static str,
    /// Whether it held.
    run: fn(&Attack) -> Result<bool>,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "repro",
        proves: "what once lost data, missed damage, panicked or hung does not do so again",
        run: repro::run,
    },
    Family {
        name: "environments",
        proves: "limits, missing variables and hidden file systems end in a documented code",
        run: environments::run,
    },
    Family {
        name: "kills",
        proves: "kill -9 at random moments leaves the store whole and nothing else after 5 s",
        run: kills::run,
    },
    Family {
        name: "verify",
        proves: "every fault that a reader could see is found, with its kind and place",
        run: verify::run,
    },
    Family {
        name: "crash",
        proves: "after a crash every lost flush is found, every lost write reported, and nothing \
            else",
        run: crash::run,
    },
];

/// What a family works with.
pub(crate) struct Attack {
    /// The program that is attacked.
    pub program: PathBuf,
    /// Where choices come from: the time, so that each run makes others. It is printed.
    pub seed: u64,
    /// When to stop with what was drawn by then; none to try everything.
    pub until: Option<Instant>,
}

/// Runs all families, or those that are named, with the program as users build it or the one of
/// `--program FILE`; each for `--seconds N`, or until everything was tried.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (mut names, mut program, mut seconds, mut seed) = (Vec::new(), None, None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} wants a value"));
        match *word {
            "--program" => program = Some(PathBuf::from(value()?).canonicalize()?),
            "--seconds" => seconds = Some(Duration::from_secs(value()?.parse()?)),
            "--seed" => seed = Some(value()?.parse()?),
            name => names.push(name),
        }
    }
    if let Some(unknown) = names.iter().find(|name| FAMILIES.iter().all(|one| one.name != **name)) {
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        bail!("no such family: {unknown}; the families are {}", known.join(", "));
    }
    if !faults::is_possible() {
        println!("not run: attacks are made as root, with /dev/fuse, where CI is not false");
        return Ok(());
    }
    let program = program.map_or_else(crate::bench::iopath, Ok)?;
    let seed = seed.unwrap_or_else(now);
    attack(&names, &program, seed, seconds)
}

/// The step of `ci`: a minute of each family.
pub(crate) fn check() -> Result<()> {
    if !faults::is_possible() {
        println!("not run: attacks are made as root, with /dev/fuse, where CI is not false");
        return Ok(());
    }
    attack(&[], &crate::bench::iopath()?, now(), Some(IN_CI))
}

fn attack(names: &[&str], program: &Path, seed: u64, lasting: Option<Duration>) -> Result<()> {
    let wanted = |family: &&Family| names.is_empty() || names.contains(&family.name);
    let mut broken = Vec::new();
    for family in FAMILIES.iter().filter(wanted) {
        println!("\n{}: {} (--seed {seed})", family.name, family.proves);
        let until = lasting.map(|lasting| Instant::now() + lasting);
        let attack = Attack { program: program.to_owned(), seed, until };
        if !(family.run)(&attack).with_context(|| family.name)? {
            broken.push(family.name);
        }
    }
    if !broken.is_empty() {
        bail!("broken: {}; once more: cargo xtask attack --seed {seed}", broken.join(", "));
    }
    Ok(())
}

/// A seed where none is given.
pub(crate) fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}
