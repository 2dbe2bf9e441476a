//! `cargo xtask ci`: every check of the project, in order, on a laptop as in CI.
//!
//! A step is one row of a table. The first failure ends the run and says how to repeat that step
//! alone; a table of times stands at the end, each with the step's budget. A step over its budget
//! is named and does not fail, as machines are noisy. What the steps print is passed on unaltered.
//!
//! As root a capability that is missing (loop devices, FUSE, a package) is a failure, which tests
//! learn from `CI=true`; as a user, or with `CI=false`, they list the case as not run.

mod fuzz;
mod mpi;
pub(crate) mod packages;
mod step;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub(crate) use step::Step;
use step::{Budget, Work};

/// In their order. Budgets are chosen from runs on two cores where the dependencies were built.
pub(crate) const STEPS: &[Step] = &[
    Step { name: "packages", budget: Budget::seconds(30), work: Work::Own(packages::provide) },
    Step {
        name: "fmt",
        budget: Budget::seconds(10),
        work: Work::Cargo { words: "fmt --all --check", environment: &[] },
    },
    Step { name: "tidy", budget: Budget::seconds(30), work: Work::Own(crate::tidy::check_all) },
    Step {
        name: "clippy",
        budget: Budget::minutes(5),
        work: Work::Cargo {
            words: "clippy --workspace --all-targets --locked -- -D warnings",
            environment: &[],
        },
    },
    Step {
        name: "test",
        budget: Budget::minutes(25),
        work: Work::Cargo { words: "test --workspace --locked --no-fail-fast", environment: &[] },
    },
    Step { name: "open-mpi", budget: Budget::minutes(5), work: Work::Own(mpi::open_mpi) },
    Step { name: "mpich", budget: Budget::minutes(5), work: Work::Own(mpi::mpich) },
    Step { name: "fuzz", budget: Budget::minutes(2), work: Work::Own(fuzz::all) },
    Step {
        name: "doc",
        budget: Budget::minutes(3),
        work: Work::Cargo {
            words: "doc --workspace --no-deps --locked",
            environment: &[("RUSTDOCFLAGS", "-D warnings")],
        },
    },
    Step {
        name: "build",
        budget: Budget::minutes(6),
        work: Work::Cargo { words: "build --release --locked", environment: &[] },
    },
    Step { name: "bench", budget: Budget::minutes(8), work: Work::Own(crate::bench::check) },
    Step { name: "attack", budget: Budget::minutes(12), work: Work::Own(crate::attack::check) },
    Step { name: "limits", budget: Budget::minutes(5), work: Work::Own(crate::limits::check) },
    Step {
        name: "random-paths",
        budget: Budget::minutes(3),
        work: Work::Own(crate::random_paths::check),
    },
    Step { name: "lab", budget: Budget::minutes(10), work: Work::Own(crate::lab::check) },
];

/// Whether what needs capabilities is run: as root, and where nobody says otherwise.
pub(crate) fn must_run() -> bool {
    packages::is_root() && std::env::var_os("CI").is_none_or(|value| value != "false")
}

/// The words of a step that is a cargo command.
pub(crate) fn cargo_words(name: &str) -> Result<&'static str> {
    match choose(&[name])?[0].work {
        Work::Cargo { words, .. } => Ok(words),
        Work::Own(_) => bail!("step {name} is no cargo command"),
    }
}

/// Runs the named steps, or all of them when none is named.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let steps = choose(names)?;
    let mut times = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.work);
        let start = Instant::now();
        let outcome = step.run();
        times.push((step, start.elapsed()));
        if let Err(error) = outcome {
            print!("{}", table(&times));
            return Err(error).context(failure(step));
        }
    }
    print!("{}", table(&times));
    Ok(())
}

fn choose(names: &[&str]) -> Result<Vec<&'static Step>> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        bail!("no such step: {unknown}; the steps are {}", known.join(", "));
    }
    let wanted = |step: &&Step| names.is_empty() || names.contains(&step.name);
    Ok(STEPS.iter().filter(wanted).collect())
}

fn failure(step: &Step) -> String {
    format!("step {} failed; repeat it alone with `cargo xtask ci {}`", step.name, step.name)
}

fn table(times: &[(&Step, Duration)]) -> String {
    let row = |name: &str, time: Duration| format!("{name:<16}{:>8.1} s", time.as_secs_f64());
    let mut text = "\n".to_owned();
    for (step, time) in times {
        text.push_str(&format!("{} of {:>6}\n", row(step.name, *time), step.budget.to_string()));
    }
    text.push_str(&row("all", times.iter().map(|(_, time)| *time).sum()));
    let over = times.iter().filter(|(step, time)| step.budget.is_exceeded(*time));
    let over: Vec<&str> = over.map(|(step, _)| step.name).collect();
    if !over.is_empty() {
        text.push_str(&format!("\nover budget: {}", over.join(", ")));
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Vec<&'static str> {
        choose(names).expect("known steps").iter().map(|step| step.name).collect()
    }

    #[test]
    fn without_names_all_steps_run_in_order() {
        assert_eq!(
            chosen(&[]),
            [
                "packages",
                "fmt",
                "tidy",
                "clippy",
                "test",
                "open-mpi",
                "mpich",
                "fuzz",
                "doc",
                "build",
                "bench",
                "attack",
                "limits",
                "random-paths",
                "lab"
            ]
        );
    }

    #[test]
    fn named_steps_run_in_the_table_s_order() {
        assert_eq!(chosen(&["test", "fmt"]), ["fmt", "test"]);
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_known_ones() {
        let error = choose(&["tests"]).err().expect("no such step").to_string();
        let expected = "no such step: tests; \
                        the steps are packages, fmt, tidy, clippy, test, open-mpi, mpich, \
                        fuzz, doc, build, bench, attack, limits, random-paths, lab";
        assert_eq!(error, expected);
    }

    #[test]
    fn times_are_lined_up_with_their_budgets_and_added() {
        let steps = choose(&["fmt", "test"]).expect("known steps");
        let times = [(steps[0], Duration::from_millis(1250)), (steps[1], Duration::from_secs(100))];
        let expected = "
fmt                  1.2 s of   10 s
test               100.0 s of 25 min
all                101.2 s
";
        assert_eq!(table(&times), expected);
    }

    #[test]
    fn steps_over_their_budget_are_named_at_the_end() {
        let steps = choose(&["fmt", "test"]).expect("known steps");
        let times = [(steps[0], Duration::from_secs(11)), (steps[1], Duration::from_secs(1501))];
        assert!(table(&times).ends_with("s\nover budget: fmt, test\n"), "{}", table(&times));
    }
}
