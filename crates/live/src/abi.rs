//! What `linux/fuse.h` says of numbers and layouts: protocol 7.40, of which older kernels (from
//! 7.31, Linux 5.4) use a part.
//!
//! All fields have the machine's byte order. Only what files of fixed size need is here.

/// Version of the protocol that is spoken.
pub(crate) const MAJOR: u32 = 7;
pub(crate) const MINOR: u32 = 40;
/// The oldest that has `max_pages`, without which a request has 128 KiB at most.
pub(crate) const LEAST_MINOR: u32 = 28;

/// Bytes of the header of a request, and of an answer.
pub(crate) const IN_HEADER: usize = 40;
pub(crate) const OUT_HEADER: usize = 16;

/// The largest request, in bytes. A kernel gives 256 pages at most, or what it is set to
/// (`fs.fuse.max_pages_limit`, since Linux 6.13).
pub const LARGEST_REQUEST: u32 = 16 << 20;
pub(crate) const MAX_PAGES: u16 = 4096;
/// Requests that the kernel hands over before they are answered, besides those that wait in calls.
pub(crate) const MAX_BACKGROUND: u16 = 4096;

/// The number of the mounted directory.
pub(crate) const ROOT: u64 = 1;

/// Operations.
pub(crate) mod op {
    pub(crate) const LOOKUP: u32 = 1;
    pub(crate) const FORGET: u32 = 2;
    pub(crate) const GETATTR: u32 = 3;
    pub(crate) const SETATTR: u32 = 4;
    pub(crate) const OPEN: u32 = 14;
    pub(crate) const READ: u32 = 15;
    pub(crate) const WRITE: u32 = 16;
    pub(crate) const STATFS: u32 = 17;
    pub(crate) const RELEASE: u32 = 18;
    pub(crate) const FSYNC: u32 = 20;
    pub(crate) const FLUSH: u32 = 25;
    pub(crate) const INIT: u32 = 26;
    pub(crate) const OPENDIR: u32 = 27;
    pub(crate) const READDIR: u32 = 28;
    pub(crate) const RELEASEDIR: u32 = 29;
    pub(crate) const FSYNCDIR: u32 = 30;
    pub(crate) const INTERRUPT: u32 = 36;
    pub(crate) const DESTROY: u32 = 38;
    pub(crate) const BATCH_FORGET: u32 = 42;
    pub(crate) const FALLOCATE: u32 = 43;
}

/// What the two sides can do.
pub(crate) mod can {
    pub(crate) const ASYNC_READ: u32 = 1 << 0;
    pub(crate) const BIG_WRITES: u32 = 1 << 5;
    pub(crate) const ASYNC_DIO: u32 = 1 << 15;
    pub(crate) const PARALLEL_DIROPS: u32 = 1 << 18;
    pub(crate) const MAX_PAGES: u32 = 1 << 22;
    /// All that is asked for where the kernel has it.
    pub(crate) const WANTED: u32 =
        ASYNC_READ | BIG_WRITES | ASYNC_DIO | PARALLEL_DIROPS | MAX_PAGES;
}

/// How an open file is used: past the page cache, by several writers at once, and closing it asks
/// nothing.
pub(crate) const DIRECT_IO: u32 = 1 << 0;
pub(crate) const NO_FLUSH: u32 = 1 << 5;
pub(crate) const PARALLEL_DIRECT_WRITES: u32 = 1 << 6;

/// `open(2)`: the mode of access, and that each write is on stable storage when it is done.
pub(crate) const ACCESS_MODE: u32 = 0o3;
pub(crate) const READ_ONLY: u32 = 0;
pub(crate) const WRITE_ONLY: u32 = 1;
pub(crate) const DSYNC: u32 = 0o10_000;

/// `fallocate(2)`.
pub(crate) const KEEP_SIZE: u32 = 1;
pub(crate) const PUNCH_HOLE: u32 = 2;
pub(crate) const ZERO_RANGE: u32 = 16;

/// Kinds of files in modes and directories.
pub(crate) const FILE: u32 = 0o100_000;
pub(crate) const DIRECTORY: u32 = 0o040_000;
