//! Why the store cannot do something, where, and what to do about it.

use std::path::{Path, PathBuf};

use iopath_record::DecodeError;
use rusqlite::ErrorCode;
use thiserror::Error;

use crate::list::MOST_WORDS;
use crate::{RunId, schema};

/// What went wrong with a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no such file, or nothing was written to it yet.
    #[error("there is no store at {}: nothing has been stored yet", path.display())]
    Missing { path: PathBuf },
    /// The operating system refuses the file or a directory above it.
    #[error(
        "cannot access the store {}: {source}; check the path and its permissions, \
         or name another file with --store", path.display()
    )]
    Unreachable { path: PathBuf, source: std::io::Error },
    /// It is a device or a directory, or another user can change its path.
    #[error("the store cannot be used: {0}")]
    Unfit(iopath_outfile::Trouble),
    /// Its file was removed or replaced while it was open.
    #[error(
        "the store {} was deleted or replaced during the run, so later records are lost; restore \
         it or name another file with --store, and run again", path.display()
    )]
    Gone { path: PathBuf },
    /// SQLite cannot open the file or the two that it keeps beside it (`-wal`, `-shm`).
    #[error(
        "cannot open the store {}: {source}; check its permissions and those of its directory, \
         or name another file with --store", path.display()
    )]
    CannotOpen { path: PathBuf, source: rusqlite::Error },
    /// The file, its directory or its file system is read-only.
    #[error(
        "cannot write to the store {}: it is read-only; name another file with --store",
        path.display()
    )]
    NotWritable { path: PathBuf },
    /// The file holds something else.
    #[error(
        "{} is not a store of iopath ({why}), and is not modified; name another file with --store",
        path.display()
    )]
    NotAStore { path: PathBuf, why: &'static str },
    /// The file was made by a later version of the program.
    #[error(
        "the store {} was made by a newer iopath (layout {found}, this one knows {known}); \
         use that version, or name another file with --store",
        path.display(), known = schema::VERSION
    )]
    Newer { path: PathBuf, found: i64 },
    /// No space left, or a limit on the size of files.
    #[error(
        "no space left for the store {}: {source}; earlier contents are safe: free space, or \
         name another file with --store", path.display()
    )]
    Full { path: PathBuf, source: rusqlite::Error },
    /// Another process held the store for longer than 30 s.
    #[error(
        "another process has been writing to the store {} for 30 s; end it, or name another \
         file with --store", path.display()
    )]
    Busy { path: PathBuf },
    /// The file is damaged.
    #[error(
        "the store {} is damaged ({source}); keep a copy, and try `sqlite3 FILE .recover`",
        path.display()
    )]
    Damaged { path: PathBuf, source: rusqlite::Error },
    /// Anything else that SQLite reports.
    #[error("the store {} fails: {source}", path.display())]
    Sql { path: PathBuf, source: rusqlite::Error },
    /// No run of that name or number.
    #[error("there is no run \"{text}\": {hint}")]
    NoRun { text: String, hint: String },
    /// More words to search for than a person writes.
    #[error("{words} search words; at most {MOST_WORDS} are allowed")]
    Words { words: usize },
    /// The run has its end already; nothing is added to it.
    #[error("run {run} has ended; start a new one")]
    Ended { run: RunId },
    /// There is no record to put another in the place of.
    #[error("run {run} has no record of pass {pass} of trial {trial}")]
    NoPass { run: RunId, trial: u32, pass: u32 },
    /// A record that could not be read again is not stored.
    #[error("the record is not stored: {0}")]
    Refused(DecodeError),
    /// A stored record cannot be read.
    #[error("record of trial {trial}, pass {pass} of run {run} cannot be read: {source}")]
    Unreadable { run: RunId, trial: u32, pass: u32, source: DecodeError },
    /// A file to import is not what [`Store::export`](crate::Store::export) wrote.
    #[error("nothing was imported: line {line}: {why}")]
    Import { line: u64, why: String },
    /// The exported file cannot be written.
    #[error("cannot write the exported run: {0}")]
    Export(std::io::Error),
}

impl StoreError {
    /// What SQLite reports about the store at `path`, in our words.
    pub(crate) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => Self::NotWritable { path },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::CannotOpen { path, source }
            }
            Some(ErrorCode::DiskFull) => Self::Full { path, source },
            Some(ErrorCode::SystemIoFailure) if is_no_space(&source) => Self::Full { path, source },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::NotADatabase) => {
                Self::NotAStore { path, why: "not an SQLite database" }
            }
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, source },
            _ => Self::Sql { path, source },
        }
    }
}

/// The file shared between processes (`-shm`) could not be made longer: SQLite has no own code
/// for a full disk there.
fn is_no_space(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}
