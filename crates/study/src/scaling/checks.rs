//! Whether requests stay whole at a scale: every size that requests are made of.
//!
//! Where a volume is split by the host that measures (what stands outside of the path), or a host
//! asks for units, requests reach devices, which take whole pages. Sizes inside of arrays only need
//! to divide evenly, so that their layout stays the same.

use std::collections::BTreeSet;

use iopath_units::Bytes;

use super::{CannotScale, Scale, left_out};
use crate::case::{Case, Pattern};
use crate::resolve::distance;
use crate::source::Span;
use crate::system::{PartId, System};
use crate::words::Extents;

/// What a device and the kernel move at least: 4 KiB.
pub(super) const PAGE: u64 = 4 << 10;

/// What a device addresses: 512 bytes.
pub(super) const SECTOR: u64 = 512;

/// A size that requests are made of.
struct Made {
    what: String,
    size: Bytes,
    span: Span,
    /// The least that it may become.
    least: u64,
}

impl Made {
    fn fits(&self, divisor: u64) -> bool {
        let becomes = self.size.0 / divisor;
        let unit = if self.least == PAGE { SECTOR } else { 1 };
        divisor == 1
            || (becomes >= self.least && self.size.0.is_multiple_of(divisor.saturating_mul(unit)))
    }
}

pub(super) fn check(case: &Case, scale: Scale) -> Result<(), CannotScale> {
    if scale.divisor == 1 {
        return Ok(());
    }
    if let Some(stream) = case.streams.iter().find(|one| one.pattern == Pattern::Spc1Like) {
        let (stream, span) = (stream.group.clone(), stream.place.0);
        return Err(CannotScale::OwnSizes { stream, span });
    }
    let mut made = of_streams(case);
    made.extend(of_volumes(case));
    let in_the_way = made.iter().filter(|one| !one.fits(scale.divisor));
    let Some(first) = in_the_way.min_by_key(|one| one.size) else { return Ok(()) };
    let smaller = std::iter::successors(Some(scale.divisor), |divisor| Some(divisor / 2));
    let mut smaller = smaller.take_while(|divisor| *divisor > 0);
    let largest = smaller.find(|divisor| made.iter().all(|one| one.fits(*divisor)));
    Err(CannotScale::TooSmall {
        what: first.what.clone(),
        size: first.size,
        span: first.span,
        asked: scale.divisor,
        largest: largest.unwrap_or(1),
    })
}

fn of_streams(case: &Case) -> Vec<Made> {
    let mut made = Vec::new();
    if let (Some(size), Some(first)) = (case.workload.kernel.readahead, case.streams.first()) {
        let what = "kernel-readahead of the workload".to_owned();
        made.push(Made { what, size, span: first.place.0, least: PAGE });
    }
    for stream in &case.streams {
        let span = stream.place.0;
        let mut add = |property: &str, size: Bytes, least: u64| {
            let what = format!("{property} of {}", stream.group);
            made.push(Made { what, size, span, least });
        };
        add("block", stream.block, PAGE);
        if let Some((property, size)) = distance(stream.pattern) {
            add(property, size, 1);
        }
    }
    made
}

/// The sizes at which volumes, file systems and readahead cut, of all that targets lie on.
fn of_volumes(case: &Case) -> Vec<Made> {
    let system = &case.system;
    let mut made = Vec::new();
    for id in below(case) {
        let in_path = system.part(id).parent.is_some() && !is_software(system, id);
        let least = if in_path { 1 } else { PAGE };
        for property in cutting(system, id) {
            let Some(value) = system.value(id, property) else { continue };
            let Some(size) = value.value.size() else { continue };
            let what = format!("{property} of {}", owner(system, id));
            made.push(Made { what, size, span: value.span, least });
        }
        if let Some((property, size)) = left_out::of(system, id) {
            let what = format!("{property} of {}, the default,", owner(system, id));
            made.push(Made { what, size, span: system.declared(id).span, least });
        }
    }
    made
}

fn is_software(system: &System, id: PartId) -> bool {
    system.kind(id) == "readahead"
}

/// What people call it: what has no name of its own goes by what it stands in.
fn owner(system: &System, id: PartId) -> String {
    let part = system.part(id);
    if part.name.is_empty() { system.kind(id).to_owned() } else { part.name.clone() }
}

fn cutting(system: &System, id: PartId) -> &'static [&'static str] {
    match system.kind(id) {
        "mirror" => &["turn", "largest-request"],
        "stripe" | "concat" | "lun" | "raid" => &["unit", "segment", "largest-request"],
        "filesystem" if splits_at_blocks(system, id) => &["block", "record", "largest-request"],
        "filesystem" => &["record", "largest-request"],
        "readahead" => &["unit"],
        _ => &[],
    }
}

/// Whether a file system cuts requests at its blocks.
pub(super) fn splits_at_blocks(system: &System, file_system: PartId) -> bool {
    let is_scattered = |id: PartId| {
        system.choice(id, "extents") == Some(Extents::Random)
            && system.part(id).members.contains(&file_system)
    };
    system.part(file_system).members.len() > 1
        || system.choice(file_system, "allocation") == Some(Extents::Random)
        || system.ids().any(is_scattered)
}

/// Targets, what they lie on, and what stands in it.
fn below(case: &Case) -> BTreeSet<PartId> {
    let system = &case.system;
    let mut found = BTreeSet::new();
    let mut waiting: Vec<PartId> = case.targets.iter().map(|target| target.part).collect();
    while let Some(id) = waiting.pop() {
        if found.insert(id) {
            waiting.extend(system.part(id).members.iter().copied());
            waiting.extend(system.children(id));
        }
    }
    found
}
