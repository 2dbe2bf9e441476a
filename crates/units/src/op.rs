//! Which way data moves. Every rate and counter of the project is kept for one of the two.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One direction of data between an application and its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// From the storage to the application.
    Read,
    /// From the application to the storage.
    Write,
}

impl Op {
    /// Both, in the order in which tables show them.
    pub const BOTH: [Self; 2] = [Self::Read, Self::Write];

    /// Position in [`Op::BOTH`]: for arrays with one entry an operation.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other direction.
    #[must_use]
    pub const fn reverse(self) -> Self {
        match self {
            Self::Read => Self::Write,
            Self::Write => Self::Read,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}
