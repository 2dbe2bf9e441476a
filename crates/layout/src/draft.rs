//! A build while it is made: what exists so far, under which names, and what went wrong.
//!
//! Every device below the volumes has a variable; a volume is named by its node once a step has
//! made it.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::words::PageCache;
use iopath_study::{Case, PartId, System, case};

use crate::build::{Asked, Build, Device, FileSystemKind, Need, Step, Tool, Unbuildable};
use crate::hosts::Hosts;
use crate::names;
use crate::programs;
use crate::stack::{self, FileSystem, Volume};

/// A build that grows.
pub(crate) struct Draft<'a> {
    pub case: &'a Case,
    pub asked: &'a Asked,
    pub volumes: Vec<Volume>,
    pub file_systems: Vec<FileSystem>,
    pub programs: BTreeSet<&'static str>,
    /// The bottom: what the volumes and file systems lie on.
    devices: Vec<(PartId, Device)>,
    /// Words of sh for what exists.
    nodes: BTreeMap<PartId, String>,
    names: BTreeMap<PartId, String>,
    steps: Vec<Step>,
    wrong: Vec<Unbuildable>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(case: &'a Case, asked: &'a Asked) -> Self {
        let system = &case.system;
        let volumes = match asked.tool {
            Tool::Mkfs | Tool::Multipath => Vec::new(),
            Tool::Lvm | Tool::Mdadm | Tool::Zpool | Tool::Btrfs | Tool::Vxassist => {
                stack::volumes(system)
            }
        };
        let file_systems = match asked.tool {
            Tool::Multipath => Vec::new(),
            _ => stack::file_systems(system),
        };
        let mut draft = Self {
            case,
            asked,
            volumes,
            file_systems,
            programs: BTreeSet::new(),
            devices: Vec::new(),
            nodes: BTreeMap::new(),
            names: BTreeMap::new(),
            steps: Vec::new(),
            wrong: Vec::new(),
        };
        draft.choose();
        draft.choose_host();
        draft.name();
        draft.find_devices();
        draft
    }

    pub(crate) fn system(&self) -> &'a System {
        &self.case.system
    }

    /// A study may state several layouts over the same devices, of which each case uses one: then
    /// only that is built.
    fn choose(&mut self) {
        let used = stack::used(self.case);
        let volumes = self.volumes.iter().map(|one| one.id);
        let mut all = volumes.chain(self.file_systems.iter().map(|one| one.id));
        let is_any_used = all.any(|id| used.contains(&id));
        if is_any_used && stack::overlap(&self.volumes, &self.file_systems) {
            self.volumes.retain(|one| used.contains(&one.id));
            self.file_systems.retain(|one| used.contains(&one.id));
        }
    }

    /// A script runs on one host, so what another one builds is left out.
    fn choose_host(&mut self) {
        let hosts = Hosts::of(self.case);
        let volumes = self.volumes.iter().map(|one| one.id);
        let built: Vec<PartId> =
            volumes.chain(self.file_systems.iter().map(|one| one.id)).collect();
        self.refuse_of_two_hosts(&hosts, &built);
        match (&self.asked.on, hosts.names(&built).as_slice()) {
            (None, [] | [_]) => {}
            (None, names) => {
                let text =
                    format!("volumes are built on {}; a script runs on one host", told(names));
                self.refuse_study(&text, &format!("choose one: --on \"{}\"", names[0]));
            }
            (Some(on), names) if names.contains(&on.as_str()) || hosts.any_builds(on, &built) => {
                self.volumes.retain(|one| hosts.builds(on, one.id));
                self.file_systems.retain(|one| hosts.builds(on, one.id));
            }
            (Some(on), names) => {
                let hint = match names {
                    [] => "leave --on out: any host can run it".to_owned(),
                    names => format!("volumes are built on {}", told(names)),
                };
                self.refuse_study(&format!("--on: nothing is built on {on:?}"), &hint);
            }
        }
    }

    /// A volume over devices of two hosts.
    fn refuse_of_two_hosts(&mut self, hosts: &Hosts<'_>, built: &[PartId]) {
        for id in built {
            if let [one, other, ..] = &hosts.of_members(*id)[..] {
                let text = format!("{} is over devices of {one} and of {other}", self.part(*id));
                self.refuse(*id, text, "no command of one host builds that");
            }
        }
    }

    /// Names of everything that is made.
    fn name(&mut self) {
        let volumes = self.volumes.iter().map(|one| (one.id, self.wanted(one), one.groups()));
        let file_systems = self.file_systems.iter().map(|one| (one.id, self.part(one.id), 0));
        let file_systems = file_systems.map(|(id, name, groups)| (id, name.to_owned(), groups));
        let all: Vec<(PartId, String, usize)> = volumes.chain(file_systems).collect();
        let built = names::distinct(all.iter().map(|(_, name, groups)| (&**name, *groups)));
        self.names = all.into_iter().map(|(id, ..)| id).zip(built).collect();
    }

    /// The name that a volume would have alone.
    fn wanted(&self, volume: &Volume) -> String {
        let name = self.part(volume.id);
        let is_reserved = names::is_reserved_of_pools(&names::built(name));
        match is_reserved && self.asked.tool == Tool::Zpool {
            true => format!("pool-{name}"),
            false => name.to_owned(),
        }
    }

    fn find_devices(&mut self) {
        let system = self.system();
        let of_volumes = self.volumes.iter().flat_map(|one| one.members.iter().chain(&one.spares));
        let of_files = self.file_systems.iter().flat_map(|one| &one.on);
        let mut seen: BTreeSet<PartId> = self.volumes.iter().map(|volume| volume.id).collect();
        let all: Vec<PartId> =
            of_volumes.chain(of_files).copied().filter(|id| seen.insert(*id)).collect();
        let parts: Vec<&str> = all.iter().map(|id| system.part(*id).name.as_str()).collect();
        self.check_named(&parts);
        for ((id, name), variable) in all.iter().zip(&parts).zip(names::variables(&parts)) {
            self.nodes.insert(*id, format!("\"${variable}\""));
            let device = self.asked.devices.by_name.get(*name).cloned();
            self.devices.push((*id, Device { variable, name: (*name).to_owned(), device }));
        }
    }

    /// A list may name more than this layout uses, but no part that is not there.
    fn check_named(&mut self, parts: &[&str]) {
        let named = self.asked.devices.by_name.keys();
        let is_there = |name: &&String| self.case.system.parts.iter().any(|p| p.name == **name);
        let unknown: Vec<&String> = named.filter(|name| !is_there(name)).collect();
        for name in unknown {
            let text = format!("--devices: the study has no {name:?}");
            let hint = match parts {
                [] => "no device is needed".to_owned(),
                parts => format!("the devices are {}", told(parts)),
            };
            self.wrong.push(Unbuildable { span: None, text, hint });
        }
    }

    /// The name of a part in the study.
    pub(crate) fn part(&self, id: PartId) -> &'a str {
        &self.case.system.part(id).name
    }

    /// The name of a part as it is built.
    pub(crate) fn built(&self, id: PartId) -> String {
        self.names.get(&id).cloned().unwrap_or_default()
    }

    /// What marks what is made of a part, so that undo removes nothing else: the same for the same
    /// study and devices.
    pub(crate) fn uuid(&self, id: PartId) -> String {
        let devices = self.asked.devices.by_name.iter();
        let devices = devices.flat_map(|(name, device)| [name.as_str(), device.as_str()]);
        let of = [self.case.study.as_str(), self.part(id)];
        names::uuid(of.into_iter().chain(devices))
    }

    /// What marks all that is made, where it is marked as a whole.
    pub(crate) fn mark(&self) -> String {
        let devices = self.asked.devices.by_name.values().map(String::as_str);
        format!("iopath-{}", names::uuid([self.case.study.as_str()].into_iter().chain(devices)))
    }

    /// The word of sh for what exists.
    pub(crate) fn node(&self, id: PartId) -> String {
        self.nodes.get(&id).cloned().unwrap_or_default()
    }

    pub(crate) fn nodes(&self, ids: &[PartId]) -> Vec<String> {
        ids.iter().map(|id| self.node(*id)).collect()
    }

    /// Where what a step made is found.
    pub(crate) fn exists(&mut self, id: PartId, node: String) {
        self.nodes.insert(id, node);
    }

    /// Whether it is a device that is there before all steps.
    pub(crate) fn is_device(&self, id: PartId) -> bool {
        self.devices.iter().any(|(device, _)| *device == id)
    }

    /// What must hold of the members of a volume, those of another step included.
    pub(crate) fn empties(&self, ids: &[PartId]) -> Vec<Need> {
        ids.iter().map(|id| Need::empty(&self.node(*id), self.is_device(*id))).collect()
    }

    /// What `largest-request` and `at` of a volume come to.
    pub(crate) fn common(&self, volume: &Volume, step: &mut Step) {
        if let Some(place) = self.system().part(volume.id).place {
            let text = format!("the study splits it in {}: run this there", self.part(place));
            step.remark(text, "docs/language.md");
        }
        if let Some(bytes) = volume.largest_request {
            let node = self.node(volume.id);
            step.commands.push(format!("largest_request {node} {}", bytes >> 10));
            step.remark(
                "max_sectors_kb is lost with a restart; of more than max_hw_sectors_kb that is set",
                "Documentation/ABI/stable/sysfs-block",
            );
        }
    }

    /// A device that two volumes have, which needs parts of devices.
    pub(crate) fn refuse_shared(&mut self) {
        let mut seen = BTreeSet::new();
        let all = self.volumes.iter().flat_map(|one| one.members.iter().chain(&one.spares));
        let shared = all.copied().find(|id| !seen.insert(*id));
        if let Some(id) = shared {
            let text = format!("{} is in two volumes", self.part(id));
            self.refuse(id, text, "partition it, and state a device for each");
        }
    }

    /// A kind of file system where the tool leaves no choice.
    pub(crate) fn refuse_choice(&mut self) {
        let has_choice = match self.asked.tool {
            Tool::Lvm | Tool::Mdadm | Tool::Mkfs | Tool::Vxassist => true,
            Tool::Zpool | Tool::Btrfs | Tool::Multipath => false,
        };
        if self.asked.file_system.is_some() && !has_choice {
            let tool: &str = self.asked.tool.into();
            let text = format!("--file-system: {tool} leaves no choice");
            let hint = "leave it out, or build with lvm, mdadm, mkfs or vxassist".to_owned();
            self.wrong.push(Unbuildable { span: None, text, hint });
        }
    }

    /// What a file system is on and something else too.
    pub(crate) fn refuse_overlaid(&mut self) {
        let members = self.volumes.iter().flat_map(|one| one.members.iter().chain(&one.spares));
        let mut seen: BTreeSet<PartId> = members.copied().collect();
        let all = self.file_systems.iter().flat_map(|one| one.on.iter().map(|on| (one.id, *on)));
        let overlaid = all.into_iter().find(|(_, on)| !seen.insert(*on));
        if let Some((id, on)) = overlaid {
            let text = format!("{}: something else is on {} too", self.part(id), self.part(on));
            self.refuse(id, text, "put it on a volume or device of its own");
        }
    }

    pub(crate) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    pub(crate) fn refuse(&mut self, id: PartId, text: impl Into<String>, hint: impl Into<String>) {
        let span = Some(self.system().declared(id).span);
        self.wrong.push(Unbuildable { span, text: text.into(), hint: hint.into() });
    }

    /// What the study as a whole lacks.
    pub(crate) fn refuse_study(&mut self, text: &str, hint: &str) {
        self.wrong.push(Unbuildable { span: None, text: text.into(), hint: hint.into() });
    }

    /// What a file system is made as, where the manager leaves the choice.
    pub(crate) fn kind(&self, file_system: &FileSystem, default: FileSystemKind) -> FileSystemKind {
        let name = self.part(file_system.id).to_ascii_lowercase();
        let named = ["ext4", "btrfs", "vxfs", "xfs"].into_iter().find(|kind| name.contains(kind));
        let named = named.and_then(|kind| kind.parse().ok());
        self.asked.file_system.or(named).unwrap_or(default)
    }

    pub(crate) fn finish(mut self) -> Result<Build, Vec<Unbuildable>> {
        if self.steps.is_empty() && self.wrong.is_empty() {
            let tool: &str = self.asked.tool.into();
            let text = format!("the study states nothing that {tool} could build");
            let hint = "it needs a layout with volumes or a file system".to_owned();
            self.wrong.push(Unbuildable { span: None, text, hint });
        }
        if !self.wrong.is_empty() {
            return Err(self.wrong);
        }
        self.programs.extend(programs::called(&self.steps));
        Ok(Build {
            study: self.case.study.clone(),
            tool: self.asked.tool,
            devices: self.devices.into_iter().map(|(_, device)| device).collect(),
            programs: self.programs.into_iter().collect(),
            steps: self.steps,
        })
    }

    /// Whether requests to files bypass the page cache.
    pub(crate) fn is_direct(&self, file_system: PartId) -> bool {
        self.system().choice(file_system, "cache") != Some(PageCache::Buffered)
    }

    /// How many mistakes there are so far.
    pub(crate) fn mistakes(&self) -> usize {
        self.wrong.len()
    }

    /// Failures of parts that the case lets happen, for what answers them.
    pub(crate) fn failures(&self) -> &'a [case::Failure] {
        &self.case.failures
    }
}

/// Some names, the rest counted.
fn told(parts: &[&str]) -> String {
    let first = parts.iter().take(8).copied().collect::<Vec<_>>().join(", ");
    match parts.len().checked_sub(8) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {more} more"),
    }
}
