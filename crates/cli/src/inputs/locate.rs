//! Where the targets of a case lie in the path of another study: by what that study binds to real
//! files and devices, else by the devices that the machine says are below.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use iopath_machine::location::{self, Object};
use iopath_machine::{Devices, Root};
use iopath_study::attach_path::{TargetLocation, TargetLocations};
use iopath_study::case::{Target, TargetKind};
use iopath_study::{Case, PartId};

/// A path that a study describes, and what is real of it.
pub(crate) struct PathIndex<'a> {
    path: &'a Case,
    real: BTreeMap<Object, (PartId, &'a str)>,
    devices: &'a Devices,
    root: &'a Root,
}

impl<'a> PathIndex<'a> {
    pub(crate) fn new(path: &'a Case, devices: &'a Devices, root: &'a Root) -> Self {
        let binds = path.targets.first().into_iter().flat_map(|target| target.below.iter());
        let real = binds.filter_map(|(part, bind)| {
            let text = bind.paths.first()?;
            let object = location::identify(root, devices, Path::new(text)).ok()?;
            Some((object, (*part, text.as_str())))
        });
        Self { path, real: real.collect(), devices, root }
    }

    /// Where all targets of a case lie.
    ///
    /// # Errors
    /// What is in the way, for people.
    pub(crate) fn targets(&self, case: &Case) -> Result<TargetLocations<'a>, String> {
        let (mut of, mut taken) = (BTreeMap::new(), BTreeSet::new());
        for target in &case.targets {
            let found = self.ground(target).ok_or_else(|| {
                format!(
                    "none of its components is bound to the device of {}; add a bind for it",
                    place(target).display()
                )
            })?;
            let name = case.system.declared(target.part).name.clone();
            if of.insert(name, found.clone()).is_some_and(|other| other != found) {
                let name = &case.system.declared(target.part).name;
                return Err(format!("{name} is bound to several locations"));
            }
            let bound = target.binding.as_ref().and_then(|path| self.identify(path));
            taken.extend(bound.and_then(|id| Some(self.real.get(&id)?.1.to_owned())));
        }
        Ok(TargetLocations { path: self.path, of, taken })
    }

    fn ground(&self, target: &Target) -> Option<TargetLocation> {
        let place = place(target);
        match target.kind {
            TargetKind::Device => {
                let object = self.identify(&place);
                let device = object.filter(|object| !matches!(object, Object::Inode { .. }))?;
                Some(TargetLocation::Part(self.part_of(&device)?))
            }
            TargetKind::File | TargetKind::Tree => {
                let known = self.file_system_of(&place);
                known.map(TargetLocation::FileSystem).or_else(|| self.by_devices(&place))
            }
        }
    }

    fn identify(&self, path: impl AsRef<Path>) -> Option<Object> {
        location::identify(self.root, self.devices, path.as_ref()).ok()
    }

    /// The part that a device is, or that it is a partition of.
    fn part_of(&self, device: &Object) -> Option<String> {
        let own = self.real.get(device);
        let (part, _) = own.or_else(|| self.real.get(&device.whole(self.devices)?))?;
        Some(self.path.system.part(*part).name.clone())
    }

    /// The file system that the study says a file, or scratch files of a directory, lie in.
    fn file_system_of(&self, place: &Path) -> Option<String> {
        let wanted = self.identify(place)?;
        let bound = self.real.get(&wanted).map(|(part, _)| *part);
        let made = || {
            let mut scratch = self.path.targets.iter().filter(|target| target.binding.is_none());
            let is_here = |target: &&Target| {
                let directory = target.directory.as_deref();
                directory.is_some_and(|path| self.identify(path).as_ref() == Some(&wanted))
            };
            scratch.find(is_here).map(|target| target.part)
        };
        let file = bound.or_else(made)?;
        let on = self.path.system.part(file).members.first()?;
        let is_file_system = self.path.system.kind(*on) == "filesystem";
        is_file_system.then(|| self.path.system.part(*on).name.clone())
    }

    /// The file system on the devices below, or these where none is described.
    fn by_devices(&self, place: &Path) -> Option<TargetLocation> {
        let found = location::device_of_file(self.root, self.devices, place).ok()?;
        let parts = |names: &BTreeSet<String>| {
            let part = |name: &String| self.part_of(&Object::Block(name.clone()));
            names.iter().map(part).collect::<Option<BTreeSet<_>>>()
        };
        let is_some = |parts: &BTreeSet<String>| !parts.is_empty();
        let near = parts(&found.devices).filter(is_some);
        let parts = near.or_else(|| parts(&found.leaves).filter(is_some))?;
        let system = &self.path.system;
        let lies_there = |id: &PartId| {
            let members = system.part(*id).members.iter();
            let members: BTreeSet<String> =
                members.map(|member| system.part(*member).name.clone()).collect();
            system.kind(*id) == "filesystem" && members == parts
        };
        Some(match system.ids().find(lies_there) {
            Some(id) => TargetLocation::FileSystem(system.part(id).name.clone()),
            None => TargetLocation::On(parts.into_iter().collect::<Vec<_>>().join(", ")),
        })
    }
}

/// Where a target lies: what it is bound to, or the directory that it is, or will be, made in.
pub(crate) fn place(target: &Target) -> PathBuf {
    let named = target.binding.as_ref().or(target.directory.as_ref());
    let path = named.map_or_else(|| PathBuf::from("."), PathBuf::from);
    match path.exists() {
        true => path,
        false => match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        },
    }
}
