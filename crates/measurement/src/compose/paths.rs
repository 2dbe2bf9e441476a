//! The entities of targets: files, devices, volumes with their members, and the devices below.
//!
//! A volume's members are counted by the volume itself, request for request; the device below a
//! member has counters of its own, the kernel's, and is an entity of its own. Volumes may share
//! members, and then these have the counts of all of them. What the kernel's volumes stand on is
//! followed to the drives ([`crate::below`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use iopath_machine::counters::diskstats::DeviceNumber;
use iopath_machine::devices::Device;
use iopath_record::{Entity, EntityId, Kind, Layer};

use super::{Table, entity};
use crate::below::{Copies, Stack, copies, way};
use crate::sampler::{Counted, Disk, Joined, Watched};
use crate::system_sources::{Entities as _, Named};
use crate::target::{OpenFile, OpenTarget, OpenVolume};
use crate::ways::Way;

/// What is sampled of targets, while it grows.
pub(super) struct Paths<'a> {
    pub stack: Stack<'a>,
    disks: BTreeMap<DeviceNumber, Disk>,
    /// By name and label; the position of its counts.
    members: BTreeMap<(String, String), usize>,
    pub counted: Vec<Counted>,
    pub joined: Vec<Joined>,
    pub watched: Vec<Watched>,
    pub ways: Vec<Way>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(stack: Stack<'a>) -> Self {
        Self {
            stack,
            disks: BTreeMap::new(),
            members: BTreeMap::new(),
            counted: Vec::new(),
            joined: Vec::new(),
            watched: Vec::new(),
            ways: Vec::new(),
        }
    }

    pub(super) fn disks(&self) -> Vec<Disk> {
        self.disks.values().cloned().collect()
    }

    /// Adds a target with everything below it. `writes` says whether a stream writes to it.
    pub(super) fn add(&mut self, table: &mut Table, target: &OpenTarget, writes: bool) -> EntityId {
        let id = match &target.volume {
            Some(volume) => self.add_volume(table, (target, volume), writes),
            None => self.add_plain(table, target),
        };
        let files = target.files.iter().filter(|_| !target.is_tree());
        let files: Vec<_> =
            files.filter_map(|file| Some((file.file.try_clone().ok()?, file.bytes))).collect();
        self.watched.push(Watched { entity: id, files });
        id
    }

    fn add_plain(&mut self, table: &mut Table, target: &OpenTarget) -> EntityId {
        let file = &target.files[0];
        let device = file.devices.first().and_then(|name| self.stack.counted(name));
        let (kind, layer) = match (file.is_device(), device) {
            (true, Some(device)) => self.kind(device),
            (true, None) => (Kind::Disk, Layer::Device),
            (false, _) if target.is_tree() => (Kind::Tree, Layer::FileSystem),
            (false, _) => (Kind::File, Layer::FileSystem),
        };
        let binding = Some(target.label.clone());
        let id = table.add(Entity { binding, ..entity(&target.name, kind, layer) });
        // A block device that is itself the target is one entity, not two.
        self.add_below(table, id, (file, file.is_device()));
        id
    }

    fn add_volume(
        &mut self,
        table: &mut Table,
        (target, volume): (&OpenTarget, &OpenVolume),
        writes: bool,
    ) -> EntityId {
        volume.tally.clear();
        let id = table.add(entity(&target.name, volume.kind.into(), Layer::Volume));
        self.joined.push(Joined { entity: id, tally: Arc::clone(&volume.tally) });
        let files = target.files.iter().enumerate();
        let lower = files.map(|(at, file)| {
            let member = self.member(table, file);
            self.counted[member].of.push((Arc::clone(&volume.tally), at));
            self.counted[member].entity
        });
        let mut lower: Vec<EntityId> = lower.collect();
        // Several members may send their copies to the same cache.
        let mut seen = BTreeSet::new();
        lower.retain(|member| seen.insert(*member));
        let copies = volume.layout.write_copies().or((!writes).then_some(1));
        if let Some(copies) = copies {
            let write_ppm = copies * Copies::ONE.write_ppm;
            table.relate_copied(id, lower, Copies { write_ppm, ..Copies::ONE });
        }
        id
    }

    fn member(&mut self, table: &mut Table, file: &OpenFile) -> usize {
        let name = (file.name.clone(), file.label.clone());
        if let Some(member) = self.members.get(&name) {
            return *member;
        }
        let layer = if file.is_device() { Layer::Lun } else { Layer::FileSystem };
        let binding = Some(file.label.clone());
        let id = table.add(Entity { binding, ..entity(&file.name, Kind::Member, layer) });
        self.counted.push(Counted { entity: id, of: Vec::new() });
        self.members.insert(name, self.counted.len() - 1);
        self.add_below(table, id, (file, false));
        self.counted.len() - 1
    }

    /// The devices below a file, or the device that it is.
    fn add_below(&mut self, table: &mut Table, id: EntityId, (file, is_itself): (&OpenFile, bool)) {
        let mut lower = Vec::new();
        for name in &file.devices {
            let Some(device) = self.stack.counted(name) else { continue };
            lower.push(self.add_device(table, device, is_itself.then_some(id)));
        }
        if !lower.is_empty() && lower != [id] {
            table.relate(id, lower);
        }
    }

    /// A device with what it stands on; `itself` is its entity where it is a target.
    fn add_device(
        &mut self,
        table: &mut Table,
        device: &Device,
        itself: Option<EntityId>,
    ) -> EntityId {
        if let Some(known) = self.disks.get(&device.number) {
            return known.entity;
        }
        let (kind, layer) = self.kind(device);
        let binding = Some(device.node().display().to_string());
        let named = Named { name: device.name.clone(), kind, layer, binding };
        let id = itself.unwrap_or_else(|| table.put(named));
        let disk = Disk { entity: id, name: device.name.clone(), number: device.number };
        self.disks.insert(device.number, disk);
        let members = self.stack.members(device);
        let members: Vec<&Device> =
            members.iter().filter_map(|name| self.stack.devices.find(name)).collect();
        let lower: Vec<EntityId> =
            members.into_iter().map(|member| self.add_device(table, member, None)).collect();
        if !lower.is_empty() {
            table.relate_copied(id, lower, copies(device));
        }
        self.add_ways(table, &device.name, id);
        id
    }

    fn add_ways(&mut self, table: &mut Table, name: &str, whole: EntityId) {
        let names: Vec<String> = self.stack.ways(name).map(|one| one.name.clone()).collect();
        let add = |name: String| Way { entity: table.put(way(&name)), name, whole };
        let ways: Vec<Way> = names.into_iter().map(add).collect();
        if !ways.is_empty() {
            let lower = ways.iter().map(|way| way.entity).collect();
            table.relate_copied(whole, lower, Copies::ONE);
            self.ways.extend(ways);
        }
    }

    /// What a device is to a reader: a disk, unless it stands on others.
    fn kind(&self, device: &Device) -> (Kind, Layer) {
        let named = self.stack.named(device);
        let has_ways = self.stack.ways(&device.name).next().is_some();
        match self.stack.members(device).is_empty() && !has_ways && named.kind != Kind::Path {
            true => (Kind::Disk, Layer::Device),
            false => (named.kind, named.layer),
        }
    }
}

#[cfg(test)]
mod tests;
