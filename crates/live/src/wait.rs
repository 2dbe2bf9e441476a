//! How an instant is met: asleep until a little before it, then awake.
//!
//! A sleeping thread is woken late: its timer by the slack (50 µs by default, set to 1 ns here);
//! its processor by the way out of a deep idle state, which is switched off for as long as a system
//! answers (`/dev/cpu_dma_latency`, Linux kernel documentation, PM QoS); by other threads that run
//! there, unless it is a real-time thread (sched(7), `SCHED_RR`). Such a one must leave them 5 % of
//! the time, or the kernel takes 50 ms of each second at once (`sched_rt_runtime_us`): so it sleeps
//! for a moment where it would not otherwise. The last two are for root, or who may
//! (`CAP_SYS_NICE`).

use std::fs::File;
use std::io::Write;
use std::num::NonZeroU64;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::thread::set_current_timer_slack;
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

/// Awake for so long before an answer is due (chosen: what nearly all wake-ups take, as measured
/// with this setting on a virtual machine).
const AWAKE: Duration = Duration::from_micros(60);
/// A real-time thread that was awake for so long sleeps for so long: 6 % of the time, and less than
/// what makes an answer late.
const BUSY: Duration = Duration::from_millis(1);
const BREATH: Duration = Duration::from_micros(60);
/// Asleep at most so long: then a signal is looked for.
const LONGEST: Duration = Duration::from_millis(200);

/// The clock of a system that answers, from when it began.
#[derive(Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// Since when it has not slept, where it must now and then.
    awake_since: Option<u64>,
    /// Open for as long as no processor is to sleep deeply.
    _awake: Option<File>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        // Without it timers are 50 µs late, which is counted.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        // Without it other threads make answers late, which is counted, too.
        let round_robin = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::RoundRobin);
        let set =
            set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, round_robin);
        let awake = File::create("/dev/cpu_dma_latency").ok();
        let awake = awake.and_then(|mut file| file.write_all(&[0; 4]).is_ok().then_some(file));
        let awake_since = set.is_ok().then_some(0);
        Self { began: Instant::now(), awake_since, _awake: awake }
    }

    /// Leaves other threads some time, where it has to.
    #[inline]
    pub(crate) fn breathe(&mut self, now: u64) {
        if self.awake_since.is_some_and(|since| now - since > BUSY.as_nanos() as u64) {
            std::thread::sleep(BREATH);
            self.awake_since = Some(self.now());
        }
    }

    /// Nanoseconds since the beginning.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        let now = self.began.elapsed();
        now.as_secs() * 1_000_000_000 + u64::from(now.subsec_nanos())
    }

    /// Sleeps until something can be read, or shortly before an instant; not at all where that is
    /// near. No request waits for what happens in the background, which is not stayed awake for.
    pub(crate) fn sleep(&mut self, fds: [BorrowedFd<'_>; 2], until: Option<u64>, is_awaited: bool) {
        let early = if is_awaited { AWAKE } else { Duration::ZERO };
        let left = until.map(|at| Duration::from_nanos(at.saturating_sub(self.now())));
        let left = left.map_or(LONGEST, |left| left.saturating_sub(early).min(LONGEST));
        if left.is_zero() {
            return;
        }
        let mut fds = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let left = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        let before = self.now();
        // Interrupted, it looks whether it is to end.
        let _ = poll(&mut fds, Some(&left));
        let now = self.now();
        if now - before >= BREATH.as_nanos() as u64 {
            self.awake_since = self.awake_since.map(|_| now);
        }
    }
}
