//! What `iopath tune` tunes: the factors of a study, or what can be chosen for targets, as a study
//! that is made of them, so that it takes the same way and can be run again.

mod kernel;
mod load;

use std::path::{Path, PathBuf};

use iopath_machine::counters::memory;
use iopath_machine::{Devices, Root, target};
use iopath_study::Source;
use iopath_units::Bytes;

use crate::arguments::{Tune, TuneTechnique};
use crate::exit_status::Problem;
use crate::inputs::named::{self, Named};
use crate::inputs::{flags, quick, studies};
use kernel::Choices;
use load::{Load, Room};

/// A study with factors, and how its settings are tried.
pub(crate) struct Tunable {
    pub source: Source,
    pub technique: TuneTechnique,
    /// Whether it is made of targets, and so describes no path itself.
    pub is_made: bool,
    /// What cannot be chosen here, and why: for people.
    pub remarks: Vec<String>,
}

/// Who tunes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processes {
    This,
    /// Under mpirun.
    Ranks,
}

/// What the words of the command name.
pub(crate) fn choose(arguments: &Tune, processes: Processes) -> Result<Tunable, Problem> {
    match Named::by(&arguments.words)? {
        Named::Study(path) => of_study(arguments, path),
        Named::Targets(targets) => of_targets(arguments, targets, processes),
    }
}

fn of_study(arguments: &Tune, path: &Path) -> Result<Tunable, Problem> {
    let technique = arguments.technique.unwrap_or(TuneTechnique::Simulate);
    let mut given = flags::given(&arguments.load.on(&[]));
    // An emulated pass is as long as they say, whatever the study does.
    let of_emulation = |name: &&str| ["--time", "--warm-up"].contains(name);
    given.retain(|name| technique != TuneTechnique::Emulate || !of_emulation(name));
    if !given.is_empty() {
        return Err(flags::in_study::refused(&given));
    }
    let (is_made, remarks) = (false, Vec::new());
    Ok(Tunable { source: studies::source(path)?, technique, is_made, remarks })
}

fn of_targets(
    arguments: &Tune,
    targets: &[PathBuf],
    processes: Processes,
) -> Result<Tunable, Problem> {
    named::assure_there(targets)?;
    let technique = arguments.technique.unwrap_or(TuneTechnique::Measure);
    if technique == TuneTechnique::Emulate {
        return Err(Problem::mistake(
            "--technique emulate needs a study that describes a path (`iopath discover -o FILE` \
             writes one); leave it out to measure these targets",
        ));
    }
    let options = arguments.load.on(targets);
    let room = Room { target: smallest(targets, options.size.as_deref()), memory: available() };
    let load = Load::of(options, arguments.goal, room)?;
    let kernel = match (technique, processes) {
        (TuneTechnique::Simulate, _) => Choices::none("a simulation knows nothing of them"),
        (_, Processes::Ranks) => Choices::none(
            "each host may be set otherwise today, and ranks of one host would restore what others \
             have set; choose them without mpirun",
        ),
        (_, Processes::This) => kernel::choices(targets, &load)?,
    };
    let factors: Vec<_> = load.factors.iter().chain(&kernel.factors).cloned().collect();
    let text = flags::varied(&load.options, &arguments.set, &factors)?;
    if factors.is_empty() {
        return Err(Problem::mistake(nothing(&kernel.remarks)));
    }
    let source = Source { name: "(targets)".to_owned(), text };
    Ok(Tunable { source, technique, is_made: true, remarks: kernel.remarks })
}

/// How large the smallest target is; what cannot be found out, or is no size, is refused later.
fn smallest(targets: &[PathBuf], given: Option<&str>) -> Bytes {
    let root = Root::live();
    let devices = Devices::read(&root).unwrap_or_default();
    let size = |path: &PathBuf| match path.is_dir() {
        true => quick::scratch_size(&root, path).ok(),
        false => Some(Bytes(target::read(&root, &devices, path).ok()??.bytes)),
    };
    let given = given.map(|given| given.parse().ok());
    let sizes = given.map_or_else(|| targets.iter().map(size).collect(), |given| vec![given]);
    sizes.into_iter().flatten().min().unwrap_or(Bytes(u64::MAX))
}

/// Memory that buffers may take; what is not known limits nothing here.
fn available() -> Bytes {
    let memory = memory::read(&Root::live()).ok();
    Bytes(memory.map_or(u64::MAX, |memory| memory.for_new_work()))
}

/// Why there is nothing to choose.
fn nothing(remarks: &[String]) -> String {
    let text = "there is nothing to choose: the options fix everything. Leave one out, such as \
                --block, --depth, --streams, --engine or --rate, or write a study with factors";
    [text.to_owned()].iter().chain(remarks).cloned().collect::<Vec<_>>().join("\n")
}
