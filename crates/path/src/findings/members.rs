//! Rules about what volumes lie on: members that are gone, that differ, or that share a part whose
//! loss takes all copies; and room.

use std::collections::BTreeSet;

use iopath_study::{Class, PartId};
use iopath_units::{ByteRate, Bytes, Human, System};

use super::Remarks;
use super::rule::{Rule, Severity};
use super::view::{About, View};
use crate::capacity::Room;
use crate::select::select;
use crate::volume::Geometry;

/// Properties in which the slowest member decides for all.
const RATES: [&str; 4] = ["read", "write", "both", "stream"];

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    let room = Room::new(view.system);
    for volume in view.system.ids() {
        if matches!(view.class(volume), Class::Volume | Class::File) {
            missing(view, volume, remarks);
            too_large(view, &room, volume, remarks);
        }
        if view.class(volume) == Class::Volume {
            unequal_rates(view, volume, remarks);
            unequal_sizes(view, &room, volume, remarks);
            shared(view, volume, remarks);
        }
    }
}

/// What a volume lies on was removed.
fn missing(view: &View<'_>, volume: PartId, remarks: &mut Remarks) {
    if view.is_removed(volume) {
        return;
    }
    let members = view.members(volume);
    let gone: Vec<PartId> =
        members.iter().copied().filter(|member| view.is_removed(*member)).collect();
    if gone.is_empty() {
        return;
    }
    let about = About::mistake(Rule::MissingMember, view.span(volume, "over"));
    let says = format!(
        "{} of its {} members are removed: {}",
        gone.len(),
        members.len(),
        select(view.system, &gone)
    );
    about.say(remarks, &[volume], says, "use existing members");
}

/// A slow member slows all of a stripe: each request, or each row, waits for it.
fn unequal_rates(view: &View<'_>, volume: PartId, remarks: &mut Remarks) {
    if view.kind(volume) == "concat" {
        return;
    }
    let members = view.active(volume);
    for property in RATES {
        let rate = |id: PartId| view.system.byte_rate(id, property);
        let rates: Option<Vec<ByteRate>> = members.iter().map(|id| rate(*id)).collect();
        let Some(rates) = rates else { continue };
        let (Some(least), Some(most)) = (rates.iter().min(), rates.iter().max()) else { continue };
        if least == most {
            continue;
        }
        let slow: Vec<PartId> =
            members.iter().copied().filter(|id| rate(*id).as_ref() == Some(least)).collect();
        let says = format!(
            "its members differ: {property} is {} of {}, up to {} of the others; the slow ones \
             limit all {} to {}",
            least.human(System::Decimal),
            select(view.system, &slow),
            most.human(System::Decimal),
            members.len(),
            ByteRate(least.0.saturating_mul(members.len() as u64)).human(System::Decimal),
        );
        let about = About::warning(Rule::UnequalMembers, view.span(volume, "over"));
        about.say(remarks, &[volume], says, "use equal members, or remove the slow ones");
        return;
    }
}

/// All members give what the smallest has.
fn unequal_sizes(view: &View<'_>, room: &Room, volume: PartId, remarks: &mut Remarks) {
    if view.kind(volume) == "concat" {
        return;
    }
    let members = view.active(volume);
    let sizes: Option<Vec<u64>> = members.iter().map(|id| room.usable(*id)).collect();
    let Some(sizes) = sizes else { return };
    let (Some(&least), Some(&most)) = (sizes.iter().min(), sizes.iter().max()) else { return };
    if least == most {
        return;
    }
    let unused: u64 = sizes.iter().map(|size| size - least).sum();
    let says = format!(
        "its members differ in size, {} to {}: each is used up to the smallest, {} in all are \
         not used",
        Bytes(least).human(System::Decimal),
        Bytes(most).human(System::Decimal),
        Bytes(unused).human(System::Decimal),
    );
    let about = About::warning(Rule::UnequalMembers, view.span(volume, "over"));
    about.say(remarks, &[volume], says, "use members of one size");
}

/// More bytes are laid out than there is room for below.
fn too_large(view: &View<'_>, room: &Room, volume: PartId, remarks: &mut Remarks) {
    let stated = view.system.size(volume, "size").map(|size| size.0);
    let about = About::mistake(Rule::TooLarge, view.span(volume, "size"));
    if let (Some(stated), Some(there)) = (stated, room.computed(volume))
        && stated > there
    {
        let says = format!(
            "size is {}, but its members have {}",
            Bytes(stated).human(System::Decimal),
            Bytes(there).human(System::Decimal)
        );
        about.say(remarks, &[volume], says, "make it smaller, or add members");
        return;
    }
    too_many(view, room, volume, remarks);
}

/// All that lies on a volume alone is together more than it has room for.
fn too_many(view: &View<'_>, room: &Room, volume: PartId, remarks: &mut Remarks) {
    let Some(there) = room.usable(volume) else { return };
    let users = &view.users[volume.0];
    let takers: Vec<PartId> =
        users.iter().copied().filter(|user| view.members(*user).len() == 1).collect();
    let sizes: Vec<u64> = takers
        .iter()
        .filter_map(|user| view.system.size(*user, "size"))
        .map(|size| size.0)
        .collect();
    let wanted = sizes.iter().fold(0_u64, |sum, size| sum.saturating_add(*size));
    let each_fits = sizes.iter().all(|size| *size <= there);
    if let [first, _, ..] = takers.as_slice()
        && wanted > there
        && each_fits
    {
        let span = view.span(*first, "size");
        let about = About::mistake(Rule::TooLarge, span);
        let says = format!(
            "together {}, but {} has room for {}",
            Bytes(wanted).human(System::Decimal),
            view.system.part(volume).name,
            Bytes(there).human(System::Decimal)
        );
        about.say(remarks, &takers, says, "make them smaller or fewer");
    }
}

/// The copies of a volume share a part that stands beside others like it, so that they need not:
/// its loss takes all of them.
fn shared(view: &View<'_>, volume: PartId, remarks: &mut Remarks) {
    let members = view.members(volume);
    let Some(Geometry::Mirror) = view.volume(volume).map(|volume| volume.geometry) else { return };
    let mut common: Option<BTreeSet<PartId>> = None;
    for member in members {
        let below = view.below(*member);
        let leaves = below.iter().copied().filter(|id| view.members(*id).is_empty());
        let around: BTreeSet<PartId> = leaves
            .flat_map(|leaf| std::iter::once(leaf).chain(view.system.ancestors(leaf)))
            .collect();
        common = Some(match common {
            Some(common) => common.intersection(&around).copied().collect(),
            None => around,
        });
    }
    // Parts stand behind what contains them, so the last is the innermost.
    let avoidable = common.unwrap_or_default().into_iter().rfind(|id| view.peers(*id) > 1);
    let Some(shared) = avoidable else { return };
    // Disks that stand in the volume itself share what it stands in.
    if shared == volume || view.system.is_inside(volume, shared) {
        return;
    }
    let kind = view.kind(shared);
    let severity = match view.class(shared) {
        Class::Host => return,
        _ if kind == "array" => Severity::Warning,
        _ => Severity::Mistake,
    };
    let about = About { rule: Rule::MirrorSharesPart, severity, span: view.span(volume, "over") };
    let says = format!(
        "its sides share {}: losing that {kind} loses both, and both copies use its limits",
        view.system.part(shared).name
    );
    let hint = format!("pair each side with one of another {kind}");
    about.say(remarks, &[volume], says, &hint);
}
