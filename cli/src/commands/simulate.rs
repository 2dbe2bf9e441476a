//! `iopath simulate STUDY`: every case by discrete events, beside its bounds; touches nothing.

use iopath_analysis::{analyse, predict};
use iopath_analytic::evaluate;
use iopath_machine::Root;
use iopath_record::Record;
use iopath_report::{
    Carried, Detail, SimulatedCase, Simulation, render_simulation, simulation_json,
};
use iopath_simulation::{Settings, simulate};
use iopath_store::RunId;

use crate::arguments::Simulate;
use crate::ending::{Ending, Problem};
use crate::models::{self, Built, Without};
use crate::progress::{Display, Wanted};
use crate::studies::Planned;
use crate::{filter, output, parallel, reported, session, studies};

pub(crate) fn run(arguments: &Simulate) -> Result<Ending, Problem> {
    let planned = studies::read(&arguments.asked.study, &arguments.asked.set)?;
    let trials = filter::wanted(&planned.plan.trials, &arguments.asked.cases)?;
    let within = arguments.ladder.within()?;
    let without = Without::of(&arguments.asked.without, &trials)?;
    let built = models::build(&planned.study, &trials, &without)?;
    let bounds: Vec<Record> =
        built.iter().map(|built| built.records(&without, &evaluate).0).collect();
    described(&built, &bounds)?;
    let simulated = simulated(arguments, &built, &without);
    let seeds = simulated.chunks(arguments.seeds.get() as usize);
    let cases = built.iter().zip(bounds.iter().zip(seeds));
    let cases = cases.map(|(built, (bound, seeds))| case(built, bound, seeds, &without));
    let cases = cases.collect::<Result<Vec<_>, Problem>>()?;
    let records: Vec<Record> = simulated.into_iter().map(|(record, _)| record).collect();
    let run = match arguments.keep {
        true => Some(models::keep(&arguments.store, &planned.text, records.iter().cloned())?),
        false => None,
    };
    show(arguments, &Simulation { run: run.map(|run| run.to_string()), cases, within })?;
    run.into_iter().for_each(session::tell_where);
    report(arguments, (&planned, run), records)?;
    Ok(Ending::Done)
}

/// Leaves the page of what was simulated.
fn report(
    arguments: &Simulate,
    (planned, run): (&Planned, Option<RunId>),
    records: Vec<Record>,
) -> Result<(), Problem> {
    let own = || format!("simulate-{}", planned.study.title);
    let name = run.map_or_else(own, |run| reported::name(&[run]));
    let within = arguments.ladder.within()?;
    reported::leave(&arguments.report, (&arguments.store, &name), || {
        let begin = session::begin(&Root::live(), &planned.text);
        let mut run = reported::of(&begin, Some(&planned.study), (run, None), records)?;
        run.report.within = within;
        Ok(reported::page(&run, arguments.show.system()))
    })
}

/// Without any capacity a simulated request takes no time, and a second of it never ends.
fn described(built: &[Built<'_>], bounds: &[Record]) -> Result<(), Problem> {
    let is_missing = |(_, bound): &(&Built<'_>, &Record)| {
        bound.bounds.is_empty() && !bound.environment.contains_key("path.nothing_left")
    };
    let missing = built.iter().zip(bounds).filter(is_missing);
    let names: Vec<String> =
        missing.map(|(built, _)| session::name_of(&built.trial.case)).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(Problem::mistake(format!(
            "no capacity on the way is described, so time would not pass: {}; describe the path, \
             or take `iopath measure`",
            names.join(", ")
        ))),
    }
}

/// A record, and that with everything in place where something was taken out.
type Both = (Record, Option<Record>);

/// The records of all cases, those of each seed behind one another.
fn simulated(arguments: &Simulate, built: &[Built<'_>], without: &Without) -> Vec<Both> {
    let seeds = 0..arguments.seeds.get();
    let of = |built| seeds.clone().map(move |seed| (built, seed));
    let jobs: Vec<(&Built<'_>, u32)> = built.iter().flat_map(of).collect();
    let threads = parallel::threads(arguments.threads.threads);
    let wanted = if arguments.no_progress { Wanted::No } else { Wanted::Yes };
    let mut display = Display::counting(jobs.len(), wanted);
    let settings = Settings { samples: arguments.samples.into(), ..Settings::default() };
    let one = |(built, seed): &(&Built<'_>, u32)| pass(built, (*seed, &settings), without);
    let records = parallel::in_order(threads, &jobs, one, &mut |done| display.done(done));
    display.end();
    records
}

/// A case with one seed: the first is the study's own.
fn pass(built: &Built<'_>, (pass, settings): (u32, &Settings), without: &Without) -> Both {
    let seed = built.trial.case.workload.seed.wrapping_add(u64::from(pass));
    let settings = Settings { seed, ..*settings };
    built.records(without, &|case, network| {
        let mut record = simulate(case, network, &settings);
        record.case.pass = pass;
        record
    })
}

/// What is shown of a case.
fn case(
    built: &Built<'_>,
    bound: &Record,
    seeds: &[Both],
    without: &Without,
) -> Result<SimulatedCase, Problem> {
    let records: Vec<Record> = seeds.iter().map(|(record, _)| record.clone()).collect();
    let whole: Vec<Record> = seeds.iter().filter_map(|(_, whole)| whole.clone()).collect();
    let removal = match whole.is_empty() {
        true => None,
        false => {
            let before = analyse(&whole).map_err(Problem::unexpected)?;
            Some(built.removal(without, Carried::found(&before)))
        }
    };
    SimulatedCase::of(&records, predict(bound), removal).map_err(Problem::unexpected)
}

fn show(arguments: &Simulate, simulation: &Simulation) -> Result<(), Problem> {
    if arguments.show.json {
        return output::print_json(&simulation_json(simulation));
    }
    let detail = if arguments.full { Detail::Full } else { Detail::Fitting };
    let look = output::look(arguments.show.system());
    output::print(&render_simulation(simulation, detail, &look))
}
