//! Words that a property takes its value from. Each set is one enum whose variants are the words,
//! so the tables of the language, the options of the program and whoever reads a value have one
//! definition of them.
//!
//! Here are those that nothing but a property says; the others stand where they belong, in
//! [`crate::case`] and [`crate::system`].

use iopath_units::Action;
use strum::{EnumString, VariantNames};

/// What `op` says of the requests of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Op {
    Read,
    Write,
    Mix,
    Trim,
    Create,
    Stat,
    Open,
    Unlink,
}

impl Op {
    pub(crate) const fn action(self) -> Action {
        match self {
            Self::Read | Self::Write | Self::Mix => Action::Transfer,
            Self::Trim => Action::Trim,
            Self::Create => Action::Create,
            Self::Stat => Action::Stat,
            Self::Open => Action::Open,
            Self::Unlink => Action::Unlink,
        }
    }
}

/// `lag`: how closely a reader follows its writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Lag {
    #[strum(serialize = "one record")]
    OneRecord,
    Follow,
}

/// `standby`: what routes that are not optimised do while others are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Standby {
    Idle,
    Used,
}

/// `growth`: how a readahead window reaches its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum WindowGrowth {
    /// It doubles each time that the reader has passed it.
    Doubling,
    /// It has it from the beginning.
    AtOnce,
}

/// `cache` of a file system: whether requests go through the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum PageCache {
    /// They pass it by.
    Direct,
    /// They go through it.
    Buffered,
}

/// `lock` of a file system: what of a file is locked, and whom a writer keeps out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum FileLock {
    /// All of it: other writers, for as long as a write takes.
    Inode,
    /// Ranges: nobody, as long as no two requests in flight are for the same range.
    Range,
    /// Nobody.
    None,
}

/// `allocation` and `extents`: how blocks follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Extents {
    /// As in the file.
    Contiguous,
    /// In no order.
    Random,
}

/// `write` of a cache: when it answers a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum WriteCache {
    /// When the data is in the cache.
    Back,
    /// When it is below; the cache keeps a copy.
    Through,
    /// When it is below; the cache keeps none.
    Off,
}

/// `flush` of a cache: whether a flush request empties it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum FlushedBy {
    /// It does.
    OnSync,
    /// It does not: what is in the cache is safe, or is taken to be.
    Never,
}

/// `mode` of `issue`: how the parts of one request go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Issue {
    /// At once.
    Parallel,
    /// One after the other.
    Serial,
}

/// `waiting`: in which order requests that wait for `outstanding` get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Waiting {
    /// As they came.
    InOrder,
    /// Any of them, as a device may choose among simple tasks of SCSI.
    AnyOrder,
}
