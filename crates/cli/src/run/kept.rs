//! A run of a model in the store, record by record as each is made, so that what is finished is
//! there when something ends the rest. Where the store fails, that is reported at once: results are
//! still worth showing.

use iopath_machine::Root;
use iopath_record::Record;
use iopath_store::{RunId, Store};

use crate::arguments::StoreOption;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::place;
use crate::run::session;

/// Where records go. The run begins with the first of them: one without any is of no use.
pub(crate) struct Kept<'a> {
    store: Store,
    study: &'a str,
    begun: Option<(RunId, u64)>,
    is_broken: bool,
}

/// What became of a run that was to be kept.
pub(crate) struct Stored {
    /// None where no record came, or the store failed.
    pub run: Option<RunId>,
    /// How the program ends.
    pub status: ExitStatus,
}

impl<'a> Kept<'a> {
    pub(crate) fn open(option: &StoreOption, study: &'a str) -> Result<Self, Problem> {
        Ok(Self { store: place::store(option)?, study, begun: None, is_broken: false })
    }

    /// Puts a record into the store, with the time of the day in it; after a failure no more.
    pub(crate) fn add(&mut self, record: &Record) {
        if self.is_broken {
            return;
        }
        if let Err(problem) = self.append(record) {
            self.fail(&problem);
        }
    }

    fn fail(&mut self, problem: &Problem) {
        self.is_broken = true;
        output::tell(&format!("warning: {problem}; results are shown but not stored"));
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

    /// The run ended so, unless the store failed.
    pub(crate) fn end(&mut self, status: ExitStatus) -> Stored {
        let mut run = self.begun.map(|(run, _)| run).filter(|_| !self.is_broken);
        let ended = run.map(|run| session::finish(&self.store, run, Ok(status))).transpose();
        if let Err(problem) = ended {
            self.fail(&problem);
            run = None;
        }
        Stored { run, status: if self.is_broken { ExitStatus::Unexpected } else { status } }
    }
}
