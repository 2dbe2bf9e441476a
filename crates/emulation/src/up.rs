//! Bringing a rig up, and the guard that takes it away.

use std::fs::File;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::conditions;
use crate::create::{self, Made};
use crate::daemon::{self, Daemon};
use crate::limits::Note;
use crate::loops;
use crate::manifest::{Manifest, Role};
use crate::options::{Media, Options};
use crate::places::Places;
use crate::qmp::Command;
use crate::ready::{self, Expected};
use crate::removal::{Removed, remove};
use crate::rig::Rig;
use crate::trouble::Trouble;
use crate::wiring;

/// Devices that are there. They go when this is dropped, unless they are kept.
///
/// It stays in the thread that made it: daemons that are not kept get their signal when that thread
/// ends.
#[derive(Debug)]
pub struct Up {
    pub(crate) places: Places,
    manifest: Manifest,
    daemons: Vec<Daemon>,
    paths: Vec<PathBuf>,
    notes: Vec<Note>,
    state: State,
    bound_to_thread: PhantomData<*const ()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// To be taken down by us.
    Ours,
    /// It stays when we go.
    Kept,
    Removed,
}

/// Makes real devices of a rig: one for each of its devices, in that order.
///
/// Nothing is left when this fails or is interrupted.
pub fn bring_up(rig: &Rig, options: &Options, interrupted: &AtomicBool) -> Result<Up, Trouble> {
    let open_files = conditions::check(rig, options)?;
    let made = create::make(options, &|directory, above_is_ours| {
        let places = Places::name(rig, options, directory, above_is_ours);
        let manifest = Manifest::plan(rig, options, &places);
        Made { places, manifest }
    })?;
    Up::of(made, options, interrupted, |up| up.build(rig, options, open_files, interrupted))
}

impl Up {
    /// What was made becomes what is up.
    pub(crate) fn of(
        made: Made,
        options: &Options,
        interrupted: &AtomicBool,
        build: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<Self, Trouble> {
        let Made { places, manifest } = made;
        let mut up = Self {
            paths: places.exports.clone(),
            places,
            manifest,
            daemons: Vec::new(),
            notes: Vec::new(),
            state: State::Ours,
            bound_to_thread: PhantomData,
        };
        match build(&mut up) {
            Ok(()) => {
                if options.kept {
                    up.state = State::Kept;
                }
                Ok(up)
            }
            Err(_) if interrupted.load(Ordering::Relaxed) => Err(Trouble::Interrupted),
            // A daemon that ended is the reason for whatever did not work afterwards.
            Err(trouble) => Err(up.failed().unwrap_or(trouble)),
        }
    }

    /// One path a device: a file, or the node of a loop device.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The run directory, which has all that was made.
    pub fn directory(&self) -> &Path {
        &self.places.directory
    }

    /// What is otherwise than the rig says.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Why the devices do not work any more, if they do not: a daemon has ended.
    pub fn failed(&mut self) -> Option<Trouble> {
        self.daemons.iter_mut().find_map(Daemon::failed)
    }

    /// Takes the devices away, kept or not.
    pub fn tear_down(mut self) -> Result<Removed, Trouble> {
        self.remove()
    }

    fn build(
        &mut self,
        rig: &Rig,
        options: &Options,
        open_files: u64,
        interrupted: &AtomicBool,
    ) -> Result<(), Trouble> {
        self.make_files(rig, options.media)?;
        let wiring = wiring::wire(rig, options.media, &self.places);
        self.notes = wiring.notes;
        for (role, commands) in [(Role::Media, wiring.media), (Role::Exports, wiring.exports)] {
            let words = daemon::storage(role, &self.places)?;
            let daemon = Daemon::start(role, &self.places, &words, options, open_files)?;
            self.tell(daemon, &commands, interrupted)?;
        }
        let sizes = rig.devices.iter();
        let sizes = sizes.map(|one| Expected { name: &one.name, bytes: one.bytes });
        let sizes: Vec<Expected<'_>> = sizes.collect();
        ready::are_mounted(&sizes, &self.places.exports)?;
        self.check(&sizes, options, interrupted)
    }

    /// Waits for files of these names and sizes, with loop devices on top where they are wanted.
    pub(crate) fn check(
        &mut self,
        sizes: &[Expected<'_>],
        options: &Options,
        interrupted: &AtomicBool,
    ) -> Result<(), Trouble> {
        ready::wait(sizes, &self.places.exports, interrupted)?;
        if options.loops {
            self.attach_loops(interrupted)?;
            ready::wait_for_nodes(sizes, &self.paths)?;
        }
        Ok(())
    }

    /// The files that exports are mounted on, and those of media, which are sparse.
    fn make_files(&self, rig: &Rig, media: Media) -> Result<(), Trouble> {
        let make = |path: &PathBuf, bytes: u64| {
            let file = File::create_new(path).and_then(|file| file.set_len(bytes));
            file.map_err(|error| Trouble::file("make", path, error))
        };
        self.places.exports.iter().try_for_each(|path| make(path, 0))?;
        match media {
            Media::Null => Ok(()),
            Media::Files => {
                let sizes = wiring::media(rig);
                self.places.media.iter().try_for_each(|(medium, path)| make(path, sizes[medium]))
            }
        }
    }

    fn tell(
        &mut self,
        daemon: Daemon,
        commands: &[Command],
        interrupted: &AtomicBool,
    ) -> Result<(), Trouble> {
        let socket = self.places.commands_socket(daemon.role);
        let Some(daemon) = self.note(daemon)? else { return Ok(()) };
        let mut client = daemon.connect(&socket, interrupted)?;
        client.execute(commands, interrupted)
    }

    /// Writes down that a daemon is there.
    pub(crate) fn note(&mut self, daemon: Daemon) -> Result<Option<&mut Daemon>, Trouble> {
        let life = daemon.life();
        for entry in self.manifest.daemons.iter_mut().filter(|entry| entry.role == daemon.role) {
            entry.life = life;
        }
        self.daemons.push(daemon);
        self.manifest.note(&self.places.manifest())?;
        Ok(self.daemons.last_mut())
    }

    fn attach_loops(&mut self, interrupted: &AtomicBool) -> Result<(), Trouble> {
        for index in 0..self.paths.len() {
            if interrupted.load(Ordering::Relaxed) {
                return Err(Trouble::Interrupted);
            }
            let attached = loops::attach(&self.places.exports[index])?;
            if let Some(node) = &attached.node {
                self.paths[index].clone_from(node);
                self.manifest.devices[index].path.clone_from(node);
            }
            self.manifest.loops[index] = attached;
            self.manifest.note(&self.places.manifest())?;
        }
        Ok(())
    }

    fn remove(&mut self) -> Result<Removed, Trouble> {
        self.state = State::Removed;
        let removed = remove(&self.places.directory, &self.manifest);
        for daemon in &mut self.daemons {
            // Asked for, so that no zombie of it stays.
            let _ = daemon.failed();
        }
        removed
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        match self.state {
            // What is left stands in the manifest, and goes with the next sweep.
            State::Ours => drop(self.remove()),
            State::Kept | State::Removed => {}
        }
    }
}
