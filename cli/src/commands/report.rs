//! `iopath report RUN…`: stored runs as a page for a browser.

use iopath_report::page::compose_all;
use iopath_store::{RunId, Store};
use iopath_units::System;

use crate::arguments::Report;
use crate::ending::{Ending, Problem};
use crate::{output, place, reported};

pub(crate) fn run(arguments: &Report) -> Result<Ending, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let ids = ids(&store, &arguments.runs)?;
    let read = |id| reported::read(&store, id);
    let mut runs = ids.iter().copied().map(read).collect::<Result<Vec<_>, _>>()?;
    let within = arguments.ladder.within()?;
    runs.iter_mut().for_each(|run| run.report.within = within);
    let system = if arguments.binary { System::Binary } else { System::Decimal };
    let usual = || reported::usual(&arguments.store, &reported::name(&ids));
    let path = arguments.output.clone().map_or_else(usual, Ok)?;
    reported::write(&path, &compose_all(&runs, system))?;
    output::print(&path.display().to_string())?;
    Ok(Ending::Done)
}

fn ids(store: &Store, names: &[String]) -> Result<Vec<RunId>, Problem> {
    names.iter().map(|name| store.resolve(name).map_err(Problem::mistake)).collect()
}
