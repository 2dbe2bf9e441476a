//! How the writes of a stream reach stable storage, and how many share a flush.

use std::fmt;

use strum::{EnumString, IntoStaticStr, VariantNames};

/// How the writes of a stream reach stable storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum SyncMode {
    /// When the system likes: volatile caches may hold them.
    None,
    /// Each write with its data (`RWF_DSYNC`).
    Dsync,
    /// Each write with its data and metadata (`RWF_SYNC`).
    Sync,
    /// By `fsync` after so many writes.
    Fsync(u32),
    /// By `fdatasync` after so many writes.
    Fdatasync(u32),
    /// By one `fsync` when the pass ends.
    End,
}

impl SyncMode {
    /// The same with so many writes between two flushes, where it has flushes.
    pub(crate) fn after_every(self, writes: u32) -> Self {
        match self {
            Self::Fsync(_) => Self::Fsync(writes),
            Self::Fdatasync(_) => Self::Fdatasync(writes),
            Self::None | Self::Dsync | Self::Sync | Self::End => self,
        }
    }

    /// Writes between two flushes, where there are flushes.
    #[must_use]
    pub fn every(self) -> Option<u32> {
        match self {
            Self::Fsync(every) | Self::Fdatasync(every) => Some(every),
            Self::None | Self::Dsync | Self::Sync | Self::End => None,
        }
    }

    /// Whether flushes are requests of their own.
    #[must_use]
    pub fn flushes(self) -> bool {
        matches!(self, Self::Fsync(_) | Self::Fdatasync(_) | Self::End)
    }

    /// Whether a write is on stable storage when it is done, or as soon as its flush is.
    #[must_use]
    pub fn is_durable(self) -> bool {
        !matches!(self, Self::None | Self::End)
    }
}

/// As `--sync` takes it.
impl fmt::Display for SyncMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word: &'static str = self.into();
        match self.every() {
            Some(every) => write!(f, "{word}={every}"),
            None => f.write_str(word),
        }
    }
}
