//! Whether this process is one of several ranks, and which part it then has.

use std::rc::Rc;

use iopath_measurement::clock::monotonic_now_ns;
use iopath_ranks::{Communicator, Launched, ROOT, launched};

use super::own_path::OwnPaths;
use super::{Alone, EachHost, Leader, carrier, follower};
use crate::arguments::{Command, TuneTechnique};
use crate::exit_status::{ExitStatus, Problem};

/// What this process is.
pub(crate) enum Started {
    /// The only one.
    Alone,
    /// Rank 0 of several.
    Leads(Rc<Leader>),
    /// One whose part is done.
    Ended(ExitStatus),
}

/// How a command runs on several ranks.
enum Together {
    /// Rank 0 runs it, and has the others do their parts.
    Led,
    /// Each host runs it for itself.
    EachHost(EachHost),
    /// Not at all.
    No(&'static str),
}

/// Joins the others, where this is one of several; `alone` runs the command as if it were not.
pub(crate) fn started(command: &Command, alone: &Alone<'_>) -> Result<Started, Problem> {
    let Some(launched) = launched() else { return Ok(Started::Alone) };
    let how = match together(command) {
        _ if is_guard(command) => return Ok(Started::Alone),
        Together::No(why) => return refuse(launched, why),
        Together::Led => None,
        Together::EachHost(how) => Some(how),
    };
    let Some(link) = carrier::link()? else {
        return refuse(
            launched,
            "this iopath was built without MPI, so each would measure by itself; build it \
             with `cargo build --release --features mpi`",
        );
    };
    let is_root = link.rank() == ROOT;
    let ranks = Communicator::new(link, Box::new(monotonic_now_ns));
    if !is_root {
        let paths = OwnPaths::of_command(command);
        return follower::follow(ranks, alone, paths).map(Started::Ended);
    }
    let leader = Leader::meet(ranks)?;
    let Some(how) = how else { return Ok(Started::Leads(Rc::new(leader))) };
    let status = leader.on_each_host(how, alone);
    leader.leave(status);
    Ok(Started::Ended(status))
}

/// Whether this process is one of several ranks, and not rank 0.
pub(crate) fn is_another() -> bool {
    launched().is_some_and(|launched| launched.rank != ROOT)
}

fn together(command: &Command) -> Together {
    let each = |at_once, json| Together::EachHost(EachHost { at_once, json });
    match command {
        Command::Tune(tune) if tune.technique == Some(TuneTechnique::Emulate) => Together::No(
            "an emulated path is on one host: leave out --technique emulate, or mpirun",
        ),
        Command::Validate(validate) if validate.emulate => {
            Together::No("an emulated path is on one host: leave out --emulate, or mpirun")
        }
        Command::Watch(watch) if watch.live.is_some() => {
            Together::No("a live emulation is on one host: run this without mpirun")
        }
        Command::Watch(watch) if watch.run.is_some() => {
            Together::No("a run is followed where it is stored: run this without mpirun")
        }
        Command::Explain(explain) if !explain.probe => {
            Together::No("a stored run is explained by one process: run this without mpirun")
        }
        Command::Measure(_)
        | Command::Explain(_)
        | Command::Simulate(_)
        | Command::Validate(_)
        | Command::Tune(_)
        | Command::Size(_) => Together::Led,
        Command::Discover(discover) => each(false, discover.json),
        Command::Profile(profile) => each(false, profile.show.json),
        Command::Watch(watch) => each(true, watch.show.json),
        _ => Together::No(
            "only discover, watch, profile, measure, explain --probe, simulate, validate, tune and \
             size run on several ranks; run this command without mpirun",
        ),
    }
}

/// The process that restores kernel settings, which a rank starts.
fn is_guard(command: &Command) -> bool {
    matches!(command, Command::Measure(measure) if measure.restore_settings_at_end)
}

/// Says once what is wrong, however many there are.
fn refuse(launched: Launched, why: &str) -> Result<Started, Problem> {
    if launched.rank != ROOT {
        // mpirun ends all as soon as one has failed, and rank 0 is to say why.
        return Ok(Started::Ended(ExitStatus::Done));
    }
    let Launched { size, variable, .. } = launched;
    Err(Problem::new(ExitStatus::Obstacle, format!("{size} ranks ({variable}={size}): {why}")))
}
