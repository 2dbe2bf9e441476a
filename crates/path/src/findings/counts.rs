//! How many disks an array takes, and how many physical volumes a volume group: limits of products
//! that the studies are of.

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

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.of_class(Class::Volume) {
        match view.kind(id) {
            "raid" | "lun" => disks(view, id, remarks),
            _ => volume_group(view, id, remarks),
        }
    }
}

/// An array of a controller with more disks than it takes.
fn disks(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    let disks = view.active(id).len();
    if disks <= MOST_DISKS || view.within(id, &["controller", "array"]).is_none() {
        return;
    }
    let about = About::advice(Rule::ArrayDisks, view.declared(id));
    let says = format!(
        "{disks} disks in one array: controllers of FAStT and StorageTek 2540 are assumed to take \
         {MOST_DISKS}"
    );
    let hint = "check the limit of the controller, or make several arrays and a stripe over them";
    about.say(remarks, &[id], says, hint);
}

/// What a host lays over more devices than a volume group takes.
fn volume_group(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    let is_of_host = |id: PartId| matches!(view.kind(id), "stripe" | "concat" | "mirror");
    if !is_of_host(id) || view.users[id.0].iter().any(|user| is_of_host(*user)) {
        return;
    }
    let below = view.below(id);
    let mut devices: BTreeSet<PartId> = BTreeSet::new();
    for volume in below.into_iter().filter(|volume| is_of_host(*volume)) {
        devices.extend(view.members(volume).iter().copied().filter(|member| !is_of_host(*member)));
    }
    if devices.len() <= MOST_PHYSICAL_VOLUMES {
        return;
    }
    let about = About::advice(Rule::VolumeGroup, view.declared(id));
    let says = format!(
        "over {} devices: a volume group of AIX takes {MOST_PHYSICAL_VOLUMES} physical volumes, \
         a scalable one 1024",
        devices.len()
    );
    let hint = "make fewer, larger arrays, or check the limit of the volume manager";
    about.say(remarks, &[id], says, hint);
}
