//! Linux software RAID (md): level, chunk, members and what it is busy with.
//!
//! Format: Documentation/admin-guide/md.rst, below `/sys/block/mdN/md`. Members are the folders
//! `dev-NAME`, NAME being the kernel's name of a disk or partition.
//! Leaves out: states of members, journals, bitmaps, clusters.

use super::attributes::Attributes;

/// A software RAID.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Array {
    /// `raid0`, `raid1`, `raid4`, `raid5`, `raid6`, `raid10`, `linear`; `None` when not running.
    pub level: Option<String>,
    /// What lies on one member before the next begins; `None` where there are no chunks.
    pub chunk_bytes: Option<u64>,
    /// Members it is made for, spares not counted.
    pub raid_disks: Option<u32>,
    /// The kernel's number of the layout; for RAID 10 near copies are the lowest byte, far ones
    /// the next, bit 16 marks offset copies.
    pub layout: Option<u32>,
    /// Members that are missing.
    pub degraded: Option<u32>,
    /// `idle`, `resync`, `recover`, `check`, `repair`, `reshape`, `frozen`.
    pub sync_action: Option<String>,
    /// Pages of each member that parity is computed in (`stripe_cache_size`); RAID 4, 5 and 6 only.
    pub stripe_cache_pages: Option<u64>,
    /// Members, spares and failed ones too, by slot and name.
    pub members: Vec<ArrayMember>,
}

/// A member of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayMember {
    /// The device, by kernel name.
    pub device: String,
    /// Its place; `None` for a spare.
    pub slot: Option<u32>,
}

pub(super) fn read(attributes: &Attributes<'_>, name: &str) -> Array {
    let folder = format!("/sys/block/{name}/md");
    let text = |file: &str| attributes.text(format!("{folder}/{file}"));
    // A layout and a number of disks that are being changed show the old one in parentheses.
    let number = |file: &str| text(file)?.split_whitespace().next()?.parse::<u64>().ok();
    let small = |file: &str| number(file).and_then(|value| value.try_into().ok());
    let files = attributes.names(&folder);
    let devices = files.iter().filter_map(|file| file.strip_prefix("dev-"));
    let mut members: Vec<ArrayMember> =
        devices.map(|device| read_member(attributes, &folder, device)).collect();
    members.sort_by_key(|member| (member.slot.is_none(), member.slot, member.device.clone()));
    Array {
        level: text("level"),
        chunk_bytes: number("chunk_size").filter(|bytes| *bytes > 0),
        raid_disks: small("raid_disks"),
        layout: small("layout"),
        degraded: small("degraded"),
        sync_action: text("sync_action"),
        stripe_cache_pages: number("stripe_cache_size"),
        members,
    }
}

fn read_member(attributes: &Attributes<'_>, folder: &str, device: &str) -> ArrayMember {
    let text = |file: &str| attributes.text(format!("{folder}/dev-{device}/{file}"));
    ArrayMember { device: device.to_owned(), slot: text("slot").and_then(|text| text.parse().ok()) }
}
