//! The answer "no": why, what would be lost, and whether anything can be done about it.

use std::fmt;
use std::path::PathBuf;

use crate::signatures::{Class, Signature};

/// One reason not to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A device that shares bytes with the target is mounted.
    Mounted {
        /// The device's node.
        device: PathBuf,
        at: PathBuf,
    },
    /// A device that shares bytes with the target, or a file on it, is swap in use.
    ActiveSwap {
        /// The device or file as /proc/swaps names it.
        swap: PathBuf,
    },
    /// Something stands on a device that shares bytes with the target.
    Held {
        /// The device's node.
        device: PathBuf,
        /// Who stands on it, such as `LVM volume vg-home (/dev/dm-0)`.
        by: String,
    },
    /// The target is, or may be, what a loop device shows.
    BacksLoop {
        /// The file or device.
        backing: PathBuf,
        /// The loop device's node.
        loop_device: PathBuf,
    },
    /// The target may be what a loop device shows: the kernel's path to its file is lost.
    MayBackLoop {
        /// The loop device's node.
        loop_device: PathBuf,
    },
    /// The target may be over the same file as another loop device.
    MayShareFile {
        /// The other loop device's node.
        loop_device: PathBuf,
    },
    /// Another device looks like another path to the same unit. Uses of it are further reasons.
    OtherPath {
        /// The device's node, of the target or below it.
        device: PathBuf,
        /// The other node.
        other: PathBuf,
    },
    /// Somebody has the device open exclusively: a mount elsewhere, a volume manager, a tool.
    Busy {
        /// The device's node.
        device: PathBuf,
    },
    /// Another process has locked it.
    Locked {
        /// The file or device.
        what: PathBuf,
        /// By which call: `flock`, `fcntl`.
        kind: String,
        /// Who, such as `process 4711 (qemu-system-x86)`.
        by: String,
    },
    /// The kernel refuses writes to it.
    ReadOnly {
        /// What is read-only.
        what: String,
    },
    /// There is nothing to write on: an unattached loop device, an empty card reader.
    NoCapacity,
    /// Not a file or block device at all.
    NotATarget {
        /// What it is instead.
        what: &'static str,
    },
    /// Something needed to judge could not be read.
    Unverifiable {
        /// What, and what the kernel said.
        what: String,
    },
    /// A device that shares bytes with the target carries something.
    Signed {
        /// The device's node, or the file.
        device: PathBuf,
        /// What it carries.
        signature: Signature,
    },
    /// A device that shares bytes with the target holds bytes that are not zero, in a format that
    /// is not known.
    UnknownData {
        /// The device's node.
        device: PathBuf,
    },
    /// A file with data that iopath did not leave there.
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mounted { device, at } => {
                write!(f, "{} is mounted on {}", device.display(), at.display())
            }
            Self::ActiveSwap { swap } => write!(f, "{} is swap in use", swap.display()),
            Self::Held { device, by } => write!(f, "{} is held by {by}", device.display()),
            Self::BacksLoop { backing, loop_device } => {
                write!(f, "{} is behind {}", backing.display(), loop_device.display())
            }
            Self::MayBackLoop { loop_device } => {
                let node = loop_device.display();
                write!(f, "it may be behind {node}, whose file is unknown")
            }
            Self::MayShareFile { loop_device } => {
                let node = loop_device.display();
                write!(
                    f,
                    "it may be over the same file as {node}, and nothing shows that it is not"
                )
            }
            Self::OtherPath { device, other } => write!(
                f,
                "{} looks like another path to the same unit as {}",
                other.display(),
                device.display()
            ),
            Self::Busy { device } => {
                write!(f, "{} is opened exclusively by somebody else", device.display())
            }
            Self::Locked { what, kind, by } => {
                write!(f, "{} is locked ({kind}) by {by}", what.display())
            }
            Self::ReadOnly { what } => write!(f, "{what} is read-only"),
            Self::NoCapacity => f.write_str("it has no capacity"),
            Self::NotATarget { what } => write!(f, "it is {what}, not a file or block device"),
            Self::Unverifiable { what } => write!(f, "it cannot be judged: {what}"),
            Self::Signed { device, signature } => {
                let noun = noun(signature.class);
                write!(f, "{} carries {noun}: {signature}", device.display())
            }
            Self::UnknownData { device } => write!(
                f,
                "{} holds data of no known format (what an earlier measurement left looks the \
                 same)",
                device.display()
            ),
            Self::ExistingData { bytes } => {
                write!(f, "it holds {bytes} bytes, and nothing shows that iopath wrote them")
            }
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
                "\nno override permits this, because it is in use: \
                 unmount, swap off, detach or stop what uses it first",
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
