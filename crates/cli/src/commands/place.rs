//! `iopath place`: of a study the placement with the highest bounds, and the moves to it; of this
//! machine which processors serve storage, and what should be elsewhere. Touches nothing.

mod machine;
mod shown;

use std::path::Path;

use iopath_advice::placement::{Starts, best, walk};
use iopath_report::{Detail, compose, placing_json};
use iopath_study::Study;
use iopath_study::experiment::Experiment;
use iopath_study::vary::Factor;

use crate::arguments::Place;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::named::Named;
use crate::inputs::{experiment, studies};
use crate::output;
use crate::results::outputs::{self, Outputs, Replaces};
use crate::run::placing::Placements;
use shown::Found;

/// Placements at random that a search begins at, too (chosen: 0.7 s for the template of the p690).
const STARTS: usize = 10;

pub(crate) fn run(arguments: &Place) -> Result<ExitStatus, Problem> {
    match Named::by(&arguments.words)? {
        Named::Study(_) if arguments.root.is_some() => {
            Err(Problem::mistake("--root is for the placement of a machine: leave the study out"))
        }
        Named::Study(study) => of_study(study, arguments),
        Named::Targets(targets) => machine::run(targets, arguments),
    }
}

fn of_study(study: &Path, arguments: &Place) -> Result<ExitStatus, Problem> {
    let search = &arguments.search;
    outputs::assure_one_on_stdout(arguments.show.json, search.output.as_deref())?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
    let outputs = outputs.with_new(search.output.as_deref())?;
    let study = studies::template(study, &search.set, &search.cases)?;
    let experiment = of_one_case(&study, &search.cases)?;
    let mut placements = Placements::of(&study, &experiment)?;
    let today = placements.today().to_vec();
    let starts = Starts { number: search.starts.unwrap_or(STARTS), seed: search.seed.unwrap_or(1) };
    let found = best(&today, starts, &mut placements);
    let moves = walk(&today, &found.assignments, &mut placements);
    let found = Found { starts, best: &found, moves: &moves };
    let written = search.output.as_deref();
    let placing = shown::placing(&mut placements, found, written)?;
    if let Some(file) = written {
        outputs.write(file, &placing.best.case.text, Replaces::Nothing)?;
    }
    // A study on stdout stands there alone.
    if written.is_some_and(outputs::is_stdout) {
        return Ok(ExitStatus::Done);
    }
    if arguments.show.json {
        output::print_json(&placing_json(&placing))?;
    } else {
        let system = arguments.show.system();
        output::print_document(&compose::placing(&placing, system), Detail::Brief, system)?;
    }
    Ok(ExitStatus::Done)
}

/// The experiment that is asked for, with one level of each factor.
fn of_one_case(study: &Study, names: &[String]) -> Result<Experiment, Problem> {
    let experiment = experiment::chosen(study, names)?;
    let open = experiment.factors.iter().filter(|factor| factor.levels.len() > 1);
    let asked = |factor: &Factor| {
        let levels = factor.levels.iter().map(|level| format!("\"{}\"", level.title()));
        let levels = levels.collect::<Vec<_>>().join(", ");
        format!("\n  --case \"{}=LEVEL\", with one of {levels}", factor.name)
    };
    let asked: String = open.map(asked).collect();
    match asked.is_empty() {
        true => Ok(experiment),
        false => Err(Problem::mistake(format!("choose one case:{asked}"))),
    }
}
