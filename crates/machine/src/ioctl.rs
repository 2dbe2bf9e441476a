//! The two questions that the kernel answers by ioctl(2) only, both asked with files open for
//! reading: a device-mapper table, and which file is behind a loop device.
//!
//! Structures: `struct dm_ioctl` and DM_TABLE_STATUS of include/uapi/linux/dm-ioctl.h,
//! `struct loop_info64` and LOOP_GET_STATUS64 of include/uapi/linux/loop.h. The numbers in them
//! have the machine's byte order and are taken out of plain bytes, so that nothing but the call
//! itself is unsafe. Leaves out: every request that changes anything.
#![expect(unsafe_code, reason = "rustix has no safe call for these two (decision 016)")]

use std::ffi::c_void;
use std::fs::File;
use std::io;

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, opcode};

use crate::counters::diskstats::DeviceNumber;

/// `sizeof(struct dm_ioctl)`.
const HEADER_BYTES: usize = 312;
/// `_IOWR(0xfd, 12, struct dm_ioctl)`.
const DM_TABLE_STATUS: Opcode = opcode::read_write::<[u8; HEADER_BYTES]>(0xFD, 12);
/// The version of the interface since Linux 2.6; the kernel takes any minor one up to its own.
const DM_VERSION_MAJOR: u32 = 4;
const DM_STATUS_TABLE_FLAG: u32 = 1 << 4;
const DM_BUFFER_FULL_FLAG: u32 = 1 << 8;
/// A table of dm-crypt may hold the key: the kernel clears its own copy.
const DM_SECURE_DATA_FLAG: u32 = 1 << 15;
/// Enough for every table that is known; chosen.
const TABLE_BYTES_MAX: usize = 16 << 20;

const LOOP_GET_STATUS64: Opcode = 0x4C05;
/// `sizeof(struct loop_info64)`.
const LOOP_INFO_BYTES: usize = 232;

/// The file behind a loop device, as stat(2) shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoopFile {
    /// `st_dev`.
    pub(crate) device: u64,
    /// `st_ino`.
    pub(crate) inode: u64,
    /// `st_rdev`; of a file that is no device 0, or the same as `device` (older kernels).
    pub(crate) special: u64,
}

/// Which file is behind a loop device, whether it has a name or not.
pub(crate) fn loop_file(device: &File) -> io::Result<LoopFile> {
    let mut info = [0; LOOP_INFO_BYTES];
    call(device, LOOP_GET_STATUS64, &mut info)?;
    let word = |index: usize| u64_at(&info, 8 * index);
    Ok(LoopFile { device: word(0), inode: word(1), special: word(2) })
}

/// The live table of a device, in the syntax of `dmsetup table`: one target in each line.
pub(crate) fn table(control: &File, number: DeviceNumber) -> io::Result<String> {
    let mut bytes = 16 << 10;
    while bytes <= TABLE_BYTES_MAX {
        let mut buffer = request(number, bytes);
        call(control, DM_TABLE_STATUS, &mut buffer)?;
        if u32_at(&buffer, 28) & DM_BUFFER_FULL_FLAG == 0 {
            return lines(&buffer).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData));
        }
        bytes *= 4;
    }
    Err(io::ErrorKind::FileTooLarge.into())
}

fn request(number: DeviceNumber, bytes: usize) -> Vec<u8> {
    let mut buffer = vec![0; bytes];
    let mut put = |at: usize, value: u32| buffer[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    put(0, DM_VERSION_MAJOR);
    put(12, bytes as u32);
    put(16, HEADER_BYTES as u32);
    put(28, DM_STATUS_TABLE_FLAG | DM_SECURE_DATA_FLAG);
    let encoded = rustix::fs::makedev(number.major, number.minor);
    buffer[40..48].copy_from_slice(&encoded.to_ne_bytes());
    buffer
}

/// The answer: a `struct dm_target_spec` of 40 bytes for each target, then its parameters as a
/// string that ends with a zero; `next` counts from the first of them.
fn lines(buffer: &[u8]) -> Option<String> {
    let data = buffer.get(u32_at(buffer, 16) as usize..)?;
    let mut text = String::new();
    let mut at = 0;
    for _ in 0..u32_at(buffer, 20) {
        let spec = data.get(at..)?;
        let (head, rest) = spec.split_at_checked(40)?;
        let (start, length) = (u64_at(head, 0), u64_at(head, 8));
        let (kind, parameters) = (until_zero(&head[24..]), until_zero(rest));
        text.push_str(&format!("{start} {length} {kind} {parameters}\n"));
        at = u32_at(head, 20) as usize;
    }
    Some(text)
}

fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes))
}

fn call(file: &File, opcode: Opcode, buffer: &mut [u8]) -> io::Result<()> {
    // SAFETY: both requests write to the buffer only, and no further than it reaches: the one
    // `struct loop_info64`, whose size the caller's buffer has; the other `data_size` bytes, which
    // `request` sets to the buffer's length. They change nothing, in the kernel or elsewhere.
    unsafe { rustix::ioctl::ioctl(file, Request { opcode, buffer }) }?;
    Ok(())
}

struct Request<'a> {
    opcode: Opcode,
    buffer: &'a mut [u8],
}

// SAFETY: the pointer leads to the buffer, which is borrowed for as long as the call lasts and may
// be written; the output is empty, so nothing is made of the pointer afterwards.
unsafe impl Ioctl for Request<'_> {
    type Output = ();

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        self.opcode
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.buffer.as_mut_ptr().cast()
    }

    // SAFETY: it does not look at the pointer.
    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut c_void) -> rustix::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer as `retrieve_status` of drivers/md/dm-ioctl.c lays it out: each string ends at a
    /// multiple of eight bytes.
    fn answer(targets: &[(u64, u64, &str, &str)]) -> Vec<u8> {
        let mut buffer = request(DeviceNumber { major: 253, minor: 300 }, HEADER_BYTES);
        buffer[20..24].copy_from_slice(&(targets.len() as u32).to_ne_bytes());
        let mut next = 0_usize;
        for (start, length, kind, parameters) in targets {
            let bytes = (40 + parameters.len() + 1).next_multiple_of(8);
            next += bytes;
            let mut spec = [start.to_ne_bytes(), length.to_ne_bytes(), [0; 8]].concat();
            spec[20..24].copy_from_slice(&(next as u32).to_ne_bytes());
            spec.extend(kind.as_bytes());
            spec.resize(40, 0);
            spec.extend(parameters.as_bytes());
            spec.resize(bytes, 0);
            buffer.extend(spec);
        }
        buffer
    }

    #[test]
    fn an_answer_of_the_kernel_becomes_the_lines_of_dmsetup() {
        let buffer = answer(&[
            (0, 8192, "linear", "259:0 2048"),
            (8192, 16384, "striped", "2 128 259:1 0 259:2 34816"),
            (24576, 8, "error", ""),
        ]);
        let expected = "0 8192 linear 259:0 2048\n8192 16384 striped 2 128 259:1 0 259:2 34816\n\
                        24576 8 error \n";
        assert_eq!(lines(&buffer).as_deref(), Some(expected));
        assert_eq!(lines(&buffer[..buffer.len() - 60]), None, "cut short");
    }

    #[test]
    fn a_request_names_the_device_by_its_number() {
        let buffer = request(DeviceNumber { major: 253, minor: 300 }, 1024);
        // As include/linux/kdev_t.h packs it, `new_encode_dev`.
        assert_eq!(u64_at(&buffer, 40), 0x0010_FD2C);
        assert_eq!((u32_at(&buffer, 12), u32_at(&buffer, 16)), (1024, 312));
        assert_eq!(DM_TABLE_STATUS, 0xC138_FD0C);
    }
}
