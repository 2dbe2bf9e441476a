//! Reading attributes of /sys: absent ones are `None`, unreadable ones are also noted in words.
//!
//! Leaves out: what any attribute means.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::ReadError;
use crate::root::Root;

/// A reader of attributes that remembers what it could not read.
pub(super) struct Attributes<'a> {
    pub(super) root: &'a Root,
    unread: RefCell<BTreeSet<String>>,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(root: &'a Root) -> Self {
        Self { root, unread: RefCell::default() }
    }

    pub(super) fn into_unread(self) -> Vec<String> {
        self.unread.into_inner().into_iter().collect()
    }

    pub(super) fn note(&self, line: impl Display) {
        self.unread.borrow_mut().insert(line.to_string());
    }

    /// A text without surrounding blanks; `None` when absent or empty.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        match self.root.read(&path) {
            Ok(text) => {
                let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
                (!text.is_empty()).then(|| text.to_owned())
            }
            Err(error) => {
                if let ReadError::Unreadable { source, .. } = &error {
                    // So drivers answer for what their device does not know.
                    let is_unknown = [io::ErrorKind::InvalidInput, io::ErrorKind::Unsupported]
                        .contains(&source.kind());
                    if !is_unknown {
                        self.note(why_unread(path.as_ref(), source));
                    }
                }
                None
            }
        }
    }

    /// A number; a text that is none is noted.
    pub(super) fn number<T: FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        let text = self.text(&path)?;
        let number = text.parse().ok();
        if number.is_none() {
            self.note(format!("{}: `{text}` is not a number", path.as_ref().display()));
        }
        number
    }

    /// A hexadecimal number, as identifiers of PCI are written.
    pub(super) fn hexadecimal(&self, path: impl AsRef<Path>) -> Option<u32> {
        let text = self.text(path)?;
        u32::from_str_radix(text.strip_prefix("0x").unwrap_or(&text), 16).ok()
    }

    /// The number of a NUMA node; the kernel says -1 where there is none.
    pub(super) fn node(&self, path: impl AsRef<Path>) -> Option<u32> {
        self.number::<i64>(path).and_then(|node| node.try_into().ok())
    }

    /// The last name of what a link leads to: `driver`, `subsystem`.
    pub(super) fn link_name(&self, path: impl AsRef<Path>) -> Option<String> {
        let target = std::fs::read_link(self.root.path(path)).ok()?;
        target.file_name().map(|name| name.to_string_lossy().into_owned())
    }

    /// Where a path really is, links followed, by the machine's own name for it.
    pub(super) fn resolve(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        self.root.resolve(path)
    }

    /// The names in a directory, sorted; empty when it is absent, noted when unreadable.
    pub(super) fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        self.root.list(&path).unwrap_or_else(|error| {
            self.note(error);
            Vec::new()
        })
    }
}

fn why_unread(path: &Path, source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::PermissionDenied => format!("{}: needs root", path.display()),
        _ => format!("{}: {source}", path.display()),
    }
}

/// The names along a path.
pub(super) fn names_of(path: &Path) -> Vec<String> {
    path.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

/// The part of a path that ends with the name at `index`.
pub(super) fn up_to(path: &Path, index: usize) -> PathBuf {
    path.iter().take(index + 1).collect()
}

/// The first number in a text such as `16 Gbit`, `6.0 Gbps` or `12.0 Gbit`, times a thousand.
pub(super) fn thousandfold(text: &str) -> Option<u32> {
    let word = text.split_whitespace().next()?;
    let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
    let digits = format!("{fraction:0<3}");
    let fraction: u32 = digits.get(..3)?.parse().ok()?;
    whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_root_may_read_says_so() {
        let why = |errno: rustix::io::Errno| why_unread(Path::new("/sys/a"), &errno.into());
        assert_eq!(why(rustix::io::Errno::ACCESS), "/sys/a: needs root");
        assert_eq!(why(rustix::io::Errno::IO), "/sys/a: Input/output error (os error 5)");
    }

    #[test]
    fn rates_are_read_exactly() {
        for (text, expected) in [
            ("16 Gbit", Some(16_000)),
            ("6.0 Gbps", Some(6_000)),
            ("22.5 Gbit", Some(22_500)),
            ("2.5 GT/s PCIe", Some(2_500)),
            ("Unknown", None),
            ("<unknown>", None),
            ("", None),
            ("99999999 Gbit", None),
        ] {
            assert_eq!(thousandfold(text), expected, "{text}");
        }
    }
}
