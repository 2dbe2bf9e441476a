//! `io_uring`: one ring a worker, used by its thread alone.
//!
//! The ring is set up step by step from the most capable form to the plainest; files, buffers and
//! the ring itself are registered where the kernel lets us. What was reached is told in words,
//! because it belongs in the record. One `io_uring_enter` both submits and reaps.
//!
//! The kernel first tries each request without waiting. Where it splits a request and cannot queue
//! the second part at once (`io.max` of a control group, a full queue), some versions answer EAGAIN
//! (Linux 6.1 does), and every further try is charged to the group again. So after the first EAGAIN
//! all requests of the ring go to worker threads (`IOSQE_ASYNC`), which may wait.

use std::cell::Cell;
use std::io;
use std::os::fd::RawFd;

use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, opcode, squeue};
use iopath_units::Op;

use super::{Done, Durability, Engine, Io, Wait};
use crate::slots::SlotId;
use crate::target::Service;

/// What a ring could be set up with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Features {
    pub setup: &'static str,
    pub fixed_files: bool,
    pub fixed_buffers: bool,
    pub fixed_ring: bool,
}

impl Features {
    /// What two rings both reached.
    pub(crate) fn common(self, other: Self) -> Self {
        Self {
            setup: self.setup,
            fixed_files: self.fixed_files && other.fixed_files,
            fixed_buffers: self.fixed_buffers && other.fixed_buffers,
            fixed_ring: self.fixed_ring && other.fixed_ring,
        }
    }
}

/// A ring, ready for one worker.
pub(crate) struct Ring<'r> {
    submitter: Submitter<'r>,
    submission: SubmissionQueue<'r>,
    completion: CompletionQueue<'r>,
    files: Vec<RawFd>,
    /// Registered memory: address and length of each piece, in the order of their numbers.
    memory: Vec<(usize, usize)>,
    pub features: Features,
    durability: Durability,
    may_wait: &'r Cell<bool>,
}

/// The kernel makes no larger ring (`IORING_MAX_ENTRIES`).
pub(crate) const MOST_ENTRIES: u32 = 32_768;

/// Makes a ring of `depth` entries in the most capable form that the kernel accepts.
///
/// Deferred task run lets a worker take its completions when it asks for them, which is best where
/// they come by interrupt. Where worker threads serve, they can post completions themselves only
/// to a ring without it; otherwise each of them wakes the worker (a third less throughput).
pub(crate) fn set_up(depth: u32, service: Service) -> io::Result<(IoUring, &'static str)> {
    if depth > MOST_ENTRIES {
        let text = "a ring holds at most 32,768 requests: use less depth and more streams";
        return Err(io::Error::other(text));
    }
    let entries = depth.next_power_of_two();
    if service == Service::Direct {
        let mut builder = IoUring::builder();
        let full = builder.setup_single_issuer().setup_defer_taskrun().setup_submit_all();
        if let Ok(ring) = full.setup_no_sqarray().build(entries) {
            return Ok((ring, "single-issuer, deferred task run, no array"));
        }
        let mut builder = IoUring::builder();
        if let Ok(ring) = builder.setup_single_issuer().setup_defer_taskrun().build(entries) {
            return Ok((ring, "single-issuer, deferred task run"));
        }
    }
    let mut builder = IoUring::builder();
    if let Ok(ring) = builder.setup_coop_taskrun().build(entries) {
        return Ok((ring, "cooperative task run"));
    }
    Ok((IoUring::new(entries)?, "plain"))
}

impl<'r> Ring<'r> {
    /// Takes the ring over for the calling thread and registers what can be registered. `may_wait`
    /// is set once requests go to worker threads.
    pub(crate) fn new(
        (ring, setup): (&'r mut IoUring, &'static str),
        files: &[RawFd],
        memory: &[(*mut u8, usize)],
        durability: Durability,
        may_wait: &'r Cell<bool>,
    ) -> Self {
        let (mut submitter, submission, completion) = ring.split();
        let piece = |(base, bytes): &(*mut u8, usize)| libc::iovec {
            iov_base: base.cast(),
            iov_len: *bytes,
        };
        let pieces: Vec<_> = memory.iter().map(piece).collect();
        let features = Features {
            setup,
            fixed_files: submitter.register_files(files).is_ok(),
            // SAFETY: the buffers outlive the ring: the worker drops the ring first.
            fixed_buffers: unsafe { submitter.register_buffers(&pieces) }.is_ok(),
            fixed_ring: submitter.register_ring_fd().is_ok(),
        };
        let memory = memory.iter().map(|(base, bytes)| (*base as usize, *bytes)).collect();
        let files = files.to_vec();
        Self { submitter, submission, completion, files, memory, features, durability, may_wait }
    }

    #[inline]
    fn entry(&self, io: &Io) -> squeue::Entry {
        let (address, bytes, offset) = (io.address, io.bytes, io.offset);
        let fixed = Fixed(u32::from(io.member));
        let plain = Fd(self.files[usize::from(io.member)]);
        let Features { fixed_files, fixed_buffers, .. } = self.features;
        let flags = match io.op {
            Op::Read => 0,
            Op::Write => self.durability.write_flags,
        };
        macro_rules! build {
            ($code:ident $(, $index:expr)?) => {
                if fixed_files {
                    let entry = opcode::$code::new(fixed, address, bytes $(, $index)?);
                    entry.offset(offset).rw_flags(flags).build()
                } else {
                    let entry = opcode::$code::new(plain, address, bytes $(, $index)?);
                    entry.offset(offset).rw_flags(flags).build()
                }
            };
        }
        let piece = if fixed_buffers { self.piece_of(address) } else { None };
        let entry = match (io.op, piece) {
            (Op::Read, Some(piece)) => build!(ReadFixed, piece),
            (Op::Read, None) => build!(Read),
            (Op::Write, Some(piece)) => build!(WriteFixed, piece),
            (Op::Write, None) => build!(Write),
        };
        let flags = match self.may_wait.get() {
            true => squeue::Flags::ASYNC,
            false => squeue::Flags::empty(),
        };
        entry.flags(flags).user_data(u64::from(io.slot))
    }

    /// Which worker threads serve, as the kernel has no way to flush without waiting.
    fn flush_entry(&self, slot: SlotId, member: u16) -> squeue::Entry {
        let flags = match self.durability.data_only {
            true => FsyncFlags::DATASYNC,
            false => FsyncFlags::empty(),
        };
        let entry = match self.features.fixed_files {
            true => opcode::Fsync::new(Fixed(u32::from(member))).flags(flags).build(),
            false => opcode::Fsync::new(Fd(self.files[usize::from(member)])).flags(flags).build(),
        };
        entry.user_data(u64::from(slot))
    }

    /// The number of the piece of registered memory that an address lies in.
    #[inline]
    fn piece_of(&self, address: *mut u8) -> Option<u16> {
        let has = |(base, bytes): &(usize, usize)| (address as usize).wrapping_sub(*base) < *bytes;
        self.memory.iter().position(has).map(|piece| piece as u16)
    }

    fn enter(&self, wait: Wait) -> io::Result<usize> {
        match wait {
            Wait::Poll => self.submitter.submit_and_wait(0),
            Wait::One => self.submitter.submit_and_wait(1),
            Wait::OneWithin { nanos } => {
                let (seconds, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
                let limit = Timespec::new().sec(seconds).nsec(u32::try_from(rest).unwrap_or(0));
                self.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&limit))
            }
        }
    }

    #[inline]
    fn reap(&mut self, done: &mut Vec<Done>) {
        self.completion.sync();
        let slot = |data: u64| u32::try_from(data).unwrap_or(u32::MAX);
        let may_wait = self.may_wait;
        done.extend((&mut self.completion).map(|entry| {
            if entry.result() == -libc::EAGAIN {
                may_wait.set(true);
            }
            Done { slot: slot(entry.user_data()), result: entry.result() }
        }));
    }
}

impl Engine for Ring<'_> {
    #[inline]
    fn queue(&mut self, io: Io) {
        let entry = self.entry(&io);
        // SAFETY: the address stays valid and untouched until the completion, by the contract of
        // `Io`; file and buffer are registered or open for as long as the ring lives.
        let pushed = unsafe { self.submission.push(&entry) };
        // The ring has an entry for each slot, and a slot is queued once at a time.
        pushed.expect("a submission entry for each slot");
    }

    fn flush(&mut self, slot: SlotId, member: u16) {
        let entry = self.flush_entry(slot, member);
        // SAFETY: a flush touches no memory; the file is registered or open for as long as the
        // ring lives.
        let pushed = unsafe { self.submission.push(&entry) };
        pushed.expect("a submission entry for the flush");
    }

    #[inline]
    fn exchange(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        self.submission.sync();
        match self.enter(wait) {
            Ok(_) => {}
            // A signal, a deadline, or a full completion queue: reap and come again.
            Err(error) if is_transient(&error) => {}
            Err(error) => return Err(error),
        }
        self.submission.sync();
        self.reap(done);
        Ok(())
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN))
}
