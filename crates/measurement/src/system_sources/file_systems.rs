//! File systems that have no block device of their own, or tell of errors: NFS, ZFS, btrfs.
//!
//! A pool of ZFS is counted as a whole by older releases, by dataset by others. btrfs counts no
//! requests: its traffic is that of its members, and its own are the errors that it met.

use std::collections::BTreeMap;

use iopath_machine::counters::{btrfs, nfs, zfs};
use iopath_machine::file_systems;
use iopath_machine::mounts::Mount;
use iopath_record::{Counter, EntityId, Kind, Layer};

use super::{Entities, Ground, Named, Source, put, put_known, source};

pub(super) fn open_zfs(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    let Ground { root, scope, .. } = ground;
    // Pools whose releases count them as a whole, and datasets of the others, by pool and name.
    let mut pools = BTreeMap::new();
    let mut datasets = BTreeMap::<String, BTreeMap<String, EntityId>>::new();
    let is_of = |pool: &str, source: &str| source.split('/').next() == Some(pool);
    for pool in zfs::pools(root).unwrap_or_default() {
        let is_sampled =
            |mount: &Mount| mount.fs_type == "zfs" && is_of(&pool, &mount.source.to_string_lossy());
        if !scope.has_mount(is_sampled) {
            continue;
        }
        if zfs::read_pool(root, &pool).ok().flatten().is_some() {
            let id = table.put(Named::new(&pool, Kind::Pool, Layer::FileSystem));
            pools.insert(pool, id);
            continue;
        }
        let found = zfs::read_datasets(root, &pool).unwrap_or_default();
        let put = |one: zfs::Dataset| {
            let id = table.put(Named::new(&one.name, Kind::Dataset, Layer::FileSystem));
            (one.name, id)
        };
        datasets.insert(pool, found.into_iter().map(put).collect());
    }
    if pools.is_empty() && datasets.is_empty() {
        return None;
    }
    source(move |root, readings| {
        for (pool, entity) in &pools {
            if let Ok(Some(found)) = zfs::read_pool(root, pool) {
                put(readings, *entity, &zfs_counters(found));
            }
        }
        for (pool, datasets) in &datasets {
            for one in zfs::read_datasets(root, pool).unwrap_or_default() {
                if let Some(entity) = datasets.get(&one.name) {
                    put(readings, *entity, &zfs_counters(one.counters));
                }
            }
        }
    })
}

fn zfs_counters(found: zfs::ZfsCounters) -> [(Counter, u64); 4] {
    [
        (Counter::ReadBytes, found.read_bytes),
        (Counter::WriteBytes, found.write_bytes),
        (Counter::ReadOperations, found.read_operations),
        (Counter::WriteOperations, found.write_operations),
    ]
}

pub(super) fn open_mounts(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    // By export and mount point, and by identity.
    let (mut exports, mut identities) = (BTreeMap::new(), BTreeMap::new());
    for mount in nfs::read(ground.root).unwrap_or_default() {
        if ground.scope.has_mount(|one| one.mount_point == mount.mount_point) {
            let place = mount.mount_point.display().to_string();
            let one = Named::new(&place, Kind::Nfs, Layer::FileSystem);
            let id = table.put(Named { binding: Some(mount.export.clone()), ..one });
            exports.insert((mount.export, place), id);
        }
    }
    for one in file_systems::btrfs(ground.root) {
        let is_meant = one.members.iter().any(|member| ground.scope.has_device(member));
        if is_meant && matches!(btrfs::errors(ground.root, &one.uuid), Ok(Some(_))) {
            let binding = Some(one.members.join(" "));
            let named = Named::new(&one.uuid, Kind::Btrfs, Layer::FileSystem);
            identities.insert(one.uuid, table.put(Named { binding, ..named }));
        }
    }
    if exports.is_empty() && identities.is_empty() {
        return None;
    }
    source(move |root, readings| {
        let mounts = if exports.is_empty() { None } else { nfs::read(root).ok() };
        for one in mounts.unwrap_or_default() {
            let place = (one.export.clone(), one.mount_point.display().to_string());
            if let Some(entity) = exports.get(&place) {
                put_known(readings, *entity, &nfs_counters(&one));
            }
        }
        for (uuid, entity) in &identities {
            if let Ok(errors) = btrfs::errors(root, uuid) {
                put_known(readings, *entity, &[(Counter::Errors, errors)]);
            }
        }
    })
}

/// Bytes that went over the wire for reads and writes; a time is that of whole calls.
fn nfs_counters(mount: &nfs::NfsMount) -> [(Counter, Option<u64>); 9] {
    let (reads, writes, bytes) = (mount.reads, mount.writes, mount.bytes);
    let either = |of: fn(&nfs::Calls) -> Option<u64>| {
        let each = [reads, writes].map(|calls| calls.as_ref().and_then(of));
        each.into_iter().flatten().reduce(u64::saturating_add)
    };
    [
        (Counter::ReadBytes, bytes.map(|bytes| bytes.server_read)),
        (Counter::WriteBytes, bytes.map(|bytes| bytes.server_write)),
        (Counter::ReadOperations, reads.map(|calls| calls.operations)),
        (Counter::WriteOperations, writes.map(|calls| calls.operations)),
        (Counter::ReadNs, reads.map(|calls| calls.total_ns)),
        (Counter::WriteNs, writes.map(|calls| calls.total_ns)),
        (Counter::InFlightNs, either(|calls| Some(calls.total_ns))),
        (Counter::Errors, either(|calls| calls.errors)),
        (Counter::Timeouts, either(|calls| Some(calls.timeouts))),
    ]
}
