//! The entities of targets: files, devices, volumes with their members, and the devices below.
//!
//! A volume's members are counted by the volume itself, request for request; the device below a
//! member has counters of its own, the kernel's, and is an entity of its own. Volumes may share
//! members, and then these have the counts of all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use iopath_machine::Devices;
use iopath_machine::counters::diskstats::DeviceNumber;
use iopath_record::{Entity, EntityId, Layer, Relation};

use super::{ONE_COPY, Table, entity};
use crate::sampler::{Counted, Disk, Joined, Watched};
use crate::target::{OpenFile, OpenTarget, OpenVolume};

/// What is sampled of targets, while it grows.
#[derive(Default)]
pub(super) struct Paths {
    pub devices: Option<Devices>,
    disks: BTreeMap<DeviceNumber, Disk>,
    /// By name and label; the position of its counts.
    members: BTreeMap<(String, String), usize>,
    pub counted: Vec<Counted>,
    pub joined: Vec<Joined>,
    pub watched: Vec<Watched>,
}

impl Paths {
    pub(super) fn new(devices: Option<Devices>) -> Self {
        Self { devices, ..Self::default() }
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
        let files = target.files.iter();
        let files: Vec<_> =
            files.filter_map(|file| Some((file.file.try_clone().ok()?, file.bytes))).collect();
        self.watched.push(Watched { entity: id, files });
        id
    }

    fn add_plain(&mut self, table: &mut Table, target: &OpenTarget) -> EntityId {
        let file = &target.files[0];
        let (kind, layer) = match file.is_device() {
            true => ("disk", Layer::Device),
            false => ("file", Layer::FileSystem),
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
        let id = table.add(entity(&target.name, volume.kind, Layer::Volume));
        self.joined.push(Joined { entity: id, tally: Arc::clone(&volume.tally) });
        let files = target.files.iter().enumerate();
        let lower = files.map(|(at, file)| {
            let member = self.member(table, file);
            self.counted[member].of.push((Arc::clone(&volume.tally), at));
            self.counted[member].entity
        });
        let lower: Vec<EntityId> = lower.collect();
        let copies = volume.layout.write_copies().or((!writes).then_some(1));
        if let Some(copies) = copies {
            let (read_copies_ppm, write_copies_ppm) = (ONE_COPY, copies * ONE_COPY);
            let relation = Relation { upper: id, lower, read_copies_ppm, write_copies_ppm };
            table.relations.push(relation);
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
        let id = table.add(Entity { binding, ..entity(&file.name, "member", layer) });
        self.counted.push(Counted { entity: id, of: Vec::new() });
        self.members.insert(name, self.counted.len() - 1);
        self.add_below(table, id, (file, false));
        self.counted.len() - 1
    }

    /// The devices below a file, or the device that it is.
    fn add_below(&mut self, table: &mut Table, id: EntityId, (file, is_itself): (&OpenFile, bool)) {
        let mut lower = Vec::new();
        for name in &file.devices {
            let found = self.devices.as_ref().and_then(|devices| devices.find(name));
            let Some(number) = found.map(|device| device.number) else { continue };
            let mut add = || {
                let binding = Some(format!("/dev/{name}"));
                table.add(Entity { binding, ..entity(name, "disk", Layer::Device) })
            };
            let disk = self.disks.entry(number).or_insert_with(|| {
                let entity = if is_itself { id } else { add() };
                Disk { entity, name: name.clone(), number }
            });
            lower.push(disk.entity);
        }
        if !lower.is_empty() && lower != [id] {
            table.relate(id, lower);
        }
    }
}
