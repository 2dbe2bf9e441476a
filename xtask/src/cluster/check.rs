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
use super::options::Check;
use row::Row;
use stage::Stage;

struct Part {
    name: &'static str,
    run: fn(&Stage<'_>) -> Result<Vec<Row>>,
}

const PARTS: [Part; 8] = [
    Part { name: "clocks", run: clocks::run },
    Part { name: "totals", run: totals::run },
    Part { name: "many", run: many::run },
    Part { name: "kills", run: ending::kills },
    Part { name: "hang", run: ending::hang },
    Part { name: "veritas", run: veritas::run },
    Part { name: "overhead", run: overhead::run },
    Part { name: "sweep", run: sweep::run },
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
