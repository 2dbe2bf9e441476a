//! `iopath compare A B`: the difference of two runs, with confidence where the passes allow it.

use iopath_analysis::compare;
use iopath_report::{Detail, comparison_json, compose};

use crate::arguments::Compare;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::place;

pub(crate) fn run(arguments: &Compare) -> Result<ExitStatus, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let records = |name: &str| {
        let id = store.resolve(name).map_err(Problem::mistake)?;
        let records = store.records(id).map_err(Problem::unexpected)?;
        match records.is_empty() {
            true => Err(Problem::mistake(format!(
                "run {id}: no pass completed, so there is nothing to compare"
            ))),
            false => Ok(records),
        }
    };
    let (a, b) = (records(&arguments.a)?, records(&arguments.b)?);
    let comparison = compare(&a, &b).map_err(Problem::mistake)?;
    if arguments.show.json {
        output::print_json(&comparison_json(&comparison))?;
    } else {
        let system = arguments.show.system();
        output::print_document(&compose::comparison(&comparison, system), Detail::Brief, system)?;
    }
    Ok(ExitStatus::Done)
}
