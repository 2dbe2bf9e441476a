//! Shell completions and manual pages, both generated from the definition of the command line.

use std::io;

use clap::CommandFactory;

use crate::arguments::{Arguments, Completions, Manual, Shell};
use crate::ending::{Ending, Problem};

pub(crate) fn completions(arguments: &Completions) -> Result<Ending, Problem> {
    let mut command = Arguments::command();
    let mut script = Vec::new();
    let shell = match arguments.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Elvish => clap_complete::Shell::Elvish,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::Zsh => clap_complete::Shell::Zsh,
    };
    clap_complete::generate(shell, &mut command, "iopath", &mut script);
    crate::output::print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Done)
}

pub(crate) fn pages(arguments: &Manual) -> Result<Ending, Problem> {
    let directory = &arguments.directory;
    let made: io::Result<()> = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), directory));
    made.map_err(|error| {
        Problem::new(Ending::Obstacle, format!("cannot write {}: {error}", directory.display()))
    })?;
    Ok(Ending::Done)
}
