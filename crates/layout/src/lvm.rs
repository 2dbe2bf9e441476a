//! Logical volumes in one volume group.
//!
//! Law: stripe sizes are powers of two from a page to the extent (lvcreate(8), `--stripesize`); the
//! extent is chosen so. RAID needs 2 devices at level 1, 3 at levels 4 and 5, 5 at level 6, 4 at
//! level 10 (lvmraid(7)). Logical volumes are no physical ones (lvm.conf(5), `scan_lvs`), so what
//! is stacked can be built as RAID 10 only.
//! Leaves out: thin pools, caches, snapshots.

use std::collections::BTreeSet;

use iopath_study::PartId;

use crate::build::{FileSystemKind, Need, Step};
use crate::draft::Draft;
use crate::files::{self, PAGE, Settings};
use crate::stack::{Shape, Volume};

const SOURCE: &str = "lvcreate(8)";
const GROUP: &str = "iopath";
const EXTENT: u64 = 4 << 20;

/// A logical volume to be made.
struct Logical<'a> {
    volume: &'a Volume,
    /// Its devices in order, copies of one another side by side.
    members: Vec<PartId>,
    /// As lvcreate has it, with what belongs to it.
    kind: String,
}

pub(crate) fn build(draft: &mut Draft<'_>) {
    let volumes = draft.volumes.clone();
    let pairs = consumed(draft, &volumes);
    let made: Vec<Logical<'_>> = volumes
        .iter()
        .filter(|volume| !pairs.contains(&volume.id))
        .filter_map(|volume| logical(draft, volume, &volumes))
        .collect();
    if !made.is_empty() {
        draft.programs.extend(["vgcreate", "lvcreate", "udevadm"]);
        group(draft, &made);
    }
    for (at, logical) in made.iter().enumerate() {
        refuse_shared(draft, logical, &made[..at]);
        create(draft, logical);
    }
    files::build(draft, FileSystemKind::Xfs, Settings::Lvm);
}

/// A device that another volume has too, where one of them takes all of it.
fn refuse_shared(draft: &mut Draft<'_>, logical: &Logical<'_>, before: &[Logical<'_>]) {
    let takes_all =
        |other: &Logical<'_>| other.volume.size.is_none() || logical.volume.size.is_none();
    let shared = before.iter().filter(|other| takes_all(other)).find_map(|other| {
        let device = logical.members.iter().find(|member| other.members.contains(member))?;
        Some((*device, other.volume.id))
    });
    if let Some((device, other)) = shared {
        let [part, device, other] = [logical.volume.id, device, other].map(|id| draft.part(id));
        let text = format!("{part}: {device} is a device of {other} too");
        draft.refuse(logical.volume.id, text, "state the size= of both");
    }
}

/// Mirrors that a stripe is over: they are no volumes of their own.
fn consumed(draft: &Draft<'_>, volumes: &[Volume]) -> BTreeSet<PartId> {
    let stripes = volumes.iter().filter(|volume| volume.shape == Shape::Stripe);
    stripes
        .filter(|stripe| is_over_pairs(draft, stripe, volumes))
        .flat_map(|stripe| stripe.members.iter().copied())
        .collect()
}

/// Whether a stripe is over mirrors of two devices each.
fn is_over_pairs(draft: &Draft<'_>, stripe: &Volume, volumes: &[Volume]) -> bool {
    let is_pair = |member: &PartId| {
        let mirror = volumes.iter().find(|one| one.id == *member && one.shape == Shape::Mirror);
        mirror.is_some_and(|mirror| {
            mirror.members.len() == 2 && mirror.members.iter().all(|id| draft.is_device(*id))
        })
    };
    stripe.members.len() > 1 && stripe.members.iter().all(is_pair)
}

fn logical<'a>(
    draft: &mut Draft<'_>,
    volume: &'a Volume,
    volumes: &[Volume],
) -> Option<Logical<'a>> {
    let before = draft.mistakes();
    let (part, count) = (draft.part(volume.id), volume.members.len());
    if volume.shape == Shape::Stripe && is_over_pairs(draft, volume, volumes) {
        check_unit(draft, volume);
        let of = |id: &PartId| volumes.iter().find(|one| one.id == *id);
        let mirrors = volume.members.iter().filter_map(of);
        let members = mirrors.flat_map(|mirror| mirror.members.iter().copied()).collect();
        let kind = format!("raid10 --mirrors 1 --stripes {count}");
        return (draft.mistakes() == before).then_some(Logical { volume, members, kind });
    }
    if volume.members.iter().any(|member| !draft.is_device(*member)) {
        let text = format!("{part}: LVM lays no volumes over its own (lvm.conf(5), scan_lvs)");
        draft.refuse(volume.id, text, "--for mdadm does, or state one volume over the devices");
        return None;
    }
    check_unit(draft, volume);
    let kind = kind(draft, volume)?;
    let members = volume.members.clone();
    (draft.mistakes() == before).then_some(Logical { volume, members, kind })
}

fn kind(draft: &mut Draft<'_>, volume: &Volume) -> Option<String> {
    let (count, columns) = (volume.members.len(), volume.columns());
    let (least, text) = match volume.shape {
        Shape::Stripe => (1, format!("striped --stripes {count}")),
        Shape::Concat => (1, "linear".to_owned()),
        Shape::Mirror => (2, format!("raid1 --mirrors {}", count.saturating_sub(1))),
        Shape::Parity { level: 4, .. } => (3, format!("raid4 --stripes {columns}")),
        Shape::Parity { level: 5, .. } => (3, format!("raid5 --stripes {columns}")),
        Shape::Parity { level: 6, parity: 2 } => (5, format!("raid6 --stripes {columns}")),
        Shape::Pairs => (4, format!("raid10 --mirrors 1 --stripes {columns}")),
        Shape::Parity { .. } | Shape::Groups { .. } => {
            let part = draft.part(volume.id);
            let text = format!("{part}: LVM has no {} like that (lvmraid(7))", volume.shape.name());
            draft.refuse(volume.id, text, "--for mdadm builds levels 50 and 60 as stacks");
            return None;
        }
    };
    if count < least {
        let (part, name) = (draft.part(volume.id), volume.shape.name());
        let text = format!("{part}: {name} of LVM has {least} devices or more (lvmraid(7))");
        draft.refuse(volume.id, text, "--for mdadm takes fewer");
        return None;
    }
    Some(text)
}

fn check_unit(draft: &mut Draft<'_>, volume: &Volume) {
    let Some(unit) = volume.unit else { return };
    if !unit.is_power_of_two() || unit < PAGE {
        let kib = unit as f64 / 1024.0;
        let text = format!(
            "{}: LVM's stripe size is a power of two from 4 KiB on, not {kib} KiB ({SOURCE}, \
             --stripesize)",
            draft.part(volume.id)
        );
        draft.refuse(volume.id, text, "state such a unit or segment");
    }
}

/// The group of all devices, its extents as long as the longest stripe.
fn group(draft: &mut Draft<'_>, made: &[Logical<'_>]) {
    let mut seen = BTreeSet::new();
    let all = made.iter().flat_map(|one| one.members.iter().chain(&one.volume.spares));
    let all: Vec<PartId> = all.copied().filter(|id| seen.insert(*id)).collect();
    let extent = made.iter().filter_map(|one| one.volume.unit).max().unwrap_or(0).max(EXTENT);
    let mut needs = draft.empties(&all);
    needs.push(Need {
        text: format!("there is no volume group {GROUP}"),
        test: format!("no_group {GROUP}"),
        at_first: true,
    });
    let (members, tag) = (draft.nodes(&all).join(" "), draft.mark());
    let mut step = Step {
        makes: format!("the volume group {GROUP} of {} devices", all.len()),
        needs,
        commands: vec![format!(
            "vgcreate --addtag {tag} --physicalextentsize {}k {GROUP} {members}",
            extent >> 10
        )],
        undo: undo_group(&tag),
        source: "vgcreate(8)",
        ..Step::default()
    };
    if made.iter().any(|one| !one.volume.spares.is_empty()) {
        let text = "spares are free devices of the group; with raid_fault_policy=\"allocate\" LVM \
                    takes them";
        step.remark(text, "lvmraid(7)");
    }
    draft.step(step);
}

/// The members are asked of the group itself, so no other device can be meant.
fn undo_group(tag: &str) -> Vec<String> {
    vec![
        format!("if our_group {GROUP} {tag}; then"),
        format!("    members=$(vgs --noheadings --options pv_name {GROUP})"),
        format!("    vgremove {GROUP}"),
        "    removed".to_owned(),
        "    for device in $members; do pvremove \"$device\"; done".to_owned(),
        "fi".to_owned(),
    ]
}

fn create(draft: &mut Draft<'_>, logical: &Logical<'_>) {
    let Logical { volume, members, kind } = logical;
    let name = draft.built(volume.id);
    let node = format!("/dev/{GROUP}/{name}");
    let words = draft.nodes(members);
    let mut step = Step {
        part: draft.part(volume.id).to_owned(),
        makes: format!("the logical volume {node}: {kind}, {} devices", members.len()),
        undo: vec![
            format!("if our_group {GROUP} {} && [ -b {node} ]; then", draft.mark()),
            format!("    lvremove --yes {GROUP}/{name}"),
            "    removed".to_owned(),
            "fi".to_owned(),
        ],
        source: SOURCE,
        ..Step::default()
    };
    allot(logical, &name, &words, &mut step);
    step.commands.push("udevadm settle".to_owned());
    remarks(draft, logical, &mut step);
    draft.exists(volume.id, node);
    draft.common(volume, &mut step);
    draft.step(step);
}

/// As large as it is stated, or all of its devices.
fn allot(logical: &Logical<'_>, name: &str, words: &[String], step: &mut Step) {
    let Logical { volume, kind, .. } = logical;
    let unit = volume.unit.map(|unit| format!(" --stripesize {}k", unit >> 10)).unwrap_or_default();
    // What once lay there would be offered for wiping: the devices were empty.
    let front = format!("lvcreate --yes --wipesignatures y --zero y --type {kind}{unit}");
    let is_concat = volume.shape == Shape::Concat;
    match volume.size {
        Some(bytes) => {
            let room = format!("--size {bytes}b --name {name}");
            step.commands.push(format!("{front} {room} {GROUP} {}", words.join(" ")));
            step.remark("LVM rounds a size up to whole extents of each stripe", SOURCE);
        }
        None if is_concat => linear(name, words, &front, step),
        None => {
            let room = format!("--extents 100%PVS --name {name}");
            step.commands.push(format!("{front} {room} {GROUP} {}", words.join(" ")));
        }
    }
}

/// One device after the other, so that the order is the study's.
fn linear(name: &str, words: &[String], front: &str, step: &mut Step) {
    let Some((first, rest)) = words.split_first() else { return };
    step.commands.push(format!("{front} --extents 100%PVS --name {name} {GROUP} {first}"));
    let extended =
        rest.iter().map(|word| format!("lvextend --extents +100%PVS {GROUP}/{name} {word}"));
    step.commands.extend(extended);
}

fn remarks(draft: &Draft<'_>, logical: &Logical<'_>, step: &mut Step) {
    if logical.kind.starts_with("raid") {
        step.remark(
            "copies and parity are made in the background: measure when sync_percent of lvs is 100",
            "lvmraid(7)",
        );
    }
    if logical.volume.shape == Shape::Concat && logical.volume.size.is_some() {
        step.remark("LVM takes devices in the order given as long as there is room", SOURCE);
    }
    if draft.system().size(logical.volume.id, "turn").is_some() {
        step.remark("LVM chooses the side of a read itself: turn is not set", "lvmraid(7)");
    }
}

/// Functions of sh that the commands call.
pub(crate) const FUNCTIONS: &[&str] = &[
    r#"
# Whether a name of a volume group is free.
no_group() {
    ! vgs "$1" > /dev/null 2>&1 || die "there is a volume group $1"
}
"#,
    r#"
# Whether a volume group has the tag that marks it as made here.
our_group() {
    vgs --noheadings --options vg_tags "$1" 2> /dev/null | grep -qw "$2"
}
"#,
];
