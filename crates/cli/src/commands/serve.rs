//! `iopath serve`: the store as pages for a browser on this machine, until Ctrl-C.

use iopath_server::{CannotServe, Server, Site};
use iopath_store::Store;
use iopath_units::System;

use crate::arguments::Serve;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::{place, view};
use crate::run::signals::{self, Pending};

pub(crate) fn run(arguments: &Serve) -> Result<ExitStatus, Problem> {
    drop(place::existing_store(&arguments.store)?);
    let path = place::path(&arguments.store)?;
    // Brings a store of an earlier layout to this one, lest every answer do so in memory. Where it
    // may not be written, every answer does.
    drop(Store::open(&path));
    let system = if arguments.binary { System::Binary } else { System::Decimal };
    let read = |store: &Store, id| view::read(store, id).map_err(|error| error.to_string());
    let site = Site { store: path, system, read };
    let stop = signals::watch(Pending::Io)?;
    let server = Server::open(arguments.port, site).map_err(cannot)?;
    output::print(&server.url())?;
    output::tell("open this address in a browser on this machine; Ctrl-C to stop");
    server.run(&stop).map_err(cannot)?;
    Ok(ExitStatus::Done)
}

fn cannot(error: CannotServe) -> Problem {
    Problem::new(ExitStatus::Obstacle, error)
}
