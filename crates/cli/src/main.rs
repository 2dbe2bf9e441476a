//! `iopath`: how fast should this I/O path be, how fast is it, what holds it back?
//!
//! The program knows the order of things and nothing else: it reads arguments and studies, hands
//! cases to a technique, puts records into the store and shows what the report crate composed.
//! Each layer knows only those before it: how a command ends and prints, and the studies that come
//! with the program (files here), `arguments`, `inputs`, `results`, `run`, and `commands`, one file
//! a command. Only this crate prints.

mod arguments;
mod bundled_studies;
mod commands;
mod exit_status;
mod inputs;
mod loads;
mod output;
mod process_limits;
mod results;
mod run;

use std::process::ExitCode;
use std::rc::Rc;

use clap::Parser;

use arguments::{Arguments, Command};
use exit_status::{ExitStatus, Problem};
use run::ranks::{Leader, Started, is_another, started};

fn main() -> ExitCode {
    process_limits::settle();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Every rank has the same arguments; one says what is wrong with them, and must live to say
        // it: mpirun ends all as soon as one has failed.
        Err(_) if is_another() => return ExitStatus::Done.exit(),
        Err(error) => return exit_status::of_usage(&error).exit(),
    };
    run(&arguments).unwrap_or_else(|problem| output::tell_problem(&problem)).exit()
}

fn run(arguments: &Arguments) -> Result<ExitStatus, Problem> {
    let leader = match started(&arguments.command, &|| run_alone(arguments, None))? {
        Started::Ended(status) => return Ok(status),
        Started::Leads(leader) => leader,
        Started::Alone => return run_alone(arguments, None),
    };
    let ended = run_alone(arguments, Some(Rc::clone(&leader)));
    let status = ended.unwrap_or_else(|problem| output::tell_problem(&problem));
    leader.leave(status);
    Ok(status)
}

/// Runs a command; a leader's as rank 0.
fn run_alone(arguments: &Arguments, leader: Option<Rc<Leader>>) -> Result<ExitStatus, Problem> {
    let of_ranks = leader.as_deref();
    match &arguments.command {
        Command::Measure(measure) => commands::measure::run(measure, leader),
        Command::Discover(discover) => commands::discover::run(discover),
        Command::Profile(profile) => commands::profile::run(profile),
        Command::Runbook(runbook) => commands::runbook::run(runbook),
        Command::Check(check) => commands::check::run(check),
        Command::Plan(plan) => commands::plan::run(plan),
        Command::Validate(validate) => commands::validate::run(validate, of_ranks),
        Command::Emulate(emulate) => commands::emulate::run(emulate),
        Command::Simulate(simulate) => commands::simulate::run(simulate, of_ranks),
        Command::Size(size) => commands::size::run(size, of_ranks),
        Command::Tune(tune) => commands::tune::run(tune, leader.as_ref()),
        Command::Place(place) => commands::place::run(place),
        Command::Layout(layout) => commands::layout::run(layout),
        Command::Predict(predict) => commands::predict::run(predict),
        Command::Watch(watch) => commands::watch::run(watch),
        Command::List(list) => commands::list::run(list),
        Command::Show(show) => commands::show::run(show),
        Command::Verify(verify) => commands::verify::run(verify),
        Command::Explain(explain) => commands::explain::run(explain, of_ranks),
        Command::Report(report) => commands::report::run(report),
        Command::Serve(serve) => commands::serve::run(serve),
        Command::Compare(compare) => commands::compare::run(compare),
        Command::Export(export) => commands::transfer::export(export),
        Command::Import(import) => commands::import::run(import),
        Command::Completions(shell) => commands::manual::completions(shell),
        Command::Manual(manual) => commands::manual::pages(manual),
    }
}
