//! Which way a trial's requests go, given what it asks for and what the system can do.
//!
//! `auto` means rings, with one exception: a file in memory (tmpfs, ramfs) cannot be read or
//! written without waiting, as the kernel sees it, so a ring would hand each request to a kernel
//! thread and back. A call ends as soon as the data is copied, and costs half the processor time.
//!
//! A system may forbid `io_uring` as a whole: by `kernel.io_uring_disabled`, by the filter of a
//! container (seccomp), by a security module, or because the kernel was built without it. This is
//! found with a small ring before the trial, so that all of its passes go the same way; so is a
//! limit on locked memory that is too small for the trial's rings. A ring that fails for another
//! reason (memory, open files, too deep) fails the trial and says so.

use std::io;

use iopath_study::Case;
use iopath_study::case::EngineKind;

use iopath_units::Action;

use super::locked::Locked;
use super::ring;
use crate::target::{OpenTarget, Service};

/// How a trial's requests reach the kernel, decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Way {
    /// One ring a stream.
    Uring,
    /// Blocking calls of one thread a stream.
    Calls,
    /// Blocking calls, a thread for each request in flight.
    Threads,
    /// Loads and stores on mappings.
    Mmap,
    /// Nowhere.
    Null,
}

impl Way {
    /// Threads of a stream: one that has all in flight, or one for each request where it blocks.
    pub(crate) fn workers(self, depth: u32) -> u32 {
        match self {
            Self::Uring | Self::Calls | Self::Null => 1,
            Self::Threads | Self::Mmap => depth,
        }
    }

    /// How the requests of a stream go where the others of its trial go this way: what moves no
    /// data takes no ring, but a thread for each request in flight.
    pub(crate) fn of(self, action: Action) -> Self {
        match self {
            Self::Uring if !action.is_transfer() => Self::Threads,
            Self::Uring | Self::Calls | Self::Threads | Self::Mmap | Self::Null => self,
        }
    }
}

impl From<EngineKind> for Way {
    /// `auto` is a ring where it is not known that all files are in memory.
    fn from(asked: EngineKind) -> Self {
        match asked {
            EngineKind::Auto | EngineKind::Uring => Self::Uring,
            EngineKind::Calls => Self::Calls,
            EngineKind::Threads => Self::Threads,
            EngineKind::Mmap => Self::Mmap,
            EngineKind::Null => Self::Null,
        }
    }
}

/// What serves a trial.
#[derive(Debug)]
pub(crate) struct Choice {
    pub engine: Way,
    /// Why it is not the ring that was wanted.
    pub refusal: Option<io::Error>,
}

impl Choice {
    /// Chooses for a trial of this case on these targets.
    pub(crate) fn of(case: &Case, targets: &[OpenTarget]) -> Self {
        // A metadata load has no ring to do without, so it keeps its threads.
        let has_data = case.streams.iter().any(|stream| !stream.action.is_of_files());
        let in_memory = has_data && targets.iter().all(OpenTarget::is_in_memory);
        let wanted = wanted(case.workload.engine, in_memory);
        let ways = || case.streams.iter().map(|stream| wanted.of(stream.action));
        let wanted = ways().reduce(|one, other| if one == other { one } else { wanted });
        let wanted = wanted.unwrap_or(Way::Uring);
        match Locked::of(case).refusal().filter(|_| wanted == Way::Uring) {
            Some(refusal) => Self { engine: Way::Threads, refusal: Some(refusal) },
            None => Self::fitting(wanted, &probe),
        }
    }

    /// `probe` makes a ring and gives it back; it is called only where a ring is wanted.
    fn fitting(wanted: Way, probe: &dyn Fn() -> io::Result<()>) -> Self {
        let refusal = match wanted {
            Way::Uring => probe().err().filter(forbids),
            Way::Calls | Way::Threads | Way::Mmap | Way::Null => None,
        };
        let engine = if refusal.is_some() { Way::Threads } else { wanted };
        Self { engine, refusal }
    }
}

fn wanted(asked: EngineKind, in_memory: bool) -> Way {
    if in_memory && asked == EngineKind::Auto { Way::Calls } else { Way::from(asked) }
}

/// Whether this kernel lets us make a ring of the plainest size.
fn probe() -> io::Result<()> {
    ring::set_up(1, Service::Direct).map(drop)
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
            (Way::Uring, None, Way::Uring),
            (Way::Uring, Some(libc::EPERM), Way::Threads),
            (Way::Uring, Some(libc::EACCES), Way::Threads),
            (Way::Uring, Some(libc::ENOSYS), Way::Threads),
            // These pass or can be mended: silence would hide them.
            (Way::Uring, Some(libc::ENOMEM), Way::Uring),
            (Way::Uring, Some(libc::EMFILE), Way::Uring),
            (Way::Calls, Some(libc::EPERM), Way::Calls),
            (Way::Threads, Some(libc::EPERM), Way::Threads),
            (Way::Mmap, Some(libc::EPERM), Way::Mmap),
            (Way::Null, Some(libc::EPERM), Way::Null),
        ];
        for (wanted, answer, expected) in cases {
            let probe = || answer.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)));
            let choice = Choice::fitting(wanted, &probe);
            assert_eq!(choice.engine, expected, "{wanted:?} {answer:?}");
            assert_eq!(choice.refusal.is_some(), wanted != expected, "{wanted:?} {answer:?}");
        }
    }

    #[test]
    fn only_auto_looks_at_where_the_files_are() {
        assert_eq!(wanted(EngineKind::Auto, true), Way::Calls);
        assert_eq!(wanted(EngineKind::Auto, false), Way::Uring);
        assert_eq!(wanted(EngineKind::Uring, true), Way::Uring);
    }
}
