//! `cargo xtask cluster check`: what is promised of many hosts, and what was reached.
//!
//! A part brings up the hosts that it needs and gives rows of one table. A goal that is missed
//! fails; a row without a goal is a figure.

mod clocks;
mod ending;
mod many;
mod overhead;
mod row;
mod stage;
mod sweep;
mod totals;
mod veritas;

use anyhow::{Context, Result, bail, ensure};

use super::front::Front;
use super::launcher::Mpi;
use super::options::Check;
use row::Row;
use stage::Stage;

struct Part {
    name: &'static str,
    run: fn(&Stage<'_>) -> Result<Vec<Row>>,
    /// Whether it is made with each MPI that was built; else with Open MPI.
    is_of_each: bool,
}

impl Part {
    const fn of_each(name: &'static str, run: fn(&Stage<'_>) -> Result<Vec<Row>>) -> Self {
        Self { name, run, is_of_each: true }
    }

    const fn of_one(name: &'static str, run: fn(&Stage<'_>) -> Result<Vec<Row>>) -> Self {
        Self { name, run, is_of_each: false }
    }
}

const PARTS: [Part; 8] = [
    Part::of_one("clocks", clocks::run),
    Part::of_each("totals", totals::run),
    Part::of_one("many", many::run),
    Part::of_each("kills", ending::kills),
    Part::of_one("hang", ending::hang),
    Part::of_one("veritas", veritas::run),
    Part::of_one("overhead", overhead::run),
    Part::of_one("sweep", sweep::run),
];

/// Fails where one of the names is no part's.
pub(crate) fn known(names: &[String]) -> Result<()> {
    let known: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    for name in names {
        let names = known.join(", ");
        ensure!(known.contains(&name.as_str()), "no such part: {name}; there are {names}");
    }
    Ok(())
}

/// Prints the table as it grows.
pub(crate) fn run(front: &Front, check: &Check) -> Result<()> {
    let stage = Stage::new(front, check)?;
    println!("{}", Row::heading());
    let mut missed = 0;
    for part in PARTS.iter().filter(|part| check.wants(part.name)) {
        if !part.is_of_each && !check.uses(Mpi::OpenMpi) {
            println!("{}", Row::figure(part.name, "not run: it needs Open MPI".to_owned()));
            continue;
        }
        let rows = (part.run)(&stage).with_context(|| part.name.to_owned())?;
        for row in rows {
            println!("{row}");
            missed += usize::from(row.is_missed());
        }
    }
    match missed {
        0 => Ok(()),
        missed => bail!("{missed} goals are missed"),
    }
}
