//! What is watched, as a run of the store.

use iopath_machine::Root;
use iopath_record::Record;
use iopath_store::{RunId, Store};

use crate::arguments::{StoreOption, Watch};
use crate::exit_status::{ExitStatus, Problem};
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

    /// Puts a record into the store, where there is one.
    pub(super) fn add(&self, record: Option<Record>) -> Result<(), Problem> {
        let Some(record) = record else { return Ok(()) };
        self.store.append(self.run, &record).map_err(Problem::unexpected)
    }

    /// Puts the last record into the store, however watching ended, and says where the run is.
    pub(super) fn end(
        self,
        store: &StoreOption,
        record: Option<Record>,
        ended: Result<ExitStatus, Problem>,
    ) -> Result<ExitStatus, Problem> {
        let added = self.add(record);
        let status =
            session::finish(&self.store, self.run, ended.and_then(|ended| added.map(|()| ended)))?;
        session::tell_where(store, self.run);
        Ok(status)
    }
}
