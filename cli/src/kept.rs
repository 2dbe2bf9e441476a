//! A run of a model in the store, record by record as each is made, so that what is finished is
//! there when something ends the rest.

use iopath_machine::Root;
use iopath_record::Record;
use iopath_store::{RunId, Store};

use crate::arguments::StoreOption;
use crate::ending::{Ending, Problem};
use crate::{place, session};

/// Where records go. The run begins with the first of them: one without any is of no use.
pub(crate) struct Kept<'a> {
    store: Store,
    study: &'a str,
    begun: Option<(RunId, u64)>,
    trouble: Option<Problem>,
}

impl<'a> Kept<'a> {
    pub(crate) fn open(option: &StoreOption, study: &'a str) -> Result<Self, Problem> {
        Ok(Self { store: place::store(option)?, study, begun: None, trouble: None })
    }

    /// Puts a record into the store, with the time of the day in it. Nothing more where that
    /// fails: [`Self::end`] says why.
    pub(crate) fn add(&mut self, record: &Record) {
        if self.trouble.is_none() {
            self.trouble = self.append(record).err();
        }
    }

    fn append(&mut self, record: &Record) -> Result<(), Problem> {
        let (run, started_unix_ns) = match self.begun {
            Some(begun) => begun,
            None => {
                let begin = session::begin(&Root::live(), self.study);
                let run = self.store.begin_run(&begin).map_err(Problem::unexpected)?;
                *self.begun.insert((run, begin.started_unix_ns))
            }
        };
        let mut record = record.clone();
        record.clock.started_unix_ns = started_unix_ns;
        self.store.append(run, &record).map_err(Problem::unexpected)
    }

    /// The run, where there is one; it ended so.
    pub(crate) fn end(&mut self, ending: Ending) -> Result<Option<RunId>, Problem> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let Some((run, _)) = self.begun else { return Ok(None) };
        session::finish(&self.store, run, Ok(ending)).map(|_| Some(run))
    }
}
