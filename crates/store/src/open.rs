//! Opening: to write, creating what is missing; or to read, changing nothing.
//!
//! SQLite's write-ahead log (WAL) lets readers go on while somebody writes. `synchronous=FULL`
//! flushes the log at every commit: NORMAL would survive kill -9 but could lose the last records
//! in a power cut, and one flush for each pass of seconds costs nothing. Where a file system
//! cannot hold a WAL, SQLite keeps its rollback journal: as safe, but one process at a time.
//!
//! Runs say what is on a machine, so a store and the directories made for it are its owner's alone.
//! SQLite gives its other files the same mode (<https://www.sqlite.org/src/file/src/os_unix.c>,
//! `findCreateFileMode`).

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use iopath_outfile::{Standing, Trouble, existing, make_directory, standing};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::schema::{self, Content};
use crate::{StoreError, live};

/// How long one process waits for another (chosen: a commit takes milliseconds, on a disk that is
/// being measured some seconds).
const PATIENCE: Duration = Duration::from_secs(30);

/// A pause between two tries where SQLite does not wait by itself.
const PAUSE: Duration = Duration::from_millis(5);

/// The files that SQLite keeps next to a store.
const BESIDE: &[&str] = &["-wal", "-shm", "-journal"];

/// A connection that may write, and the file it leads to. Creates directories and file where they
/// are missing.
pub(crate) fn to_write(path: &Path) -> Result<(Connection, Standing), StoreError> {
    let unfit = |trouble| unfit(path, trouble);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_directory(folder).map_err(unfit)?;
    }
    let standing = standing(path, BESIDE).map_err(unfit)?;
    let failed = |error| StoreError::of(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = connect(standing.path(), flags).map_err(failed)?;
    // SQLite opens a file that is write-protected for reading, without a word.
    if connection.is_readonly("main").map_err(failed)? {
        return Err(StoreError::NotWritable { path: path.to_owned() });
    }
    settle(&connection).map_err(failed)?;
    lay_out(&connection, path)?;
    standing.tighten().map_err(unfit)?;
    write_ahead(&connection).map_err(failed)?;
    // Taking the lock once shows now, not after the first trial, whether writing is possible.
    let transaction = begin(&connection).map_err(failed)?;
    live::sweep(&connection).and_then(|()| transaction.commit()).map_err(failed)?;
    Ok((connection, standing))
}

fn unfit(path: &Path, trouble: Trouble) -> StoreError {
    match trouble {
        Trouble::Kernel { source, .. } => StoreError::Unreachable { path: path.to_owned(), source },
        other => StoreError::Unfit(other),
    }
}

/// A connection that only reads, also where the directory is not writable.
pub(crate) fn to_read(path: &Path) -> Result<Connection, StoreError> {
    match path.metadata() {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Err(source) => return Err(StoreError::Unreachable { path: path.to_owned(), source }),
    }
    let mut first = None;
    for (name, flags) in ways_to_read(path)? {
        let opened = connect(&name, flags).and_then(|connection| {
            settle(&connection)?;
            let content = schema::content(&connection)?;
            if content == Content::Older {
                schema::complete(&connection)?;
            }
            connection.pragma_update(None, "query_only", true)?;
            Ok((content, connection))
        });
        match opened {
            Ok((content, connection)) => return known(content, path).map(|()| connection),
            Err(error) if is_about_permissions(&error) => _ = first.get_or_insert(error),
            Err(error) => return Err(StoreError::of(path, error)),
        }
    }
    let source = first.unwrap_or(rusqlite::Error::InvalidPath(path.to_owned()));
    Err(StoreError::CannotOpen { path: path.to_owned(), source })
}

/// From the most usual to the least. A reader that may write leaves no `-wal` behind; one that may
/// not still sees what is in it; a file in a directory that is closed to us is taken as unchanging,
/// which is true only if nothing waits in a `-wal` next to it. A privileged process makes no file
/// where another user can change the path, so there only this last way is left.
fn ways_to_read(path: &Path) -> Result<Vec<(PathBuf, OpenFlags)>, StoreError> {
    let (write, read) = (OpenFlags::SQLITE_OPEN_READ_WRITE, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let mut ways = match existing(path, BESIDE) {
        Ok(_) => vec![(path.to_owned(), write), (path.to_owned(), read)],
        Err(Trouble::Untrusted { .. }) => Vec::new(),
        Err(trouble) => return Err(unfit(path, trouble)),
    };
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if !Path::new(&log).metadata().is_ok_and(|log| log.len() > 0) {
        ways.push((unchanging(path), read | OpenFlags::SQLITE_OPEN_URI));
    }
    Ok(ways)
}

/// The path as SQLite's URI (<https://www.sqlite.org/uri.html>) with `immutable=1`.
fn unchanging(path: &Path) -> PathBuf {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    let quoted = path.as_os_str().as_encoded_bytes().iter().map(|byte| match plain(byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02x}"),
    });
    format!("file:{}?immutable=1", quoted.collect::<String>()).into()
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// A transaction that holds the right to write from its beginning, so that two processes wait for
/// one another instead of failing halfway.
pub(crate) fn begin(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}

/// Looks before it locks: somebody else's database is not touched.
fn lay_out(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::of(path, error);
    if matches!(schema::content(connection).map_err(failed)?, Content::Empty | Content::Older) {
        let transaction = begin(connection).map_err(failed)?;
        // Another process may have been faster.
        match schema::content(connection).map_err(failed)? {
            Content::Empty => schema::create(connection),
            Content::Older => schema::upgrade(connection),
            Content::Store | Content::Newer(_) | Content::Foreign => Ok(()),
        }
        .map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
    known(schema::content(connection).map_err(failed)?, path)
}

fn known(content: Content, path: &Path) -> Result<(), StoreError> {
    let path = path.to_owned();
    match content {
        Content::Store | Content::Older => Ok(()),
        Content::Empty => Err(StoreError::Missing { path }),
        Content::Newer(found) => Err(StoreError::Newer { path, found }),
        Content::Foreign => Err(StoreError::NotAStore { path, why: "another program's database" }),
    }
}

/// Changing the journal needs the file for oneself, and SQLite does not wait for that.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match answer {
            Err(error) if is_busy(&error) && Instant::now() < deadline => thread::sleep(PAUSE),
            answer => return answer,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn is_about_permissions(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_for_the_uri() {
        let found = unchanging(Path::new("/a b/c?d%e#f/runs.db"));
        assert_eq!(found, Path::new("file:/a%20b/c%3fd%25e%23f/runs.db?immutable=1"));
    }
}
