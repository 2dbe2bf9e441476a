//! `iopath check FILE`: every mistake of a study at once, or what it says in a line.

use serde_json::json;

use crate::arguments::StudyFile;
use crate::ending::{Ending, Problem};
use crate::{output, studies};

pub(crate) fn run(arguments: &StudyFile) -> Result<Ending, Problem> {
    let planned = studies::read(&arguments.study, &arguments.set)?;
    let (title, cases) = (&planned.study.title, planned.plan.trials.len());
    let experiments = planned.study.experiments.len();
    if arguments.json {
        let value = json!({
            "format": "iopath-check/1",
            "study": title,
            "experiments": experiments,
            "cases": cases,
        });
        output::print_json(&value)?;
    } else {
        let experiments = output::count(experiments, "experiment");
        let cases = output::count(cases, "case");
        output::print(&format!(
            "{}: no mistakes; \"{title}\" has {experiments} with {cases}",
            arguments.study.display()
        ))?;
    }
    Ok(Ending::Done)
}
