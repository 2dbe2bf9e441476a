//! Arrays of md, one for each volume; volumes of volumes are arrays of arrays.
//!
//! Law: chunks are multiples of 4 KiB, at levels 4, 5, 6 and 10 powers of two; `--size` is what is
//! used of each device, at levels 1, 4, 5, 6 and 10 (mdadm(8)). Level 5 rotates as the models do
//! (left-symmetric, the default).
//! Leaves out: bitmaps, which are switched off; journals, layouts of level 10 other than near
//! copies.

use crate::build::{FileSystemKind, Need, Step};
use crate::draft::Draft;
use crate::files::{self, Settings};
use crate::names;
use crate::stack::{Shape, Volume};

const SOURCE: &str = "mdadm(8)";

const BITMAP: &str = "no bitmap, which is else a matter of mdadm's version and the size of a \
                      member: after a crash all of the array is compared";

/// An array to be made.
struct Array<'a> {
    name: String,
    /// As md writes it, with colons.
    uuid: String,
    level: &'static str,
    chunk: Option<u64>,
    members: &'a [String],
    spares: &'a [String],
    /// Bytes used of each member.
    each: Option<u64>,
}

pub(crate) fn build(draft: &mut Draft<'_>) {
    draft.refuse_shared();
    draft.programs.insert("mdadm");
    for volume in draft.volumes.clone() {
        if fits(draft, &volume) {
            array(draft, &volume);
        }
    }
    files::build(draft, FileSystemKind::Xfs, Settings::Queue);
}

/// Whether md can have it; what it cannot is told.
fn fits(draft: &mut Draft<'_>, volume: &Volume) -> bool {
    let before = draft.mistakes();
    let part = draft.part(volume.id);
    if matches!(volume.shape, Shape::Parity { level: 3, .. }) {
        let hint = "level 4 keeps its parity on one device too: level=4";
        draft.refuse(volume.id, format!("{part}: md has no level 3 ({SOURCE})"), hint);
    }
    if matches!(volume.shape, Shape::Parity { parity: 3, .. } | Shape::Groups { parity: 3, .. }) {
        let hint = "parity=2, or --for zpool, which has raidz3";
        draft.refuse(volume.id, format!("{part}: md has no triple parity ({SOURCE})"), hint);
    }
    check_chunk(draft, volume);
    draft.mistakes() == before
}

fn check_chunk(draft: &mut Draft<'_>, volume: &Volume) {
    let Some(unit) = volume.unit else { return };
    let part = draft.part(volume.id);
    let kib = unit as f64 / 1024.0;
    if unit % 4096 != 0 {
        let text = format!("{part}: md's chunks are multiples of 4 KiB, not {kib} KiB ({SOURCE})");
        draft.refuse(volume.id, text, "state such a unit or segment");
    } else if volume.shape != Shape::Stripe && !unit.is_power_of_two() {
        let name = volume.shape.name();
        let text = format!(
            "{part}: md's chunk of {name} is a power of two, not {kib} KiB ({SOURCE}, --chunk)"
        );
        draft.refuse(volume.id, text, format!("{} KiB or {} KiB", below(unit), below(unit) * 2));
    }
}

/// The power of two below, in KiB.
fn below(unit: u64) -> u64 {
    (1_u64 << unit.ilog2()) >> 10
}

fn array(draft: &mut Draft<'_>, volume: &Volume) {
    let members = draft.nodes(&volume.members);
    let spares = draft.nodes(&volume.spares);
    let name = draft.built(volume.id);
    let mut needs = draft.empties(&volume.members);
    needs.extend(draft.empties(&volume.spares));
    if let Shape::Groups { groups, .. } = volume.shape {
        return grouped(draft, volume, groups);
    }
    let columns = volume.columns().max(1) as u64;
    let level = level(volume.shape);
    let has_size = !matches!(volume.shape, Shape::Stripe | Shape::Concat);
    let array = Array {
        name: name.clone(),
        uuid: uuid(draft, volume, None),
        level,
        chunk: volume.unit,
        members: &members,
        spares: &spares,
        each: volume.size.filter(|_| has_size).map(|size| size / columns),
    };
    let mut step = created(&array, needs);
    step.part = draft.part(volume.id).to_owned();
    draft.exists(volume.id, node(&name));
    remarks(draft, volume, &mut step);
    draft.step(step);
}

/// A stripe over arrays with parity.
fn grouped(draft: &mut Draft<'_>, volume: &Volume, groups: usize) {
    let (name, part) = (draft.built(volume.id), draft.part(volume.id).to_owned());
    let Shape::Groups { level, parity, .. } = volume.shape else { return };
    let level = if level == 50 { "5" } else { "6" };
    let width = volume.members.len() / groups;
    let mut arrays = Vec::new();
    for (at, members) in volume.members.chunks(width.max(1)).enumerate() {
        let words = draft.nodes(members);
        let array = Array {
            name: names::group(&name, at),
            uuid: uuid(draft, volume, Some(at)),
            level,
            chunk: volume.unit,
            members: &words,
            spares: &[],
            each: volume.size.map(|size| size / volume.columns().max(1) as u64),
        };
        let mut step = created(&array, draft.empties(members));
        step.part.clone_from(&part);
        parity_remark(&mut step);
        draft.step(step);
        arrays.push(node(&array.name));
    }
    let unit = volume.unit.map(|unit| unit * width.saturating_sub(parity) as u64);
    let needs = arrays.iter().map(|word| Need::empty(word, false)).collect();
    let chunk = unit.map(|unit| unit.next_multiple_of(4096));
    let array = Array {
        name: name.clone(),
        uuid: uuid(draft, volume, None),
        level: "0",
        chunk,
        members: &arrays,
        spares: &[],
        each: None,
    };
    let mut step = created(&array, needs);
    step.part = part;
    if !volume.spares.is_empty() {
        step.remark("spares are left alone: mdadm --add gives one to a group", SOURCE);
    }
    step.remark("the stripe over the groups takes a full row of one group in turn", "chosen");
    draft.exists(volume.id, node(&name));
    draft.common(volume, &mut step);
    draft.step(step);
}

/// What marks an array, or a group of it.
fn uuid(draft: &Draft<'_>, volume: &Volume, group: Option<usize>) -> String {
    let whole = draft.uuid(volume.id);
    let whole =
        group.map_or(whole.clone(), |at| names::uuid([&*whole, &*at.to_string()].into_iter()));
    let hex: Vec<char> = whole.chars().filter(|c| *c != '-').collect();
    hex.chunks(8).map(String::from_iter).collect::<Vec<_>>().join(":")
}

fn level(shape: Shape) -> &'static str {
    match shape {
        Shape::Stripe | Shape::Groups { .. } => "0",
        Shape::Concat => "linear",
        Shape::Mirror => "1",
        Shape::Parity { level: 6, .. } => "6",
        Shape::Parity { level: 4, .. } => "4",
        Shape::Parity { .. } => "5",
        Shape::Pairs => "10",
    }
}

fn node(name: &str) -> String {
    format!("/dev/md/{name}")
}

fn created(array: &Array<'_>, needs: Vec<Need>) -> Step {
    let Array { name, uuid, level, chunk, members, spares, each } = array;
    let (members, spares) = (members.join(" "), spares.join(" "));
    // In front of it, a single member is taken for what is meant.
    let force = if array.members.len() == 1 { " --force" } else { "" };
    let mut words = vec![
        format!("mdadm --create /dev/md/{name} --run --metadata=1.2 --name={name}"),
        format!("--uuid={uuid}"),
        format!("--level={level}{force} --raid-devices={}", array.members.len()),
    ];
    words.extend(chunk.map(|bytes| format!("--chunk={}K", bytes >> 10)));
    words.extend(each.map(|bytes| format!("--size={}K", bytes_of_chunks(bytes, *chunk) >> 10)));
    let has_bitmap = !matches!(*level, "0" | "linear");
    words.extend(has_bitmap.then(|| "--bitmap=none".to_owned()));
    // Without it the last member of a new array is a spare until it was written.
    words.extend(matches!(*level, "4" | "5").then(|| "--force".to_owned()));
    words.extend((!spares.is_empty()).then(|| format!("--spare-devices={}", array.spares.len())));
    words.push(format!("{members} {spares}").trim().to_owned());
    let mut needs = needs;
    needs.push(Need::absent(&node(name)));
    let count = array.members.len();
    let mut step = Step {
        makes: format!("an array of md at {}: level {level}, {count} members", node(name)),
        needs,
        commands: vec![words.join(" "), format!("settled {}", node(name))],
        undo: undo(array),
        source: SOURCE,
        ..Step::default()
    };
    if has_bitmap {
        step.remark(BITMAP, "mdadm(8), --bitmap");
    }
    step
}

/// Whole chunks.
fn bytes_of_chunks(bytes: u64, chunk: Option<u64>) -> u64 {
    let chunk = chunk.unwrap_or(4096).max(1);
    bytes / chunk * chunk
}

/// Only this array is stopped and only its superblocks go, whatever has its name now.
fn undo(array: &Array<'_>) -> Vec<String> {
    let (uuid, node) = (&array.uuid, node(&array.name));
    let members = [array.members, array.spares].concat().join(" ");
    vec![
        format!("if is_array {uuid} {node}; then mdadm --stop {node}; removed; fi"),
        format!("for device in {members}; do"),
        format!("    if of_array {uuid} \"$device\"; then"),
        "        mdadm --zero-superblock \"$device\"".to_owned(),
        "        removed".to_owned(),
        "    fi".to_owned(),
        "done".to_owned(),
    ]
}

fn remarks(draft: &Draft<'_>, volume: &Volume, step: &mut Step) {
    match volume.shape {
        Shape::Parity { .. } => parity_remark(step),
        Shape::Mirror | Shape::Pairs => step.remark(
            "copies are made equal in the background: measure when /proc/mdstat shows no resync",
            SOURCE,
        ),
        Shape::Stripe if volume.size.is_some() => {
            step.remark("RAID 0 takes all of its members: size is not set", "mdadm(8), --size");
        }
        Shape::Concat => step.remark(
            "kernels from 6.8 on have no linear arrays: there use --for lvm",
            "md(4), drivers/md/Kconfig",
        ),
        Shape::Stripe | Shape::Groups { .. } => {}
    }
    if draft.system().size(volume.id, "turn").is_some() {
        step.remark("md chooses the side of a read itself: turn is not set", "md(4)");
    }
    draft.common(volume, step);
}

fn parity_remark(step: &mut Step) {
    step.remark(
        "parity is computed in the background: measure when /proc/mdstat shows no resync",
        SOURCE,
    );
}

/// Functions of sh that the commands call.
pub(crate) const FUNCTIONS: &[&str] = &[
    r#"
# Waits until udev has made the link of a new array.
settled() {
    udevadm settle
    [ -b "$1" ] || die "$1 was not made"
}
"#,
    r#"
# Whether a node is the array with this UUID.
is_array() {
    [ -b "$2" ] && mdadm --detail --export "$2" | grep -qx "MD_UUID=$1"
}
"#,
    r#"
# Whether a device has a superblock of the array with this UUID.
of_array() {
    [ -b "$2" ] && mdadm --examine --export "$2" 2> /dev/null | grep -qx "MD_UUID=$1"
}
"#,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_whole_chunks() {
        assert_eq!(bytes_of_chunks(1_000_000, Some(65_536)), 983_040);
        assert_eq!(bytes_of_chunks(10_000, None), 8192);
        assert_eq!([below(96 << 10), below(65_536)], [64, 64]);
    }
}
