//! File systems of btrfs over several devices: volume and file system in one.
//!
//! Law: what is dealt out is 64 KiB of each device in turn and cannot be chosen (btrfs(5));
//! profiles and how many devices they take: mkfs.btrfs(8).
//! Leaves out: subvolumes, compression, several profiles in one file system.

use crate::build::{FileSystemKind, Step};
use crate::draft::Draft;
use crate::files::{self, PAGE};
use crate::stack::{FileSystem, Shape, Volume};

const SOURCE: &str = "mkfs.btrfs(8)";
/// BTRFS_STRIPE_LEN.
const UNIT: u64 = 64 << 10;

pub(crate) fn build(draft: &mut Draft<'_>) {
    draft.refuse_shared();
    draft.programs.insert("mkfs.btrfs");
    let used: Vec<_> = draft.file_systems.iter().flat_map(|one| one.on.clone()).collect();
    for volume in draft.volumes.clone() {
        let part = draft.part(volume.id);
        if volume.members.iter().any(|member| !draft.is_device(*member)) {
            let text = format!("{part}: btrfs is on devices, not on volumes of its own ({SOURCE})");
            draft.refuse(volume.id, text, "--for mdadm stacks volumes");
        } else if !used.contains(&volume.id) {
            let text = format!("{part}: btrfs makes file systems, and none is on it ({SOURCE})");
            draft.refuse(volume.id, text, "--for lvm or mdadm makes volumes");
        }
    }
    if draft.mistakes() == 0 {
        draft.file_systems.clone().iter().for_each(|one| file_system(draft, one));
    }
}

fn file_system(draft: &mut Draft<'_>, file_system: &FileSystem) {
    let volumes = draft.volumes.clone();
    let volume = volumes.iter().find(|volume| file_system.on == [volume.id]);
    let members = volume.map_or_else(|| file_system.on.clone(), |volume| volume.members.clone());
    let Some(profile) = volume.map_or(Some("single"), |volume| profile(draft, volume)) else {
        return;
    };
    let name = draft.built(file_system.id);
    let (label, uuid) = (files::label(FileSystemKind::Btrfs, &name), draft.uuid(file_system.id));
    let (at, words) = (format!("/mnt/{name}"), draft.nodes(&members));
    let (first, all) = (words[0].clone(), words.join(" "));
    let metadata = metadata(profile, members.len());
    let mut step = Step {
        part: draft.part(file_system.id).to_owned(),
        makes: format!("a btrfs {name} over {} devices, mounted at {at}", members.len()),
        needs: draft.empties(&members),
        commands: vec![format!(
            "mkfs.btrfs -q -U {uuid} -L {label} -s {PAGE} -d {profile} -m {metadata} {all}"
        )],
        undo: undo(&format!("{at} {}", draft.mark()), &uuid, &all),
        source: SOURCE,
        ..Step::default()
    };
    files::directory(&at, &draft.mark(), &mut step);
    step.commands.push(format!("mount -o noatime {first} {at}"));
    files::read_ahead_of_btrfs(file_system, &uuid, &mut step);
    files::block(file_system, FileSystemKind::Btrfs, &mut step);
    remarks(draft, file_system, volume, &mut step);
    draft.step(step);
}

fn undo(at: &str, uuid: &str, all: &str) -> Vec<String> {
    let wipe = "wipefs --quiet --all \"$device\"; removed";
    vec![
        format!("unmount {at} {all}"),
        format!("for device in {all}; do"),
        format!("    if holds {uuid} \"$device\"; then {wipe}; fi"),
        "done".to_owned(),
    ]
}

fn profile(draft: &mut Draft<'_>, volume: &Volume) -> Option<&'static str> {
    let count = volume.members.len();
    let profile = match volume.shape {
        Shape::Concat => "single",
        Shape::Stripe => "raid0",
        Shape::Mirror if count == 2 => "raid1",
        Shape::Mirror if count == 3 => "raid1c3",
        Shape::Mirror if count == 4 => "raid1c4",
        Shape::Pairs => "raid10",
        Shape::Parity { level: 5, .. } => "raid5",
        Shape::Parity { level: 6, parity: 2 } => "raid6",
        Shape::Mirror | Shape::Parity { .. } | Shape::Groups { .. } => {
            let (part, name) = (draft.part(volume.id), volume.shape.name());
            let text = format!("{part}: btrfs has no {name} like that ({SOURCE})");
            draft.refuse(volume.id, text, "--for mdadm, with a file system on it");
            return None;
        }
    };
    let least = match profile {
        "raid10" => 4,
        "raid6" => 3,
        "raid5" | "raid0" | "raid1" => 2,
        _ => 1,
    };
    if count < least {
        let text = format!("{}: {profile} takes {least} devices ({SOURCE})", draft.part(volume.id));
        draft.refuse(volume.id, text, "add devices");
        return None;
    }
    Some(profile)
}

/// Metadata are kept twice where data are striped without a copy.
fn metadata(profile: &'static str, members: usize) -> &'static str {
    match profile {
        "single" if members == 1 => "dup",
        "single" | "raid0" | "raid5" => "raid1",
        "raid6" if members > 2 => "raid1c3",
        other => other,
    }
}

fn remarks(draft: &Draft<'_>, file_system: &FileSystem, volume: Option<&Volume>, step: &mut Step) {
    if let Some(unit) = volume.and_then(|volume| volume.unit).filter(|unit| *unit != UNIT) {
        let kib = unit as f64 / 1024.0;
        let text = format!("btrfs deals out 64 KiB and nothing else: {kib} KiB cannot be built");
        step.remark(text, "btrfs(5)");
    }
    let shape = volume.map(|volume| volume.shape);
    match shape {
        Some(Shape::Concat) | None => step.remark(
            "single fills devices in chunks of about 1 GiB, the emptiest first, not one after the \
             other",
            SOURCE,
        ),
        Some(Shape::Parity { .. }) => {
            step.remark("RAID 5 and 6 of btrfs are not for production", SOURCE);
        }
        Some(Shape::Stripe | Shape::Mirror | Shape::Pairs | Shape::Groups { .. }) => {}
    }
    if volume.is_some_and(|volume| volume.size.is_some()) {
        step.remark("a btrfs takes all of its devices: size is not set", SOURCE);
    }
    if volume.is_some_and(|volume| !volume.spares.is_empty()) {
        step.remark("btrfs has no spares: they are left alone", SOURCE);
    }
    step.remark(files::remark_of_cache(draft.is_direct(file_system.id)), "mount(8), open(2)");
}
