//! What real mkfs programs write, and what this machine has no program for, written by hand.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Command;

use iopath_machine::signatures::{self, Class};

use crate::not_run;

const MIB: u64 = 1 << 20;

fn image(bytes: u64, pieces: &[(u64, &[u8])]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(bytes).unwrap();
    for (at, piece) in pieces {
        file.as_file().write_all_at(piece, *at).unwrap();
    }
    file
}

fn kinds(file: &tempfile::NamedTempFile) -> Vec<&'static str> {
    signatures::probe_file(file.as_file()).unwrap().iter().map(|found| found.kind).collect()
}

#[test]
fn what_real_programs_write_is_recognised_with_its_name() {
    let rows: [(&str, &[&str], &str, u64); 7] = [
        ("mkfs.ext2", &["-q", "-F", "-L", "data"], "ext2", 64),
        ("mkfs.ext3", &["-q", "-F", "-L", "data"], "ext3", 64),
        ("mkfs.ext4", &["-q", "-F", "-L", "data"], "ext4", 64),
        ("mkfs.xfs", &["-q", "-L", "data"], "xfs", 512),
        ("mkfs.btrfs", &["-q", "-L", "data"], "btrfs", 256),
        ("mkswap", &["-q", "-L", "data"], "swap", 64),
        ("mkfs.vfat", &["-n", "DATA"], "vfat", 64),
    ];
    for (program, arguments, kind, mib) in rows {
        let file = image(mib * MIB, &[]);
        match Command::new(program).args(arguments).arg(file.path()).output() {
            Ok(done) => assert!(done.status.success(), "{program}: {done:?}"),
            Err(_) if rustix::process::geteuid().is_root() => panic!("{program} is missing"),
            Err(_) => {
                not_run(&format!("{program} is missing"));
                continue;
            }
        }
        let found = signatures::probe_file(file.as_file()).unwrap();
        assert_eq!(found.iter().map(|found| found.kind).collect::<Vec<_>>(), [kind], "{program}");
        assert_eq!(found[0].label.as_deref().map(str::to_lowercase).as_deref(), Some("data"));
        let has_uuid = program == "mkfs.vfat" || found[0].uuid.is_some();
        assert!(has_uuid && !found[0].source.is_empty(), "{program}: {found:?}");
    }
}

#[test]
fn disk_labels_and_nameless_file_systems_of_real_programs_are_recognised() {
    let rows: [(&[&str], &str, &str); 5] = [
        (&["sfdisk", "-q"], "label: sun\n", "sun disk label"),
        (&["sfdisk", "-q"], "label: sgi\n", "sgi disk label"),
        (&["mkfs.minix", "-1"], "", "minix"),
        (&["mkfs.minix", "-3"], "", "minix"),
        (&["mkfs.bfs"], "", "bfs"),
    ];
    for (command, input, kind) in rows {
        let (file, script) = (image(64 * MIB, &[]), image(0, &[(0, input.as_bytes())]));
        let mut call = Command::new(command[0]);
        call.args(&command[1..]).arg(file.path()).stdin(fs::File::open(script.path()).unwrap());
        match call.output() {
            Ok(done) => assert!(done.status.success(), "{command:?}: {done:?}"),
            Err(_) if rustix::process::geteuid().is_root() => panic!("{command:?} is missing"),
            Err(_) => {
                not_run(&format!("{} is missing", command[0]));
                continue;
            }
        }
        assert!(kinds(&file).contains(&kind), "{command:?}: {:?}", kinds(&file));
    }
}

#[test]
fn formats_without_a_program_here_are_recognised_where_they_are_defined_to_be() {
    let md_1: &[u8] = b"\xFC\x4E\x2B\xA9\x01\0\0\0\0\0\0\0\0\0\0\0\x11\x11\x11\x11\x11\x11\x11\x11";
    let md_0: &[u8] = b"\xFC\x4E\x2B\xA9\0\0\0\0\x5A\0\0\0";
    let md_0_big: &[u8] = b"\xA9\x2B\x4E\xFC\0\0\0\0\0\0\0\x5A";
    let bcache: &[u8] = b"\xC6\x85\x73\xF6\x4E\x1A\x45\xCA\x82\x65\xF5\x7F\x48\xBA\x6D\x81";
    let bcachefs: &[u8] = b"\xC6\x85\x73\xF6\x66\xCE\x90\xA9\xD9\x6A\x60\xCF\x80\x3D\xF7\xEF";
    let size = 8 * MIB;
    // From the magic on: the superblock's length, then (26 bytes in) the device's size.
    let mut nilfs2 = [0_u8; 34];
    nilfs2[..4].copy_from_slice(b"\x34\x34\x18\x01");
    nilfs2[26..].copy_from_slice(&size.to_le_bytes());
    // The last two bytes make the checksum.
    let sun: &[u8] = b"\xDA\xBE\xDA\xBE";
    let minix_3: &[u8] = b"\xB0\x0A\0\0\0\0\x01\0\x01\0\xAF\0\0\0\0\0\
        \xFF\xFF\xFF\x7F\0\x20\0\0\x5A\x4D";
    let minix_1: &[u8] = b"\xC0\x0A\0\x20\x01\0\x01\0\x5A\0\0\0\0\x1C\x08\x10\x8F\x13";
    let rows: &[(&str, u64, &[u8])] = &[
        ("sun disk label", 508, sun),
        ("sgi disk label", 0, b"\x0B\xE5\xA9\x41"),
        ("bfs", 0, b"\xCE\xFA\xAD\x1B"),
        ("minix", 1024, minix_3),
        ("minix", 1024, minix_1),
        ("sysv", 1016, b"\x20\x7E\x18\xFD"),
        ("sysv", 18 * 1024 + 1016, b"\xFD\x18\x7E\x20"),
        ("md 1.0 member", size - 8192, md_1),
        ("md 1.1 member", 0, md_1),
        ("md 1.2 member", 4096, md_1),
        ("md 0.90 member", size - 65536, md_0),
        ("md 0.90 member", size - 65536, md_0_big),
        ("DRBD member", size - 4096 + 60, b"\x83\x74\x02\x6D"),
        ("LUKS1", 0, b"LUKS\xBA\xBE\0\x01"),
        ("LUKS2", 0, b"LUKS\xBA\xBE\0\x02"),
        ("LUKS2 second header", 0x4000, b"SKUL\xBA\xBE\0\x02"),
        ("bcache", 4120, bcache),
        ("bcachefs", 4120, bcachefs),
        ("f2fs", 1024, b"\x10\x20\xF5\xF2"),
        ("ntfs", 3, b"NTFS    "),
        ("exfat", 3, b"EXFAT   "),
        ("iso9660", 0x8001, b"CD001"),
        ("squashfs", 0, b"hsqs"),
        ("reiserfs", 0x10034, b"ReIsEr2Fs"),
        ("jfs", 0x8000, b"JFS1"),
        ("nilfs2", 1030, &nilfs2),
        ("ocfs2", 2048, b"OCFSV2"),
        ("erofs", 1024, b"\xE2\xE1\xF5\xE0"),
        ("ceph bluestore", 0, b"bluestore block device\n"),
        ("vmfs volume", MIB, b"\x0D\xD0\x01\xC0"),
        ("vmfs", 2 * MIB, b"\x5E\xF1\xAB\x2F"),
        ("hibernated system", 4086, b"S1SUSPEND"),
        ("swap", 65526, b"SWAPSPACE2"),
        ("swap", 4086, b"SWAP-SPACE"),
        ("qcow image", 0, b"QFI\xFB\0\0\0\x03"),
        ("vhd image", size - 512, b"conectix"),
        ("gpt backup", size - 512, b"EFI PART"),
        ("gpt backup", size - 4096, b"EFI PART"),
        ("gpt", 4096, b"EFI PART"),
    ];
    for &(kind, at, bytes) in rows {
        let file = image(size, &[(at, bytes)]);
        assert_eq!(kinds(&file), [kind], "at {at}");
    }
}

#[test]
fn an_lvm_label_is_found_in_each_of_the_first_four_sectors() {
    for sector in 0..5 {
        let mut label = [0_u8; 64];
        label[..8].copy_from_slice(b"LABELONE");
        label[20] = 32;
        label[24..32].copy_from_slice(b"LVM2 001");
        label[32..64].copy_from_slice(b"AbCdEfGhIjKlMnOpQrStUvWxYz012345");
        let file = image(MIB, &[(sector * 512, &label)]);
        let found = signatures::probe_file(file.as_file()).unwrap();
        match sector {
            4 => assert_eq!(found, []),
            _ => {
                assert_eq!((found[0].kind, found[0].offset), ("LVM2 member", sector * 512));
                assert_eq!(found[0].uuid.as_deref(), Some("AbCdEfGhIjKlMnOpQrStUvWxYz012345"));
            }
        }
    }
}

/// One ZFS label's name-value list with the pool's name.
fn zfs_names(pool: &[u8; 4]) -> Vec<u8> {
    let mut list = vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    let mut pair = |size: u32, name: &[u8], kind: u32, value: &[u8]| {
        list.extend(size.to_be_bytes());
        list.extend(size.to_be_bytes());
        list.extend((name.len() as u32).to_be_bytes());
        list.extend(name);
        list.resize(list.len().next_multiple_of(4), 0);
        list.extend(kind.to_be_bytes());
        list.extend(1_u32.to_be_bytes());
        list.extend(value);
    };
    pair(36, b"version", 8, &[0, 0, 0, 0, 0, 0, 0x13, 0x88]);
    pair(32, b"name", 9, &[&4_u32.to_be_bytes()[..], pool].concat());
    list
}

#[test]
fn a_zfs_member_is_found_by_any_of_its_four_labels_in_both_byte_orders() {
    let bytes = 64 * MIB + 12345 * 512;
    let label = 256 << 10;
    let whole = bytes / label * label;
    for at in [0, label, whole - 2 * label, whole - label] {
        for magic in [0x00BA_B10C_u64.to_le_bytes(), 0x00BA_B10C_u64.to_be_bytes()] {
            let pieces: [(u64, &[u8]); 2] =
                [(at + (132 << 10), &magic), (at + (16 << 10), &zfs_names(b"tank"))];
            let found = signatures::probe_file(image(bytes, &pieces).as_file()).unwrap();
            assert_eq!((found.len(), found[0].kind), (1, "ZFS member"), "label at {at}");
            assert_eq!(found[0].label.as_deref(), Some("tank"));
            assert_eq!(found[0].class, Class::VolumeMember);
        }
    }
}

#[test]
fn an_mbr_counts_only_with_an_entry_in_use() {
    let signature = (510, &b"\x55\xAA"[..]);
    let entry =
        |kind: u8, sectors: u8| [0x80, 1, 1, 0, kind, 1, 1, 0, 0, 8, 0, 0, sectors, 0, 0, 0];
    for (entry, expected) in [
        (entry(0x83, 9), &["mbr"][..]),
        (entry(0x00, 9), &[]),
        (entry(0x83, 0), &[]),
        (entry(0xEE, 9), &["mbr"]),
    ] {
        assert_eq!(kinds(&image(MIB, &[signature, (446 + 16, &entry)])), expected);
    }
    // The protective entry of a GPT is part of the GPT.
    let protective = entry(0xEE, 9);
    let gpt = image(MIB, &[signature, (446, &protective), (512, b"EFI PART")]);
    assert_eq!(kinds(&gpt), ["gpt"]);
}

#[test]
fn empty_tiny_and_noisy_media_carry_nothing() {
    for bytes in [0, 1, 511, 512, 4095, 4096, 65536, 3 * MIB + 512] {
        assert_eq!(kinds(&image(bytes, &[])), Vec::<&str>::new(), "{bytes} zeros");
    }
    // A magic of two bytes in data that makes no sense is not a file system.
    assert_eq!(kinds(&image(MIB, &[(1080, b"\x53\xEF")])), Vec::<&str>::new());
    assert_eq!(kinds(&image(MIB, &[(1030, b"\x34\x34")])), Vec::<&str>::new());
    assert_eq!(kinds(&image(MIB, &[(1040, b"\x8F\x13")])), Vec::<&str>::new());
    assert_eq!(kinds(&image(MIB, &[(508, b"\xDA\xBE\x12\x34")])), Vec::<&str>::new());
    let file = image(MIB, &[]);
    let mut state = 88_172_645_463_325_252_u64;
    let noise: Vec<u8> = (0..MIB)
        .map(|_| {
            // Xorshift, so that the test is the same every time.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect();
    fs::write(file.path(), noise).unwrap();
    assert_eq!(kinds(&file), Vec::<&str>::new());
}
