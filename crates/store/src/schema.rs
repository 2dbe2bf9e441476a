//! The layout of the file: its tables, and the two numbers by which SQLite files are told apart.
//!
//! Records lie in it as `iopath_record::encode` makes them; trial and pass stand beside them only
//! so that they come in order. Times are unsigned in the program and signed in SQL, bit for bit.
//! Layout 2 adds what lists are searched by without opening a record, and what a run tells while
//! it goes on. A file of layout 1 gets both when it is next written to; whoever only reads it has
//! them in memory.

use iopath_record::decode;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// "IOPA": marks the file as ours (`PRAGMA application_id`).
pub(crate) const APPLICATION_ID: i64 = 0x494f_5041;

/// Version of the layout (`PRAGMA user_version`).
pub(crate) const VERSION: i64 = 2;

const TABLES: &str = "
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    origin INTEGER,
    command TEXT NOT NULL,
    study TEXT NOT NULL,
    version TEXT NOT NULL,
    started_unix_ns INTEGER NOT NULL,
    host TEXT NOT NULL,
    state TEXT CHECK (state IN ('finished', 'interrupted', 'failed')),
    failure TEXT,
    ended_unix_ns INTEGER,
    CHECK ((state IS NULL) = (ended_unix_ns IS NULL)),
    CHECK ((state IS 'failed') = (failure IS NOT NULL))
) STRICT;
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (id),
    trial INTEGER NOT NULL,
    pass INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX record_in_order ON record (run, trial, pass);
";

/// The tables that layout 2 adds.
const ADDED: [&str; 2] = [
    "TABLE listed (
        run INTEGER PRIMARY KEY,
        title TEXT NOT NULL,
        technique TEXT NOT NULL
    ) STRICT",
    "TABLE live (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL,
        at_unix_ns INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT",
];
const INDEX: &str = "CREATE INDEX live_in_order ON live (run, id)";

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing yet.
    Empty,
    /// A store of this layout.
    Store,
    /// A store of an earlier one.
    Older,
    /// A store of a later layout.
    Newer(i64),
    /// Somebody else's database.
    Foreign,
}

/// Reads what the file is without changing it: in one statement, as another process may create the
/// store between two.
pub(crate) fn content(connection: &Connection) -> rusqlite::Result<Content> {
    let number = |row: &Row<'_>, column| row.get::<_, i64>(column);
    let (owner, version, tables) = connection.query_row(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
         FROM pragma_application_id, pragma_user_version",
        (),
        |row| Ok((number(row, 0)?, number(row, 1)?, number(row, 2)?)),
    )?;
    Ok(match (owner, version) {
        (0, 0) if tables == 0 => Content::Empty,
        (APPLICATION_ID, VERSION) => Content::Store,
        (APPLICATION_ID, 1) => Content::Older,
        (APPLICATION_ID, later) if later > VERSION => Content::Newer(later),
        _ => Content::Foreign,
    })
}

/// Lays the tables out; part of the caller's transaction, as the two numbers are.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    add(connection, "CREATE")?;
    connection.execute_batch(INDEX)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Makes a file of layout 1 one of this; part of the caller's transaction.
pub(crate) fn upgrade(connection: &Connection) -> rusqlite::Result<()> {
    add(connection, "CREATE")?;
    connection.execute_batch(INDEX)?;
    fill(connection)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Gives a connection that must not write what layout 1 lacks, in memory.
pub(crate) fn complete(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    add(connection, "CREATE TEMP")?;
    fill(connection)
}

fn add(connection: &Connection, create: &str) -> rusqlite::Result<()> {
    ADDED.iter().try_for_each(|what| connection.execute_batch(&format!("{create} {what}")))
}

/// Opens the first record of every run, once. One that cannot be read tells nothing.
fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let mut runs = connection.prepare("SELECT id FROM run")?;
    let ids = runs.query_map((), |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    let sql = "SELECT body FROM record WHERE run = ? ORDER BY trial, pass, id LIMIT 1";
    let mut first = connection.prepare(sql)?;
    for run in ids {
        let body: Option<Vec<u8>> = first.query_row([run], |row| row.get(0)).optional()?;
        if let Some(record) = body.and_then(|body| decode(&body).ok()) {
            list(connection, run, (&record.case.study, record.technique.name()))?;
        }
    }
    Ok(())
}

/// Notes what a run is searched by: the title of its study and its technique. The first stays.
pub(crate) fn list(
    connection: &Connection,
    run: i64,
    (title, technique): (&str, &str),
) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO listed (run, title, technique) VALUES (?, ?, ?)";
    connection.execute(sql, params![run, title, technique]).map(|_| ())
}
