//! This thread before all others that wake at the same time: where a host has more ranks than
//! processors, the streams of the rank that wakes first would keep the others' from theirs, for
//! milliseconds.
//!
//! `thread-priority` does not know the way back: it would set the nice value too. Real-time
//! scheduling needs CAP_SYS_NICE, or a limit above zero (`ulimit -r`); without it the
//! thread wakes as any other.

use std::mem::MaybeUninit;

/// The lowest real-time priority: it is before all that have none.
const PRIORITY: libc::c_int = 1;

/// This thread is scheduled first as long as this lives.
pub(super) struct First {
    /// How it was scheduled before; none where that has not been changed.
    before: Option<Scheduling>,
}

#[derive(Clone, Copy)]
struct Scheduling {
    policy: libc::c_int,
    parameters: libc::sched_param,
}

impl First {
    pub(super) fn here() -> Self {
        let parameters = libc::sched_param { sched_priority: PRIORITY };
        let wanted = Scheduling { policy: libc::SCHED_FIFO, parameters };
        let before = Scheduling::of_this_thread().filter(Scheduling::is_usual);
        Self { before: before.filter(|_| wanted.set()) }
    }
}

impl Drop for First {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            before.set();
        }
    }
}

impl Scheduling {
    fn of_this_thread() -> Option<Self> {
        // SAFETY: takes no pointer; 0 is the calling thread.
        let policy = unsafe { libc::sched_getscheduler(0) };
        let mut parameters = MaybeUninit::uninit();
        // SAFETY: the pointer is to memory of that type, which is read only if it was written.
        let parameters = unsafe {
            (libc::sched_getparam(0, parameters.as_mut_ptr()) == 0)
                .then(|| parameters.assume_init())
        };
        parameters.filter(|_| policy >= 0).map(|parameters| Self { policy, parameters })
    }

    /// Whether it can be set again: a deadline could not.
    fn is_usual(&self) -> bool {
        [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE].contains(&self.policy)
    }

    /// Whether the kernel allows it.
    fn set(&self) -> bool {
        // SAFETY: the pointer is to parameters that live longer than the call.
        unsafe { libc::sched_setscheduler(0, self.policy, &raw const self.parameters) == 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_scheduled_as_before_then() {
        let policy = || Scheduling::of_this_thread().unwrap().policy;
        let before = policy();
        let first = First::here();
        let is_allowed = first.before.is_some();
        assert_eq!(policy() != before, is_allowed);
        drop(first);
        assert_eq!(policy(), before);
    }
}
