//! `cargo xtask bench`: how fast iopath is beside fio, on this machine and in one run.
//!
//! A benchmark is one row of a table. Runs of both tools alternate, so that what changes on the
//! machine meanwhile meets both; what is told is the median ratio with its bootstrap interval.
//! A goal that is missed is reported and is no failure: figures of a busy machine prove nothing.

mod against;
mod alone;
mod catalogue;
mod duel;
mod emulated;
pub(crate) mod fio;
mod flushes;
mod hold;
mod iopath;
mod large;
mod listing;
mod options;
mod outcome;
mod page;
mod place;
mod prediction;
mod process;
mod programs;
mod run;
mod simulation;
mod sizing;
mod stage;
pub(crate) mod statistics;
mod table;
mod verification;
mod volume;
mod watch;

use std::fs;

use anyhow::{Context, Result, bail};

use against::Against;
use catalogue::{BENCHMARKS, Benchmark, Work};
use options::Options;
use outcome::{Outcome, Report};
use stage::Stage;

pub(crate) use programs::{executable, executable_named, iopath, program};

/// Runs the named benchmarks, or all of them when none is named. Fails where one could not run.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let options = Options::parse(words)?;
    let benchmarks = choose(&options.names)?;
    let has_rival =
        options.against.is_none() && benchmarks.iter().any(|benchmark| benchmark.work.has_rival());
    let fio = has_rival.then(programs::fio_version).transpose()?;
    let stage = Stage::prepare(&options)?;
    let against = Against::prepare(&options, &stage)?;
    let mut report = Report::new(&options, fio);
    println!("{}", report.heading());
    let mut failed = Vec::new();
    for benchmark in benchmarks {
        println!("\n{}: {}", benchmark.name, benchmark.about);
        let outcome = match &against {
            Some(against) => against.compare(benchmark, &stage),
            None => play(benchmark, &stage),
        };
        match outcome {
            Ok(outcome) => {
                print!("{}", table::text(&outcome));
                report.benchmarks.push(outcome);
            }
            Err(error) => {
                println!("  could not run: {error:#}");
                failed.push(benchmark.name);
            }
        }
        if stage.is_interrupted() {
            break;
        }
    }
    if let Some(file) = &options.json {
        let text = serde_json::to_string_pretty(&report)?;
        fs::write(file, text + "\n").with_context(|| format!("{}", file.display()))?;
    }
    if stage.is_interrupted() {
        bail!("interrupted");
    }
    if !failed.is_empty() {
        bail!("could not run: {}", failed.join(", "));
    }
    Ok(())
}

/// Every benchmark once and for a second, so that all of them still run; what they give counts for
/// nothing.
pub(crate) fn check() -> Result<()> {
    run(&["--pairs", "1", "--seconds", "1"])
}

fn play(benchmark: &Benchmark, stage: &Stage) -> Result<Outcome> {
    let mut outcome = Outcome::new(benchmark.name, benchmark.about);
    match &benchmark.work {
        Work::Duel(duel) => duel::fight(duel, stage, &mut outcome)?,
        Work::Volume(volume) => volume::compare(*volume, stage, &mut outcome)?,
        Work::Verification(load) => verification::compare(*load, stage, &mut outcome)?,
        Work::Commits(commits) => flushes::compare(*commits, stage, &mut outcome)?,
        Work::Watch => watch::measure(stage, &mut outcome)?,
        Work::Sampler => alone::sampler(stage, &mut outcome)?,
        Work::Memory(load) => alone::memory(load, stage, &mut outcome)?,
        Work::Emulated(emulated) => emulated::measure(emulated, stage, &mut outcome)?,
        Work::Hold(hold) => hold::measure(*hold, stage, &mut outcome)?,
        Work::Simulation(one) => simulation::measure(*one, stage, &mut outcome)?,
        Work::Page(page) => page::measure(page, stage, &mut outcome)?,
        Work::Listing(listing) => listing::measure(*listing, stage, &mut outcome)?,
        Work::Prediction(prediction) => prediction::measure(prediction, stage, &mut outcome)?,
        Work::Sizing(sizing) => sizing::measure(*sizing, stage, &mut outcome)?,
    }
    Ok(outcome)
}

fn choose(names: &[String]) -> Result<Vec<&'static Benchmark>> {
    let known = |name: &&String| BENCHMARKS.iter().any(|benchmark| benchmark.name == **name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let known: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.name).collect();
        bail!("no such benchmark: {unknown}; there are {}", known.join(", "));
    }
    let wanted = |benchmark: &&Benchmark| {
        names.is_empty() || names.iter().any(|name| name == benchmark.name)
    };
    Ok(BENCHMARKS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Result<Vec<&'static str>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Ok(choose(&names)?.iter().map(|benchmark| benchmark.name).collect())
    }

    #[test]
    fn without_names_all_benchmarks_run() {
        assert_eq!(chosen(&[]).unwrap().len(), BENCHMARKS.len());
    }

    #[test]
    fn named_benchmarks_run_in_the_table_s_order() {
        assert_eq!(chosen(&["memory", "null"]).unwrap(), ["null", "memory"]);
    }

    #[test]
    fn an_unknown_benchmark_is_refused_with_the_known_ones() {
        let text = chosen(&["nul"]).unwrap_err().to_string();
        assert!(text.starts_with("no such benchmark: nul; there are random-read-shm, "), "{text}");
    }
}
