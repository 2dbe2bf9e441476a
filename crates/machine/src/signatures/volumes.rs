//! Volume members whose place takes arithmetic: md, LVM2, ZFS, LUKS2's second header, DRBD.
//!
//! Sources: include/uapi/linux/raid/md_p.h; LVM2 lib/format_text/layout.h and lib/label/label.h;
//! OpenZFS include/sys/vdev_impl.h and uberblock_impl.h; the LUKS2 on-disk format specification;
//! DRBD drbd_meta_data.h. Leaves out: checksums, and reading a volume's layout.

use std::io;

use super::{Class, Medium, Signature};

pub(super) fn probe(medium: &Medium<'_>) -> io::Result<Vec<Signature>> {
    let probes = [md_0_90, md_1, lvm2, zfs, luks2_second, drbd];
    let mut found = Vec::new();
    for probe in probes {
        found.extend(probe(medium)?);
    }
    Ok(found)
}

fn member(kind: &'static str, offset: u64, source: &'static str) -> Signature {
    Signature { kind, class: Class::VolumeMember, offset, label: None, uuid: None, source }
}

const MD_MAGIC: u32 = 0xA92B_4EFC;
const MD_SOURCE: &str = "include/uapi/linux/raid/md_p.h";

/// Version 0.90: 64 KiB before the last multiple of 64 KiB, in the host's byte order.
fn md_0_90(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    const RESERVED: u64 = 64 << 10;
    let Some(at) = (medium.bytes / RESERVED * RESERVED).checked_sub(RESERVED) else {
        return Ok(None);
    };
    let is_there =
        medium.has(at, &MD_MAGIC.to_le_bytes())? || medium.has(at, &MD_MAGIC.to_be_bytes())?;
    // Version 1.1 on a device of one such unit stands at the same place and has major version 1.
    let is_0 = medium.number(at + 4, 4)? == Some(0);
    Ok((is_there && is_0).then(|| member("md 0.90 member", at, MD_SOURCE)))
}

/// Version 1: at the end (1.0), at the start (1.1), 4 KiB from the start (1.2).
fn md_1(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    let end = ((medium.bytes / 512).saturating_sub(16) / 8 * 8) * 512;
    let places = [(end, "md 1.0 member"), (0, "md 1.1 member"), (4096, "md 1.2 member")];
    for (at, kind) in places {
        let is_there = medium.has(at, &MD_MAGIC.to_le_bytes())?;
        if is_there && medium.number(at + 4, 4)? == Some(1) {
            let mut found = member(kind, at, MD_SOURCE);
            found.uuid = medium.uuid(at + 16)?;
            found.label = medium.text(at + 32, 32)?;
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The label lies in one of the first four sectors and names its type 24 bytes in.
fn lvm2(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    for sector in 0..4 {
        let at = sector * 512;
        if medium.has(at, b"LABELONE")? && medium.has(at + 24, b"LVM2 001")? {
            let contents = medium.number(at + 20, 4)?.unwrap_or(32);
            let mut found = member("LVM2 member", at, "LVM2 lib/label/label.h");
            found.uuid = medium.text(at + contents, 32)?;
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Four labels of 256 KiB, two at each end; uberblocks fill the second half of each.
fn zfs(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    const LABEL: u64 = 256 << 10;
    const UBERBLOCKS: u64 = 128 << 10;
    const MAGIC: u64 = 0x00BA_B10C;
    let whole = medium.bytes / LABEL * LABEL;
    let ends = [Some(0), Some(LABEL), whole.checked_sub(2 * LABEL), whole.checked_sub(LABEL)];
    for label in ends.into_iter().flatten() {
        let Some(ring) = medium.at(label + UBERBLOCKS, UBERBLOCKS)? else { continue };
        let hit = ring.chunks(1024).position(|block| {
            block.starts_with(&MAGIC.to_le_bytes()) || block.starts_with(&MAGIC.to_be_bytes())
        });
        if let Some(index) = hit {
            let at = label + UBERBLOCKS + 1024 * index as u64;
            let mut found = member("ZFS member", at, "OpenZFS include/sys/uberblock_impl.h");
            found.label = zfs_pool_name(medium, label)?;
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The pool's name from the label's XDR name-value list, 16 KiB into the label: after a header of
/// 12 bytes, pairs of (encoded size, decoded size, name length, name, type, count, value).
fn zfs_pool_name(medium: &Medium<'_>, label: u64) -> io::Result<Option<String>> {
    const STRING: u32 = 9;
    let Some(list) = medium.at(label + (16 << 10), 16 << 10)? else { return Ok(None) };
    let word = |at: usize| {
        let bytes = list.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    let mut at = 12;
    while let Some(size) = word(at).filter(|&size| size >= 20) {
        let name_length = word(at + 8).unwrap_or(0) as usize;
        let value = at + 12 + name_length.min(list.len()).next_multiple_of(4);
        let is_name = list.get(at + 12..at + 12 + name_length) == Some(b"name".as_slice());
        if is_name && word(value) == Some(STRING) {
            let length = word(value + 8).unwrap_or(0) as usize;
            let text = list.get(value + 12..(value + 12).saturating_add(length));
            return Ok(text.map(|text| String::from_utf8_lossy(text).into_owned()));
        }
        at = at.saturating_add(size as usize);
    }
    Ok(None)
}

/// LUKS2 keeps a second header, for when the first is damaged, at one of nine places.
fn luks2_second(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    if medium.has(0, b"LUKS\xBA\xBE")? {
        return Ok(None); // The first header is there and is told by the table.
    }
    for shift in 14..=22 {
        let at = 1_u64 << shift;
        if medium.has(at, b"SKUL\xBA\xBE")? {
            let source = "LUKS2 On-Disk Format Specification 1.0.0, section 2.2";
            let mut found = member("LUKS2 second header", at, source);
            found.class = Class::Encrypted;
            found.uuid = medium.text(at + 168, 40)?;
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Internal metadata lies in the last 4 KiB; the magic is 60 bytes in, big-endian.
fn drbd(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    const MAGICS: [u32; 3] = [0x8374_026B, 0x8374_026C, 0x8374_026D];
    let Some(at) = (medium.bytes / 4096 * 4096).checked_sub(4096) else { return Ok(None) };
    for magic in MAGICS {
        if medium.has(at + 60, &magic.to_be_bytes())? {
            return Ok(Some(member("DRBD member", at + 60, "drbd-headers drbd_meta_data.h")));
        }
    }
    Ok(None)
}
