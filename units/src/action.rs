//! What the requests of a stream do: move data, or something that moves none.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What the requests of a stream do. A stream does one of these only.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// They read or write; [`Op`](crate::Op) says which.
    #[default]
    Transfer,
    /// They discard: what the range held is given up, as by TRIM, UNMAP or a hole in a file.
    Trim,
}

impl Action {
    /// Those that move no data, in the order in which tables show them.
    pub const OTHERS: [Self; 1] = [Self::Trim];

    /// Whether it moves data.
    #[must_use]
    pub const fn is_transfer(&self) -> bool {
        matches!(self, Self::Transfer)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transfer => "transfer",
            Self::Trim => "trim",
        })
    }
}
