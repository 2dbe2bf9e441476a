//! Signals that end a command: once in order, twice at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use iopath_machine::{Root, process_limits};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit_status::{ExitStatus, Problem};
use crate::output;

/// Signals that come this soon after the first are the same wish: a terminal and `timeout` may
/// both deliver it.
const SAME_WISH: Duration = Duration::from_millis(300);

/// Requests in flight have this long to come home after the first signal. As long as the kernel
/// gives a disk command (SD_TIMEOUT in drivers/scsi/sd.h): a device that takes longer is hung.
const GRACE: Duration = Duration::from_secs(30);

/// What an orderly end waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pending {
    /// Requests in flight, at most for [`GRACE`].
    Io,
    /// Results to be shown, which takes as long as it takes.
    Results,
}

/// The first signal asks for an orderly end; a later one ends at once.
pub(crate) fn watch(pending: Pending) -> Result<Arc<AtomicBool>, Problem> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let cannot = |error| Problem::unexpected(format!("cannot watch signals: {error}"));
    // nohup(1) starts programs that are to outlive their terminal with this signal ignored.
    let hang_up = (!process_limits::ignores(&Root::live(), SIGHUP)).then_some(SIGHUP);
    let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hang_up)).map_err(cannot)?;
    let flag = Arc::clone(&interrupted);
    // Started now: after thousands of workers there may be no thread left.
    let (first_signal, awaited) = mpsc::channel();
    std::thread::spawn(move || {
        if awaited.recv().is_ok() && pending == Pending::Io {
            end_after_grace();
        }
    });
    std::thread::spawn(move || {
        let mut first: Option<Instant> = None;
        for _ in signals.forever() {
            flag.store(true, Ordering::Relaxed);
            // It waits once, however many signals come.
            let _ = first_signal.send(());
            if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
                std::process::exit(ExitStatus::Interrupted as i32);
            }
        }
    });
    Ok(interrupted)
}

/// Ends the program when the orderly end does not come: a request is stuck in the kernel.
fn end_after_grace() {
    std::thread::sleep(GRACE);
    output::tell(&format!(
        "still not ended {} s after the signal: the kernel has not finished a request or a flush; \
         the run stays in the list as unfinished",
        GRACE.as_secs()
    ));
    std::process::exit(ExitStatus::Interrupted as i32);
}
