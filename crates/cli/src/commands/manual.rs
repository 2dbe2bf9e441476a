//! Shell completions and manual pages, both generated from the definition of the command line.

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use iopath_outfile::make_directory;

use crate::arguments::{Arguments, Completions, Manual, Shell, StoreOption};
use crate::exit_status::{ExitStatus, Problem};
use crate::results::outputs::{Outputs, Replaces, cannot_write};

pub(crate) fn completions(arguments: &Completions) -> Result<ExitStatus, Problem> {
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
    Ok(ExitStatus::Done)
}

/// How each manual page begins, as a comment of roff: later versions replace it.
const MARK: &str = ".\\\" iopath manual page\n";

pub(crate) fn pages(arguments: &Manual) -> Result<ExitStatus, Problem> {
    let directory = &arguments.directory;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &StoreOption::default());
    make_directory(directory)?;
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let pages = all(&command);
    // All places are checked before the first is written.
    for page in &pages {
        outputs.check(&directory.join(page.get_filename()), Replaces::Own(MARK))?;
    }
    for page in &pages {
        let path = directory.join(page.get_filename());
        let mut text = MARK.as_bytes().to_vec();
        page.render(&mut text).map_err(|error| cannot_write(&path, &error))?;
        outputs.write(&path, &String::from_utf8_lossy(&text), Replaces::Own(MARK))?;
    }
    Ok(ExitStatus::Done)
}

/// The page of a command and of all below it.
fn all(command: &Command) -> Vec<Man> {
    let shown = command.get_subcommands().filter(|below| !below.is_hide_set());
    let below = shown.flat_map(all);
    below.chain([Man::new(command.clone())]).collect()
}
