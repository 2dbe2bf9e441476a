//! File systems on one device, their read-ahead and their mounts.
//!
//! Law: ext4 is told of stripes in blocks (`stride`, `stripe_width`, mke2fs(8)), XFS in bytes and
//! columns (`su`, `sw`, mkfs.xfs(8)). Linux mounts blocks up to its page, 4 KiB on most machines.
//! What is read ahead at most is the study's unit times its streams.
//! Leaves out: quotas, journals elsewhere, and `allocation`, `lock`, `pool`, `issue`, `commit` and
//! `cost` of a study, which these file systems have no option for.

use crate::build::{FileSystemKind, Need, Step};
use crate::draft::Draft;
use crate::stack::{FileSystem, Shape};

/// How what is read ahead is set, where the file system has no setting of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settings {
    /// On the queue of the device, until the next start of the machine.
    Queue,
    /// As LVM keeps it.
    Lvm,
}

/// The page of most machines, and the block that all of them take.
pub(crate) const PAGE: u64 = 4096;

/// How the device below deals data out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stripes {
    unit: u64,
    columns: u64,
}

/// What is made of a file system.
struct Plan<'a> {
    file_system: &'a FileSystem,
    kind: FileSystemKind,
    name: String,
    /// By which undo knows it.
    uuid: String,
    node: String,
    block: u64,
    stripes: Option<Stripes>,
}

pub(crate) fn build(draft: &mut Draft<'_>, default: FileSystemKind, settings: Settings) {
    for file_system in draft.file_systems.clone() {
        let kind = draft.kind(&file_system, default);
        let [on] = file_system.on[..] else {
            refuse_several(draft, &file_system, kind);
            continue;
        };
        // What it would be on was refused.
        if !draft.node(on).is_empty() {
            one(draft, &file_system, kind, settings);
        }
    }
}

fn one(draft: &mut Draft<'_>, file_system: &FileSystem, kind: FileSystemKind, settings: Settings) {
    let on = file_system.on[0];
    let mut step = Step { part: draft.part(file_system.id).to_owned(), ..Step::default() };
    step.needs.push(Need::empty(&block_node(&draft.node(on)), draft.is_device(on)));
    let plan = Plan {
        file_system,
        kind,
        name: draft.built(file_system.id),
        uuid: draft.uuid(file_system.id),
        node: match kind {
            FileSystemKind::Vxfs => draft.node(on),
            FileSystemKind::Ext4 | FileSystemKind::Xfs | FileSystemKind::Btrfs => {
                block_node(&draft.node(on))
            }
        },
        block: block(file_system, kind, &mut step),
        stripes: stripes(draft, on),
    };
    make(&plan, &mut step);
    read_ahead(draft, &plan, settings, &mut step);
    mount(draft, &plan, &mut step);
    draft.programs.insert(program(kind));
    draft.step(step);
}

fn refuse_several(draft: &mut Draft<'_>, file_system: &FileSystem, kind: FileSystemKind) {
    let (part, kind): (_, &str) = (draft.part(file_system.id), kind.into());
    let count = file_system.on.len();
    let text = format!("{part}: {kind} is on one device, not on {count}");
    let hint = "put it on a stripe or concat over these, or build with --for btrfs or zpool";
    draft.refuse(file_system.id, text, hint);
}

const fn program(kind: FileSystemKind) -> &'static str {
    match kind {
        FileSystemKind::Ext4 => "mkfs.ext4",
        FileSystemKind::Xfs => "mkfs.xfs",
        FileSystemKind::Btrfs => "mkfs.btrfs",
        FileSystemKind::Vxfs => "mkfs.vxfs",
    }
}

const fn source(kind: FileSystemKind) -> &'static str {
    match kind {
        FileSystemKind::Ext4 => "mke2fs(8)",
        FileSystemKind::Xfs => "mkfs.xfs(8)",
        FileSystemKind::Btrfs => "mkfs.btrfs(8)",
        FileSystemKind::Vxfs => "mkfs_vxfs(1M)",
    }
}

/// The block that is made.
pub(crate) fn block(file_system: &FileSystem, kind: FileSystemKind, step: &mut Step) -> u64 {
    let stated = file_system.block.unwrap_or(PAGE);
    let (least, most) = match kind {
        FileSystemKind::Vxfs => (1024, 8192),
        FileSystemKind::Ext4 | FileSystemKind::Xfs => (1024, PAGE),
        // Its sector is the page (mkfs.btrfs(8), --sectorsize).
        FileSystemKind::Btrfs => (PAGE, PAGE),
    };
    if stated.is_power_of_two() && (least..=most).contains(&stated) {
        return stated;
    }
    let stated = stated as f64 / 1024.0;
    let text = match kind {
        FileSystemKind::Vxfs => format!(
            "the study's block is {stated} KiB; VxFS has 1, 2, 4 or 8 KiB: 8 KiB is made, its \
             extents are as long as there is room"
        ),
        FileSystemKind::Ext4 | FileSystemKind::Xfs | FileSystemKind::Btrfs => format!(
            "the study's block is {stated} KiB; Linux mounts blocks up to its page, so 4 KiB is \
             made, and requests are split at no larger block"
        ),
    };
    step.remark(text, source(kind));
    most
}

/// How the volume below deals out: its own unit, or that of the only volume it lies on.
fn stripes(draft: &Draft<'_>, on: iopath_study::PartId) -> Option<Stripes> {
    let volumes = crate::stack::volumes(draft.system());
    let volume = volumes.iter().find(|volume| volume.id == on)?;
    match volume.shape {
        Shape::Concat => None,
        Shape::Mirror => stripes(draft, *volume.members.first()?),
        Shape::Stripe | Shape::Parity { .. } | Shape::Pairs | Shape::Groups { .. } => {
            let columns = volume.columns() as u64;
            volume.unit.filter(|_| columns > 0).map(|unit| Stripes { unit, columns })
        }
    }
}

fn make(plan: &Plan<'_>, step: &mut Step) {
    let Plan { kind, name, uuid, node, block, .. } = plan;
    let stripes = plan.stripes.filter(|stripes| stripes.unit % block == 0);
    if let Some(stripes) = plan.stripes.filter(|stripes| stripes.unit % block != 0) {
        let text = format!("a unit of {} bytes is no multiple of the block: not set", stripes.unit);
        step.remark(text, source(*kind));
    }
    let label = label(*kind, name);
    let command = match kind {
        FileSystemKind::Ext4 => {
            let words = stripes.map(|Stripes { unit, columns }| {
                let stride = unit / block;
                format!(" -E stride={stride},stripe_width={}", stride * columns)
            });
            format!(
                "mkfs.ext4 -q -U {uuid} -L {label} -b {block}{} {node}",
                words.unwrap_or_default()
            )
        }
        FileSystemKind::Xfs => {
            let words = stripes
                .map(|Stripes { unit, columns }| format!(" -d su={unit},sw={columns}"))
                .unwrap_or_default();
            format!("mkfs.xfs -q -m uuid={uuid} -L {label} -b size={block}{words} {node}")
        }
        FileSystemKind::Btrfs => {
            format!("mkfs.btrfs -q -U {uuid} -L {label} -s {block} -d single -m dup {node}")
        }
        FileSystemKind::Vxfs => format!("mkfs -t vxfs -o bsize={block} {node}"),
    };
    step.makes = format!("{} {name}, mounted at /mnt/{name}", word(*kind));
    step.commands.push(command);
    step.source = source(*kind);
}

fn word(kind: FileSystemKind) -> &'static str {
    match kind {
        FileSystemKind::Ext4 => "an ext4",
        FileSystemKind::Xfs => "an XFS",
        FileSystemKind::Btrfs => "a btrfs",
        FileSystemKind::Vxfs => "a VxFS",
    }
}

/// XFS keeps 12 bytes of a label, ext4 16 (mkfs.xfs(8), mke2fs(8)).
pub(crate) fn label(kind: FileSystemKind, name: &str) -> String {
    let longest = if kind == FileSystemKind::Xfs { 12 } else { 16 };
    name.chars().take(longest).collect()
}

fn read_ahead(draft: &Draft<'_>, plan: &Plan<'_>, settings: Settings, step: &mut Step) {
    // These have settings of their own, when they are mounted.
    if matches!(plan.kind, FileSystemKind::Btrfs | FileSystemKind::Vxfs) {
        return;
    }
    let Some(bytes) = window(plan.file_system, step) else { return };
    let (node, on) = (&plan.node, plan.file_system.on[0]);
    if settings == Settings::Lvm && !draft.is_device(on) {
        let sectors = if bytes == 0 { "none".to_owned() } else { (bytes / 512).to_string() };
        step.commands.push(format!("lvchange --readahead {sectors} {node}"));
        step.remark("read-ahead in sectors of 512 bytes; LVM keeps it", "lvchange(8)");
        return;
    }
    if draft.is_device(on) {
        keep_read_ahead(plan, &draft.mark(), step);
    }
    step.commands.push(format!("blockdev --setra {} {node}", bytes / 512));
    step.remark(
        "read-ahead in sectors of 512 bytes: one window of all its units; lost with a restart",
        "blockdev(8)",
    );
}

/// A device that was there keeps what it had; of a volume it goes with the volume.
fn keep_read_ahead(plan: &Plan<'_>, mark: &str, step: &mut Step) {
    let Plan { name, node, .. } = plan;
    let note = format!("/run/iopath-layout.{name}.read-ahead");
    step.needs.push(Need::absent(&note));
    step.commands.push(format!("before=$(blockdev --getra {node})"));
    step.commands.push(format!("echo \"{mark} $before\" > {note}"));
    step.undo.extend([
        format!("if grep -qs '^{mark} ' {note}; then"),
        format!("    blockdev --setra \"$(cut -d ' ' -f 2 {note})\" {node}"),
        format!("    rm {note}"),
        "    removed".to_owned(),
        "fi".to_owned(),
    ]);
}

fn mount(draft: &Draft<'_>, plan: &Plan<'_>, step: &mut Step) {
    let Plan { name, uuid, node, kind, file_system, .. } = plan;
    let at = format!("/mnt/{name}");
    let is_direct = draft.is_direct(file_system.id);
    let command = match kind {
        FileSystemKind::Vxfs if is_direct => {
            step.remark("requests bypass the page cache by mount options", "mount_vxfs(1M)");
            format!("mount -t vxfs -o mincache=direct,convosync=direct {} {at}", block_node(node))
        }
        FileSystemKind::Vxfs => format!("mount -t vxfs {} {at}", block_node(node)),
        FileSystemKind::Ext4 | FileSystemKind::Xfs | FileSystemKind::Btrfs => {
            step.remark(remark_of_cache(is_direct), "mount(8), open(2)");
            format!("mount -o noatime {node} {at}")
        }
    };
    directory(&at, &draft.mark(), step);
    step.commands.push(command);
    if *kind == FileSystemKind::Btrfs {
        read_ahead_of_btrfs(file_system, uuid, step);
    }
    if *kind == FileSystemKind::Vxfs {
        read_ahead_of_vxfs(file_system, &at, step);
    }
    let mut undo = vec![format!("unmount {at} {} {}", draft.mark(), block_node(node))];
    if *kind != FileSystemKind::Vxfs {
        let wipe = format!("wipefs --quiet --all {node}; removed");
        undo.push(format!("if holds {uuid} {node}; then {wipe}; fi"));
    }
    undo.append(&mut step.undo);
    step.undo = undo;
}

/// VxVM has a character device for mkfs, and a block device for mount.
fn block_node(node: &str) -> String {
    node.replace("/dev/vx/rdsk/", "/dev/vx/dsk/")
}

pub(crate) fn remark_of_cache(is_direct: bool) -> &'static str {
    match is_direct {
        true => {
            "noatime: reads write no times of access. The page cache is bypassed by the program \
             that opens a file (O_DIRECT), not by an option of the mount"
        }
        false => "noatime: reads write no times of access",
    }
}

/// A directory for a mount, with the note that it was made here.
pub(crate) fn directory(at: &str, mark: &str, step: &mut Step) {
    step.needs.push(Need::absent(at));
    step.needs.push(Need::absent(&at.replacen("/mnt/", "/mnt/.iopath-layout.", 1)));
    step.commands.push(format!("make_directory {at} {mark}"));
}

/// A btrfs reads ahead by a setting of its own, not by that of its device. It goes with the mount.
pub(crate) fn read_ahead_of_btrfs(file_system: &FileSystem, uuid: &str, step: &mut Step) {
    let Some(bytes) = window(file_system, step) else { return };
    let file = format!("/sys/fs/btrfs/{uuid}/bdi/read_ahead_kb");
    step.commands.push(format!("echo {} > {file}", bytes.div_ceil(1024)));
    let text = "read-ahead in KiB: one window of all its units; lost when it is unmounted";
    step.remark(text, "Documentation/ABI/testing/sysfs-class-bdi");
}

fn read_ahead_of_vxfs(file_system: &FileSystem, at: &str, step: &mut Step) {
    let Some(ahead) = file_system.read_ahead else { return };
    let unit = ahead.unit.map(|unit| format!("read_pref_io={unit},"));
    let words = format!("{}read_nstream={}", unit.unwrap_or_default(), ahead.streams.max(1));
    step.commands.push(format!("vxtunefs -o {words} {at}"));
    step.remark("read-ahead is a window of read_pref_io times read_nstream", "vxtunefs(1M)");
    if ahead.unit.is_none() {
        step.remark("readahead without unit=: read_pref_io is left", "docs/language.md");
    }
}

/// What is read ahead at most; without a unit there is nothing to set.
fn window(file_system: &FileSystem, step: &mut Step) -> Option<u64> {
    let ahead = file_system.read_ahead?;
    let unit = ahead.unit.or((ahead.streams == 0).then_some(0));
    if unit.is_none() {
        step.remark("readahead without unit=: what is read ahead is not set", "docs/language.md");
    }
    Some(unit? * ahead.streams)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_as_long_as_a_file_system_keeps() {
        let name = "a-very-long-name-of-a-thing";
        assert_eq!(label(FileSystemKind::Xfs, name), "a-very-long-");
        assert_eq!(label(FileSystemKind::Ext4, name), "a-very-long-name");
    }
}
