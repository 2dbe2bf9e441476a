//! `iopath report RUN`: a stored run as a page for a browser.

use iopath_units::System;

use crate::arguments::Report;
use crate::ending::{Ending, Problem};
use crate::{output, place, reported};

pub(crate) fn run(arguments: &Report) -> Result<Ending, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(Problem::mistake)?;
    let mut run = reported::read(&store, id)?;
    run.report.within = arguments.ladder.within()?;
    let system = if arguments.binary { System::Binary } else { System::Decimal };
    let usual = || place::report(&arguments.store, &reported::name(id));
    let path = arguments.output.clone().map_or_else(usual, Ok)?;
    reported::write(&path, &reported::page(&run, system))?;
    output::print(&path.display().to_string())?;
    Ok(Ending::Done)
}
