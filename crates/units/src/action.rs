//! What the requests of a stream do: move data, or something that moves none.

use serde::{Deserialize, Serialize};

/// What the requests of a stream do. A stream does one of these only.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Action {
    /// They read or write; [`Op`](crate::Op) says which.
    #[default]
    Transfer,
    /// They discard: what the range held is given up, as by TRIM, UNMAP or a hole in a file.
    Trim,
    /// They make files, write them and close them.
    Create,
    /// They ask for the attributes of files.
    Stat,
    /// They open files, read them and close them.
    Open,
    /// They remove files.
    Unlink,
}

impl Action {
    /// Those that move no data, in the order in which tables show them.
    pub const OTHERS: [Self; 5] = [Self::Trim, Self::Create, Self::Stat, Self::Open, Self::Unlink];

    /// Whether it moves data.
    #[must_use]
    pub const fn is_transfer(&self) -> bool {
        matches!(self, Self::Transfer)
    }

    /// Whether each request is for a whole file, by its name: a metadata load.
    #[must_use]
    pub const fn is_of_files(&self) -> bool {
        matches!(self, Self::Create | Self::Stat | Self::Open | Self::Unlink)
    }

    /// Whether bytes of a file are written or read with it.
    #[must_use]
    pub const fn has_data(&self) -> bool {
        matches!(self, Self::Create | Self::Open)
    }

    /// Whether a file takes it once only: its name is there then, or no longer.
    #[must_use]
    pub const fn is_once(&self) -> bool {
        matches!(self, Self::Create | Self::Unlink)
    }

    /// What a stream does, as in "the stream trims".
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Transfer => "reads or writes",
            Self::Trim => "trims",
            Self::Create => "creates files",
            Self::Stat => "stats files",
            Self::Open => "opens files",
            Self::Unlink => "unlinks files",
        }
    }
}
