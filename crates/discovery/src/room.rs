//! How large what is drawn may be said to be.
//!
//! Law of the study language (`too-large` in docs/path-rules.md): a volume is not larger than its
//! members have room for, nor are all that lie on one volume alone, together. Real ones are: a thin
//! volume promises more than its pool has, a snapshot has the bytes of its origin, a file has
//! holes. The size of such a one is left out; it is then as large as what it lies on.
//! Leaves out: where on a member a volume begins.

use std::collections::BTreeMap;

use iopath_machine::Devices;

use crate::model::Volume;

/// Why a size is not said.
const ALONE: &str = "it is larger than the devices below it: its size is left out";
const TOGETHER: &str = "it and others are larger than the devices below them: its size is left out";

/// What there is room for, and what is taken of it.
#[derive(Default)]
pub(crate) struct Rooms {
    /// Bytes of volumes and file systems as they are drawn, by key.
    drawn: BTreeMap<String, u64>,
    /// Bytes that are said to lie on one member alone, by its key.
    taken: BTreeMap<String, u64>,
}

impl Rooms {
    /// Gives a volume its room; why its own size, 0 where it is unknown, may not be said.
    pub(crate) fn take(
        &mut self,
        devices: &Devices,
        volume: &Volume,
        bytes: u64,
    ) -> Result<(), &'static str> {
        let below: Option<Vec<u64>> =
            volume.over.iter().map(|name| self.room(devices, name)).collect();
        let Some(below) = below else {
            if bytes > 0 {
                self.drawn.insert(volume.kernel.clone(), bytes);
            }
            return Ok(());
        };
        let room = usable(volume, &below);
        let fits = if bytes > room { Err(ALONE) } else { self.lie_on(&volume.over, &below, bytes) };
        let drawn = if fits.is_ok() && bytes > 0 { bytes } else { room };
        self.drawn.insert(volume.kernel.clone(), drawn);
        fits
    }

    /// Gives a file its room in a file system that has some; why its size may not be said.
    pub(crate) fn take_file(&mut self, system: &str, bytes: u64) -> Result<(), &'static str> {
        match self.drawn.get(system).copied() {
            Some(room) if bytes > room => Err(ALONE),
            Some(room) => self.lie_on(&[system.to_owned()], &[room], bytes),
            None => Ok(()),
        }
    }

    /// A file system has what it lies on.
    pub(crate) fn file_system(&mut self, devices: &Devices, key: &str, on: &[String]) {
        let below: Option<Vec<u64>> = on.iter().map(|name| self.room(devices, name)).collect();
        if let Some(below) = below {
            self.drawn.insert(key.to_owned(), below.iter().sum());
        }
    }

    fn room(&self, devices: &Devices, name: &str) -> Option<u64> {
        let own = || devices.find(name).map(|device| device.bytes);
        self.drawn.get(name).copied().or_else(own)
    }

    /// Why so many bytes more do not fit on a single member.
    fn lie_on(&mut self, over: &[String], below: &[u64], bytes: u64) -> Result<(), &'static str> {
        let ([member], [room]) = (over, below) else { return Ok(()) };
        let taken = self.taken.entry(member.clone()).or_default();
        if taken.saturating_add(bytes) > *room {
            return Err(TOGETHER);
        }
        *taken += bytes;
        Ok(())
    }
}

/// What a volume over members of these sizes can hold.
fn usable(volume: &Volume, below: &[u64]) -> u64 {
    let said = |name| volume.values.iter().find(|value| value.name == name);
    let level = said("level");
    let (count, least) = (below.len() as u64, below.iter().min().copied().unwrap_or(0));
    match (volume.kind, level.map_or("", |level| level.value.as_str())) {
        ("mirror", _) => least,
        ("raid", "6") if said("parity").is_some() => count.saturating_sub(3) * least,
        ("raid", "6") => count.saturating_sub(2) * least,
        ("raid", "10") => count / 2 * least,
        ("raid", _) => count.saturating_sub(1) * least,
        ("stripe", _) => count * least,
        _ => below.iter().sum(),
    }
}
