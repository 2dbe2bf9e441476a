//! Rules about sizes that do not fit one another: stripe units, largest requests, segments.
//!
//! A write of whole stripes needs no reads: data disks × segment = what arrives (pSeries 690:
//! 4+P × 256 KiB and 8+P × 128 KiB fit 1 MiB).

use iopath_study::{Class, PartId};
use iopath_units::Bytes;

use super::Remarks;
use super::requests::Arrival;
use super::rule::{Rule, Severity};
use super::view::{About, View};
use crate::volume::{Geometry, Parity, Volume};

/// Requests of this many full stripes and more have so little that is not whole (at most an
/// eighth) that it does not matter; chosen.
const MANY_STRIPES: u64 = 8;

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.of_class(Class::Volume) {
        if view.kind(id) == "stripe" {
            cut(view, id, remarks);
        }
        let Some(volume) = view.volume(id) else { continue };
        let missed = match &volume.geometry {
            Geometry::Parity(parity) => partial(view, id, &volume, *parity, remarks),
            _ => false,
        };
        if !missed {
            straddling(view, id, &volume, remarks);
        }
    }
}

/// The unit is cut before it goes out.
fn cut(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    let sizes = (view.system.size(id, "unit"), view.system.size(id, "largest-request"));
    let (Some(unit), Some(largest)) = sizes else { return };
    if largest >= unit {
        return;
    }
    let about = |severity| About {
        rule: Rule::CutRequests,
        severity,
        span: view.span(id, "largest-request"),
    };
    if unit.0.is_multiple_of(largest.0) {
        let says = format!(
            "a stripe unit of {unit} is cut into {} requests of {largest}, its largest: a larger \
             unit gains nothing",
            unit.0 / largest.0
        );
        let hint = format!("unit=\"{largest}\" is enough");
        about(Severity::Advice).say(remarks, &[id], says, &hint);
    } else {
        let says = format!(
            "a stripe unit of {unit} is cut into requests of {largest} and a rest of {}",
            Bytes(unit.0 % largest.0)
        );
        let hint = format!("make the unit {largest} or a multiple of it");
        about(Severity::Warning).say(remarks, &[id], says, &hint);
    }
}

/// What arrives is no whole stripe; whether that was said.
fn partial(
    view: &View<'_>,
    id: PartId,
    volume: &Volume,
    parity: Parity,
    remarks: &mut Remarks,
) -> bool {
    let full = parity.stripe(volume.members);
    let misses = |bytes: u64| !bytes.is_multiple_of(full) && bytes < MANY_STRIPES * full;
    let is_gathered = |arrival: &Arrival| view.gathers(&view.loads[arrival.load], id, full);
    let arrivals = &view.arrivals[id.0];
    if !arrivals.is_empty() && arrivals.keys().all(is_gathered) {
        return false;
    }
    let cut = |arrival: &&Arrival| is_layouts(view, arrival, full) && !is_gathered(arrival);
    let written = arrivals.keys().filter(cut);
    let written = written.map(|arrival| arrival.bytes).find(|bytes| misses(*bytes));
    let found = match written {
        Some(bytes) => Some((bytes, Severity::Warning)),
        None => handed_from_above(view, id)
            .find(|bytes| misses(*bytes))
            .map(|bytes| (bytes, Severity::Advice)),
    };
    let Some((bytes, severity)) = found else { return false };
    let data = u64::from(parity.data(volume.members));
    let says = format!(
        "a full stripe is {data} data disks × {} = {}, but requests of {} arrive: a write of that \
         size reads before it writes",
        Bytes(parity.segment),
        Bytes(full),
        Bytes(bytes)
    );
    let about = About { rule: Rule::PartialStripe, severity, span: view.span(id, "segment") };
    about.say(remarks, &[id], says, &fitting(data, bytes));
    true
}

/// Whether requests are written one after the other in the size that the layout gives them, or are
/// longer than a stripe anyway. Smaller ones that a stream asks for itself are another rule's.
fn is_layouts(view: &View<'_>, arrival: &Arrival, full: u64) -> bool {
    let load = &view.loads[arrival.load];
    let given = arrival.bytes < view.merged(load) || arrival.bytes >= full;
    load.writes() && load.is_sequential() && given
}

/// The largest requests of the stripes that lie over a volume.
fn handed_from_above(view: &View<'_>, id: PartId) -> impl Iterator<Item = u64> {
    let stripes = view.users[id.0].iter().filter(|user| view.kind(**user) == "stripe");
    stripes.filter_map(|stripe| {
        let unit = view.system.size(*stripe, "unit")?.0;
        let largest = view.system.size(*stripe, "largest-request");
        Some(largest.map_or(unit, |largest| largest.0.min(unit)))
    })
}

/// How to make whole stripes of requests of this size.
fn fitting(data: u64, bytes: u64) -> String {
    if bytes.is_multiple_of(data) && (bytes / data).is_power_of_two() {
        return format!("segment=\"{}\" makes a full stripe of it", Bytes(bytes / data));
    }
    let fits = |disks: &u64| bytes.is_multiple_of(*disks) && (bytes / disks).is_power_of_two();
    let fewer = (2..data).rev().find(fits);
    let more = (data + 1..=4 * data).find(fits);
    let shown = |disks: u64| format!("{disks} data disks × {}", Bytes(bytes / disks));
    let choices: Vec<String> = fewer.into_iter().chain(more).map(shown).collect();
    match choices.is_empty() {
        true => "make the requests a multiple of the full stripe".to_owned(),
        false => format!(
            "{data} data disks cannot meet {} with any segment that is a power of two; {} can",
            Bytes(bytes),
            choices.join(" or ")
        ),
    }
}

/// Neither of the unit above and the segment divides the other: requests end inside of segments.
fn straddling(view: &View<'_>, id: PartId, volume: &Volume, remarks: &mut Remarks) {
    let (Geometry::Parity(Parity { segment, .. })
    | Geometry::Stripe { unit: segment }
    | Geometry::StripedMirrors { segment }) = &volume.geometry
    else {
        return;
    };
    let segment = *segment;
    if view.system.size(id, "segment").is_none() && view.system.size(id, "unit").is_none() {
        return;
    }
    for &above in &view.users[id.0] {
        let unit = match view.kind(above) {
            "stripe" => view.system.size(above, "unit"),
            _ => None,
        };
        let Some(unit) = unit else { continue };
        if unit.0.is_multiple_of(segment) || segment.is_multiple_of(unit.0) {
            continue;
        }
        let says = format!(
            "the stripe unit {unit} of {} and its segment {} do not divide each other: requests \
             end within segments and use one disk more than necessary",
            view.system.declared(above).name,
            Bytes(segment)
        );
        let about = About::warning(Rule::UnitMisfitsSegment, view.span(above, "unit"));
        about.say(remarks, &[id], says, "make the unit a multiple of the segment");
    }
}
