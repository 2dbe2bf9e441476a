//! What is watched, as a run of the store.

use iopath_machine::Root;
use iopath_record::Record;
use iopath_store::{RunId, Store};

use crate::arguments::Watch;
use crate::exit_status::Problem;
use crate::results::place;
use crate::run::session;

/// A run that is under way.
pub(super) struct Kept {
    store: Store,
    run: RunId,
}

impl Kept {
    pub(super) fn begin(arguments: &Watch, root: &Root) -> Result<Self, Problem> {
        let store = place::store(&arguments.store)?;
        let run = store.begin_run(&session::begin(root, "")).map_err(Problem::unexpected)?;
        Ok(Self { store, run })
    }

    pub(super) fn run(&self) -> RunId {
        self.run
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Puts a record into the store, where there is one.
    pub(super) fn add(&self, record: Option<Record>) -> Result<(), Problem> {
        let Some(record) = record else { return Ok(()) };
        self.store.append(self.run, &record).map_err(Problem::unexpected)
    }
}
