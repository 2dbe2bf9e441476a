//! Limits of this process that the program answers for: open files and file sizes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::SIGXFSZ;

/// Settled before anything else is done.
pub(crate) fn settle() {
    raise_open_files();
    report_file_sizes();
}

/// Each stream has files of its own. The soft limit of 1,024 is low for the sake of programs that
/// use select(2), which this one does not (systemd.exec(5), `LimitNOFILE`).
fn raise_open_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where it cannot be raised, preflight names it.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// A write beyond `ulimit -f` shall fail with EFBIG, which is reported, and not end the program: a
/// signal that is handled does so (setrlimit(2)).
fn report_file_sizes() {
    let is_handled = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Where it cannot be handled the limit ends the program, as before.
    drop(is_handled);
}
