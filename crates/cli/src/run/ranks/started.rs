//! Whether this process is one of several ranks, and which part it then has.

use std::rc::Rc;

use iopath_measurement::clock::monotonic_now_ns;
use iopath_ranks::{Communicator, Launched, ROOT, launched};

use super::{Leader, carrier, follower};
use crate::arguments::{Command, TuneTechnique};
use crate::exit_status::{ExitStatus, Problem};

/// What this process is.
pub(crate) enum Started {
    /// The only one.
    Alone,
    /// Rank 0 of several.
    Leads(Rc<Leader>),
    /// Another, whose part is done.
    Followed(ExitStatus),
}

/// Joins the others, where this is one of several.
pub(crate) fn started(command: &Command) -> Result<Started, Problem> {
    let Some(launched) = launched() else { return Ok(Started::Alone) };
    match command {
        Command::Measure(measure) if measure.restore_settings_at_end => Ok(Started::Alone),
        Command::Tune(tune) if tune.technique != TuneTechnique::Simulate => {
            refuse(launched, "tune measures on one host only; --technique simulate uses all ranks")
        }
        Command::Validate(validate) if validate.emulate => {
            refuse(launched, "an emulated path is on one host: leave out --emulate, or mpirun")
        }
        Command::Measure(_)
        | Command::Simulate(_)
        | Command::Validate(_)
        | Command::Tune(_)
        | Command::Size(_) => join(launched),
        _ => refuse(
            launched,
            "only `iopath measure`, `simulate`, `validate`, `tune` and `size` run on several \
             ranks; run this command without mpirun",
        ),
    }
}

/// Says once what is wrong, however many there are.
fn refuse(launched: Launched, why: &str) -> Result<Started, Problem> {
    if launched.rank != ROOT {
        return Ok(Started::Followed(ExitStatus::Obstacle));
    }
    let Launched { size, variable, .. } = launched;
    Err(Problem::new(ExitStatus::Obstacle, format!("{size} ranks ({variable}={size}): {why}")))
}

fn join(launched: Launched) -> Result<Started, Problem> {
    let Some(link) = carrier::link()? else {
        return refuse(
            launched,
            "this iopath was built without MPI, so each would measure by itself; build it \
             with `cargo build --release --features mpi`",
        );
    };
    let is_root = link.rank() == ROOT;
    let ranks = Communicator::new(link, Box::new(monotonic_now_ns));
    if is_root {
        return Leader::meet(ranks).map(Rc::new).map(Started::Leads);
    }
    follower::follow(ranks).map(Started::Followed)
}
