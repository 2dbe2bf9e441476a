//! What can stand in the way of a run, in words that say what to do.

use std::io;
use std::path::{Path, PathBuf};

use iopath_machine::safety::Refusal;
use iopath_study::case::TargetKind as Declared;
use iopath_units::{Bytes, Human, System};
use thiserror::Error;

/// Something that stands in the way of a run.
#[derive(Debug, Error)]
pub enum Obstacle {
    /// The target does not exist.
    #[error("{} does not exist{}", path.display(), how_to_make(path, *declared))]
    Missing {
        /// The path as the study gives it.
        path: PathBuf,
        /// What the study declares it to be.
        declared: Declared,
    },
    /// The directory of a file that would be made does not exist.
    #[error("{} does not exist; a file is made, the directory for it is not", path.display())]
    NoDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The kernel does not let us.
    #[error("{} cannot be opened for {wanted}: {source}", path.display())]
    NotPermitted {
        /// The path as the study gives it.
        path: PathBuf,
        /// Reading or writing.
        wanted: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Neither a regular file nor a block device, or not what the study declares.
    #[error("{} is {found}, but the study uses it as {wanted}", path.display())]
    Unsuitable {
        /// The path as the study gives it.
        path: PathBuf,
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// Less there than the study wants to use.
    #[error("{} has {has} bytes, but the study uses {wanted}; use a smaller size", path.display())]
    TooSmall {
        /// The path as the study gives it.
        path: PathBuf,
        /// Its size.
        has: u64,
        /// What the study uses of it.
        wanted: Bytes,
    },
    /// Not enough free space.
    #[error(
        "{} has {} free, but the study would write {} there; use a smaller size or another place",
        path.display(), free.human(System::Decimal), wanted.human(System::Decimal)
    )]
    NoSpace {
        /// A place on the file system.
        path: PathBuf,
        /// What is free for this user.
        free: Bytes,
        /// What would be written.
        wanted: Bytes,
    },
    /// Direct I/O wants other sizes.
    #[error(
        "{}: direct I/O here needs blocks of a multiple of {align} bytes, but stream {stream} uses \
         {block}; use such a block, or cache=\"buffered\"",
        path.display()
    )]
    Unaligned {
        /// The path as the study gives it.
        path: PathBuf,
        /// What blocks must be a multiple of.
        align: u64,
        /// Whose blocks.
        stream: String,
        /// Their size.
        block: Bytes,
    },
    /// Parts of requests would not be aligned.
    #[error(
        "{}: direct I/O here needs multiples of {align} bytes, but {volume} cuts requests at \
         {border}; use a multiple, or cache=\"buffered\"",
        path.display()
    )]
    Crooked {
        /// The member's path.
        path: PathBuf,
        /// What parts must be a multiple of.
        align: u64,
        /// Name of the volume.
        volume: String,
        /// Where it cuts.
        border: Bytes,
    },
    /// The file system has no room for so many names.
    #[error(
        "{}: {wanted} files and directories are to be made, but {free} inodes are free",
        path.display()
    )]
    NoInodes {
        /// The directory.
        path: PathBuf,
        /// How many are free.
        free: u64,
        /// How many are needed.
        wanted: u64,
    },
    /// A device discards whole blocks only.
    #[error(
        "{}: stream {stream} trims pieces of {block}, but the device discards whole blocks of \
         {unit} bytes only; use a multiple",
        path.display()
    )]
    PartOfBlock {
        /// The path as the study gives it.
        path: PathBuf,
        /// Whose trims.
        stream: String,
        /// Their size.
        block: Bytes,
        /// What it must be a multiple of.
        unit: u64,
    },
    /// The device takes no discards.
    #[error(
        "{}: stream {stream} trims, but {disk} takes no discards (queue/discard_max_bytes is 0)",
        path.display()
    )]
    NoDiscard {
        /// The path as the study gives it.
        path: PathBuf,
        /// Whose trims.
        stream: String,
        /// The kernel's name of the device.
        disk: String,
    },
    /// The members hold less than the study wants to use.
    #[error("{volume} has {has} bytes on its members, but the study uses {wanted}")]
    VolumeTooSmall {
        /// Name of the volume.
        volume: String,
        /// What fits on its members.
        has: u64,
        /// What the study uses of it.
        wanted: Bytes,
    },
    /// Parity of a volume that is composed here is noise.
    #[error(
        "{volume} has parity, which is written as noise here: it may be written only over scratch \
         files, and {} is none; leave out bind, or read only",
        path.display()
    )]
    Parity {
        /// Name of the volume.
        volume: String,
        /// A member that is no scratch file.
        path: PathBuf,
    },
    /// A stream that cannot work on its target.
    #[error("{what}")]
    Stream {
        /// Which stream, and why.
        what: String,
    },
    /// Writing would destroy something.
    #[error("{0}")]
    Unsafe(Refusal),
}

fn how_to_make(path: &Path, declared: Declared) -> &'static str {
    match declared {
        Declared::File if path.starts_with("/dev") => "; devices are never made",
        Declared::File => {
            "; a file that is written is made, with a size=; one that is read must be there"
        }
        Declared::Device => "; devices are never made",
        Declared::Tree => "; a tree is made in a directory that is there",
    }
}
