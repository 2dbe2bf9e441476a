//! Processor time of the calling thread, and of the whole process.

use std::io;

/// Processor time in user mode and in the kernel, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
}

impl Usage {
    /// What the calling thread has used since it began (`getrusage(RUSAGE_THREAD)`).
    pub(crate) fn of_thread() -> io::Result<Self> {
        Self::of(libc::RUSAGE_THREAD)
    }

    /// What the process has used since it began, the kernel's workers for it included.
    pub(crate) fn of_process() -> io::Result<Self> {
        Self::of(libc::RUSAGE_SELF)
    }

    fn of(who: libc::c_int) -> io::Result<Self> {
        // SAFETY: `rusage` is plain data that the kernel fills in.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            if libc::getrusage(who, &raw mut usage) != 0 {
                return Err(io::Error::last_os_error());
            }
            usage
        };
        Ok(Self { user_ns: nanos(usage.ru_utime), system_ns: nanos(usage.ru_stime) })
    }

    /// What was used since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
        }
    }
}

fn nanos(time: libc::timeval) -> u64 {
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_usec.cast_unsigned() * 1_000
}
