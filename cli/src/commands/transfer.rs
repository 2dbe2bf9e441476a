//! `iopath export`: a run as one file that stands alone.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use iopath_store::StoreError;

use crate::arguments::Export;
use crate::ending::{Ending, Problem};
use crate::{output, place};

pub(crate) fn export(arguments: &Export) -> Result<Ending, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(Problem::mistake)?;
    match &arguments.file {
        None => match store.export(id, &mut io::stdout().lock()) {
            // A reader that closes the pipe early has read enough.
            Err(StoreError::Export(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
            other => other.map_err(Problem::unexpected)?,
        },
        Some(path) => {
            let file = File::create_new(path).map_err(|error| cannot(path, "write", &error))?;
            store.export(id, &mut BufWriter::new(file)).map_err(|error| {
                // Half a run is worth nothing, and would stand in the way of the next try. Where
                // it cannot be removed either, the first error says more.
                let _ = fs::remove_file(path);
                Problem::new(Ending::Obstacle, format!("{}: {error}", path.display()))
            })?;
            output::tell(&format!("run {id} is in {}", path.display()));
        }
    }
    Ok(Ending::Done)
}

fn cannot(path: &Path, what: &str, error: &io::Error) -> Problem {
    Problem::new(Ending::Obstacle, format!("cannot {what} {}: {error}", path.display()))
}
