//! Rules about RAID levels, array sizes, segments and spares, as the appendix of the JFS2 paper on
//! the pSeries 690 gives them.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, PartId};
use iopath_units::Bytes;

use super::Remarks;
use super::requests::Arrival;
use super::rule::Rule;
use super::view::{About, View};
use crate::volume::{Geometry, GeometryError, Parity, Volume};

/// The widest single-parity group: IBM FlashSystem takes no stripe wider than 16.
const WIDEST_SINGLE: u32 = 16;
/// The widest double-parity group of hard disks that NetApp ONTAP recommends.
const WIDEST_DOUBLE: u32 = 20;
/// The same of flash.
const WIDEST_DOUBLE_FLASH: u32 = 28;

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.of_class(Class::File) {
        if let Err(error) = Volume::read(view.system, id, view.active(id)) {
            no_volume(view, id, &error, remarks);
        }
    }
    for id in view.of_class(Class::Volume) {
        match Volume::read(view.system, id, view.active(id)) {
            Err(error) => no_volume(view, id, &error, remarks),
            Ok(volume) => {
                unprotected(view, id, &volume, remarks);
                if let Geometry::Parity(parity) = volume.geometry {
                    wide(view, id, (&volume, parity), remarks);
                    small_writes(view, id, (&volume, parity), remarks);
                    moves_together(view, id, (&volume, parity), remarks);
                }
                mirrored_writes(view, id, &volume, remarks);
                segments(view, id, &volume, remarks);
            }
        }
    }
    spares(view, remarks);
}

/// Its members make up no volume, or none that can be followed.
fn no_volume(view: &View<'_>, id: PartId, error: &GeometryError, remarks: &mut Remarks) {
    let (rule, properties, says, hint): (_, &[&str], _, _) = match error {
        GeometryError::TooFew { level, members, least, .. } => (
            Rule::DiskCount,
            &["level"],
            format!(
                "level {level} needs {least} disks or more, there are {members} without spares"
            ),
            DISKS,
        ),
        GeometryError::Odd { members, .. } => (
            Rule::DiskCount,
            &["level"],
            format!("pairs need an even number of disks, there are {members} without spares"),
            DISKS,
        ),
        GeometryError::Groups { level, members, least, .. } => (
            Rule::DiskCount,
            &["level"],
            format!(
                "level {level} needs equal groups of {least} disks or more, {members} make none"
            ),
            DISKS,
        ),
        GeometryError::Width { members, width, least, .. } => (
            Rule::DiskCount,
            &["width"],
            match width < least {
                true => format!("groups of {width} are too narrow, they need {least} or more"),
                false => format!("{members} disks do not form groups of {width}"),
            },
            "state a width that divides the number of disks, or leave it out",
        ),
        GeometryError::Unfit { level, property, levels, .. } => (
            Rule::DiskCount,
            std::slice::from_ref(property),
            format!("level {level} has no {property}=, only levels {levels} do"),
            "leave it out, or state the level that has it",
        ),
        GeometryError::TooLong { members, .. } => (
            Rule::LayoutTooLong,
            &["unit", "segment", "block"],
            format!("its layout over {members} members exceeds the range of offsets"),
            "use a realistic unit, segment, block or member size",
        ),
    };
    let stated = properties.iter().find(|property| view.system.value(id, property).is_some());
    let span = view.span(id, stated.unwrap_or(&properties[0]));
    let about = About::mistake(rule, span);
    about.say(remarks, &[id], says, hint);
}

const DISKS: &str = "add disks, or use another level";

/// RAID 0 that nothing above keeps a copy of.
fn unprotected(view: &View<'_>, id: PartId, volume: &Volume, remarks: &mut Remarks) {
    let plain = matches!(volume.geometry, Geometry::Stripe { .. } | Geometry::Concat { .. });
    let members = view.active(id);
    let alone = |member: &PartId| match view.class(*member) {
        Class::Medium => true,
        _ => view.members(*member).len() <= 1 && !is_redundant(view, *member),
    };
    if !plain || members.len() < 2 || !members.iter().all(alone) || is_protected(view, id) {
        return;
    }
    let about = About::warning(Rule::NoRedundancy, view.span(id, "level"));
    let says = format!(
        "level 0 without a copy: the loss of one of its {} disks loses all data",
        members.len()
    );
    let hint = "keep it for reproducible data; else use level 5, 6 or 10, or a mirror above";
    about.say(remarks, &[id], says, hint);
}

/// Whether a volume outlives the loss of a member, here or below.
fn is_redundant(view: &View<'_>, id: PartId) -> bool {
    let own = view.volume(id).is_some_and(|volume| keeps_copies(&volume.geometry));
    let members = view.active(id);
    own || (!members.is_empty() && members.iter().all(|member| is_redundant(view, *member)))
}

/// Whether everything that lies on a volume keeps its data elsewhere too.
fn is_protected(view: &View<'_>, id: PartId) -> bool {
    let users = &view.users[id.0];
    let keeps = |user: &PartId| {
        let volume = view.volume(*user);
        volume.is_some_and(|volume| keeps_copies(&volume.geometry)) || is_protected(view, *user)
    };
    !users.is_empty() && users.iter().all(keeps)
}

fn keeps_copies(geometry: &Geometry) -> bool {
    matches!(geometry, Geometry::Mirror | Geometry::StripedMirrors { .. } | Geometry::Parity(_))
}

/// A rebuild reads all survivors, so more disks take longer and are more likely to lose another.
fn wide(view: &View<'_>, id: PartId, (volume, parity): (&Volume, Parity), remarks: &mut Remarks) {
    let width = parity.width(volume.members);
    let flash = view.active(id).iter().all(|disk| matches!(view.kind(*disk), "ssd" | "nvme"));
    let widest = match (parity.parity, flash) {
        (1, _) => WIDEST_SINGLE,
        (_, false) => WIDEST_DOUBLE,
        (_, true) => WIDEST_DOUBLE_FLASH,
    };
    if width <= widest {
        return;
    }
    let about = About::warning(Rule::WideArray, view.declared(id));
    let says = format!(
        "{width} disks in one group with {} of parity: a rebuild reads all {} others, and until \
        then {}",
        parity.parity,
        width - 1,
        match parity.parity {
            1 => "a second loss loses everything",
            2 => "one more is tolerated",
            _ => "two more are tolerated",
        }
    );
    let hint = format!("make groups of at most {widest}");
    about.say(remarks, &[id], says, &hint);
}

/// A write of less than a stripe reads old data and parity first, unless a cache merges it with
/// others.
fn small_writes(
    view: &View<'_>,
    id: PartId,
    (volume, parity): (&Volume, Parity),
    remarks: &mut Remarks,
) {
    let full = parity.stripe(volume.members);
    let small = |arrival: &&Arrival| {
        let load = &view.loads[arrival.load];
        let asked = arrival.bytes == view.merged(load) || !load.is_sequential();
        load.writes() && asked && arrival.bytes < full && !view.gathers(load, id, full)
    };
    let Some(arrival) = view.arrivals[id.0].keys().find(small) else { return };
    if view.is_behind_write_cache(id) {
        return;
    }
    // Without its neighbours a segment is written with all parity of its row.
    let touched =
        u64::from(parity.data(volume.members)).min(arrival.bytes.div_ceil(parity.segment));
    let each = touched + u64::from(parity.parity);
    let load = &view.loads[arrival.load];
    // A record is larger than what is asked for, too.
    let is_merged = arrival.bytes == view.merged(load) && arrival.bytes > load.first().block.0;
    let merged = if is_merged { ", merged by the page cache," } else { "" };
    let about = About::warning(Rule::SmallWrites, view.span(id, "level"));
    let says = format!(
        "writes of {}{merged} are smaller than its full stripe of {}, without a write cache: each \
         costs up to {each} reads and {each} writes",
        Bytes(arrival.bytes),
        Bytes(full)
    );
    let hint = "put a write cache in front (cache write=\"back\"), or use level 10";
    about.say(remarks, &[id], says, hint);
}

/// The disks of RAID 3 move together.
fn moves_together(
    view: &View<'_>,
    id: PartId,
    (volume, parity): (&Volume, Parity),
    remarks: &mut Remarks,
) {
    if view.system.count(id, "level") != Some(3) {
        return;
    }
    let arrivals = &view.arrivals[id.0];
    let streams: u64 = arrivals.values().sum();
    let full = parity.stripe(volume.members);
    let unfit = arrivals
        .keys()
        .find(|arrival| arrival.bytes < full || !view.loads[arrival.load].is_sequential());
    let says = match unfit {
        Some(arrival) => format!(
            "all disks of level 3 move together, and requests of {} are scattered",
            Bytes(arrival.bytes)
        ),
        None if streams > 1 => {
            format!("all disks of level 3 move together, and {streams} streams interleave")
        }
        None => return,
    };
    let about = About::warning(Rule::Raid3Load, view.span(id, "level"));
    let hint = "level 3 is for one stream of large sequential requests; use level 5 or 10";
    about.say(remarks, &[id], says, hint);
}

/// Full stripes behind a write cache cost parity less than a copy.
fn mirrored_writes(view: &View<'_>, id: PartId, volume: &Volume, remarks: &mut Remarks) {
    let Geometry::StripedMirrors { segment } = volume.geometry else { return };
    let row = segment * u64::from(volume.members / 2);
    let large = |arrival: &Arrival| {
        let load = &view.loads[arrival.load];
        load.writes() && load.is_sequential() && arrival.bytes >= row
    };
    let all = !view.arrivals[id.0].is_empty() && view.arrivals[id.0].keys().all(large);
    if !all || !view.has_write_cache(id) || volume.members < 3 {
        return;
    }
    let disks = volume.members;
    let says = format!(
        "large sequential writes go to both disks of each of {} pairs; level 5 over the same \
         {disks} writes {disks}/{} instead of 2 bytes for one, and holds {} disks of data",
        disks / 2,
        disks - 1,
        disks - 1
    );
    let about = About::advice(Rule::Raid10Writes, view.span(id, "level"));
    let hint = "level 5 with a full stripe of the request's size; level 10 rebuilds faster";
    about.say(remarks, &[id], says, hint);
}

/// Small segments let several disks share a request, large ones keep it on one.
fn segments(view: &View<'_>, id: PartId, volume: &Volume, remarks: &mut Remarks) {
    let (segment, data) = match &volume.geometry {
        Geometry::Parity(parity) => (parity.segment, parity.data(volume.members)),
        Geometry::StripedMirrors { segment } => (*segment, volume.members / 2),
        Geometry::Stripe { unit } if view.kind(id) != "stripe" => (*unit, volume.members),
        _ => return,
    };
    if view.system.size(id, "segment").is_none() {
        return;
    }
    let span = view.span(id, "segment");
    let arrivals = &view.arrivals[id.0];
    if let [(arrival, 1)] = arrivals.iter().collect::<Vec<_>>()[..] {
        for_one(view, (id, span), (arrival, segment, data), remarks);
    }
    let many = arrivals.iter().find(|(arrival, streams)| {
        let load = &view.loads[arrival.load];
        let at_once = streams.saturating_mul(u64::from(load.first().depth));
        !load.is_sequential() && at_once > 1 && arrival.bytes > segment
    });
    if let Some((arrival, _)) = many {
        let says = format!(
            "random requests of {} take {} disks each, with a segment of {}: fewer users are \
            served in parallel",
            Bytes(arrival.bytes),
            arrival.bytes.div_ceil(segment).min(u64::from(data)),
            Bytes(segment)
        );
        let hint = format!("a segment of {} or more keeps each on one disk", Bytes(arrival.bytes));
        let about = About::advice(Rule::SegmentForMany, span);
        about.say(remarks, &[id], says, &hint);
    }
}

/// One stream, one request at a time: it is as fast as the disks that share the request.
fn for_one(
    view: &View<'_>,
    (id, span): (PartId, iopath_study::source::Span),
    (arrival, segment, data): (&Arrival, u64, u32),
    remarks: &mut Remarks,
) {
    let load = &view.loads[arrival.load];
    let first = load.first();
    let whole = segment * u64::from(data);
    let alone = load.is_sequential() && first.depth == 1 && arrival.bytes == first.block.0;
    let reads_ahead = view.system.ancestors(id).flat_map(|up| &view.children[up.0]);
    let mut reads_ahead = reads_ahead.filter(|child| view.kind(**child) == "cache");
    let reads_ahead = reads_ahead.any(|cache| view.system.flag(*cache, "read-ahead") == Some(true));
    if !alone || !load.reads() || reads_ahead || arrival.bytes >= whole {
        return;
    }
    let disks = arrival.bytes.div_ceil(segment);
    let says = format!(
        "{} is one stream with one request of {} at a time: {disks} of {data} data disks work on \
         it, the segment is {}",
        load.group(),
        Bytes(arrival.bytes),
        Bytes(segment)
    );
    let hint =
        format!("use requests of {} (segment × data disks), or a smaller segment", Bytes(whole));
    let about = About::advice(Rule::SegmentForOne, span);
    about.say(remarks, &[id], says, &hint);
}

/// A hot spare starts a rebuild at once.
fn spares(view: &View<'_>, remarks: &mut Remarks) {
    let mut guarded: BTreeMap<PartId, (PartId, u64)> = BTreeMap::new();
    let mut spared = BTreeSet::new();
    for id in view.of_class(Class::Volume) {
        let media = view.members(id).iter().all(|member| view.class(*member) == Class::Medium);
        let copies = view.volume(id).is_some_and(|volume| keeps_copies(&volume.geometry));
        let Some(container) = view.within(id, &["array", "enclosure", "host"]) else { continue };
        if view.system.count(id, "spares").unwrap_or(0) > 0 {
            spared.insert(container);
        } else if media && copies {
            guarded.entry(container).or_insert((id, 0)).1 += view.members(id).len() as u64;
        }
    }
    for disk in view.of_class(Class::Medium) {
        let used = !view.users[disk.0].is_empty();
        let parent = view.system.part(disk).parent;
        let inside = parent.is_some_and(|parent| view.class(parent) == Class::Volume);
        if !used && !inside {
            spared.extend(view.within(disk, &["array", "enclosure", "host"]));
        }
    }
    for (container, (volume, disks)) in guarded {
        if spared.contains(&container) {
            continue;
        }
        let says = format!(
            "none of its {disks} disks is a spare: after a loss, the rebuild waits for a new disk"
        );
        let about = About::advice(Rule::NoSpare, view.declared(volume));
        about.say(remarks, &[container], says, "keep one spare: spares=1");
    }
}
