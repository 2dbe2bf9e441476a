//! MPI, where the program was built with it.

use iopath_ranks::Link;

use crate::exit_status::{ExitStatus, Problem};

/// What carries messages between ranks, where the program has it.
#[cfg(feature = "mpi")]
pub(super) fn link() -> Result<Option<Box<dyn Link>>, Problem> {
    let world = iopath_mpi::World::start();
    world.map(|world| Some(Box::new(world) as Box<dyn Link>)).map_err(Problem::unexpected)
}

#[cfg(not(feature = "mpi"))]
pub(super) fn link() -> Result<Option<Box<dyn Link>>, Problem> {
    Ok(None)
}

/// Ends all ranks at once, as one of them does not answer.
#[cfg(feature = "mpi")]
pub(super) fn abandon(status: ExitStatus) {
    iopath_mpi::World::abort(status as i32);
}

/// There are no others.
#[cfg(not(feature = "mpi"))]
pub(super) fn abandon(_: ExitStatus) {}
