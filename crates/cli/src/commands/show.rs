//! `iopath show RUN`: a stored run, made from its records as if it had just been measured.

use iopath_report::{RunReport, render_json, render_show};
use iopath_store::{Run, RunEnd, RunId, RunState, Store};

use crate::arguments::{Show, ShowOptions};
use crate::ending::{Ending, Problem};
use crate::output;
use crate::results::place;

pub(crate) fn run(arguments: &Show) -> Result<Ending, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(Problem::mistake)?;
    let mut report = stored(&store, id)?;
    if !arguments.show.json {
        let run = store.run(id).map_err(Problem::unexpected)?;
        state(&run, &report).map_or(Ok(()), |text| output::print(&text))?;
    }
    report.within = arguments.ladder.within()?;
    show(&report, &arguments.show)?;
    Ok(Ending::Done)
}

/// What to know before the figures of a run that did not end as it should.
fn state(run: &Run, report: &RunReport) -> Option<String> {
    let kept = match report.trials.is_empty() {
        true => "no pass was finished",
        false => "what was measured before is below",
    };
    match run.end.as_ref().map(|RunEnd { state, .. }| state) {
        Some(RunState::Finished) => None,
        None => Some(format!("unfinished: it is under way, or was killed; {kept}")),
        Some(RunState::Interrupted) => Some(format!("interrupted by the user; {kept}")),
        Some(RunState::Failed(why)) => Some(format!("failed: {why}; {kept}")),
    }
}

fn stored(store: &Store, id: RunId) -> Result<RunReport, Problem> {
    let records = store.records(id).map_err(Problem::unexpected)?;
    RunReport::from_records(Some(id.to_string()), &records).map_err(Problem::unexpected)
}

fn show(report: &RunReport, options: &ShowOptions) -> Result<(), Problem> {
    if options.json {
        return output::print_json(&render_json(report));
    }
    output::print(&render_show(report, &output::look(options.system())))
}
