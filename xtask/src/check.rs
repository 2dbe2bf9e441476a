//! `cargo xtask check`: what is worth a look before each commit, in about two minutes.
//!
//! fmt, tidy and clippy of everything, then the tests of the crates that changed since the merge
//! base with main, uncommitted edits included. A file outside of all crates belongs to those whose
//! sources name it. What takes longer is left to `cargo xtask ci`: of the program only its unit
//! tests are run, as its integration tests take a quarter of an hour.

mod changed;
mod task;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::workspace::Workspace;
use changed::{Changed, Reach};
use task::Task;

/// The crate whose integration tests are too long for this.
const LONG: &str = "cli";

const USAGE: &str = "check takes --dependents and the commit to compare with (main)";

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (reach, base) = match words {
        [] => (Reach::Changed, None),
        ["--dependents"] => (Reach::Dependents, None),
        ["--dependents", base] | [base, "--dependents"] => (Reach::Dependents, Some(*base)),
        [base] if !base.starts_with('-') => (Reach::Changed, Some(*base)),
        _ => bail!("{USAGE}"),
    };
    let workspace = Workspace::read()?;
    let base = crate::git::base(&workspace.root, base)?;
    let files = crate::git::changed_since(&workspace.root, &base)?;
    let changed = Changed::of(&workspace, &files)?;
    println!("{} files changed since {}", files.len(), base.get(..8).unwrap_or(&base));
    for file in &changed.unread {
        println!("no crate's tests read {file}");
    }
    run_tasks(&tasks(&workspace, &changed.crates(&workspace, reach))?)
}

fn tasks(workspace: &Workspace, crates: &[String]) -> Result<Vec<Task>> {
    let mut tasks = vec![
        Task::cargo("fmt", crate::ci::cargo_words("fmt")?),
        Task::own("tidy", &["tidy"])?,
        Task::cargo("clippy", crate::ci::cargo_words("clippy")?),
    ];
    let (long, short): (Vec<_>, Vec<_>) = workspace
        .packages
        .iter()
        .filter(|package| crates.contains(&package.folder()))
        .partition(|package| package.folder() == LONG);
    let each: String = short.iter().map(|package| format!(" --package {}", package.name)).collect();
    if !short.is_empty() {
        tasks.push(Task::cargo("test", &format!("test --locked{each}")));
    }
    for package in long {
        let words = format!("test --locked --package {} --bins", package.name);
        tasks.push(Task::cargo("unit tests", &words));
    }
    Ok(tasks)
}

/// Stops at the first that fails, with what it printed.
fn run_tasks(tasks: &[Task]) -> Result<()> {
    let mut all = Duration::ZERO;
    for task in tasks {
        println!("{}: {task}", task.name);
        let start = Instant::now();
        let outcome = task.run()?;
        all += start.elapsed();
        println!("{:>8.1} s", start.elapsed().as_secs_f64());
        if !outcome.passed {
            bail!("{} failed\n\n{}", task.name, outcome.printed.trim_end());
        }
    }
    println!("{:>8.1} s in all", all.as_secs_f64());
    Ok(())
}
