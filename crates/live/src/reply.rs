//! The bytes of answers.

use crate::abi::{self, DIRECTORY, FILE, OUT_HEADER, can};

/// How long the kernel may keep attributes and names: they never change.
const VALID_S: u64 = 3600;
/// What a file looks like to who asks for a good size of requests.
const BLOCK: u32 = 4096;

/// What attributes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub node: u64,
    pub bytes: u64,
    pub is_directory: bool,
    /// Whose it is.
    pub user: u32,
    pub group: u32,
}

/// Fields one after the other.
#[derive(Debug, Default)]
pub(crate) struct Body(pub Vec<u8>);

impl Body {
    fn u16(&mut self, value: u16) -> &mut Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn zeros(&mut self, bytes: usize) -> &mut Self {
        self.0.resize(self.0.len() + bytes, 0);
        self
    }

    fn attributes(&mut self, of: &Attributes) -> &mut Self {
        let mode = if of.is_directory { DIRECTORY | 0o755 } else { FILE | 0o600 };
        self.u64(of.node).u64(of.bytes).u64(of.bytes / 512);
        // Times are the beginning of all.
        self.zeros(3 * 8 + 3 * 4);
        self.u32(mode).u32(1).u32(of.user).u32(of.group).u32(0).u32(BLOCK).u32(0)
    }
}

/// The header of an answer with so many bytes; `error` is a number of `errno.h`, or 0.
pub(crate) fn header(unique: u64, error: i32, bytes: usize) -> [u8; OUT_HEADER] {
    let mut body = Body(Vec::with_capacity(OUT_HEADER));
    body.u32((OUT_HEADER + bytes) as u32).u32((-error) as u32).u64(unique);
    let mut header = [0; OUT_HEADER];
    header.copy_from_slice(&body.0);
    header
}

/// The answer to how the two sides speak: what both can of what is wanted.
pub(crate) fn init(theirs: u32) -> Body {
    let mut body = Body::default();
    body.u32(abi::MAJOR).u32(abi::MINOR).u32(abi::LARGEST_REQUEST).u32(theirs & can::WANTED);
    body.u16(abi::MAX_BACKGROUND).u16(abi::MAX_BACKGROUND).u32(abi::LARGEST_REQUEST);
    // Granularity of times in ns.
    body.u32(1).u16(abi::MAX_PAGES).u16(0);
    body.zeros(4 + 4 + 2 + 22);
    body
}

pub(crate) fn entry(of: &Attributes) -> Body {
    let mut body = Body::default();
    body.u64(of.node).u64(0).u64(VALID_S).u64(VALID_S).u32(0).u32(0).attributes(of);
    body
}

pub(crate) fn attributes(of: &Attributes) -> Body {
    let mut body = Body::default();
    body.u64(VALID_S).u32(0).u32(0).attributes(of);
    body
}

/// An open file, or directory.
pub(crate) fn open(handle: u64, flags: u32) -> Body {
    let mut body = Body::default();
    body.u64(handle).u32(flags).u32(0);
    body
}

/// So many bytes were written.
pub(crate) fn written(bytes: u32) -> Body {
    let mut body = Body::default();
    body.u32(bytes).u32(0);
    body
}

/// One name of a directory; `next` is where to go on behind it.
pub(crate) fn directory_entry(node: u64, next: u64, name: &[u8]) -> Body {
    let kind = if node == abi::ROOT { DIRECTORY } else { FILE };
    let mut body = Body::default();
    body.u64(node).u64(next).u32(name.len() as u32).u32(kind >> 12);
    body.0.extend(name);
    let padded = body.0.len().next_multiple_of(8);
    body.0.resize(padded, 0);
    body
}

/// How large the file system is: as its files, and full.
pub(crate) fn statistics(bytes: u64, files: u64) -> Body {
    let mut body = Body::default();
    body.u64(bytes / u64::from(BLOCK)).u64(0).u64(0).u64(files).u64(0);
    body.u32(BLOCK).u32(255).u32(BLOCK).u32(0).zeros(24);
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of the structures in `linux/fuse.h`.
    #[test]
    fn answers_have_the_sizes_that_the_kernel_expects() {
        let file = Attributes { node: 2, bytes: 8192, is_directory: false, user: 0, group: 0 };
        for (name, body, bytes) in [
            ("fuse_init_out", init(u32::MAX), 64),
            ("fuse_entry_out", entry(&file), 128),
            ("fuse_attr_out", attributes(&file), 104),
            ("fuse_open_out", open(1, 0), 16),
            ("fuse_write_out", written(1), 8),
            ("fuse_statfs_out", statistics(1 << 30, 2), 80),
            ("fuse_dirent", directory_entry(2, 3, b"a.v"), 32),
        ] {
            assert_eq!(body.0.len(), bytes, "{name}");
        }
    }

    #[test]
    fn a_header_has_its_error_negative() {
        let header = header(7, 5, 8);
        assert_eq!(header[..4], 24_u32.to_ne_bytes());
        assert_eq!(header[4..8], (-5_i32).to_ne_bytes());
        assert_eq!(header[8..], 7_u64.to_ne_bytes());
    }
}
