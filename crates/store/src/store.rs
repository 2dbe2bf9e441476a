//! Runs and their records in one file: written once, read in the order of trials.

use std::path::{Path, PathBuf};

use iopath_outfile::Standing;
use iopath_record::{Record, decode, encode};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::{NewRun, Run, RunEnd, RunId, RunState, StoreError, open, schema};

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// The file that is written to; none where it is only read.
    standing: Option<Standing>,
}

pub(crate) const COLUMNS: &str = "run.id, run.origin, run.command, run.study, run.version, \
     run.started_unix_ns, run.host, run.state, run.failure, run.ended_unix_ns";

impl Store {
    /// Opens the store to write to it; creates it and the directories above where they are missing.
    ///
    /// # Errors
    /// [`StoreError`]: not ours, newer, read-only, full, out of reach.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let (connection, standing) = open::to_write(path)?;
        Ok(Self { connection, path: path.to_owned(), standing: Some(standing) })
    }

    /// Opens a store only to read it: creates nothing, and works in a directory that is not
    /// writable.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is none, else as [`Store::open`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: open::to_read(path)?, path: path.to_owned(), standing: None })
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes that a run begins.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be written.
    pub fn begin_run(&self, run: &NewRun) -> Result<RunId, StoreError> {
        let id = self.insert_run(run, None, None).map_err(|error| self.failed(error))?;
        self.assure_there().map(|()| id)
    }

    /// Adds a record to a run that has not ended. When this returns, the record is on disk.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for a record that breaks a rule of its format (nothing is stored
    /// that could not be read again), [`StoreError::Ended`], [`StoreError::Gone`], or where the
    /// store cannot be written.
    pub fn append(&self, run: RunId, record: &Record) -> Result<(), StoreError> {
        let (transaction, body) = self.begin_record(run, record)?;
        let place = (record.case.trial, record.case.pass);
        let told = (record.case.study.as_str(), record.technique.name());
        self.insert_record(run, place, &body)
            .and_then(|()| schema::list(&self.connection, run.0.cast_signed(), told))
            .and_then(|()| self.forget_live(run))
            .and_then(|()| transaction.commit())
            .map_err(|error| self.failed(error))?;
        self.assure_there()
    }

    /// Puts a record in the place of the one of the same trial and pass, of a run that has not
    /// ended: reading back what was written says more of the last pass.
    ///
    /// # Errors
    /// As [`Store::append`]; [`StoreError::NoPass`] where there is none to replace.
    pub fn amend(&self, run: RunId, record: &Record) -> Result<(), StoreError> {
        let (transaction, body) = self.begin_record(run, record)?;
        let (trial, pass) = (record.case.trial, record.case.pass);
        let sql = "UPDATE record SET body = ? WHERE id = \
                   (SELECT max(id) FROM record WHERE run = ? AND trial = ? AND pass = ?)";
        let values = params![body, run.0.cast_signed(), trial, pass];
        let changed = self.connection.execute(sql, values).map_err(|error| self.failed(error))?;
        if changed == 0 {
            return Err(StoreError::NoPass { run, trial, pass });
        }
        transaction.commit().map_err(|error| self.failed(error))
    }

    /// Notes how and when a run ended (in ns since 1970).
    ///
    /// # Errors
    /// [`StoreError::Ended`] if that was noted before; [`StoreError::NoRun`]; or where the store
    /// cannot be written.
    pub fn end_run(
        &self,
        run: RunId,
        state: &RunState,
        ended_unix_ns: u64,
    ) -> Result<(), StoreError> {
        let transaction = open::begin(&self.connection).map_err(|error| self.failed(error))?;
        let sql = "UPDATE run SET state = ?, failure = ?, ended_unix_ns = ? \
                   WHERE id = ? AND state IS NULL";
        let ended = ended_unix_ns.cast_signed();
        let values = params![state.name(), state.failure(), ended, run.0.cast_signed()];
        let changed = self.connection.execute(sql, values).map_err(|error| self.failed(error))?;
        if changed == 0 {
            self.run(run)?;
            return Err(StoreError::Ended { run });
        }
        let forgotten = self.forget_live(run).and_then(|()| transaction.commit());
        forgotten.map_err(|error| self.failed(error))?;
        self.assure_there()
    }

    /// One run.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], or where the store cannot be read.
    pub fn run(&self, id: RunId) -> Result<Run, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM run WHERE id = ?");
        let found = self.connection.query_row(&sql, [id.0.cast_signed()], run_of).optional();
        found.map_err(|error| self.failed(error))?.ok_or_else(|| self.no_run(&id.to_string()))
    }

    /// The records of a run, by trial and pass.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::Unreadable`], or where the store cannot be read.
    pub fn records(&self, run: RunId) -> Result<Vec<Record>, StoreError> {
        let mut all = Vec::new();
        self.each_record(run, |record| {
            all.push(record);
            Ok(())
        })?;
        Ok(all)
    }

    /// The run that a person means: its number, `last`, or `last~1` for the one before.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], with what there is; or where the store cannot be read.
    pub fn resolve(&self, text: &str) -> Result<RunId, StoreError> {
        if let Ok(id) = text.parse() {
            return self.run(RunId(id)).map(|run| run.id);
        }
        let back = match text.strip_prefix("last") {
            Some("") => Some(0),
            Some(rest) => rest.strip_prefix('~').and_then(|back| back.parse::<u32>().ok()),
            None => None,
        };
        let back = back.ok_or_else(|| self.no_run(text))?;
        let sql = "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?";
        let found = self.connection.query_row(sql, [back], |row| row.get(0)).optional();
        let id: Option<i64> = found.map_err(|error| self.failed(error))?;
        id.map(|id| RunId(id.cast_unsigned())).ok_or_else(|| self.no_run(text))
    }

    /// Gives the records of a run, one after the other.
    pub(crate) fn each_record(
        &self,
        run: RunId,
        mut take: impl FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.run(run)?;
        let failed = |error| self.failed(error);
        let sql = "SELECT trial, pass, body FROM record WHERE run = ?1 ORDER BY trial, pass, id";
        let mut statement = self.connection.prepare(sql).map_err(failed)?;
        let mut rows = statement.query([run.0.cast_signed()]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let stored = || Ok((row.get(0)?, row.get(1)?, row.get::<_, Vec<u8>>(2)?));
            let (trial, pass, body) = stored().map_err(failed)?;
            let unreadable = |source| StoreError::Unreadable { run, trial, pass, source };
            take(decode(&body).map_err(unreadable)?)?;
        }
        Ok(())
    }

    pub(crate) fn insert_run(
        &self,
        run: &NewRun,
        end: Option<&RunEnd>,
        origin: Option<RunId>,
    ) -> rusqlite::Result<RunId> {
        let state = end.map(|end| &end.state);
        self.connection.execute(
            "INSERT INTO run (origin, command, study, version, started_unix_ns, host, \
             state, failure, ended_unix_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                origin.map(|id| id.0.cast_signed()),
                run.command,
                run.study,
                run.version,
                run.started_unix_ns.cast_signed(),
                run.host,
                state.map(RunState::name),
                state.and_then(RunState::failure),
                end.map(|end| end.ended_unix_ns.cast_signed()),
            ],
        )?;
        Ok(RunId(self.connection.last_insert_rowid().cast_unsigned()))
    }

    pub(crate) fn insert_record(
        &self,
        run: RunId,
        (trial, pass): (u32, u32),
        body: &[u8],
    ) -> rusqlite::Result<()> {
        let sql = "INSERT INTO record (run, trial, pass, body) VALUES (?, ?, ?, ?)";
        let values = params![run.0.cast_signed(), trial, pass, body];
        self.connection.execute(sql, values).map(|_| ())
    }

    /// A record as it is stored, and the change that adds it to a run that has not ended.
    fn begin_record(
        &self,
        run: RunId,
        record: &Record,
    ) -> Result<(Transaction<'_>, Vec<u8>), StoreError> {
        let body = encode(record);
        decode(&body).map_err(StoreError::Refused)?;
        let transaction = open::begin(&self.connection).map_err(|error| self.failed(error))?;
        match self.run(run)?.end {
            None => Ok((transaction, body)),
            Some(_) => Err(StoreError::Ended { run }),
        }
    }

    /// What is written to a file without a name is lost when it is closed.
    pub(crate) fn assure_there(&self) -> Result<(), StoreError> {
        match self.standing.as_ref().is_none_or(Standing::is_there) {
            true => Ok(()),
            false => Err(StoreError::Gone { path: self.path.clone() }),
        }
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of(&self.path, error)
    }

    /// Says what there is, so that the next try succeeds.
    fn no_run(&self, text: &str) -> StoreError {
        let sql = "SELECT count(*), max(id) FROM run";
        let row = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?));
        let hint = match self.connection.query_row(sql, (), row) {
            Ok((count, Some(last))) => format!(
                "the store has {count}, the last is {last}; name a run by its number, \
                 \"last\" or \"last~1\""
            ),
            Ok((_, None)) => "the store has none yet".to_owned(),
            Err(error) => return self.failed(error),
        };
        StoreError::NoRun { text: text.to_owned(), hint }
    }
}

pub(crate) fn run_of(row: &Row<'_>) -> rusqlite::Result<Run> {
    let unsigned = |index| row.get::<_, i64>(index).map(i64::cast_unsigned);
    let state: Option<String> = row.get(7)?;
    let failure: Option<String> = row.get(8)?;
    let ended: Option<i64> = row.get(9)?;
    let end = state.zip(ended).map(|(state, ended)| RunEnd {
        state: match (state.as_str(), failure) {
            (_, Some(why)) => RunState::Failed(why),
            ("interrupted", None) => RunState::Interrupted,
            // The table's own rule leaves one word.
            (_, None) => RunState::Finished,
        },
        ended_unix_ns: ended.cast_unsigned(),
    });
    let begin = NewRun {
        command: row.get(2)?,
        study: row.get(3)?,
        version: row.get(4)?,
        started_unix_ns: unsigned(5)?,
        host: row.get(6)?,
    };
    let origin: Option<i64> = row.get(1)?;
    let origin = origin.map(|id| RunId(id.cast_unsigned()));
    Ok(Run { id: RunId(unsigned(0)?), origin, begin, end })
}
