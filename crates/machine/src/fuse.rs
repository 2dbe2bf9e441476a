//! What this kernel's FUSE hands over.
//!
//! Format: Documentation/admin-guide/sysctl/fs.rst, `fs.fuse.max_pages_limit`, since Linux 6.13.

use rustix::param::page_size;

use crate::root::Root;

/// Pages of a request where nothing is set, and before anything could be.
const PAGES: u64 = 256;

/// The largest request that arrives whole, in bytes; the kernel makes several of a larger one.
#[must_use]
pub fn request_bytes(root: &Root) -> u64 {
    let set = root.attribute("/proc/sys/fs/fuse/max_pages_limit");
    set.and_then(|text| text.parse().ok()).unwrap_or(PAGES) * page_size() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_the_setting_has_256_pages() {
        let tree = tempfile::tempdir().unwrap();
        let pages = |root: &Root| request_bytes(root) / page_size() as u64;
        let root = Root::at(tree.path());
        assert_eq!(pages(&root), 256);
        let file = tree.path().join("proc/sys/fs/fuse");
        std::fs::create_dir_all(&file).unwrap();
        std::fs::write(file.join("max_pages_limit"), "4096\n").unwrap();
        assert_eq!(pages(&root), 4096);
    }
}
