//! Which engine serves a trial: the one it asks for, or blocking calls where rings are forbidden.
//!
//! A system may forbid `io_uring` as a whole: by `kernel.io_uring_disabled`, by the filter of a
//! container (seccomp), by a security module, or because the kernel was built without it. This is
//! found with a small ring before the trial, so that all of its passes use the same engine. A
//! ring that fails for another reason (memory, open files, too deep) fails the trial and says so.

use std::io;

use iopath_study::case::EngineKind;

use super::ring;

/// What serves a trial.
#[derive(Debug)]
pub(crate) struct Choice {
    pub engine: EngineKind,
    /// Why it is not the ring that was asked for.
    pub refusal: Option<io::Error>,
}

impl Choice {
    /// Chooses for a trial that asks for `asked`. `probe` makes a ring and gives it back; it is
    /// called only where a ring is asked for.
    pub(crate) fn of(asked: EngineKind, probe: &dyn Fn() -> io::Result<()>) -> Self {
        let refusal = match asked {
            EngineKind::Uring => probe().err().filter(forbids),
            EngineKind::Threads | EngineKind::Mmap | EngineKind::Null => None,
        };
        let engine = if refusal.is_some() { EngineKind::Threads } else { asked };
        Self { engine, refusal }
    }
}

/// Whether this kernel lets us make a ring of the plainest size.
pub(crate) fn probe() -> io::Result<()> {
    ring::set_up(1).map(drop)
}

/// Whether no ring will do, whatever its size.
fn forbids(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES | libc::ENOSYS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocking_calls_stand_in_only_for_a_ring_that_is_forbidden() {
        let cases = [
            (EngineKind::Uring, None, EngineKind::Uring),
            (EngineKind::Uring, Some(libc::EPERM), EngineKind::Threads),
            (EngineKind::Uring, Some(libc::EACCES), EngineKind::Threads),
            (EngineKind::Uring, Some(libc::ENOSYS), EngineKind::Threads),
            // These pass or can be mended: silence would hide them.
            (EngineKind::Uring, Some(libc::ENOMEM), EngineKind::Uring),
            (EngineKind::Uring, Some(libc::EMFILE), EngineKind::Uring),
            (EngineKind::Threads, Some(libc::EPERM), EngineKind::Threads),
            (EngineKind::Mmap, Some(libc::EPERM), EngineKind::Mmap),
            (EngineKind::Null, Some(libc::EPERM), EngineKind::Null),
        ];
        for (asked, answer, expected) in cases {
            let probe = || answer.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)));
            let choice = Choice::of(asked, &probe);
            assert_eq!(choice.engine, expected, "{asked:?} {answer:?}");
            let said = choice.refusal.map(|error| error.raw_os_error());
            assert_eq!(said.is_some(), asked != expected, "{asked:?} {answer:?}");
        }
    }
}
