//! What an entity can do: how much of what, in which direction, and who says so.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize, Serializer};

/// A rated capacity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// What it counts.
    pub measure: Measure,
    /// Of which requests.
    pub direction: Direction,
    /// How much of it per second.
    pub per_sec: u64,
    /// Where the value comes from.
    pub origin: Origin,
    /// Tokens of a pool; none for a rate.
    pub tokens: Option<u64>,
}

/// What a limit counts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Measure {
    /// Time in which a server was busy, in ns.
    BusyNs,
    /// Bytes.
    Bytes,
    /// Time for which a stream waits for its flushes, in ns; since format 8.
    FlushNs,
    /// Requests done.
    Operations,
    /// Requests held in a pool.
    Requests,
}

/// The requests that use a limit up.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Direction {
    /// Reads and writes together.
    Both,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Direction {
    /// Of reads writes, of writes reads.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Both => Self::Both,
            Self::Read => Self::Write,
            Self::Write => Self::Read,
        }
    }
}

/// Where the value of a limit comes from.
#[derive(
    Clone, Debug, PartialEq, Eq, Deserialize, strum::AsRefStr, strum::Display, strum::EnumString,
)]
#[serde(from = "String")]
#[strum(serialize_all = "kebab-case")]
pub enum Origin {
    /// What the streams of the study ask for.
    Study,
    /// The user.
    Given,
    /// The maker.
    Rated,
    /// No source for this very thing.
    Assumed,
    /// A source, by its title or in words.
    #[strum(default, transparent)]
    Source(String),
}

/// How the origin of a limit begins that was derived from published figures by a hypothesis.
const INFERRED: &str = "inferred from ";

/// How the origin of a limit begins that a control group of the kernel sets.
const CONTROL_GROUP: &str = "control group";

impl Origin {
    /// A file of a control group, which has the limit of a device, as `MAJOR:MINOR`.
    #[must_use]
    pub fn of_control_group(file: &str, device: &str) -> Self {
        Self::Source(format!("{CONTROL_GROUP}, {file}, device {device}"))
    }

    /// The file and the device, where a control group sets it.
    #[must_use]
    pub fn control_group(&self) -> Option<(&str, &str)> {
        self.as_str().strip_prefix(CONTROL_GROUP)?.strip_prefix(", ")?.split_once(", device ")
    }

    /// Whether a control group of the kernel sets it, and not the thing itself.
    #[must_use]
    pub fn is_control_group(&self) -> bool {
        self.as_str().starts_with(CONTROL_GROUP)
    }

    /// Whether somebody has measured it.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.as_str().starts_with("measured")
    }

    /// Whether it was derived from published figures by a hypothesis; the text names both.
    #[must_use]
    pub fn is_inferred(&self) -> bool {
        self.as_str().starts_with(INFERRED)
    }

    /// Whether no source states it: assumed or inferred.
    #[must_use]
    pub fn is_hypothetical(&self) -> bool {
        *self == Self::Assumed || self.is_inferred()
    }

    /// As the record has it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.as_ref()
    }
}

/// By text.
impl Ord for Origin {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Origin {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<String> for Origin {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
