//! `cargo xtask live`: does a live system behave as the simulation of what it is described as?
//!
//! Six parts, each with a table and the share of its rows that met the goal. `fio`: real load by
//! fio against `iopath simulate` of the same study. `due`: each answer against the time at which it
//! was due. `rate`: the same at 20,000 requests a second. `capacity`: loads of half to one and a
//! half of what this machine carries. `failures`: parts that fail at random moments under load that
//! is checked. `profile`: whether `iopath profile` finds the capacities of a path that it is not
//! given. Needs root, FUSE and fio, and processors that are mostly idle; what it made is removed
//! again, also after Ctrl-C.

mod against;
mod capacity;
mod catalogue;
mod due;
mod failures;
mod figures;
mod fio;
mod lateness;
mod nodes;
mod options;
mod profile;
mod rate;
mod stage;
mod stream;
mod system;

use anyhow::{Result, bail};

use options::{Options, Part};
use stage::Stage;

/// Rows of a table, and how many of them met their goal.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    met: usize,
    of: usize,
}

impl Tally {
    fn add(&mut self, is_met: bool) {
        self.of += 1;
        self.met += usize::from(is_met);
    }

    fn is_kept(self) -> bool {
        self.met == self.of && self.of > 0
    }
}

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let stage = Stage::new(Options::parse(words)?)?;
    let mut missed = Vec::new();
    for part in stage.options.parts() {
        println!("### {}\n", part.name());
        let tally = play(part, &stage)?;
        let share = 100.0 * tally.met as f64 / tally.of.max(1) as f64;
        println!("\n{} of {} met the goal ({share:.0} %)\n", tally.met, tally.of);
        if !tally.is_kept() {
            missed.push(part.name());
        }
    }
    match missed.is_empty() {
        true => Ok(()),
        false => bail!("goals are missed: {}", missed.join(", ")),
    }
}

fn play(part: Part, stage: &Stage) -> Result<Tally> {
    match part {
        Part::Fio => against::play(stage),
        Part::Due => due::play(stage),
        Part::Rate => rate::play(stage),
        Part::Capacity => capacity::play(stage),
        Part::Failures => failures::play(stage),
        Part::Profile => profile::play(stage),
    }
}

/// The end of a row: whether its goal is met, else why not.
fn verdict(missed: &[String]) -> String {
    match missed.is_empty() {
        true => "yes".to_owned(),
        false => format!("no: {}", missed.join("; ")),
    }
}
