//! The project's own commands, started as `cargo xtask COMMAND`.
//!
//! They are in the project's language so that a laptop and CI run the same code. What the product
//! does is not here, and nothing here is linked into the product.
#![expect(clippy::print_stdout, reason = "a command for people: what it found goes to stdout")]
#![expect(clippy::print_stderr, reason = "and what went wrong goes to stderr")]

mod accuracy;
mod attack;
mod bench;
mod check;
mod ci;
mod cluster;
mod emulated;
mod errors;
mod git;
mod lab;
mod limits;
mod live;
mod mutants;
mod printed;
mod proof;
mod random_paths;
mod situations;
mod tidy;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  tidy         check the house rules that compilers do not know
  tidy --lines [--at COMMIT]
               production lines of each crate, and what changed since another commit: lines with
               code or text of a string on them, without comments, #[cfg(test)], tests and benches
  check [--dependents] [COMMIT]
               fmt, tidy, clippy, and the tests of the crates that changed since the merge base
               with main (or COMMIT), edits included; --dependents: also of those that use them
  ci [STEP…]   run every check of the project in order, or only the steps named
  bench [NAME…] [--pairs N] [--seconds S] [--against COMMIT] [--json FILE]
               side by side with fio, or with iopath at another commit; what each measures is in
               docs/benchmarks.md
  attack [--program FILE] [--seconds N] [--seed N] [FAMILY…]
               whether the program keeps its promises when they are attacked, as root
  limits [--program FILE] [--keep STORE] [FAMILY…]
               whether the program names limits that were made, as root; runs that are kept
               can be explained: iopath explain RUN --store STORE
  cluster run -n N [--hosts N] [--mpi openmpi|mpich] [--delay 1ms±0.5ms] [--rate 100mbit]
          [--skew SECONDS] [--disk 256M] [--program FILE] -- WORDS…
               iopath with these words on N ranks of many hosts, which are namespaces of this
               machine, as root: docs/cluster.md
  cluster check [--only PART]… [--kills N] [--ranks N] [--seed N] [--program FILE]
               whether ranks on many hosts do what they promise: goals and what was reached
  accuracy [--program FILE] [--check]
               writes docs/accuracy.md: what the models explain and what was fitted, of published
               and of field studies; --check compares it, and writes nothing
  proof [--program FILE] [--directory DIR]
               after a profile of a directory: thirty other loads predicted, simulated and measured
               there, and how far off the models are
  random-paths [--count N] [--seed S] [--only K] [--program FILE] [--keep DIR] [--profile]
               N (10) paths drawn from a seed, predicted, simulated, emulated and measured; whether
               models agree and the limit is named; --only K: path K alone; --keep: studies of
               those that disagree; --profile: instead, what a profile finds of N paths that have
               one route to each LUN, without their capacities
  situations [--only NAME] [--keep DIR] [--runtime S] [--pairs N] [--program FILE]
               ten real situations (file systems, memory, a throttle, a slow member, readahead),
               as root: figures, limits and layers judged by fio and iostat; --keep: what each said
  live [--program FILE] [--only fio|due|rate|capacity|failures|profile] [--case NAME]
       [--moments N] [--seed S] [--keep DIR]
               whether a live system behaves as its simulation, as root: figures of fio, answers in
               time, no byte lost that must be kept while parts fail at N (20) moments, and its
               capacities found by a profile that is not given them
  mutants [--count N] [--seed N] [CRATE…]
               whether tests notice N (30) changes of the product, drawn from crates (analysis and
               report): tried in a copy of the tree by cargo-mutants; lists those that survive
  lab [JOB|FAMILY…] [--program FILE] [--keep]
               the program on md, LVM, device-mapper, multipath and little memory, in a guest;
               families are safety, topologies and limits;
               with --keep a shell in the guest follows the jobs
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<()> {
    match words {
        ["tidy", words @ ..] => tidy::run(words),
        ["bench", words @ ..] => bench::run(words),
        ["attack", words @ ..] => attack::run(words),
        ["accuracy", words @ ..] => accuracy::run(words),
        ["proof", words @ ..] => proof::run(words),
        ["random-paths", words @ ..] => random_paths::run(words),
        ["situations", words @ ..] => situations::run(words),
        ["cluster", words @ ..] => cluster::run(words),
        ["live", words @ ..] => live::run(words),
        ["limits", families @ ..] => limits::run(families),
        ["mutants", words @ ..] => mutants::run(words),
        ["lab", words @ ..] => lab::run(words),
        ["check", words @ ..] => check::run(words),
        ["ci", steps @ ..] => ci::run(steps),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [] => bail!("a command is missing\n\n{USAGE}"),
        _ => bail!("no such command: {}\n\n{USAGE}", words.join(" ")),
    }
}
