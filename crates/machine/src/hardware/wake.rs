//! Waking what may be at rest, so that its link shows what it does at work.
//!
//! A link that runs below what it can is either degraded or resting; the difference shows after a
//! read. Only devices behind such a link are read, 1 MiB each from their beginning, past the page
//! cache; nothing is written. Reading a device takes root.
//! Leaves out: drives whose links run as they can, which stay asleep if they are.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use rustix::fs::OFlags;

use super::attributes::Attributes;
use super::{Hardware, pci};
use crate::root::Root;

const BYTES: usize = 1 << 20;

/// Memory and offsets of direct reads are aligned to a page, which suits every device.
const PAGE: usize = 4096;

impl Hardware {
    /// Reads from those of some devices that are behind links that run below what they can, and
    /// looks at all links again. Returns the devices that answered; none below an imitated root,
    /// whose devices are not there.
    pub fn wake(&mut self, root: &Root, wanted: &BTreeSet<String>) -> BTreeSet<String> {
        let slow = self.behind_slow_links();
        let slow = slow.intersection(wanted).filter(|_| root.is_live());
        let answers = |name: &&String| read_once(root, name).is_ok();
        let woken: BTreeSet<String> = slow.filter(answers).cloned().collect();
        if !woken.is_empty() {
            self.functions = pci::read(&Attributes::new(root));
        }
        woken
    }

    /// Devices behind a link that runs below what both its ends can.
    fn behind_slow_links(&self) -> BTreeSet<String> {
        let is_slow = |address: &str| {
            self.links(address).iter().any(|link| {
                matches!((link.current, link.max), (Some(now), Some(max)) if now.is_less_than(max))
            })
        };
        let slow = self
            .attachments
            .iter()
            .filter(|(_, attachment)| attachment.functions().into_iter().any(is_slow));
        slow.map(|(name, _)| name.clone()).collect()
    }
}

fn read_once(root: &Root, name: &str) -> io::Result<()> {
    let flags = i32::try_from(OFlags::DIRECT.bits()).map_err(io::Error::other)?;
    let node = root.path(format!("/dev/{}", name.replace('!', "/")));
    read_first(&OpenOptions::new().read(true).custom_flags(flags).open(node)?)
}

fn read_first(file: &File) -> io::Result<()> {
    let mut memory = vec![0; BYTES + PAGE];
    let start = memory.as_ptr().align_offset(PAGE);
    match file.read_at(&mut memory[start..start + BYTES], 0)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_past_the_page_cache_is_aligned() {
        let directory = tempfile::tempdir_in(".").unwrap();
        let path = directory.path().join("disk");
        std::fs::write(&path, vec![7; 2 * BYTES]).unwrap();
        let direct = i32::try_from(OFlags::DIRECT.bits()).unwrap();
        let file = OpenOptions::new().read(true).custom_flags(direct).open(&path).unwrap();
        read_first(&file).unwrap();
        std::fs::write(&path, "").unwrap();
        assert!(read_first(&File::open(&path).unwrap()).is_err());
    }

    #[test]
    fn a_device_that_is_not_there_does_not_answer() {
        assert!(read_once(&Root::live(), "no-such-device").is_err());
    }
}
