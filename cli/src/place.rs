//! Where the store is.

use std::path::PathBuf;

use iopath_store::{RunId, Store, StoreError, default_path};

use crate::arguments::StoreOption;
use crate::ending::Problem;

/// `--store FILE`, else the user's own.
fn path(option: &StoreOption) -> Result<PathBuf, Problem> {
    let of = std::env::var_os;
    let usual = || default_path(of("XDG_DATA_HOME"), of("HOME"));
    option.store.clone().or_else(usual).ok_or_else(|| {
        Problem::mistake("neither XDG_DATA_HOME nor HOME is set; name the store with --store FILE")
    })
}

/// The page of a run unless somebody names another file: beside the store, not in the directory in
/// which somebody happens to be.
pub(crate) fn report(option: &StoreOption, run: RunId) -> Result<PathBuf, Problem> {
    Ok(path(option)?.with_file_name("reports").join(format!("run-{run}.html")))
}

/// The store, made where it is missing.
pub(crate) fn store(option: &StoreOption) -> Result<Store, Problem> {
    Store::open(&path(option)?).map_err(Problem::unexpected)
}

/// The store, which must exist.
pub(crate) fn existing_store(option: &StoreOption) -> Result<Store, Problem> {
    Store::open_existing(&path(option)?).map_err(Problem::mistake)
}

/// The store for a list: before the first run the usual one does not exist, which is no mistake.
pub(crate) fn store_if_any(option: &StoreOption) -> Result<Option<Store>, Problem> {
    match Store::open_existing(&path(option)?) {
        Err(StoreError::Missing { .. }) if option.store.is_none() => Ok(None),
        other => other.map(Some).map_err(Problem::mistake),
    }
}
