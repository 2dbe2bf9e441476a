//! A disk of a known speed, behind FUSE: each request takes a fixed time and that of its bytes, one
//! after the other. What is written is kept, so that any file system may be on it.
//!
//! It is no throttle of `qemu-storage-daemon`, which (7.2) stores wrong data for writes that it
//! holds back while others come. It leaves out parallel requests, and seeks that depend on the
//! distance.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::attack::disk::Refusal;
use crate::attack::faults::Medium;

/// How much of a wait that was too long the next request makes up for, at most half of its own
/// time: chosen, some wake-ups on a busy machine.
const MADE_UP: Duration = Duration::from_millis(5);

/// How fast a disk is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    /// Of each request, however small.
    pub each: Duration,
    pub bytes_per_sec: u64,
}

impl Speed {
    fn service(self, bytes: usize) -> Duration {
        self.each + Duration::from_secs_f64(bytes as f64 / self.bytes_per_sec as f64)
    }
}

/// The disk.
pub(crate) struct Slow {
    file: File,
    bytes: usize,
    speed: Speed,
    /// Until then it answers at once, so that it can be filled.
    is_begun: Arc<AtomicBool>,
    /// When it is done with all that came.
    idle_from: Instant,
}

impl Slow {
    /// A disk on a file of so many bytes, which has its speed once that is wanted.
    pub(crate) fn new(file: File, bytes: usize, speed: Speed, is_begun: Arc<AtomicBool>) -> Self {
        Self { file, bytes, speed, is_begun, idle_from: Instant::now() }
    }

    fn work(&mut self, bytes: usize) {
        if !self.is_begun.load(Ordering::Relaxed) {
            return;
        }
        let now = Instant::now();
        self.idle_from = done(self.idle_from, now, self.speed.service(bytes));
        std::thread::sleep(self.idle_from.saturating_duration_since(now));
    }
}

/// When a request is done that comes now, where the one before was to be done at a time.
fn done(before: Instant, now: Instant, service: Duration) -> Instant {
    let made_up = MADE_UP.min(service / 2);
    before.max(now.checked_sub(made_up).unwrap_or(now)) + service
}

impl Medium for Slow {
    fn length(&self) -> usize {
        self.bytes
    }

    fn room(&self) -> usize {
        self.bytes
    }

    fn resize(&mut self, length: usize) -> bool {
        length <= self.bytes
    }

    fn read(&mut self, at: usize, bytes: usize) -> Result<Vec<u8>, Refusal> {
        let mut data = vec![0; bytes.min(self.bytes.saturating_sub(at))];
        self.file.read_exact_at(&mut data, at as u64).map_err(|_| Refusal::Failed)?;
        self.work(data.len());
        Ok(data)
    }

    fn write(&mut self, at: usize, data: &[u8]) -> Result<(), Refusal> {
        if at + data.len() > self.bytes {
            return Err(Refusal::NoSpace);
        }
        self.file.write_all_at(data, at as u64).map_err(|_| Refusal::Failed)?;
        self.work(data.len());
        Ok(())
    }

    fn flush(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_waits_for_those_before_it_and_makes_up_for_a_late_wake_up() {
        let start = Instant::now() + Duration::from_secs(1);
        let at = |micros: u64| start + Duration::from_micros(micros);
        let service = Duration::from_micros(500);
        assert_eq!(done(at(2000), at(1000), service), at(2500));
        assert_eq!(done(at(900), at(1000), service), at(1400));
        assert_eq!(done(at(0), at(1000), service), at(1250));
        let long = Duration::from_millis(50);
        assert_eq!(done(at(0), at(9000), long), at(54_000));
    }

    #[test]
    fn a_request_takes_its_own_time_and_that_of_its_bytes() {
        let speed = Speed { each: Duration::from_millis(1), bytes_per_sec: 1_000_000 };
        assert_eq!(speed.service(4000), Duration::from_millis(5));
    }
}
