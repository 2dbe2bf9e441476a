//! The answer "no": why, what would be lost, and whether anything can be done about it.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::signatures::{Class, Signature};

/// One reason not to write.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// A device that shares bytes with the target is mounted.
    #[error("{device} is mounted on {at}")]
    Mounted {
        /// The device's node.
        device: PathBuf,
        at: PathBuf,
    },
    /// A device that shares bytes with the target, or a file on it, is active swap.
    #[error("{swap} is active swap")]
    ActiveSwap {
        /// The device or file as /proc/swaps names it.
        swap: PathBuf,
    },
    /// Something stands on a device that shares bytes with the target.
    #[error("{device} is held by {by}")]
    Held {
        /// The device's node.
        device: PathBuf,
        /// Who stands on it, such as `LVM volume vg-home (/dev/dm-0)`.
        by: String,
    },
    /// The target is, or may be, what a loop device shows.
    #[error("{backing} is behind {loop_device}")]
    BacksLoop {
        /// The file or device.
        backing: PathBuf,
        /// The loop device's node.
        loop_device: PathBuf,
    },
    /// The target may be what a loop device shows: the kernel's path to its file is lost.
    #[error("it may be the file behind {loop_device}, whose file is unknown")]
    MayBackLoop {
        /// The loop device's node.
        loop_device: PathBuf,
    },
    /// The target may be over the same file as another loop device.
    #[error("it may use the same file as {loop_device}, which cannot be excluded")]
    MayShareFile {
        /// The other loop device's node.
        loop_device: PathBuf,
    },
    /// Another device looks like another path to the same unit. Uses of it are further reasons.
    #[error("{other} looks like another path to the same unit as {device}")]
    OtherPath {
        /// The device's node, of the target or below it.
        device: PathBuf,
        /// The other node.
        other: PathBuf,
    },
    /// Somebody has the device open exclusively: a mount elsewhere, a volume manager, a tool.
    #[error("{device} is opened exclusively by another process")]
    Busy {
        /// The device's node.
        device: PathBuf,
    },
    /// Another process has locked it.
    #[error("{what} is locked ({kind}) by {by}")]
    Locked {
        /// The file or device.
        what: PathBuf,
        /// By which call: `flock`, `fcntl`.
        kind: String,
        /// Who, such as `process 4711 (qemu-system-x86)`.
        by: String,
    },
    /// The kernel refuses writes to it.
    #[error("{what} is read-only")]
    ReadOnly {
        /// What is read-only.
        what: String,
    },
    /// There is nothing to write on: an unattached loop device, an empty card reader.
    #[error("it has no capacity")]
    NoCapacity,
    /// Not a file or block device at all.
    #[error("it is {what}, not a file or block device")]
    NotATarget {
        /// What it is instead.
        what: &'static str,
    },
    /// Something needed to judge could not be read.
    #[error("it cannot be judged: {what}")]
    Unverifiable {
        /// What, and what the kernel said.
        what: String,
    },
    /// A device that shares bytes with the target carries something.
    #[error("{device} carries {}: {signature}", noun(signature.class))]
    Signed {
        /// The device's node, or the file.
        device: PathBuf,
        /// What it carries.
        signature: Signature,
    },
    /// A device that shares bytes with the target holds bytes that are not zero, in a format that
    /// is not known.
    #[error(
        "{device} holds data in no known format (or an earlier measurement, which looks the same)"
    )]
    UnknownData {
        /// The device's node.
        device: PathBuf,
    },
    /// A file with data that iopath did not leave there.
    #[error("it holds {bytes} bytes, and nothing shows that iopath wrote them")]
    ExistingData {
        /// The file's length.
        bytes: u64,
    },
}

impl Reason {
    /// True when it says what may be, and not what is.
    pub(super) fn is_doubt(&self) -> bool {
        matches!(self, Self::MayBackLoop { .. } | Self::MayShareFile { .. })
    }

    /// True for data at rest, which its owner may give up by naming the target.
    pub fn can_be_overridden(&self) -> bool {
        match self {
            Self::Signed { .. }
            | Self::UnknownData { .. }
            | Self::ExistingData { .. }
            | Self::OtherPath { .. } => true,
            Self::Mounted { .. }
            | Self::ActiveSwap { .. }
            | Self::Held { .. }
            | Self::BacksLoop { .. }
            | Self::MayBackLoop { .. }
            | Self::MayShareFile { .. }
            | Self::Busy { .. }
            | Self::Locked { .. }
            | Self::ReadOnly { .. }
            | Self::NoCapacity
            | Self::NotATarget { .. }
            | Self::Unverifiable { .. } => false,
        }
    }
}

fn noun(class: Class) -> &'static str {
    match class {
        Class::PartitionTable => "a partition table",
        Class::FileSystem => "a file system",
        Class::VolumeMember => "part of a volume",
        Class::Encrypted => "encrypted data",
        Class::Swap => "swap space",
        Class::DiskImage => "a disk image",
    }
}

/// Why a target is not written, and what the user can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The target as the caller gave it.
    pub target: PathBuf,
    /// Every reason found, not only the first.
    pub reasons: Vec<Reason>,
    /// One line per thing that would be destroyed.
    pub would_lose: Vec<String>,
    /// The name that permits it; `None` when no name does.
    pub override_token: Option<String>,
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refusing to write to {}:", self.target.display())?;
        for reason in &self.reasons {
            write!(f, "\n  - {reason}")?;
        }
        if !self.would_lose.is_empty() {
            write!(f, "\nwriting would destroy:")?;
            for line in &self.would_lose {
                write!(f, "\n  {line}")?;
            }
        }
        match &self.override_token {
            Some(token) => {
                let quoted = quote(token);
                write!(f, "\nto give this up and write anyway: --allow-destroy {quoted}")
            }
            None if self.is_in_use() => f.write_str(
                "\nno override: it is in use; unmount, swapoff or detach it, or stop its user \
                 first",
            ),
            None => f.write_str("\nno override permits this"),
        }
    }
}

impl Refusal {
    fn is_in_use(&self) -> bool {
        self.reasons.iter().any(|reason| {
            matches!(
                reason,
                Reason::Mounted { .. }
                    | Reason::ActiveSwap { .. }
                    | Reason::Held { .. }
                    | Reason::BacksLoop { .. }
                    | Reason::MayBackLoop { .. }
                    | Reason::MayShareFile { .. }
                    | Reason::Busy { .. }
                    | Reason::Locked { .. }
            )
        })
    }
}

/// Quotes for a shell when needed.
fn quote(token: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:+@%=".contains(c);
    if token.chars().all(is_plain) {
        token.to_owned()
    } else {
        format!("'{}'", token.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_quoted_only_when_a_shell_would_cut_it() {
        for (token, quoted) in [
            ("WD-12345", "WD-12345"),
            ("/srv/disk image", "'/srv/disk image'"),
            ("it's", "'it'\\''s'"),
        ] {
            assert_eq!(quote(token), quoted);
        }
    }
}
