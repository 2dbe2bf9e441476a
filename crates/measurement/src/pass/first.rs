//! This thread before all others that wake at the same time: where a host has more ranks than
//! processors, the streams of the rank that wakes first would keep the others' from theirs, for
//! milliseconds.
//!
//! `thread-priority` does not know the way back: it would set the nice value too. Real-time
//! scheduling needs CAP_SYS_NICE, or a limit above zero (`ulimit -r`); without it the
//! thread wakes as any other.

/// The lowest real-time priority: it is before all that have none.
const PRIORITY: libc::c_int = 1;

/// This thread is scheduled first as long as this lives.
pub(super) struct First {
    /// Its policy before; none where that has not been changed.
    before: Option<libc::c_int>,
}

impl First {
    pub(super) fn here() -> Self {
        let before = Some(policy()).filter(|policy| is_usual(*policy));
        Self { before: before.filter(|_| set(libc::SCHED_FIFO, PRIORITY)) }
    }
}

impl Drop for First {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            set(before, 0);
        }
    }
}

/// Of this thread; negative where the kernel does not say.
fn policy() -> libc::c_int {
    // SAFETY: takes no pointer; 0 is the calling thread.
    unsafe { libc::sched_getscheduler(0) }
}

/// Whether it can be set again: it has no priority, and no deadline, which could not.
fn is_usual(policy: libc::c_int) -> bool {
    [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE].contains(&policy)
}

/// Whether the kernel allows it.
fn set(policy: libc::c_int, priority: libc::c_int) -> bool {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the pointer is to parameters that live longer than the call.
    unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_scheduled_as_before_then() {
        let before = policy();
        let first = First::here();
        let is_allowed = first.before.is_some();
        assert_eq!(policy() != before, is_allowed);
        drop(first);
        assert_eq!(policy(), before);
    }
}
