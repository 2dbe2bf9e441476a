//! `iopath export`: a run as one file that stands alone.

use std::io::{self, BufWriter};
use std::path::Path;

use iopath_store::{RunId, Store, StoreError};

use crate::arguments::Export;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::outputs::{Outputs, Replaces, cannot_write, is_stdout};
use crate::results::place;

pub(crate) fn export(arguments: &Export) -> Result<ExitStatus, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(place::problem)?;
    match arguments.file.as_deref().filter(|path| !is_stdout(path)) {
        None => match store.export(id, &mut io::stdout().lock()) {
            // A reader that closes the pipe early has read enough.
            Err(StoreError::Export(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
            other => other.map_err(Problem::unexpected)?,
        },
        Some(path) => {
            let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
            into_file(&store, id, path, &outputs)?;
            output::tell(&format!("run {id} is in {}", path.display()));
        }
    }
    Ok(ExitStatus::Done)
}

fn into_file(store: &Store, id: RunId, path: &Path, outputs: &Outputs) -> Result<(), Problem> {
    let mut draft = outputs.create(path, Replaces::Nothing)?;
    store.export(id, &mut BufWriter::new(&mut draft)).map_err(|error| match error {
        StoreError::Export(error) => cannot_write(path, &error),
        other => Problem::unexpected(other),
    })?;
    Ok(draft.commit()?)
}
