//! Judging a file, or the place where one would be made.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, OFlags, StatVfsMountFlags, StatxAttributes, StatxFlags};

use super::backing::may_show;
use super::lock;
use super::loops::loops_on;
use super::mark::{has_mark, known_by, mark_of};
use super::permission::Permitted;
use super::refusal::Reason;
use super::{Case, Survey};
use crate::devices::DeviceKind;
use crate::error::ReadError;
use crate::location::{self, Object};
use crate::root::open_to_read;
use crate::signatures::{self, Class, Signature};

pub(super) fn examine(
    survey: &Survey<'_>,
    target: &Path,
    case: &mut Case,
) -> Result<(), ReadError> {
    let place = survey.root.path(target);
    let failed = |source| ReadError::from_io(place.clone(), source);
    let metadata = fs::metadata(&place).map_err(failed)?;
    if let Some(what) = not_a_target(&metadata) {
        case.reasons.push(Reason::NotATarget { what });
        return Ok(());
    }
    case.reasons.extend(cannot_be_written(&place, target).map_err(failed)?);
    let file = open_to_read(&place, OFlags::empty()).map_err(failed)?;
    let object = Object::Inode { device: metadata.st_dev(), inode: metadata.st_ino() };
    let signatures = signatures::probe_file(&file).map_err(failed)?;
    case.reasons.extend(live_uses(survey, (target, &file), &object, &signatures).map_err(failed)?);
    if survey.root.is_live() {
        case.reasons.extend(lock::by_others(survey, target, &file).map_err(failed)?);
    }
    let canonical = fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
    let name = survey.root.name_of(&canonical);
    case.token = Some(name.display().to_string());
    if !survey.judges_contents() {
        return Ok(());
    }
    let mark = mark_of(&file).map_err(failed)?;
    let is_own = has_mark(&file, &mark);
    case.as_found = Some(known_by(&file).map_err(failed)?);
    if metadata.len() == 0 {
        case.permitted = Permitted::EmptyFile;
    } else if is_own {
        case.permitted = Permitted::OwnFile;
    } else {
        case.permitted = Permitted::NamedFile;
        case.would_lose.push(loss(&name, metadata.len(), &signatures));
        let signed = |signature| Reason::Signed { device: name.clone(), signature };
        case.reasons.extend(signatures.into_iter().map(signed));
        case.reasons.push(Reason::ExistingData { bytes: metadata.len() });
    }
    Ok(())
}

/// A file that does not exist may be made, but not among the kernel's own files.
pub(super) fn examine_missing(
    survey: &Survey<'_>,
    target: &Path,
    case: &mut Case,
) -> Result<(), ReadError> {
    let place = survey.root.path(target);
    if place.symlink_metadata().is_ok() {
        case.reasons.push(Reason::NotATarget { what: "a dangling symbolic link" });
        return Ok(());
    }
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let failed = |source| ReadError::from_io(folder.to_owned(), source);
    if !fs::metadata(folder).map_err(failed)?.is_dir() {
        case.reasons.push(Reason::NotATarget { what: "below a file that is no directory" });
        return Ok(());
    }
    case.reasons.extend(cannot_be_written(folder, target).map_err(failed)?);
    let name = survey.root.name_of(folder);
    let mount = location::mount_among(survey.root, &survey.mounts, &name)?;
    // Without /proc there is no list of mounts.
    let is_in_dev = fs::canonicalize(folder).is_ok_and(|path| path == Path::new("/dev"));
    if is_in_dev || mount.is_some_and(|mount| mount.fs_type == "devtmpfs") {
        // A mistyped device name would fill the memory instead.
        case.reasons.push(Reason::NotATarget { what: "no device of this machine" });
    }
    case.permitted = Permitted::NewFile;
    Ok(())
}

fn not_a_target(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        Some("a directory")
    } else if kind.is_fifo() {
        Some("a FIFO")
    } else if kind.is_socket() {
        Some("a socket")
    } else if kind.is_char_device() {
        Some("a character device")
    } else {
        None
    }
}

/// What the kernel would refuse, and files that are not storage but switches of the kernel.
fn cannot_be_written(place: &Path, target: &Path) -> io::Result<Vec<Reason>> {
    let mut reasons = Vec::new();
    let magic = (rustix::fs::statfs(place)?.f_type as u64) & 0xFFFF_FFFF;
    if KERNEL_FILE_SYSTEMS.contains(&magic) {
        reasons.push(Reason::NotATarget { what: "a control file of the kernel" });
    }
    let flags = rustix::fs::statvfs(place)?.f_flag;
    if flags.contains(StatVfsMountFlags::RDONLY) {
        let what = format!("the file system of {}", target.display());
        reasons.push(Reason::ReadOnly { what });
    }
    let facts = rustix::fs::statx(CWD, place, AtFlags::empty(), StatxFlags::BASIC_STATS)?;
    for (attribute, word) in
        [(StatxAttributes::IMMUTABLE, "immutable"), (StatxAttributes::APPEND, "append-only")]
    {
        if facts.stx_attributes.contains(attribute) {
            let what = format!("{} has the attribute {word} and", place.display());
            reasons.push(Reason::ReadOnly { what });
        }
    }
    Ok(reasons)
}

/// proc, sysfs, debugfs, tracefs, cgroup, cgroup2, configfs, securityfs, efivarfs, bpf, selinuxfs,
/// binfmt_misc, pstore, devpts, nsfs, fusectl, mqueue (include/uapi/linux/magic.h and the file
/// systems' own sources).
const KERNEL_FILE_SYSTEMS: [u64; 17] = [
    0x9FA0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x0027_E0EB,
    0x6367_7270,
    0x6265_6570,
    0x7363_6673,
    0xDE5E_81E4,
    0xCAFE_4A11,
    0xF97C_FF8C,
    0x4249_4E4D,
    0x6165_676C,
    0x1CD1,
    0x6E73_6673,
    0x6573_5543,
    0x1980_0202,
];

/// Loop devices and swap that use the file now, by whatever name they know it.
fn live_uses(
    survey: &Survey<'_>,
    (target, file): (&Path, &File),
    object: &Object,
    signatures: &[Signature],
) -> io::Result<Vec<Reason>> {
    let mut reasons = loop_uses(survey, target, object)?;
    for swap in survey.swaps.iter().filter(|swap| swap.is_file) {
        let is_this = match survey.identify(&swap.path) {
            Some(found) => found == *object,
            // Deleted or out of sight: any file that looks like swap of that size may be it.
            None => {
                let has_size = file.metadata()?.len() >= swap.bytes;
                has_size && signatures.iter().any(|found| found.class == Class::Swap)
            }
        };
        if is_this {
            reasons.push(Reason::ActiveSwap { swap: swap.path.clone() });
        }
    }
    Ok(reasons)
}

/// Loop devices that show the file, or may.
fn loop_uses(survey: &Survey<'_>, target: &Path, object: &Object) -> io::Result<Vec<Reason>> {
    let mut reasons = Vec::new();
    let known = loops_on(survey, object);
    for device in survey.devices.iter() {
        let DeviceKind::Loop(Some(backing)) = &device.kind else { continue };
        let loop_device = device.node();
        if known.contains(&device.name) {
            reasons.push(Reason::BacksLoop { backing: backing.file.clone(), loop_device });
        } else if may_show(survey, target, device, backing)? {
            reasons.push(Reason::MayBackLoop { loop_device });
        }
    }
    Ok(reasons)
}

fn loss(name: &Path, bytes: u64, signatures: &[Signature]) -> String {
    let mut parts: Vec<String> = signatures.iter().map(ToString::to_string).collect();
    parts.push(format!("{bytes} bytes"));
    format!("{}: {}", name.display(), parts.join(", "))
}
