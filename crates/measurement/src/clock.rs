//! The clock door: one monotonic axis that workers, sampler and controller share.
//!
//! The axis begins (0 ns) when the workers are let go. It reads `CLOCK_MONOTONIC` through the vDSO,
//! about 25 ns; so a worker reads it once a batch of completions and not twice a request.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Gives the time on one axis, in nanoseconds.
pub trait Clock {
    /// Nanoseconds since the axis began.
    fn now_ns(&self) -> u64;

    /// Waits about this long; the real clock some 50 µs longer.
    fn sleep_ns(&self, span_ns: u64) {
        std::thread::sleep(Duration::from_nanos(span_ns));
    }

    /// Waits up to this long for somebody else; `wait` does so, and knows when it is over.
    fn await_ns(&self, span_ns: u64, wait: impl FnOnce(Duration)) {
        wait(Duration::from_nanos(span_ns));
    }
}

/// The real clock. Before it is started it reads 0.
#[derive(Debug, Default)]
pub struct Monotonic {
    start: OnceLock<(Instant, u64)>,
}

impl Monotonic {
    /// Begins the axis; a second call changes nothing.
    pub fn start(&self) {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let unix_ns = u64::try_from(unix.as_nanos()).unwrap_or(u64::MAX);
        self.start.get_or_init(|| (Instant::now(), unix_ns));
    }

    /// Begins the axis when `CLOCK_MONOTONIC` shows this, soon or just now, and waits until then; a
    /// second call changes nothing.
    pub fn start_at(&self, monotonic_ns: u64) {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (now, now_ns) = (Instant::now(), monotonic_now_ns());
        let ahead = Duration::from_nanos(monotonic_ns.saturating_sub(now_ns));
        let ago = Duration::from_nanos(now_ns.saturating_sub(monotonic_ns));
        let (start, unix) = (now + ahead - ago, unix + ahead - ago);
        let unix_ns = u64::try_from(unix.as_nanos()).unwrap_or(u64::MAX);
        self.start.get_or_init(|| (start, unix_ns));
        std::thread::sleep(ahead);
    }

    /// Wall clock at 0 on the axis, in ns since 1970; 0 before it is started.
    pub fn started_unix_ns(&self) -> u64 {
        self.start.get().map_or(0, |(_, unix_ns)| *unix_ns)
    }
}

/// `CLOCK_MONOTONIC`, in ns; what [`Instant`] reads.
#[must_use]
pub fn monotonic_now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

impl Clock for Monotonic {
    #[inline]
    fn now_ns(&self) -> u64 {
        self.start.get().map_or(0, |(start, _)| {
            let elapsed = start.elapsed();
            elapsed.as_secs() * 1_000_000_000 + u64::from(elapsed.subsec_nanos())
        })
    }
}
