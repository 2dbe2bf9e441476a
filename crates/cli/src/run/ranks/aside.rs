//! A command on a thread of its own, while the thread that alone may talk to the other ranks passes
//! on what it prints.

use std::time::Duration;

use iopath_ranks::Lost;

use super::carrier;
use crate::exit_status::{ExitStatus, Problem};
use crate::output::{self, Printed};

/// The command as it is without other ranks.
pub(crate) type Alone<'a> = dyn Fn() -> Result<ExitStatus, Problem> + Sync + 'a;

/// Between two looks: chosen, what a reader of a terminal does not notice.
pub(super) const LOOK: Duration = Duration::from_millis(5);

/// Runs it to its end. Where nothing can be passed on any more all ranks end.
pub(super) fn run_aside(
    alone: &Alone<'_>,
    pass_on: &mut dyn FnMut(Vec<Printed>) -> Result<(), Lost>,
) -> ExitStatus {
    let mut pass_on = |printed| {
        if let Err(lost) = pass_on(printed) {
            output::end_capture();
            carrier::abandon(output::tell_problem(&Problem::unexpected(lost)));
        }
    };
    output::capture();
    let status = std::thread::scope(|scope| {
        let run = || alone().unwrap_or_else(|problem| output::tell_problem(&problem));
        let running = scope.spawn(run);
        while !running.is_finished() {
            pass_on(output::take_captured());
            std::thread::sleep(LOOK);
        }
        running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    pass_on(output::end_capture());
    status
}
