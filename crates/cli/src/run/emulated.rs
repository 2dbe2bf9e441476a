//! Emulated paths: from a case to devices, to records in the figures of the original.

mod alone;
mod ceiling;
mod guard;
mod load;
mod prepared;
mod probe;
mod run;
mod standing;

pub(crate) use alone::each as each_alone;
pub(crate) use guard::{start as start_guard, sweep_at_end};
pub(crate) use prepared::{Machine, Prepared, Wanted};
pub(crate) use run::{Kept, Length, Stage};
pub(crate) use standing::only_live;

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use iopath_emulation::{Media, Options, Trouble, sweep};
use iopath_units::Nanos;

use crate::arguments::EmulatedLength;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;

/// Where run directories are made: for this user and this boot.
pub(crate) fn directory(named: Option<&PathBuf>) -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    let temporary = || std::env::temp_dir().join(format!("iopath-{user}"));
    let runtime = || runtime().map(|path| path.join("iopath"));
    named.cloned().or_else(runtime).unwrap_or_else(temporary)
}

/// The directory that this user has until logout. After `su` the variable names that of another.
pub(crate) fn runtime() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
    let owner = std::fs::metadata(&path).ok()?.uid();
    (owner == rustix::process::geteuid().as_raw()).then_some(path)
}

/// Removes what dead runs left, and tells what of it stays.
pub(crate) fn clear(directory: &Path) {
    for trouble in sweep(directory).troubles {
        output::tell(&format!("cannot remove leftovers of earlier runs: {trouble}"));
    }
}

/// Options of devices that keep nothing and are taken away again.
pub(crate) fn passing(directory: PathBuf, label: &str) -> Options {
    Options { directory, media: Media::Null, loops: false, kept: false, label: label.to_owned() }
}

/// How this program is started to answer as a system.
fn program() -> Result<[OsString; 3], Problem> {
    let own = std::env::current_exe().map_err(Problem::unexpected)?;
    Ok([own.into(), "emulate".into(), "--serve".into()])
}

/// Why nothing came up.
fn in_the_way(trouble: Trouble) -> Problem {
    let status = match trouble {
        Trouble::Interrupted => ExitStatus::Interrupted,
        _ => ExitStatus::Obstacle,
    };
    Problem::new(status, trouble)
}

/// What the options say of a pass.
pub(crate) fn length(options: &EmulatedLength, passes: u32) -> Result<Length, Problem> {
    let time = |name: &str, text: &str| {
        let wrong = |error| Problem::mistake(format!("{name}: {error}"));
        text.parse::<Nanos>().map_err(wrong)
    };
    let length = Length {
        time: time("--time", &options.time)?,
        warm_up: time("--warm-up", &options.warm_up)?,
        passes,
    };
    match (length.time.0, passes) {
        (0, _) => Err(Problem::mistake("--time: a pass needs a length; write 10s")),
        (_, 0) => Err(Problem::mistake("--passes: at least 1")),
        _ => Ok(length),
    }
}
