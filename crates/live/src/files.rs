//! The mounted directory: as many files as there are exports, of fixed size.

use rustix::process::{getegid, geteuid};

use crate::abi::ROOT;
use crate::reply::{Attributes, Body, directory_entry, statistics};

/// Names and sizes of all files. The node of a file is its position and [`FIRST`].
#[derive(Debug)]
pub(crate) struct Files {
    all: Vec<(String, u64)>,
    owner: (u32, u32),
}

/// The node of the first file.
const FIRST: u64 = ROOT + 1;

impl Files {
    /// They belong to the user that runs the system.
    pub(crate) fn new(all: Vec<(String, u64)>) -> Self {
        Self { all, owner: (geteuid().as_raw(), getegid().as_raw()) }
    }

    /// The position of a node's file; none of the directory.
    #[inline]
    pub(crate) fn position(&self, node: u64) -> Option<usize> {
        let position = usize::try_from(node.checked_sub(FIRST)?).ok()?;
        (position < self.all.len()).then_some(position)
    }

    /// Bytes of the file at a position.
    #[inline]
    pub(crate) fn bytes(&self, position: usize) -> u64 {
        self.all[position].1
    }

    pub(crate) fn named(&self, name: &[u8]) -> Option<Attributes> {
        let position = self.all.iter().position(|(own, _)| own.as_bytes() == name)?;
        self.attributes(FIRST + position as u64)
    }

    pub(crate) fn attributes(&self, node: u64) -> Option<Attributes> {
        let (user, group) = self.owner;
        let is_directory = node == ROOT;
        let bytes = match self.position(node) {
            Some(position) => self.bytes(position),
            None if is_directory => 0,
            None => return None,
        };
        Some(Attributes { node, bytes, is_directory, user, group })
    }

    /// Names from an offset on, as many as fit.
    pub(crate) fn names(&self, offset: u64, room: u32) -> Body {
        let own = [(ROOT, "."), (ROOT, "..")].into_iter();
        let files = (FIRST..).zip(self.all.iter().map(|(name, _)| name.as_str()));
        let mut body = Body::default();
        for (next, (node, name)) in (1..).zip(own.chain(files)).skip(offset as usize) {
            let entry = directory_entry(node, next, name.as_bytes());
            if body.0.len() + entry.0.len() > room as usize {
                break;
            }
            body.0.extend(entry.0);
        }
        body
    }

    pub(crate) fn statistics(&self) -> Body {
        let bytes = self.all.iter().map(|(_, bytes)| bytes).sum();
        statistics(bytes, self.all.len() as u64)
    }
}
