//! What is watched beside block devices: file systems that have none, network, Fibre Channel,
//! processors, memory, and what tasks wait for. What a kernel lacks gives no entity.

use std::collections::BTreeMap;

use iopath_machine::Root;
use iopath_machine::counters::pressure::Resource;
use iopath_machine::counters::{fc_hosts, network, nfs, pressure, processors, zfs};
use iopath_record::{EntityId, Layer};

use super::scope::Scope;
use super::table::{Copies, Named, Table};

/// What tasks can be stalled for, by name.
pub(super) const RESOURCES: [(Resource, &str); 3] =
    [(Resource::Io, "io"), (Resource::Processor, "cpu"), (Resource::Memory, "memory")];

/// The entities, by what the kernel calls them.
#[derive(Debug)]
pub(super) struct Beside {
    pub all_processors: EntityId,
    pub processors: BTreeMap<u32, EntityId>,
    pub memory: EntityId,
    pub arc: Option<EntityId>,
    /// By place in [`RESOURCES`].
    pub pressure: [Option<EntityId>; 3],
    pub network: BTreeMap<String, EntityId>,
    pub fibre: BTreeMap<String, EntityId>,
    /// By export and mount point.
    pub nfs: BTreeMap<(String, String), EntityId>,
    /// Pools whose releases count them as a whole.
    pub pools: BTreeMap<String, EntityId>,
    /// Datasets of the others, by pool and name.
    pub datasets: BTreeMap<String, BTreeMap<String, EntityId>>,
}

fn named(name: impl Into<String>, kind: &'static str, layer: Layer) -> Named {
    Named { name: name.into(), kind, layer, binding: None }
}

impl Beside {
    pub(super) fn put(table: &mut Table, root: &Root, scope: &Scope) -> Self {
        let found = processors::read(root).map(|found| found.each).unwrap_or_default();
        let all_processors = table.put(named("cpu", "cpu", Layer::Processor));
        table.describe(all_processors, None, u32::try_from(found.len()).unwrap_or(u32::MAX));
        let mut each = BTreeMap::new();
        for processor in &found {
            let one = named(format!("cpu{}", processor.index), "cpu", Layer::Processor);
            let id = table.put(one);
            table.describe(id, Some(all_processors), 1);
            each.insert(processor.index, id);
        }
        let memory = table.put(named("memory", "memory", Layer::Memory));
        let arc = zfs::read_arc(root).ok().flatten();
        let pressure = RESOURCES.map(|(resource, name)| {
            let found = pressure::read(root, resource).ok().flatten();
            found.map(|_| table.put(named(name, "pressure", Layer::Generator)))
        });
        let arc = arc.map(|_| table.put(named("arc", "memory", Layer::Memory)));
        let (pools, datasets) = put_zfs(table, root, scope);
        Self {
            all_processors,
            processors: each,
            memory,
            arc,
            pressure,
            network: put_network(table, root, scope),
            fibre: put_fibre(table, root),
            nfs: put_nfs(table, root, scope),
            pools,
            datasets,
        }
    }
}

/// Of targets, only where one is reached over the network.
fn put_network(table: &mut Table, root: &Root, scope: &Scope) -> BTreeMap<String, EntityId> {
    if !scope.has_mount(|mount| mount.fs_type.starts_with("nfs")) {
        return BTreeMap::new();
    }
    let found = network::read(root).unwrap_or_default();
    let put = |one: network::Interface| {
        let id = table.put(named(&one.name, "network", Layer::Adapter));
        (one.name, id)
    };
    found.into_iter().map(put).collect()
}

fn put_fibre(table: &mut Table, root: &Root) -> BTreeMap<String, EntityId> {
    let found = fc_hosts::read(root).unwrap_or_default();
    let put = |one: fc_hosts::FcHost| {
        let host = named(&one.name, "fc-host", Layer::Adapter);
        let id = table.put(Named { binding: one.port_name, ..host });
        (one.name, id)
    };
    found.into_iter().map(put).collect()
}

fn put_nfs(table: &mut Table, root: &Root, scope: &Scope) -> BTreeMap<(String, String), EntityId> {
    let mut all = BTreeMap::new();
    for mount in nfs::read(root).unwrap_or_default() {
        if scope.has_mount(|one| one.mount_point == mount.mount_point) {
            let place = mount.mount_point.display().to_string();
            let one = named(&place, "nfs", Layer::FileSystem);
            let id = table.put(Named { binding: Some(mount.export.clone()), ..one });
            all.insert((mount.export, place), id);
        }
    }
    all
}

type Zfs = (BTreeMap<String, EntityId>, BTreeMap<String, BTreeMap<String, EntityId>>);

fn put_zfs(table: &mut Table, root: &Root, scope: &Scope) -> Zfs {
    let (mut pools, mut datasets) = (BTreeMap::new(), BTreeMap::new());
    let is_of = |pool: &str, source: &str| source.split('/').next() == Some(pool);
    for pool in zfs::pools(root).unwrap_or_default() {
        let is_watched = |mount: &iopath_machine::mounts::Mount| {
            mount.fs_type == "zfs" && is_of(&pool, &mount.source.to_string_lossy())
        };
        if !scope.has_mount(is_watched) {
            continue;
        }
        if zfs::read_pool(root, &pool).ok().flatten().is_some() {
            let id = table.put(named(&pool, "pool", Layer::FileSystem));
            pools.insert(pool, id);
            continue;
        }
        let found = zfs::read_datasets(root, &pool).unwrap_or_default();
        let put = |one: zfs::Dataset| {
            let id = table.put(named(&one.name, "dataset", Layer::FileSystem));
            (one.name, id)
        };
        let each = found.into_iter().map(put).collect();
        datasets.insert(pool, each);
    }
    (pools, datasets)
}

/// The targets themselves, above what they lie on.
pub(super) fn put_targets(
    table: &mut Table,
    scope: &Scope,
    below: &dyn Fn(&mut Table, &str) -> Option<EntityId>,
) {
    for target in &scope.targets {
        let Some(mount) = &target.location.mount else { continue };
        let name = target.path.display().to_string();
        let binding = Some(format!("{} {}", mount.fs_type, mount.mount_point.display()));
        let upper = table.put(Named { binding, ..named(name, "file", Layer::FileSystem) });
        let devices = target.location.devices.iter();
        let lower = devices.filter_map(|name| below(table, name)).collect();
        table.relate(upper, lower, Copies::ONE);
    }
}
