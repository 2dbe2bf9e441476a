//! How many disks an array takes, and how many physical volumes a volume group: what the study
//! states (`most-members`), so that no more can be built; else limits of products that the studies
//! are of, worth a look at one's own.

use std::collections::BTreeSet;

use iopath_study::{Class, PartId};

use super::Remarks;
use super::rule::Rule;
use super::view::{About, View};

/// Disks of one array: assumed. SANtricity, the software of FAStT and StorageTek 2540 controllers,
/// takes 30 from memory; its manuals could not be read again.
const MOST_DISKS: usize = 30;

/// Physical volumes of a volume group of AIX (p690); a scalable one takes 1024.
const MOST_PHYSICAL_VOLUMES: usize = 128;

/// The property that states another number.
pub(super) const MOST_MEMBERS: &str = "most-members";

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.of_class(Class::Volume) {
        match view.kind(id) {
            "raid" | "lun" => disks(view, id, remarks),
            _ => volume_group(view, id, remarks),
        }
    }
}

/// A number of something next to the most that the study states: more cannot be built.
pub(super) struct Stated {
    pub rule: Rule,
    /// States the most.
    pub property: &'static str,
    pub number: usize,
    pub most: usize,
    /// The number in words, before its limit.
    pub says: String,
    pub hint: &'static str,
}

impl Stated {
    pub(super) fn judge(self, view: &View<'_>, id: PartId, remarks: &mut Remarks) {
        let Self { rule, property, number, most, says, hint } = self;
        if number > most {
            let about = About::mistake(rule, view.span(id, property));
            about.say(remarks, &[id], format!("{says} of at most {most}"), hint);
        }
    }
}

/// An array with more disks than it takes.
fn disks(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    let disks = view.active(id).len();
    if let Some(most) = view.most(id, MOST_MEMBERS) {
        let says = format!("{disks} disks in an array");
        let hint = "use fewer disks in it, or several arrays";
        let (rule, property) = (Rule::ArrayDisks, MOST_MEMBERS);
        let stated = Stated { rule, property, number: disks, most, says, hint };
        return stated.judge(view, id, remarks);
    }
    if disks <= MOST_DISKS || view.within(id, &["controller", "array"]).is_none() {
        return;
    }
    let about = About::advice(Rule::ArrayDisks, view.declared(id));
    let says = format!(
        "{disks} disks in one array: controllers of FAStT and StorageTek 2540 are assumed to take \
         {MOST_DISKS}"
    );
    let hint = "state the controller's own limit with most-members=, or make several arrays and a \
                stripe over them";
    about.say(remarks, &[id], says, hint);
}

/// What a host lays over more devices than a volume group takes. Without a statement the outermost
/// volume stands for the group.
fn volume_group(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    if !is_of_host(view, id) {
        return;
    }
    let devices = devices(view, id).len();
    if let Some(most) = view.most(id, MOST_MEMBERS) {
        let says = format!("over {devices} devices, in a volume group");
        let hint = "make fewer, larger arrays, or several volumes";
        let (rule, property) = (Rule::VolumeGroup, MOST_MEMBERS);
        let stated = Stated { rule, property, number: devices, most, says, hint };
        return stated.judge(view, id, remarks);
    }
    let is_inner = view.users[id.0].iter().any(|user| is_of_host(view, *user));
    if is_inner || devices <= MOST_PHYSICAL_VOLUMES {
        return;
    }
    let about = About::advice(Rule::VolumeGroup, view.declared(id));
    let says = format!(
        "over {devices} devices: a volume group of AIX takes {MOST_PHYSICAL_VOLUMES} physical \
         volumes, a scalable one 1024"
    );
    let hint = "make fewer, larger arrays, or state the volume manager's limit with most-members=";
    about.say(remarks, &[id], says, hint);
}

/// The devices that a volume of a host lies on, whatever volumes of hosts lie between.
fn devices(view: &View<'_>, id: PartId) -> BTreeSet<PartId> {
    let below = view.below(id);
    let volumes = below.into_iter().filter(|volume| is_of_host(view, *volume));
    let members = volumes.flat_map(|volume| view.members(volume));
    members.copied().filter(|member| !is_of_host(view, *member)).collect()
}

fn is_of_host(view: &View<'_>, id: PartId) -> bool {
    matches!(view.kind(id), "stripe" | "concat" | "mirror")
}
