//! `iopath show RUN`: a stored run, made from its records as if it had just been measured.

use iopath_report::{Detail, compose, render_json, text};

use crate::arguments::Show;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::{place, view};

pub(crate) fn run(arguments: &Show) -> Result<ExitStatus, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(place::problem)?;
    let mut view = view::read(&store, id)?;
    view.report.within = arguments.load_sweep.within()?;
    if arguments.show.json {
        output::print_json(&render_json(&view))?;
        return Ok(ExitStatus::Done);
    }
    let system = arguments.show.system();
    let detail = if arguments.full { Detail::Full } else { Detail::Brief };
    let document = compose::whole(&view, system);
    output::print(&text::render_titled(&document, detail, &output::look(system)))?;
    Ok(ExitStatus::Done)
}
