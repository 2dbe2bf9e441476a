//! Pools of ZFS with their file systems.
//!
//! Law: a pool is dynamically striped over its groups of devices: no unit can be chosen
//! (zpoolconcepts(7)); groups are single devices, mirrors, and raidz with one, two or three
//! devices' worth of parity. Records are powers of two from 512 bytes on (zfsprops(7)).
//! Leaves out: logs, caches, `ashift`, reading ahead, which the module sets for all pools.

use iopath_study::PartId;

use crate::build::{Need, Step};
use crate::draft::Draft;
use crate::files;
use crate::names;
use crate::stack::{FileSystem, Shape, Volume};

const SOURCE: &str = "zpoolconcepts(7)";

pub(crate) fn build(draft: &mut Draft<'_>) {
    draft.refuse_shared();
    draft.programs.extend(["zpool", "zfs"]);
    let volumes = draft.volumes.clone();
    let is_below = |id| volumes.iter().any(|volume| volume.members.contains(&id));
    let tops: Vec<&Volume> = volumes.iter().filter(|volume| !is_below(volume.id)).collect();
    for top in tops {
        if let Some(groups) = groups(draft, top, &volumes) {
            pool(draft, top, &groups);
        }
    }
    for file_system in draft.file_systems.clone() {
        self::file_system(draft, &file_system);
    }
}

/// The groups of a pool, as zpool names them.
fn groups(draft: &mut Draft<'_>, top: &Volume, volumes: &[Volume]) -> Option<Vec<String>> {
    let find = |id: &PartId| volumes.iter().find(|volume| volume.id == *id);
    let is_over_devices = top.members.iter().all(|member| find(member).is_none());
    if is_over_devices {
        return group(draft, top);
    }
    if top.shape != Shape::Stripe {
        let name = top.shape.name();
        let text = format!("{}: no {name} of groups in a pool ({SOURCE})", draft.part(top.id));
        draft.refuse(top.id, text, "a pool is a stripe over devices, mirrors or raidz");
        return None;
    }
    let mut all = Vec::new();
    for member in &top.members {
        match find(member) {
            None => all.push(draft.node(*member)),
            Some(volume) if volume.members.iter().any(|one| find(one).is_some()) => {
                let text =
                    format!("{}: groups of a pool are not nested ({SOURCE})", draft.part(*member));
                draft.refuse(volume.id, text, "state a stripe over mirrors or raidz of devices");
                return None;
            }
            Some(volume) => all.extend(group(draft, volume)?),
        }
    }
    unmixed(draft, top, all)
}

/// On the command line a device behind a group belongs to the group.
fn unmixed(draft: &mut Draft<'_>, top: &Volume, all: Vec<String>) -> Option<Vec<String>> {
    let is_group = |words: &String| words.contains(' ');
    if all.iter().any(is_group) && !all.iter().all(is_group) {
        let part = draft.part(top.id);
        let text =
            format!("{part}: a pool is over devices or over groups, not over both ({SOURCE})");
        draft.refuse(top.id, text, "state a stripe over mirrors or raidz only, or over devices");
        return None;
    }
    Some(all)
}

fn group(draft: &mut Draft<'_>, volume: &Volume) -> Option<Vec<String>> {
    let words = draft.nodes(&volume.members);
    let of = |kind: &str, words: &[String]| format!("{kind} {}", words.join(" "));
    let raidz = |parity| format!("raidz{parity}");
    let groups = match volume.shape {
        Shape::Stripe => words,
        Shape::Mirror => vec![of("mirror", &words)],
        Shape::Pairs => words.chunks(2).map(|pair| of("mirror", pair)).collect(),
        Shape::Parity { level: 5 | 6, parity } => vec![of(&raidz(parity), &words)],
        Shape::Groups { parity, groups, .. } => {
            let width = (words.len() / groups).max(1);
            words.chunks(width).map(|group| of(&raidz(parity), group)).collect()
        }
        Shape::Concat | Shape::Parity { .. } => {
            let (part, name) = (draft.part(volume.id), volume.shape.name());
            let text = format!("{part}: ZFS has no {name} ({SOURCE})");
            draft.refuse(volume.id, text, "--for lvm or mdadm builds it");
            return None;
        }
    };
    Some(groups)
}

fn pool(draft: &mut Draft<'_>, top: &Volume, groups: &[String]) {
    let name = draft.built(top.id);
    let mut all: Vec<PartId> = Vec::new();
    leaves(draft, top.id, &mut all);
    let below = draft.volumes.iter().filter(|one| top.members.contains(&one.id));
    let spares: Vec<PartId> = below.chain([top]).flat_map(|one| one.spares.clone()).collect();
    let spares = draft.nodes(&spares).join(" ");
    let spares = if spares.is_empty() { spares } else { format!(" spare {spares}") };
    let mut needs = draft.empties(&all);
    needs.push(Need {
        text: format!("there is no pool {name}"),
        test: format!("no_pool {name}"),
        at_first: true,
    });
    let (words, mark) = (draft.nodes(&all).join(" "), draft.mark());
    let mut step = Step {
        part: draft.part(top.id).to_owned(),
        makes: format!("the pool {name} of {} devices", all.len()),
        needs,
        commands: vec![format!(
            "zpool create -o comment={mark} -m none {name} {}{spares}",
            groups.join(" ")
        )],
        undo: undo(&name, &mark, &words),
        source: "zpool-create(8)",
        ..Step::default()
    };
    remarks(draft, top, &mut step);
    draft.exists(top.id, name);
    draft.step(step);
}

/// The devices below a volume, its spares behind them.
fn leaves(draft: &Draft<'_>, id: PartId, all: &mut Vec<PartId>) {
    match draft.volumes.iter().find(|volume| volume.id == id) {
        None => all.push(id),
        Some(volume) => {
            volume.members.iter().chain(&volume.spares).for_each(|one| leaves(draft, *one, all));
        }
    }
}

/// Labels go of what was in the pool a moment before.
fn undo(name: &str, mark: &str, words: &str) -> Vec<String> {
    vec![
        format!("if our_pool {name} {mark}; then"),
        "    set --".to_owned(),
        format!("    for device in {words}; do"),
        format!("        if in_pool {name} \"$device\"; then set -- \"$@\" \"$device\"; fi"),
        "    done".to_owned(),
        format!("    zpool destroy {name}"),
        "    removed".to_owned(),
        "    for device in \"$@\"; do forget \"$device\"; done".to_owned(),
        "fi".to_owned(),
    ]
}

fn remarks(draft: &Draft<'_>, top: &Volume, step: &mut Step) {
    if let Some(unit) = top.unit {
        let kib = unit as f64 / 1024.0;
        let text = format!("a pool has no unit: {kib} KiB are not set, a record goes to one group");
        step.remark(text, SOURCE);
    }
    if top.size.is_some() {
        step.remark("a pool takes all of its devices: size is not set", "zpool-create(8)");
    }
    if top.largest_request.is_some() {
        let text = "requests are joined up to zfs_vdev_aggregation_limit, for all pools";
        step.remark(text, "zfs(4)");
    }
    if !draft.file_systems.iter().any(|one| one.on.contains(&top.id)) {
        step.remark(
            "a pool is no device: without a file system make a volume by zfs create -V",
            "zfs-create(8)",
        );
    }
}

fn file_system(draft: &mut Draft<'_>, file_system: &FileSystem) {
    let part = draft.part(file_system.id);
    let [on] = file_system.on[..] else {
        let text = format!("{part}: a file system of ZFS is in one pool (zfs-create(8))");
        return draft.refuse(file_system.id, text, "state a stripe over what it is on");
    };
    if draft.is_device(on) {
        let text = format!("{part}: ZFS makes file systems in pools (zfs-create(8))");
        return draft.refuse(file_system.id, text, "state a stripe over its device");
    }
    let (pool, name) = (draft.node(on), names::built(&draft.built(file_system.id)));
    let (at, mark) = (format!("/mnt/{name}"), draft.mark());
    let mut step = Step {
        part: part.to_owned(),
        makes: format!("the file system {pool}/{name}, mounted at /mnt/{name}"),
        undo: vec![
            format!("if our_pool {pool} {mark} && zfs list {pool}/{name} > /dev/null 2>&1; then"),
            format!("    zfs destroy {pool}/{name}"),
            "    removed".to_owned(),
            "fi".to_owned(),
            format!("unmount {at} {mark}"),
        ],
        source: "zfsprops(7)",
        ..Step::default()
    };
    files::directory(&at, &mark, &mut step);
    let record = record(file_system, &mut step);
    step.commands.push(format!("zfs create -o atime=off{record} -o mountpoint={at} {pool}/{name}"));
    remarks_of_file_system(draft, file_system, &mut step);
    draft.step(step);
}

fn remarks_of_file_system(draft: &Draft<'_>, file_system: &FileSystem, step: &mut Step) {
    if draft.is_direct(file_system.id) {
        step.remark("direct requests bypass its cache from OpenZFS 2.3 on", "zfsprops(7), direct");
    }
    if file_system.read_ahead.is_some() {
        step.remark("reading ahead is set for all pools: zfetch_max_distance", "zfs(4)");
    }
    if draft.system().children(file_system.id).any(|id| draft.system().kind(id) == "commit") {
        step.remark("the interval of commits is set for all pools: zfs_txg_timeout", "zfs(4)");
    }
}

fn record(file_system: &FileSystem, step: &mut Step) -> String {
    let Some(bytes) = file_system.record.or(file_system.block) else { return String::new() };
    if bytes.is_power_of_two() && (512..=(16 << 20)).contains(&bytes) {
        if bytes > 1 << 20 {
            step.remark("records over 1 MiB need zfs_max_recordsize", "zfsprops(7), zfs(4)");
        }
        return format!(" -o recordsize={bytes}");
    }
    let text = format!("a record of {bytes} bytes is no power of two from 512 on: not set");
    step.remark(text, "zfsprops(7)");
    String::new()
}

/// Functions of sh that the commands call.
pub(crate) const FUNCTIONS: &[&str] = &[
    r#"
# Whether a name of a pool is free.
no_pool() {
    ! zpool list "$1" > /dev/null 2>&1 || die "there is a pool $1"
}
"#,
    r#"
# Whether a pool has the comment that marks it as made here.
our_pool() {
    zpool list -H -o comment "$1" 2> /dev/null | grep -qx "$2"
}
"#,
    r#"
# Whether a device, or a partition of it, is in a pool: by whole names.
in_pool() {
    nodes=$(nodes "$2")
    zpool status -P -L "$1" | sed 's/^[[:space:]]*//; s/[[:space:]].*//' | grep -qxF "$nodes"
}

# A device and its partitions, as the kernel has them; those of device-mapper are its holders.
nodes() {
    real=$(readlink -f "$1")
    block="/sys/class/block/${real##*/}"
    echo "$real"
    for part in "$block"/*/partition; do
        if [ -e "$part" ]; then
            part=${part%/partition}
            echo "/dev/${part##*/}"
        fi
    done
    for holder in "$block"/holders/*; do
        if grep -qs '^part[0-9]' "$holder/dm/uuid"; then echo "/dev/${holder##*/}"; fi
    done
}
"#,
    r#"
# Takes the labels of a destroyed pool away, and the partitions that it had made of a whole disk.
forget() {
    nodes "$1" | while read -r node; do
        zpool labelclear "$node" < /dev/null > /dev/null 2>&1 || true
    done
    wipefs --quiet --all "$1"
}
"#,
];
