//! File systems, and the files among the targets.
//!
//! A file system on several devices deals data over them in its own way: btrfs by its profile, in
//! pieces of 64 KiB (fs/btrfs/volumes.h, `BTRFS_STRIPE_LEN`), ZFS over the groups of its pool. One
//! that lies in memory, or with a server, lies on a part that stands for that.
//! Leaves out: where in the file system a file lies, beyond how many pieces it has.

use std::collections::BTreeSet;

use iopath_machine::file_systems::{Pool, TopKind};
use iopath_machine::mounts::Mount;
use iopath_machine::target::TargetKind;
use iopath_units::Bytes;

use crate::facts::Target;
use crate::model::{Component, File, FileSystem, Property, Volume, name_of};
use crate::names::can_be_bound;
use crate::path::HOST;
use crate::volumes::Laying;

/// What stands for main memory where a file system lies in it.
const MEMORY: &str = "(memory)";
/// What stands for whatever is not known.
const UNKNOWN: &str = "(unknown)";

/// Pieces of a file that are smaller than this on average make it scattered: chosen.
const SCATTERED: u64 = 1 << 20;

impl Laying<'_> {
    /// What a mounted file system lies on, in the order of its members.
    pub(crate) fn on_of_mount(&mut self, mount: &Mount, devices: &BTreeSet<String>) -> Vec<String> {
        let on = match mount.fs_type.as_str() {
            "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => vec![self.memory()],
            "nfs" | "nfs4" => vec![self.server(mount)],
            "zfs" => self.pool(mount),
            "btrfs" => self.btrfs(mount, devices),
            "overlay" => self.overlay(mount),
            _ => {
                let own = self.path.facts.devices.by_number(mount.number);
                let own = own.map(|device| device.name.clone());
                let first = own.or_else(|| devices.first().cloned());
                first.into_iter().collect()
            }
        };
        on.iter().for_each(|name| self.need(name));
        match on.is_empty() {
            true => {
                let at = mount.mount_point.display();
                self.path.not_known(
                    at,
                    format_args!("the devices below a {} are not known", mount.fs_type),
                );
                vec![self.unknown()]
            }
            false => on,
        }
    }

    /// Adds the file system of a mount, once; its name.
    pub(crate) fn file_system(
        &mut self,
        mount: &Mount,
        devices: &BTreeSet<String>,
        systems: &mut Vec<FileSystem>,
    ) -> String {
        let at = mount.mount_point.display().to_string();
        let last = mount.mount_point.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name_of(&last.unwrap_or_else(|| "root".to_owned()));
        let options: Vec<&str> = mount.options.iter().map(String::as_str).collect();
        let remark = format!("{} at {at}: {}", mount.fs_type, options.join(", "));
        if let Some(known) = systems.iter().find(|system| system.remark == remark) {
            return known.name.clone();
        }
        let on = self.on_of_mount(mount, devices);
        let mut names: BTreeSet<String> = systems.iter().map(|other| other.name.clone()).collect();
        let name = crate::fold::unused(&name, &mut names);
        let mut values = Vec::new();
        if mount.fs_type == "zfs" {
            values.push(Property::quantity("record", "128 KiB").from("assumed"));
        }
        self.rooms.file_system(&self.path.facts.devices, &name, &on);
        systems.push(FileSystem { name: name.clone(), on, values, remark });
        name
    }

    /// A file or directory among the targets.
    pub(crate) fn file(&mut self, target: &Target, on: Option<String>) -> File {
        let path = target.path.display().to_string();
        let last = target.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let stem = name_of(&last.unwrap_or_else(|| "file".to_owned()));
        let size = |bytes: u64| Property::quantity("size", &Bytes(bytes).to_string());
        if target.kind == TargetKind::Directory {
            // As `measure` without arguments: a tenth of what is free, 8 GiB at most.
            let bytes = ((target.free_bytes / 10).min(8 << 30) >> 20 << 20).max(1 << 20);
            let mut values = vec![size(bytes)];
            values.push(Property::quantity("directory", &path));
            let remark = "an unnamed scratch file, which vanishes".to_owned();
            let name = "scratch".to_owned();
            return File { name, on, values, bytes, path: None, remark };
        }
        let taken = on.as_ref().map_or(Ok(()), |on| self.rooms.take_file(on, target.bytes));
        let fits = taken.is_ok();
        if let Err(text) = taken {
            self.path.not_known(&path, text);
        }
        let mut values: Vec<Property> =
            (target.bytes > 0 && fits).then(|| size(target.bytes)).into_iter().collect();
        let mut remark = String::new();
        if let Some(pieces) = target.extents {
            let is_scattered = pieces > 1 && target.bytes / pieces.max(1) < SCATTERED;
            let word = if is_scattered { "random" } else { "contiguous" };
            values.push(Property::quantity("extents", word));
            remark = format!("{pieces} {}", if pieces == 1 { "piece" } else { "pieces" });
        }
        let bound = Some(path.clone()).filter(|path| can_be_bound(path));
        if bound.is_none() {
            self.path.not_known(&path, "a study cannot bind a name like this");
        }
        File { name: stem, on, values, bytes: target.bytes, path: bound, remark }
    }

    pub(crate) fn unknown(&mut self) -> String {
        let mut part = Component::new("part", UNKNOWN, "unknown");
        part.remark = "its contents are not known".to_owned();
        self.path.add(Some(HOST), part)
    }

    fn memory(&mut self) -> String {
        let mut part = Component::new("part", MEMORY, "memory");
        part.remark = "a file system in main memory: no device carries its requests".to_owned();
        self.path.add(Some(HOST), part)
    }

    /// The server of an NFS mount, joined to the interface that leads there.
    fn server(&mut self, mount: &Mount) -> String {
        let source = mount.source.display().to_string();
        let (server, export) = source.rsplit_once(":/").unwrap_or((source.as_str(), ""));
        let address = mount.option("addr").unwrap_or(server).to_owned();
        let key = format!("server {server}");
        let mut host = Component::new("host", &key, server);
        let transport = mount.option("proto").unwrap_or("tcp");
        let ways = mount.option("nconnect").unwrap_or("1");
        host.remark = format!(
            "an NFS server at {address}, {transport}, {ways} connections; its inside is not known"
        );
        self.path.add(None, host);
        let nic = Component::new("nic", &format!("{key} nic"), "nic");
        let nic = self.path.add(Some(&key), nic);
        let part = Component::new("part", &format!("{key} {export}"), &format!("export-{export}"));
        let part = self.path.add(Some(&key), part);
        for interface in self.path.towards(&address) {
            self.path.wire(&interface, &nic);
        }
        part
    }

    fn btrfs(&mut self, mount: &Mount, devices: &BTreeSet<String>) -> Vec<String> {
        let facts = self.path.facts;
        let known = facts.btrfs.iter().find(|one| one.members.iter().any(|m| devices.contains(m)));
        let Some(known) = known else { return devices.first().cloned().into_iter().collect() };
        if known.members.len() < 2 {
            return known.members.clone();
        }
        let at = mount.mount_point.display();
        let [profile] = &known.data[..] else {
            self.path.not_known(at, "data of several profiles, or of an unknown one");
            return vec![self.dealt((&known.uuid, "data"), ("concat", Vec::new(), &known.members))];
        };
        let piece = |name| Property::quantity(name, "64 KiB");
        let level = |number: u64| Property::number("level", number);
        let count = known.members.len();
        let made = match profile.as_str() {
            "raid0" => ("stripe", vec![piece("unit")]),
            "raid1" if count == 2 => ("mirror", Vec::new()),
            "raid1" | "raid10" if count.is_multiple_of(2) => {
                ("raid", vec![level(10), piece("segment")])
            }
            "raid5" if count > 2 => ("raid", vec![level(5), piece("segment")]),
            "raid6" if count > 3 => ("raid", vec![level(6), piece("segment")]),
            _ => ("concat", Vec::new()),
        };
        if made.0 == "concat" && profile != "single" && profile != "dup" {
            let text = format_args!("{profile} over {count} members is drawn differently");
            self.path.not_known(at, text);
        }
        let name = format!("data-{profile}");
        vec![self.dealt((&known.uuid, &name), (made.0, made.1, &known.members))]
    }

    /// A volume inside a file system; its key.
    fn dealt(
        &mut self,
        (key, name): (&str, &str),
        (kind, values, members): (&'static str, Vec<Property>, &[String]),
    ) -> String {
        let key = format!("{key} {name}");
        let kernel = key.clone();
        if self.volumes.iter().all(|volume| volume.kernel != kernel) {
            members.iter().for_each(|member| self.need(member));
            let over = members.to_vec();
            let (name, remark) = (name_of(name), String::new());
            let volume = Volume { kind, name, kernel, node: None, values, over, remark };
            self.volume(volume, 0);
        }
        key
    }

    fn pool(&mut self, mount: &Mount) -> Vec<String> {
        let source = mount.source.display().to_string();
        let name = source.split('/').next().unwrap_or("").to_owned();
        let facts = self.path.facts;
        match facts.pools.iter().find(|pool| pool.name == name) {
            Some(pool) => self.pool_volume(pool),
            None => Vec::new(),
        }
    }

    /// The groups of a pool, and what deals data over them.
    pub(crate) fn pool_volume(&mut self, pool: &Pool) -> Vec<String> {
        let named = format!("pool {}", pool.name);
        if pool.tops.is_empty() {
            self.path.not_known(&named, "its structure is in its labels (root only)");
            return Vec::new();
        }
        let mut tops = Vec::new();
        for (at, top) in pool.tops.iter().enumerate() {
            let members: Vec<String> = top.members.iter().flatten().cloned().collect();
            let members = self.wholes(&members);
            if members.len() < top.members.len() {
                let text = format_args!("a member of group {at} was not found");
                self.path.not_known(&named, text);
            }
            let group = (pool.name.as_str(), format!("{}-{at}", pool.name));
            let segment = || Property::quantity("segment", "128 KiB").from("assumed");
            let level = |number: u64| Property::number("level", number);
            let made = match &top.kind {
                TopKind::Single => {
                    members.iter().for_each(|member| self.need(member));
                    tops.extend(members);
                    continue;
                }
                TopKind::Mirror => ("mirror", Vec::new()),
                TopKind::Raidz(1) if members.len() > 2 => ("raid", vec![level(5), segment()]),
                TopKind::Raidz(2) if members.len() > 3 => ("raid", vec![level(6), segment()]),
                TopKind::Raidz(3) if members.len() > 4 => {
                    ("raid", vec![level(6), Property::number("parity", 3), segment()])
                }
                TopKind::Raidz(_) | TopKind::Other(_) => {
                    let text = format_args!("group {at} is drawn differently");
                    self.path.not_known(&named, text);
                    ("concat", Vec::new())
                }
            };
            tops.push(self.dealt((group.0, &group.1), (made.0, made.1, &members)));
        }
        if tops.len() < 2 {
            return tops;
        }
        let unit = Property::quantity("unit", "1 MiB").from("assumed");
        vec![self.dealt(("pool", &pool.name), ("stripe", vec![unit], &tops))]
    }

    /// Drives instead of the partitions that a pool has made on them.
    fn wholes(&self, members: &[String]) -> Vec<String> {
        let devices = &self.path.facts.devices;
        members.iter().map(|member| devices.whole_of(member).to_owned()).collect()
    }

    /// What is written to an overlay goes to its upper layer.
    fn overlay(&mut self, mount: &Mount) -> Vec<String> {
        let upper = mount.option("upperdir");
        let facts = self.path.facts;
        let holds = |other: &&Mount| {
            other.id != mount.id
                && upper.is_some_and(|upper| {
                    std::path::Path::new(upper).starts_with(&other.mount_point)
                })
        };
        let depth = |other: &&Mount| other.mount_point.components().count();
        let below = facts.mounts.iter().filter(holds).max_by_key(depth);
        match below.filter(|below| below.fs_type != "overlay") {
            Some(below) => {
                let devices = facts.devices.by_number(below.number);
                let devices = devices.iter().map(|device| device.name.clone()).collect();
                self.on_of_mount(below, &devices)
            }
            None => Vec::new(),
        }
    }
}
