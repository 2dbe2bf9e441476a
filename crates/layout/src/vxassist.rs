//! Volumes of VxVM in one disk group, with VxFS on them.
//!
//! Law: layouts and attributes of vxassist(1M); disks are initialised by vxdisksetup(1M) and named
//! as VxVM names them (`emc0_12`), without a path. Not proved in the lab: VxVM is not free.
//! Leaves out: undo, as nothing here marks a disk group; logs, snapshots, dynamic multipathing,
//! which vxdmpadm sets.

use std::collections::BTreeSet;

use iopath_study::PartId;

use crate::build::{FileSystemKind, Need, Step};
use crate::draft::Draft;
use crate::files::{self, Settings};
use crate::stack::{Shape, Volume};

const SOURCE: &str = "vxassist(1M)";
const GROUP: &str = "iopath";
/// A disk group that was made here looks like any other one of its name.
const LEFT: &str = "the disk group iopath is left: nothing marks it as made here";

pub(crate) fn build(draft: &mut Draft<'_>) {
    draft.refuse_shared();
    let volumes = draft.volumes.clone();
    if !volumes.is_empty() {
        draft.programs.extend(["vxdisksetup", "vxdg", "vxassist"]);
        group(draft, &volumes);
    }
    for volume in &volumes {
        create(draft, volume);
    }
    files::build(draft, FileSystemKind::Vxfs, Settings::Queue);
}

/// A disk of VxVM as a device.
fn disk(word: &str) -> String {
    format!("/dev/vx/dmp/{word}")
}

fn group(draft: &mut Draft<'_>, volumes: &[Volume]) {
    let mut seen = BTreeSet::new();
    let all = volumes.iter().flat_map(|one| one.members.iter().chain(&one.spares));
    let all: Vec<PartId> =
        all.copied().filter(|id| draft.is_device(*id) && seen.insert(*id)).collect();
    let words = draft.nodes(&all);
    let mut needs: Vec<Need> = words.iter().map(|word| Need::empty(&disk(word), true)).collect();
    needs.push(Need {
        text: format!("there is no disk group {GROUP}"),
        test: format!("no_disk_group {GROUP}"),
        at_first: true,
    });
    let each = words.join(" ");
    let mut step = Step {
        makes: format!("the disk group {GROUP} of {} disks", all.len()),
        needs,
        commands: vec![
            format!("for disk in {each}; do vxdisksetup -i \"$disk\"; done"),
            format!("vxdg init {GROUP} {each}"),
        ],
        undo: vec![format!("if vxdg list {GROUP} > /dev/null 2>&1; then left '{LEFT}'; fi")],
        source: "vxdg(1M), vxdisksetup(1M)",
        ..Step::default()
    };
    step.remark("undo leaves the disk group and its volumes: they have no mark", "vxdg(1M)");
    step.remark("devices are named as vxdisk list names them, without a path", "vxdisk(1M)");
    draft.step(step);
}

fn create(draft: &mut Draft<'_>, volume: &Volume) {
    let part = draft.part(volume.id);
    if volume.members.iter().any(|member| !draft.is_device(*member)) {
        let text = format!("{part}: vxassist lays volumes over disks, not over volumes ({SOURCE})");
        return draft.refuse(volume.id, text, "state one volume over the disks: raid level=10");
    }
    let Some(layout) = layout(draft, volume) else { return };
    let name = draft.built(volume.id);
    let unit = volume.unit.map(|unit| format!(" stripeunit={}k", unit >> 10)).unwrap_or_default();
    let size = volume.size.map_or("maxsize".to_owned(), |size| format!("{}k", size >> 10));
    let disks = draft.nodes(&volume.members).join(" ");
    let mut step = Step {
        part: part.to_owned(),
        makes: format!("the volume {name}: {layout}, {} disks", volume.members.len()),
        commands: vec![format!("vxassist -g {GROUP} make {name} {size} {layout}{unit} {disks}")],
        source: SOURCE,
        ..Step::default()
    };
    if volume.largest_request.is_some() {
        step.remark("the largest request is vol_maxio, of all volumes", "vxtune(1M)");
    }
    if !volume.spares.is_empty() {
        step.remark("spares are marked by vxedit set spare=on", "vxedit(1M)");
    }
    draft.exists(volume.id, format!("/dev/vx/rdsk/{GROUP}/{name}"));
    draft.step(step);
}

fn layout(draft: &mut Draft<'_>, volume: &Volume) -> Option<String> {
    let columns = volume.columns();
    Some(match volume.shape {
        Shape::Stripe => format!("layout=stripe ncol={columns}"),
        Shape::Concat => "layout=concat".to_owned(),
        Shape::Mirror => format!("layout=mirror nmirror={}", volume.members.len()),
        Shape::Pairs => format!("layout=stripe-mirror nmirror=2 ncol={columns}"),
        Shape::Parity { level: 5, .. } => format!("layout=raid5,nolog ncol={}", columns + 1),
        Shape::Parity { .. } | Shape::Groups { .. } => {
            let (part, name) = (draft.part(volume.id), volume.shape.name());
            let text = format!("{part}: VxVM has no {name} ({SOURCE})");
            draft.refuse(volume.id, text, "levels 0, 1, 5 and 10 can be built");
            return None;
        }
    })
}

/// Functions of sh that the commands call.
pub(crate) const FUNCTIONS: &[&str] = &[r#"
# Whether a name of a disk group is free.
no_disk_group() {
    ! vxdg list "$1" > /dev/null 2>&1 || die "there is a disk group $1"
}
"#];
