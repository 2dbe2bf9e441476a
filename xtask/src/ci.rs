//! `cargo xtask ci`: every check of the project, in order, on a laptop as in CI.
//!
//! A step is one row of a table. The first failure ends the run and says how to repeat that step
//! alone; a table of times stands at the end. What the steps print is passed on unaltered.
//!
//! As root a capability that is missing (loop devices, FUSE, a package) is a failure, which tests
//! learn from `CI=true`; as a user, or with `CI=false`, they list the case as not run.

pub(crate) mod packages;
mod step;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use step::{Step, Work};

const STEPS: &[Step] = &[
    Step { name: "packages", work: Work::Own(packages::provide) },
    Step { name: "fmt", work: Work::Cargo { words: "fmt --all --check", environment: &[] } },
    Step { name: "tidy", work: Work::Own(crate::tidy::check_all) },
    Step {
        name: "clippy",
        work: Work::Cargo {
            words: "clippy --workspace --all-targets --locked -- -D warnings",
            environment: &[],
        },
    },
    Step {
        name: "test",
        work: Work::Cargo { words: "test --workspace --locked", environment: &[] },
    },
    Step {
        name: "fuzz-study",
        work: Work::Cargo {
            words: "run --release --locked --package iopath-fuzz -- study --seconds 30",
            environment: &[],
        },
    },
    Step {
        name: "fuzz-record",
        work: Work::Cargo {
            words: "run --release --locked --package iopath-fuzz -- record --seconds 30",
            environment: &[],
        },
    },
    Step {
        name: "fuzz-import",
        work: Work::Cargo {
            words: "run --release --locked --package iopath-fuzz -- import --seconds 30",
            environment: &[],
        },
    },
    Step {
        name: "fuzz-simulation",
        work: Work::Cargo {
            words: "run --release --locked --package iopath-fuzz -- \
                    simulation --seconds 60 --seed 1",
            environment: &[],
        },
    },
    Step {
        name: "doc",
        work: Work::Cargo {
            words: "doc --workspace --no-deps --locked",
            environment: &[("RUSTDOCFLAGS", "-D warnings")],
        },
    },
    Step {
        name: "build",
        work: Work::Cargo { words: "build --release --locked", environment: &[] },
    },
    Step { name: "bench", work: Work::Own(crate::bench::check) },
    Step { name: "attack", work: Work::Own(crate::attack::check) },
    Step { name: "limits", work: Work::Own(crate::limits::check) },
    Step { name: "lab", work: Work::Own(crate::lab::check) },
];

/// Whether what needs capabilities is run: as root, and where nobody says otherwise.
pub(crate) fn must_run() -> bool {
    packages::is_root() && std::env::var_os("CI").is_none_or(|value| value != "false")
}

/// Runs the named steps, or all of them when none is named.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let steps = choose(names)?;
    let mut times = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.work);
        let start = Instant::now();
        let outcome = step.run();
        times.push((step.name, start.elapsed()));
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

fn table(times: &[(&str, Duration)]) -> String {
    let row = |name: &str, time: Duration| format!("{name:<10}{:>8.1} s\n", time.as_secs_f64());
    let rows: String = times.iter().map(|(name, time)| row(name, *time)).collect();
    let total = row("all", times.iter().map(|(_, time)| *time).sum());
    format!("\n{rows}{total}")
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
                "fuzz-study",
                "fuzz-record",
                "fuzz-import",
                "fuzz-simulation",
                "doc",
                "build",
                "bench",
                "attack",
                "limits",
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
                        the steps are packages, fmt, tidy, clippy, test, fuzz-study, \
                        fuzz-record, fuzz-import, fuzz-simulation, doc, build, bench, attack, \
                        limits, lab";
        assert_eq!(error, expected);
    }

    #[test]
    fn times_are_lined_up_and_added() {
        let times = [("fmt", Duration::from_millis(1250)), ("test", Duration::from_secs(100))];
        let expected = "\nfmt            1.2 s\ntest         100.0 s\nall          101.2 s\n";
        assert_eq!(table(&times), expected);
    }
}
