//! `iopath show RUN`: a stored run, made from its records as if it had just been measured.

use iopath_report::{RunReport, render_json, render_show};
use iopath_store::Store;

use crate::arguments::{Show, ShowOptions};
use crate::ending::{Ending, Problem};
use crate::{output, place};

pub(crate) fn run(arguments: &Show) -> Result<Ending, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let report = stored(&store, &arguments.run)?;
    show(&report, &arguments.show)?;
    Ok(Ending::Done)
}

fn stored(store: &Store, name: &str) -> Result<RunReport, Problem> {
    let id = store.resolve(name).map_err(Problem::mistake)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    RunReport::from_records(Some(id.to_string()), &records).map_err(Problem::unexpected)
}

fn show(report: &RunReport, options: &ShowOptions) -> Result<(), Problem> {
    if options.json {
        return output::print_json(&render_json(report));
    }
    output::print(&render_show(report, &output::look(options.system())))
}
