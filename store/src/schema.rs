//! The layout of the file: two tables, and the two numbers by which SQLite files are told apart.
//!
//! Records lie in it as `iopath_record::encode` makes them; trial and pass stand beside them only
//! so that they come in order. Times are unsigned in the program and signed in SQL, bit for bit.

use rusqlite::Connection;

/// "IOPA": marks the file as ours (`PRAGMA application_id`).
pub(crate) const APPLICATION_ID: i64 = 0x494f_5041;

/// Version of the layout (`PRAGMA user_version`).
pub(crate) const VERSION: i64 = 1;

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

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing yet.
    Empty,
    /// A store of a layout that is known.
    Store,
    /// A store of a later layout.
    Newer(i64),
    /// Somebody else's database.
    Foreign,
}

/// Looks at the file without changing it.
pub(crate) fn content(connection: &Connection) -> rusqlite::Result<Content> {
    let number = |sql| connection.query_row(sql, (), |row| row.get::<_, i64>(0));
    let owner = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(match (owner, version) {
        (0, 0) if tables == 0 => Content::Empty,
        (APPLICATION_ID, VERSION) => Content::Store,
        (APPLICATION_ID, later) if later > VERSION => Content::Newer(later),
        _ => Content::Foreign,
    })
}

/// Lays the tables out; part of the caller's transaction, as the two numbers are.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)
}
