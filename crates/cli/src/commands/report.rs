//! `iopath report RUN…`: stored runs as a page for a browser.

use iopath_report::compose;
use iopath_store::{RunId, Store};
use iopath_units::System;

use crate::arguments::Report;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::outputs::{Outputs, is_stdout};
use crate::results::{page, place, view};

pub(crate) fn run(arguments: &Report) -> Result<ExitStatus, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
    let ids = ids(&store, &arguments.runs)?;
    let read = |id| view::read(&store, id);
    let mut runs = ids.iter().copied().map(read).collect::<Result<Vec<_>, _>>()?;
    let within = arguments.load_sweep.within()?;
    runs.iter_mut().for_each(|run| run.report.within = within);
    let system = if arguments.binary { System::Binary } else { System::Decimal };
    let composed = compose::several(&runs, system);
    let path = match &arguments.output {
        Some(path) => {
            page::write(path, &composed, &outputs)?;
            path.clone()
        }
        None => page::write_usual(&arguments.store, &page::name(&ids), &composed, &outputs)?,
    };
    if !is_stdout(&path) {
        output::print(&path.display().to_string())?;
    }
    Ok(ExitStatus::Done)
}

fn ids(store: &Store, names: &[String]) -> Result<Vec<RunId>, Problem> {
    names.iter().map(|name| store.resolve(name).map_err(place::problem)).collect()
}
