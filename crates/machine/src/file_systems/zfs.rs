//! How a pool of ZFS is made, from the labels of its members.
//!
//! Format: four labels of 256 KiB on each member, two of them at its beginning; from 16 KiB on a
//! list of names and values in XDR (ZFS On-Disk Specification, Sun 2006, 1.3; OpenZFS,
//! module/nvpair/nvpair.c). A label has the group that its member belongs to: `vdev_tree` with
//! `type`, `nparity` and `children`, each with its `guid`, which the label of that child has too.
//! Leaves out: checksums, the other labels, draid's rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::devices::Devices;
use crate::root::Root;

/// A pool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pool {
    pub name: String,
    /// `ONLINE`, `DEGRADED`, `FAULTED` …
    pub state: Option<String>,
    /// The groups that data is dealt over; empty where no label could be read.
    pub tops: Vec<Top>,
}

/// A group of members that stands for one place of the pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    /// How its members work together.
    pub kind: TopKind,
    /// The device of each member, by kernel name; `None` for one whose label was not found.
    pub members: Vec<Option<String>>,
}

/// How the members of a group work together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopKind {
    Single,
    /// Each has everything.
    Mirror,
    /// So many members' worth of parity.
    Raidz(u64),
    /// Another word of ZFS.
    Other(String),
}

/// What the label of a device says.
pub(super) struct Label {
    device: String,
    pool: String,
    guid: u64,
    tree: List,
}

/// Labels of all devices that nothing stands on, as far as they may be read.
pub(super) fn labels(root: &Root, devices: &Devices) -> Vec<Label> {
    let plain = devices.iter().filter(|device| device.holders.is_empty() && device.bytes > 0);
    plain.filter_map(|device| label(root, &device.name, &device.node())).collect()
}

fn label(root: &Root, name: &str, node: &std::path::Path) -> Option<Label> {
    const PLACE: u64 = 16 << 10;
    const LENGTH: u64 = 112 << 10;
    let mut file = File::open(root.path(node)).ok()?;
    file.seek(SeekFrom::Start(PLACE)).ok()?;
    let mut bytes = Vec::new();
    file.take(LENGTH).read_to_end(&mut bytes).ok()?;
    let mut list = List::read(&bytes)?;
    let tree = match list.values.remove("vdev_tree")? {
        Value::List(tree) => tree,
        Value::Number(_) | Value::Text(_) | Value::Lists(_) => return None,
    };
    Some(Label {
        device: name.to_owned(),
        pool: list.text("name")?.to_owned(),
        guid: list.number("guid")?,
        tree,
    })
}

pub(super) fn pool(name: String, state: Option<String>, labels: &[Label]) -> Pool {
    let own: Vec<&Label> = labels.iter().filter(|label| label.pool == name).collect();
    let by_guid: BTreeMap<u64, &String> =
        own.iter().map(|label| (label.guid, &label.device)).collect();
    // Of one group all members have the same tree.
    let trees: BTreeMap<u64, &List> =
        own.iter().filter_map(|label| Some((label.tree.number("id")?, &label.tree))).collect();
    let device = |guid: Option<u64>| by_guid.get(&guid?).map(|device| (*device).clone());
    let top = |tree: &&List| {
        let kind = tree.text("type").unwrap_or("unknown");
        let children = tree.lists("children").iter().map(|child| device(child.number("guid")));
        match kind {
            "disk" | "file" => {
                Top { kind: TopKind::Single, members: vec![device(tree.number("guid"))] }
            }
            "mirror" => Top { kind: TopKind::Mirror, members: children.collect() },
            "raidz" => {
                let parity = tree.number("nparity").unwrap_or(1);
                Top { kind: TopKind::Raidz(parity), members: children.collect() }
            }
            other => Top { kind: TopKind::Other(other.to_owned()), members: children.collect() },
        }
    };
    Pool { name, state, tops: trees.values().map(top).collect() }
}

/// Names and values.
#[derive(Debug, Default)]
struct List {
    values: BTreeMap<String, Value>,
}

#[derive(Debug)]
enum Value {
    Number(u64),
    Text(String),
    List(List),
    Lists(Vec<List>),
}

/// Lists in lists deeper than any pool has: chosen.
const DEEPEST: usize = 8;

impl List {
    /// Reads a packed list: one byte says that it is XDR, three more are of no use here.
    fn read(bytes: &[u8]) -> Option<Self> {
        const XDR: u8 = 1;
        (*bytes.first()? == XDR).then_some(())?;
        Self::embedded(&mut Reader { bytes: bytes.get(4..)? }, 0)
    }

    /// Version, flags, then pairs until one of no length.
    fn embedded(reader: &mut Reader<'_>, depth: usize) -> Option<Self> {
        (depth < DEEPEST).then_some(())?;
        reader.number32()?;
        reader.number32()?;
        let mut list = Self::default();
        loop {
            let encoded = reader.number32()? as usize;
            let decoded = reader.number32()?;
            if encoded == 0 && decoded == 0 {
                return Some(list);
            }
            // The length counts itself and the one after it.
            let mut pair = Reader { bytes: reader.take(encoded.checked_sub(8)?)? };
            let name = pair.text()?;
            if let Some(value) = Value::read(&mut pair, depth) {
                list.values.insert(name, value);
            }
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name)? {
            Value::Text(text) => Some(text),
            Value::Number(_) | Value::List(_) | Value::Lists(_) => None,
        }
    }

    fn number(&self, name: &str) -> Option<u64> {
        match self.values.get(name)? {
            Value::Number(number) => Some(*number),
            Value::Text(_) | Value::List(_) | Value::Lists(_) => None,
        }
    }

    fn lists(&self, name: &str) -> &[Self] {
        match self.values.get(name) {
            Some(Value::Lists(lists)) => lists,
            _ => &[],
        }
    }
}

impl Value {
    /// A value of a type that a pool's making is written in; `None` for any other.
    fn read(pair: &mut Reader<'_>, depth: usize) -> Option<Self> {
        const NUMBER: u32 = 8;
        const TEXT: u32 = 9;
        const LIST: u32 = 19;
        const LISTS: u32 = 20;
        let (kind, count) = (pair.number32()?, pair.number32()?);
        match kind {
            NUMBER => {
                let (high, low) = (pair.number32()?, pair.number32()?);
                Some(Self::Number(u64::from(high) << 32 | u64::from(low)))
            }
            TEXT => pair.text().map(Self::Text),
            LIST => List::embedded(pair, depth + 1).map(Self::List),
            LISTS => {
                let lists = (0..count).map(|_| List::embedded(pair, depth + 1));
                lists.collect::<Option<_>>().map(Self::Lists)
            }
            _ => None,
        }
    }
}

/// XDR (RFC 4506): words of four bytes, the highest first; texts are filled up to whole words.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    fn number32(&mut self) -> Option<u32> {
        let word = self.take(4)?;
        Some(u32::from_be_bytes(word.try_into().ok()?))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number32()? as usize;
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.take(length.next_multiple_of(4) - length)?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use iopath_imitation::nvlist::{list, number, pair, text};

    use super::*;

    /// A label of a pool `tank` whose first group is a raidz2 of three; this is member 20.
    fn packed() -> Vec<u8> {
        let child = |guid| list(&[pair("type", 9, 1, &text("disk")), number("guid", guid)]);
        let children = [child(10), child(20), child(30)].concat();
        let tree = list(&[
            pair("type", 9, 1, &text("raidz")),
            number("id", 0),
            number("nparity", 2),
            pair("children", 20, 3, &children),
        ]);
        let all = list(&[
            pair("name", 9, 1, &text("tank")),
            number("guid", 20),
            // A type that is of no use here: a boolean without a value.
            pair("whole", 1, 0, &[]),
            pair("vdev_tree", 19, 1, &tree),
        ]);
        [vec![1, 1, 0, 0], all].concat()
    }

    #[test]
    fn a_label_tells_the_group_of_its_member() {
        let list = List::read(&packed()).unwrap();
        assert_eq!((list.text("name"), list.number("guid")), (Some("tank"), Some(20)));
        let Some(Value::List(tree)) = list.values.get("vdev_tree") else { panic!("no tree") };
        assert_eq!((tree.text("type"), tree.number("nparity")), (Some("raidz"), Some(2)));
        let guids: Vec<_> =
            tree.lists("children").iter().map(|child| child.number("guid")).collect();
        assert_eq!(guids, [Some(10), Some(20), Some(30)]);
    }

    #[test]
    fn a_label_that_ends_anywhere_is_none_and_harms_nothing() {
        let packed = packed();
        for length in 0..packed.len() {
            assert!(List::read(&packed[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn members_are_found_by_the_numbers_in_their_labels() {
        let label = |device: &str, guid| {
            let mut list = List::read(&packed()).unwrap();
            let Some(Value::List(tree)) = list.values.remove("vdev_tree") else {
                panic!("no tree")
            };
            Label { device: device.to_owned(), pool: "tank".to_owned(), guid, tree }
        };
        let labels = [label("sda1", 10), label("sdc1", 30)];
        let pool = pool("tank".to_owned(), None, &labels);
        let members = vec![Some("sda1".to_owned()), None, Some("sdc1".to_owned())];
        assert_eq!(pool.tops, [Top { kind: TopKind::Raidz(2), members }]);
    }
}
