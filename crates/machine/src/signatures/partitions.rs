//! Partition tables: GPT (primary and backup), MBR, Apple, Sun, SGI.
//!
//! Source: UEFI Specification 2.10, chapter 5 (the GPT header's "EFI PART" at logical block 1 and
//! in the last block; the MBR's 0x55AA at 510 and four entries of 16 B from 446); Apple's "Inside
//! Macintosh: Devices", chapter 3; block/partitions/sun.c and sgi.c of Linux (labels of 512 B,
//! big-endian; all 16-bit words of Sun's give zero by exclusive or). Leaves out: the partitions
//! themselves, which sysfs knows.

use std::io;

use super::medium::uuid_of;
use super::{Class, Medium, Signature};

const GPT_MAGIC: &[u8] = b"EFI PART";
const LOGICAL_BLOCK_BYTES: [u64; 4] = [512, 1024, 2048, 4096];
const MBR_ENTRIES: u64 = 446;
const MBR_ENTRY_BYTES: u64 = 16;
const PROTECTIVE: u8 = 0xEE;

pub(super) fn probe(medium: &Medium<'_>) -> io::Result<Vec<Signature>> {
    let mut found = gpt(medium)?;
    if let Some(mbr) = mbr(medium, !found.is_empty())? {
        found.push(mbr);
    }
    if medium.has(0, b"ER")? && LOGICAL_BLOCK_BYTES.iter().any(|&at| is_apple(medium, at)) {
        let source = "Inside Macintosh: Devices, chapter 3";
        found.push(signature("apple partition map", 0, source));
    }
    if is_sun(medium)? {
        found.push(signature("sun disk label", 508, "block/partitions/sun.c"));
    }
    if medium.has(0, &[0x0B, 0xE5, 0xA9, 0x41])? {
        found.push(signature("sgi disk label", 0, "block/partitions/sgi.c"));
    }
    Ok(found)
}

fn gpt(medium: &Medium<'_>) -> io::Result<Vec<Signature>> {
    let source = "UEFI Specification 2.10, section 5.3.2";
    for block in LOGICAL_BLOCK_BYTES {
        if medium.has(block, GPT_MAGIC)? {
            let mut gpt = signature("gpt", block, source);
            gpt.uuid = medium.at(block + 56, 16)?.map(|bytes| mixed_endian_uuid(&bytes));
            return Ok(vec![gpt]);
        }
    }
    for block in LOGICAL_BLOCK_BYTES {
        let Some(backup) = (medium.bytes / block * block).checked_sub(block) else { continue };
        if medium.has(backup, GPT_MAGIC)? {
            return Ok(vec![signature("gpt backup", backup, source)]);
        }
    }
    Ok(Vec::new())
}

/// An MBR with at least one entry in use; the protective entry of a GPT is not told twice.
fn mbr(medium: &Medium<'_>, has_gpt: bool) -> io::Result<Option<Signature>> {
    if !medium.has(510, &[0x55, 0xAA])? {
        return Ok(None);
    }
    for index in 0..4 {
        let at = MBR_ENTRIES + index * MBR_ENTRY_BYTES;
        let Some(entry) = medium.at(at, MBR_ENTRY_BYTES)? else { return Ok(None) };
        let is_plausible = entry[0] & 0x7F == 0;
        let is_used = entry[4] != 0 && entry[12..16] != [0; 4];
        if is_plausible && is_used && !(has_gpt && entry[4] == PROTECTIVE) {
            return Ok(Some(signature("mbr", 510, "UEFI Specification 2.10, section 5.2.1")));
        }
    }
    Ok(None)
}

/// Two bytes of magic alone would be found in noise.
fn is_sun(medium: &Medium<'_>) -> io::Result<bool> {
    let Some(label) = medium.at(0, 512)? else { return Ok(false) };
    let sum = label.chunks(2).fold([0, 0], |sum, word| [sum[0] ^ word[0], sum[1] ^ word[1]]);
    Ok(label[508..510] == [0xDA, 0xBE] && sum == [0, 0])
}

fn is_apple(medium: &Medium<'_>, block: u64) -> bool {
    medium.has(block, b"PM\0\0").unwrap_or(false)
}

fn signature(kind: &'static str, offset: u64, source: &'static str) -> Signature {
    Signature { kind, class: Class::PartitionTable, offset, label: None, uuid: None, source }
}

/// GPT stores the first three groups of a UUID little-endian.
fn mixed_endian_uuid(bytes: &[u8]) -> String {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    uuid_of(order.into_iter().map(|index| bytes[index])).to_uppercase()
}
