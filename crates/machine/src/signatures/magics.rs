//! Formats known by a byte string at a fixed place, one row each, with its source.
//!
//! Paths without a project name are the Linux kernel's. Offsets were compared with libblkid's.
//! Leaves out: formats with a magic of two bytes and nothing else to check (LVM1), and xenix.

use std::io;

use super::{Class, Medium, Signature};

/// One row.
struct Magic {
    kind: &'static str,
    place: Place,
    bytes: &'static [u8],
    /// Where the identity stands, in bytes from the start of the medium.
    uuid: Option<u64>,
    /// Where the name stands, and how long it is at most.
    label: Option<(u64, u64)>,
    source: &'static str,
}

/// Where the magic stands.
#[derive(Clone, Copy)]
enum Place {
    FromStart(u64),
    BeforeEnd(u64),
}

const fn at(kind: &'static str, at: u64, bytes: &'static [u8], source: &'static str) -> Magic {
    Magic { kind, place: Place::FromStart(at), bytes, uuid: None, label: None, source }
}

const fn at_end(kind: &'static str, at: u64, bytes: &'static [u8], source: &'static str) -> Magic {
    Magic { kind, place: Place::BeforeEnd(at), bytes, uuid: None, label: None, source }
}

impl Magic {
    const fn uuid(mut self, at: u64) -> Self {
        self.uuid = Some(at);
        self
    }

    const fn label(mut self, at: u64, length: u64) -> Self {
        self.label = Some((at, length));
        self
    }
}

const TABLES: [(Class, &[Magic]); 5] = [
    (Class::FileSystem, FILE_SYSTEMS),
    (Class::VolumeMember, VOLUME_MEMBERS),
    (Class::Encrypted, ENCRYPTED),
    (Class::Swap, SWAP),
    (Class::DiskImage, DISK_IMAGES),
];

const FILE_SYSTEMS: &[Magic] = &[
    at("xfs", 0, b"XFSB", "fs/xfs/libxfs/xfs_format.h").uuid(32).label(108, 12),
    at("btrfs", 0x10040, b"_BHRfS_M", "include/uapi/linux/btrfs_tree.h")
        .uuid(0x10020)
        .label(0x1012B, 256),
    at(
        "bcachefs",
        4120,
        b"\xC6\x85\x73\xF6\x66\xCE\x90\xA9\xD9\x6A\x60\xCF\x80\x3D\xF7\xEF",
        "fs/bcachefs/bcachefs_format.h",
    )
    .uuid(4152)
    .label(4168, 32),
    at("f2fs", 1024, b"\x10\x20\xF5\xF2", "include/linux/f2fs_fs.h").uuid(1132),
    at("erofs", 1024, b"\xE2\xE1\xF5\xE0", "fs/erofs/erofs_fs.h").uuid(1072).label(1088, 16),
    at("ntfs", 3, b"NTFS    ", "fs/ntfs3/ntfs.h"),
    at("exfat", 3, b"EXFAT   ", "Microsoft exFAT file system specification, section 3.1"),
    at("ReFS", 0, b"\0\0\0ReFS\0", "libblkid superblocks/refs.c"),
    at("vfat", 0x52, b"FAT32   ", "Microsoft FAT32 File System Specification 1.03").label(0x47, 11),
    at("vfat", 0x36, b"FAT16   ", "Microsoft FAT32 File System Specification 1.03").label(0x2B, 11),
    at("vfat", 0x36, b"FAT12   ", "Microsoft FAT32 File System Specification 1.03").label(0x2B, 11),
    at("iso9660", 0x8001, b"CD001", "ECMA-119, section 8.1").label(0x8028, 32),
    at("udf", 0x8001, b"BEA01", "ECMA-167, section 2/9.1"),
    at("udf", 0x8001, b"NSR0", "ECMA-167, section 3/9.1"),
    at("squashfs", 0, b"hsqs", "fs/squashfs/squashfs_fs.h"),
    at("squashfs", 0, b"sqsh", "fs/squashfs/squashfs_fs.h, big-endian"),
    at("cramfs", 0, b"\x45\x3D\xCD\x28", "include/uapi/linux/cramfs_fs.h"),
    at("romfs", 0, b"-rom1fs-", "include/uapi/linux/romfs_fs.h"),
    at("reiserfs", 0x10034, b"ReIsEr2Fs", "fs/reiserfs/reiserfs.h (Linux 6.12)")
        .uuid(0x10054)
        .label(0x10064, 16),
    at("reiserfs", 0x10034, b"ReIsEr3Fs", "fs/reiserfs/reiserfs.h (Linux 6.12)")
        .uuid(0x10054)
        .label(0x10064, 16),
    at("reiserfs", 0x10034, b"ReIsErFs", "fs/reiserfs/reiserfs.h (Linux 6.12)"),
    at("reiserfs", 0x2034, b"ReIsErFs", "fs/reiserfs/reiserfs.h (Linux 6.12), format 3.5"),
    at("reiser4", 0x10000, b"ReIsEr4", "libblkid superblocks/reiserfs.c")
        .uuid(0x10014)
        .label(0x10024, 16),
    at("jfs", 0x8000, b"JFS1", "fs/jfs/jfs_superblock.h").uuid(0x8088).label(0x8098, 16),
    at("gfs2", 0x10000, b"\x01\x16\x19\x70\0\0\0\x01", "include/uapi/linux/gfs2_ondisk.h"),
    at("ocfs2", 1024, b"OCFSV2", "fs/ocfs2/ocfs2_fs.h, block of 512 B"),
    at("ocfs2", 2048, b"OCFSV2", "fs/ocfs2/ocfs2_fs.h, block of 1 KiB"),
    at("ocfs2", 4096, b"OCFSV2", "fs/ocfs2/ocfs2_fs.h, block of 2 KiB"),
    at("ocfs2", 8192, b"OCFSV2", "fs/ocfs2/ocfs2_fs.h, block of 4 KiB"),
    at("zonefs", 0, b"SFOZ", "include/uapi/linux/magic.h, ZONEFS_MAGIC"),
    at("apfs", 32, b"NXSB", "Apple File System Reference, nx_superblock_t"),
    at("hfs+", 1024, b"H+\0\x04", "Apple Technical Note TN1150"),
    at("hfsx", 1024, b"HX\0\x05", "Apple Technical Note TN1150"),
    at("bfs", 0, b"\xCE\xFA\xAD\x1B", "include/uapi/linux/bfs_fs.h"),
    at("vmfs", 0x20_0000, b"\x5E\xF1\xAB\x2F", "libblkid superblocks/vmfs.c"),
];

const VOLUME_MEMBERS: &[Magic] = &[
    at(
        "bcache",
        4120,
        b"\xC6\x85\x73\xF6\x4E\x1A\x45\xCA\x82\x65\xF5\x7F\x48\xBA\x6D\x81",
        "drivers/md/bcache/bcache_ondisk.h",
    )
    .uuid(4136)
    .label(4168, 32),
    at("vmfs volume", 0x10_0000, b"\x0D\xD0\x01\xC0", "libblkid superblocks/vmfs.c"),
    at("ceph bluestore", 0, b"bluestore block device", "Ceph src/os/bluestore/bluestore_types.h"),
    at("stratis", 516, b"!Stra0tis\x86\xFF\x02^\x41rh", "Stratis Software Design, appendix B"),
    at(
        "stratis",
        4612,
        b"!Stra0tis\x86\xFF\x02^\x41rh",
        "Stratis Software Design, appendix B, second copy",
    ),
    at("vdo", 0, b"dmvdo001", "drivers/md/dm-vdo/constants.h"),
    at("dm snapshot", 0, b"SnAp", "drivers/md/dm-snap-persistent.c"),
    at("dm integrity", 0, b"integrt\0", "drivers/md/dm-integrity.c"),
    at("dm verity", 0, b"verity\0\0", "cryptsetup lib/verity/verity.c"),
    at("oracle asm", 32, b"ORCLDISK", "oracleasm kernel driver, asmdisk.h"),
    at_end("intel raid member", 1024, b"Intel Raid ISM Cfg Sig. ", "mdadm super-intel.c"),
    at_end("ddf raid member", 512, b"\xDE\x11\xDE\x11", "SNIA Common RAID Disk Data Format 2.0"),
    at_end(
        "ddf raid member",
        512,
        b"\x11\xDE\x11\xDE",
        "SNIA Common RAID Disk Data Format 2.0, little-endian",
    ),
];

const ENCRYPTED: &[Magic] = &[
    at("LUKS1", 0, b"LUKS\xBA\xBE\0\x01", "LUKS On-Disk Format Specification 1.2.3"),
    at("LUKS2", 0, b"LUKS\xBA\xBE\0\x02", "LUKS2 On-Disk Format Specification 1.0.0").label(24, 48),
    at("bitlocker", 3, b"-FVE-FS-", "libblkid superblocks/bitlocker.c"),
];

const SWAP: &[Magic] =
    &[at("tuxonice", 0, b"\xED\xC3\x02\xE9\x98\x56\xE5\x0C", "libblkid superblocks/swap.c")];

const DISK_IMAGES: &[Magic] = &[
    at("qcow image", 0, b"QFI\xFB", "QEMU docs/interop/qcow2.rst"),
    at("qed image", 0, b"QED\0", "QEMU docs/interop/qed_spec.rst"),
    at("vmdk image", 0, b"KDMV", "VMware Virtual Disk Format 1.1"),
    at("vmdk image", 0, b"COWD", "VMware Virtual Disk Format 1.1, ESX sparse"),
    at("vhdx image", 0, b"vhdxfile", "Microsoft MS-VHDX, section 2.2.1"),
    at_end("vhd image", 512, b"conectix", "Microsoft Virtual Hard Disk Image Format 1.0"),
    at("vdi image", 64, b"\x7F\x10\xDA\xBE", "QEMU block/vdi.c"),
];

const SWAP_SOURCE: &str = "include/linux/swap.h, union swap_header";
const SWAP_SPACE_BYTES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// The last ten bytes of the first page, which is 4 to 64 KiB by architecture.
const SWAP_MAGICS: [(&str, &[u8]); 6] = [
    ("swap", b"SWAPSPACE2"),
    ("swap", b"SWAP-SPACE"),
    ("hibernated system", b"S1SUSPEND"),
    ("hibernated system", b"S2SUSPEND"),
    ("hibernated system", b"ULSUSPEND"),
    ("hibernated system", b"LINHIB0001"),
];

pub(super) fn probe(medium: &Medium<'_>) -> io::Result<Vec<Signature>> {
    let mut found = Vec::new();
    for (class, table) in TABLES {
        for row in table {
            let at = match row.place {
                Place::FromStart(at) => Some(at),
                Place::BeforeEnd(length) => (medium.bytes / 512 * 512).checked_sub(length),
            };
            let Some(at) = at else { continue };
            if medium.has(at, row.bytes)? {
                found.push(describe(medium, (class, row), at)?);
            }
        }
    }
    found.extend(swap(medium)?);
    found.extend(ext(medium)?);
    found.extend(nilfs2(medium)?);
    found.extend(minix(medium)?);
    found.extend(sysv(medium)?);
    Ok(found)
}

fn describe(
    medium: &Medium<'_>,
    (class, row): (Class, &Magic),
    offset: u64,
) -> io::Result<Signature> {
    let uuid = match row.uuid {
        Some(at) => medium.uuid(at)?,
        // LUKS writes its UUID as text.
        None if row.bytes.starts_with(b"LUKS") => medium.text(168, 40)?,
        None => None,
    };
    let label = match row.label {
        Some((at, length)) => medium.text(at, length)?,
        None => None,
    };
    Ok(Signature { kind: row.kind, class, offset, label, uuid, source: row.source })
}

fn swap(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    for page in SWAP_SPACE_BYTES {
        for (kind, magic) in SWAP_MAGICS {
            if medium.has(page - 10, magic)? {
                let row = at(kind, page - 10, magic, SWAP_SOURCE).uuid(1036).label(1052, 16);
                return describe(medium, (Class::Swap, &row), page - 10).map(Some);
            }
        }
    }
    Ok(None)
}

/// The magic has two bytes, so the sizes beside it must make sense too; fs/ext4/ext4.h.
fn ext(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    const SUPERBLOCK: u64 = 1024;
    const COMPAT_HAS_JOURNAL: u64 = 0x4;
    const INCOMPAT_JOURNAL_DEVICE: u64 = 0x8;
    // What ext3 knows: filetype, recover, journal device, meta_bg; sparse, large file, btree.
    const INCOMPAT_EXT3: u64 = 0x1E;
    const READ_ONLY_COMPAT_EXT3: u64 = 0x7;
    if !medium.has(SUPERBLOCK + 0x38, &[0x53, 0xEF])? {
        return Ok(None);
    }
    let word = |at| Ok::<_, io::Error>(medium.number(SUPERBLOCK + at, 4)?.unwrap_or(0));
    let is_plausible = word(0x00)? > 0 && word(0x04)? > 0 && word(0x18)? <= 6 && word(0x4C)? <= 1;
    if !is_plausible {
        return Ok(None);
    }
    let (compat, incompat, read_only) = (word(0x5C)?, word(0x60)?, word(0x64)?);
    let kind = if incompat & INCOMPAT_JOURNAL_DEVICE != 0 {
        "ext journal"
    } else if incompat & !INCOMPAT_EXT3 != 0 || read_only & !READ_ONLY_COMPAT_EXT3 != 0 {
        "ext4"
    } else if compat & COMPAT_HAS_JOURNAL != 0 {
        "ext3"
    } else {
        "ext2"
    };
    let place = SUPERBLOCK + 0x38;
    let row = at(kind, place, b"\x53\xEF", "fs/ext4/ext4.h").uuid(0x468).label(0x478, 16);
    describe(medium, (Class::FileSystem, &row), place).map(Some)
}

/// Two bytes again: the superblock's own length and the device size must fit;
/// include/uapi/linux/nilfs2_ondisk.h.
fn nilfs2(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    const SUPERBLOCK: u64 = 1024;
    let is_there = medium.has(SUPERBLOCK + 6, &[0x34, 0x34])?;
    let length = medium.number(SUPERBLOCK + 8, 2)?.unwrap_or(0);
    let device = medium.number(SUPERBLOCK + 32, 8)?.unwrap_or(u64::MAX);
    let is_plausible = (200..=1024).contains(&length) && (1..=medium.bytes).contains(&device);
    if !is_there || !is_plausible {
        return Ok(None);
    }
    let place = SUPERBLOCK + 6;
    let row = at("nilfs2", place, b"44", "include/uapi/linux/nilfs2_ondisk.h");
    let row = row.uuid(SUPERBLOCK + 152).label(SUPERBLOCK + 168, 80);
    describe(medium, (Class::FileSystem, &row), place).map(Some)
}

/// Two bytes again: there must be both bitmaps, of inodes and zones;
/// include/uapi/linux/minix_fs.h. Written
/// in the byte order of the machine, of which the big one is left out.
fn minix(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    const SUPERBLOCK: u64 = 1024;
    const SOURCE: &str = "include/uapi/linux/minix_fs.h";
    /// Where the bitmaps' sizes and the magic stand.
    type Shape = ([u64; 2], u64, [u8; 2]);
    const V1_AND_2: [u64; 2] = [4, 6];
    const SHAPES: [Shape; 5] = [
        (V1_AND_2, 16, [0x7F, 0x13]),
        (V1_AND_2, 16, [0x8F, 0x13]),
        (V1_AND_2, 16, [0x68, 0x24]),
        (V1_AND_2, 16, [0x78, 0x24]),
        ([6, 8], 24, [0x5A, 0x4D]),
    ];
    for (counts, place, magic) in SHAPES {
        let place = SUPERBLOCK + place;
        if !medium.has(place, &magic)? || medium.has(SUPERBLOCK + 0x38, &[0x53, 0xEF])? {
            continue;
        }
        let mut are_there = true;
        for count in counts {
            are_there &= medium.number(SUPERBLOCK + count, 2)?.is_some_and(|count| count > 0);
        }
        if are_there {
            let row = at("minix", place, b"", SOURCE);
            return describe(medium, (Class::FileSystem, &row), place).map(Some);
        }
    }
    Ok(None)
}

/// The superblock lies half a KiB into one of four blocks, its magic 504 bytes in, in either byte
/// order; fs/sysv/super.c (Linux 6.12).
fn sysv(medium: &Medium<'_>) -> io::Result<Option<Signature>> {
    const MAGIC: u32 = 0xFD18_7E20;
    for block in [0, 9, 15, 18] {
        let place = block * 1024 + 512 + 504;
        if medium.has(place, &MAGIC.to_le_bytes())? || medium.has(place, &MAGIC.to_be_bytes())? {
            let row = at("sysv", place, b"", "fs/sysv/super.c (Linux 6.12)");
            return describe(medium, (Class::FileSystem, &row), place).map(Some);
        }
    }
    Ok(None)
}
