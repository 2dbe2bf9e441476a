//! What a page cache and software RAID gather: writes one behind the other become full stripes.
//!
//! The page cache hands down long runs, and md keeps stripes that are written in part for a while,
//! for the rest to come (`stripe_cache_size`, `preread_bypass_threshold`; md.rst of the kernel's
//! admin guide). So nothing is read for them. Left out: a stripe cache of fewer than two stripes.

use iopath_study::{Class, PartId, System};

use crate::capacity::active;
use crate::volume::Volume;

/// Bytes of the full stripe that sequential writes through the page cache of a file system make up
/// on the software RAID that it lies on; none where that has no parity, or a controller has it, or
/// where the file system writes records.
#[must_use]
pub fn gathered(system: &System, file_system: PartId) -> Option<u64> {
    let [volume] = &system.part(file_system).members[..] else { return None };
    let has_records = system.size(file_system, "record").is_some();
    if has_records || system.kind(file_system) != "filesystem" {
        return None;
    }
    let part = system.part(*volume);
    let is_host = |place: PartId| system.class(place) == Class::Host;
    let is_software = system.class(*volume) == Class::Volume
        && part.parent.into_iter().chain(part.place).all(is_host);
    let volume = Volume::read(system, *volume, &active(system, *volume)).ok();
    volume.filter(|_| is_software)?.full_stripe()
}
