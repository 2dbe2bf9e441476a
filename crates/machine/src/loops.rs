//! /sys/block/loop*/loop/backing_file: which loop devices are over which files.
//!
//! The kernel makes the path up anew at every look: a renamed file shows its new name, a removed
//! one ends in ` (deleted)`. Leaves out: offsets and sizes.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::error::ReadError;
use crate::root::Root;

/// A loop device that has a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Its node, such as `/dev/loop3`.
    pub node: PathBuf,
    /// The file under it.
    pub backing: PathBuf,
    /// Which of all that were set up since boot it is; a kernel before 5.15 does not tell.
    pub sequence: Option<u64>,
}

/// All loop devices that have a file.
pub fn read(root: &Root) -> Result<Vec<Loop>, ReadError> {
    let names = root.list("/sys/block")?.into_iter().filter(|name| name.starts_with("loop"));
    Ok(names.filter_map(|name| read_one(root, &name)).collect())
}

/// The loop device of this name, such as `loop3`; `None` when it has no file.
pub fn read_one(root: &Root, name: &str) -> Option<Loop> {
    let mut bytes = fs::read(root.path(format!("/sys/block/{name}/loop/backing_file"))).ok()?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    let backing = PathBuf::from(OsString::from_vec(bytes));
    let sequence = root.attribute(format!("/sys/block/{name}/diskseq"));
    let sequence = sequence.and_then(|text| text.parse().ok());
    Some(Loop { node: PathBuf::from("/dev").join(name), backing, sequence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_devices_without_a_file_are_left_out() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::at(tree.path());
        for folder in ["loop0", "loop3/loop", "sda"] {
            fs::create_dir_all(root.path("/sys/block").join(folder)).unwrap();
        }
        fs::write(root.path("/sys/block/loop3/loop/backing_file"), "/a b/c\n").unwrap();
        let mut expected =
            Loop { node: "/dev/loop3".into(), backing: "/a b/c".into(), sequence: None };
        assert_eq!(read(&root).unwrap(), [expected.clone()]);
        fs::write(root.path("/sys/block/loop3/diskseq"), "17\n").unwrap();
        expected.sequence = Some(17);
        assert_eq!(read(&root).unwrap(), [expected]);
    }
}
