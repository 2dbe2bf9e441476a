//! `iopath place STUDY`: the placement with the highest bounds, and the moves to it; touches
//! nothing.

mod shown;

use iopath_advice::placement::{Starts, best, walk};
use iopath_report::{Detail, compose, placing_json};
use iopath_study::Study;
use iopath_study::experiment::Experiment;
use iopath_study::vary::Factor;

use crate::arguments::Place;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::{experiment, studies};
use crate::output;
use crate::results::outputs::{self, Outputs, Replaces};
use crate::run::placing::Placements;

pub(crate) fn run(arguments: &Place) -> Result<ExitStatus, Problem> {
    outputs::assure_one_on_stdout(arguments.show.json, arguments.output.as_deref())?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
    let outputs = outputs.with_new(arguments.output.as_deref())?;
    let study = studies::template(&arguments.study, &arguments.set, &arguments.cases)?;
    let experiment = of_one_case(&study, &arguments.cases)?;
    let mut placements = Placements::of(&study, &experiment)?;
    let today = placements.today().to_vec();
    let starts = Starts { number: arguments.starts, seed: arguments.seed };
    let found = best(&today, starts, &mut placements);
    let moves = walk(&today, &found.assignments, &mut placements);
    let placing = shown::placing(arguments, &mut placements, &found, &moves)?;
    if let Some(file) = &arguments.output {
        outputs.write(file, &placing.best.case.text, Replaces::Nothing)?;
    }
    // A study on stdout stands there alone.
    if arguments.output.as_deref().is_some_and(outputs::is_stdout) {
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
