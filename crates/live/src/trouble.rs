//! What can go wrong while a system answers.

use std::io;
use std::path::PathBuf;

/// Why a system does not answer.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The kernel refused something.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// Such as `open`.
        doing: &'static str,
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// A mount by `fusermount3`.
    #[error("cannot mount {}: fusermount3 {says}", path.display())]
    Mount { path: PathBuf, says: String },
    /// The kernel's FUSE is too old, or another one.
    #[error("the kernel speaks FUSE {major}.{minor}; 7.28 (Linux 4.20) or later is needed")]
    Protocol { major: u32, minor: u32 },
    /// The description of what to serve.
    #[error("cannot read what to serve: {0}")]
    Setup(String),
    /// A target without a size.
    #[error("{target}: its size is not known, so no file can stand for it: state its size")]
    NoSize { target: String },
    /// What was lost cannot be put back.
    #[error("cannot put back what the media had: {source}")]
    Data { source: io::Error },
    /// No stream transfers data.
    #[error("no stream of this case reads or writes, so there is nothing to answer")]
    Nothing,
    /// Recorded requests.
    #[error("{}: {why}", path.display())]
    Arrivals { path: PathBuf, why: String },
    /// A recorded request whose stream the case has not.
    #[error("request {number} is of stream {stream}, counted from 0: the case has fewer streams")]
    NoStream { number: u64, stream: u32 },
    /// A recorded request that lies beyond its target.
    #[error("request {number} is of nothing, or reaches beyond the end of {target}")]
    NoRoom { number: u64, target: String },
    /// What is to fail.
    #[error("{0}")]
    NoPart(String),
    /// What a running system said to a question.
    #[error("the emulated system does not answer: {0}")]
    Silent(String),
}

impl Trouble {
    pub(crate) fn file(
        doing: &'static str,
        path: &std::path::Path,
        source: impl Into<io::Error>,
    ) -> Self {
        Self::File { doing, path: path.to_owned(), source: source.into() }
    }
}
