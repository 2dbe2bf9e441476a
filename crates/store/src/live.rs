//! What runs tell while they go on.
//!
//! A sample of a second ago is worth nothing tomorrow, so it is written without waiting for the
//! disk (`synchronous=NORMAL`: SQLite then flushes its log at checkpoints only), by a connection of
//! its own that waits for nobody long. A power cut may take samples away, never a record.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iopath_record::Live;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{RunId, Store, StoreError, open};

/// How long a sample waits for other writers (chosen: the next one comes in a second).
const PATIENCE: Duration = Duration::from_millis(500);

/// How far back samples of one pass are kept (chosen: what a screen shows).
const KEPT_NS: i64 = 600_000_000_000;

/// A run that has told nothing for so long is dead (chosen: sixty times what is usual).
const DEAD_NS: i64 = 60_000_000_000;

/// A sample of a run under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Wall clock, in ns since 1970.
    pub at_unix_ns: u64,
    /// How long ago that was when it was read.
    pub age_ns: u64,
    /// What was told.
    pub live: Live,
}

/// Writes samples of a run under way. It may be used from another thread than the store.
#[derive(Debug)]
pub struct LiveWriter {
    connection: Connection,
    run: RunId,
}

impl LiveWriter {
    /// Writes to the store at `path`, which exists.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be written.
    pub fn open(path: &Path, run: RunId) -> Result<Self, StoreError> {
        let failed = |error| StoreError::of(path, error);
        let (connection, _) = open::to_write(path)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        Ok(Self { connection, run })
    }

    /// Adds a sample of now, unless the run has ended; forgets those that are too old.
    ///
    /// # Errors
    /// What SQLite says. The run is none the worse for it.
    pub fn write(&self, live: &Live) -> rusqlite::Result<()> {
        let (run, now) = (self.run.0.cast_signed(), now());
        let body = serde_json::to_string(live).unwrap_or_default();
        let transaction = open::begin(&self.connection)?;
        let sql = "INSERT INTO live (run, at_unix_ns, body) SELECT id, ?2, ?3 FROM run \
                   WHERE id = ?1 AND state IS NULL";
        self.connection.execute(sql, params![run, now, body])?;
        let sql = "DELETE FROM live WHERE run = ? AND at_unix_ns < ?";
        self.connection.execute(sql, [run, now - KEPT_NS])?;
        transaction.commit()
    }
}

impl Store {
    /// What a run under way told since its last record, oldest first; nothing of one that ended.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read.
    pub fn live(&self, run: RunId) -> Result<Vec<Told>, StoreError> {
        let sql = "SELECT at_unix_ns, body FROM live WHERE run = ? ORDER BY id";
        let all = || {
            let mut statement = self.connection.prepare(sql)?;
            let pair = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
            let rows = statement.query_map([run.0.cast_signed()], pair)?;
            rows.collect::<Result<Vec<(i64, String)>, _>>()
        };
        let now = now();
        let told =
            all().map_err(|error| self.failed(error))?.into_iter().filter_map(|(at, body)| {
                // What another version told need not be understood.
                let live = serde_json::from_str(&body).ok()?;
                let age_ns = u64::try_from(now - at).unwrap_or_default();
                Some(Told { at_unix_ns: at.cast_unsigned(), age_ns, live })
            });
        Ok(told.collect())
    }

    /// When a run under way told something last, in ns since 1970; none where there is nothing of
    /// it. Much cheaper than [`Store::live`].
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read.
    pub fn told_at(&self, run: RunId) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT at_unix_ns FROM live WHERE run = ? ORDER BY id DESC LIMIT 1";
        let at = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0).map(i64::cast_unsigned);
        let found = self.connection.query_row(sql, [run.0.cast_signed()], at).optional();
        found.map_err(|error| self.failed(error))
    }

    /// Forgets what a run told; part of the caller's transaction.
    pub(crate) fn forget_live(&self, run: RunId) -> rusqlite::Result<()> {
        let sql = "DELETE FROM live WHERE run = ?";
        self.connection.execute(sql, [run.0.cast_signed()]).map(|_| ())
    }
}

/// Forgets what runs told that died.
pub(crate) fn sweep(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "DELETE FROM live WHERE run IN \
               (SELECT run FROM live GROUP BY run HAVING max(at_unix_ns) < ?)";
    connection.execute(sql, [now() - DEAD_NS]).map(|_| ())
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}
