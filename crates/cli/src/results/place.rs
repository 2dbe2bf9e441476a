//! Where the store is.

use std::ffi::OsString;
use std::path::PathBuf;

use iopath_store::{Store, StoreError, default_path};

use crate::arguments::StoreOption;
use crate::exit_status::Problem;
use crate::inputs::again::quoted;

/// `--store FILE`, else the user's own.
pub(crate) fn path(option: &StoreOption) -> Result<PathBuf, Problem> {
    let of = std::env::var_os;
    let usual = || default_path(of("XDG_DATA_HOME"), of("HOME"));
    option.store.clone().or_else(usual).ok_or_else(|| {
        Problem::mistake("neither XDG_DATA_HOME nor HOME is set; name the store with --store FILE")
    })
}

/// A command on what this store has, as a person types it.
pub(crate) fn command(option: &StoreOption, words: &str) -> String {
    match &option.store {
        None => format!("iopath {words}"),
        Some(store) => format!("iopath {words} --store {}", quoted(&store.to_string_lossy())),
    }
}

/// A page unless somebody names another file: next to the store, not in the directory in which
/// somebody happens to be. Of a store that is not called as usual its name comes first, as runs of
/// several stores have the same numbers. What a name may not have in a file's becomes a dash.
pub(crate) fn report(option: &StoreOption, name: &str) -> Result<PathBuf, Problem> {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().take(LONGEST).map(safe).collect();
    let store = path(option)?;
    let mut page = OsString::new();
    if let Some(own) = store.file_name().filter(|own| *own != USUAL) {
        page.push(own);
        page.push("-");
    }
    page.push(format!("{name}.html"));
    Ok(store.with_file_name("reports").join(page))
}

/// What a store is called unless somebody names it.
const USUAL: &str = "runs.db";

/// Characters of a page's name: far from what file systems allow in bytes.
const LONGEST: usize = 60;

/// The store, made where it is missing.
pub(crate) fn store(option: &StoreOption) -> Result<Store, Problem> {
    Store::open(&path(option)?).map_err(problem)
}

/// The store, which must exist.
pub(crate) fn existing_store(option: &StoreOption) -> Result<Store, Problem> {
    Store::open_existing(&path(option)?).map_err(problem)
}

/// The store for a list: before the first run the usual one does not exist, which is no mistake.
pub(crate) fn store_if_any(option: &StoreOption) -> Result<Option<Store>, Problem> {
    match Store::open_existing(&path(option)?) {
        Err(StoreError::Missing { .. }) if option.store.is_none() => Ok(None),
        other => other.map(Some).map_err(problem),
    }
}

/// A store or a run that is not there was named wrongly; a store that is there and fails is
/// nothing that the words of a command could mend.
pub(crate) fn problem(error: StoreError) -> Problem {
    match error {
        StoreError::Missing { .. } | StoreError::NoRun { .. } | StoreError::Words { .. } => {
            Problem::mistake(error)
        }
        StoreError::Unreachable { .. }
        | StoreError::Unfit(_)
        | StoreError::Gone { .. }
        | StoreError::CannotOpen { .. }
        | StoreError::NotWritable { .. }
        | StoreError::NotAStore { .. }
        | StoreError::Newer { .. }
        | StoreError::Full { .. }
        | StoreError::Busy { .. }
        | StoreError::Damaged { .. }
        | StoreError::Sql { .. }
        | StoreError::Ended { .. }
        | StoreError::NoPass { .. }
        | StoreError::Refused(_)
        | StoreError::Unreadable { .. }
        | StoreError::Import { .. }
        | StoreError::Export(_) => Problem::unexpected(error),
    }
}
