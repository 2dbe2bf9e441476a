//! Bringing up a system that answers by its simulation: one daemon, one mounted directory.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iopath_live::{Export, ExportFile, Fail, Report, Setup, ask};
use iopath_study::{Case, Scale};

use crate::conditions;
use crate::create::{self, Made};
use crate::daemon::Daemon;
use crate::manifest::{Manifest, Role};
use crate::options::Options;
use crate::places::Places;
use crate::poll::until;
use crate::ready::{Expected, mounted};
use crate::runtime_dir::PRIVATE;
use crate::trouble::Trouble;
use crate::up::Up;

/// For the daemon to read the case and to mount: seconds where a path has thousands of parts.
const START: Duration = Duration::from_secs(30);
/// Files that it has open besides its media: the mount, sockets, the log.
const OPEN_FILES: u64 = 64;

/// What is brought up.
#[derive(Clone, Copy, Debug)]
pub struct System<'a> {
    /// The case as the study has it.
    pub case: &'a Case,
    pub scale: Scale,
    /// The files of the case at its scale.
    pub exports: &'a [Export],
    pub seed: u64,
    /// What fails besides what the case lets fail.
    pub fails: &'a [Fail],
    /// The file to record requests in, from the beginning on.
    pub arrivals: Option<&'a Path>,
    /// Whether parts fail at their times from the first request behind a report that restarts on,
    /// rather than from now.
    pub fails_when_asked: bool,
    /// The program and its first words, which the names of the setup and of a file for the
    /// process's number follow.
    pub program: &'a [OsString],
}

/// Makes files that answer as the system of a case would: one for each export, in their order.
///
/// Nothing is left when this fails or is interrupted.
pub fn bring_up_live(
    system: &System<'_>,
    options: &Options,
    interrupted: &AtomicBool,
) -> Result<Up, Trouble> {
    conditions::check_live(options)?;
    let names: Vec<&str> = system.exports.iter().map(|export| export.name.as_str()).collect();
    let made = create::make(options, &|directory, above_is_ours| {
        let places = Places::name_live(&names, options, directory, above_is_ours);
        let manifest = Manifest::plan_live(names.iter().copied(), options, &places);
        Made { places, manifest }
    })?;
    Up::of(made, options, interrupted, |up| up.build_live(system, options, interrupted))
}

impl Up {
    /// What a live system says of itself; it counts lateness anew from then on where it restarts.
    pub fn report(&self, restarts: bool) -> Result<Report, Trouble> {
        Ok(ask(&self.places.commands_socket(Role::System), restarts)?)
    }

    fn build_live(
        &mut self,
        system: &System<'_>,
        options: &Options,
        interrupted: &AtomicBool,
    ) -> Result<(), Trouble> {
        self.make_live_files(system)?;
        let words = [self.places.setup(), self.places.pid_file(Role::System)];
        let words: Vec<OsString> =
            system.program.iter().cloned().chain(words.map(Into::into)).collect();
        let limit = OPEN_FILES + self.places.media.len() as u64;
        let daemon = Daemon::start(Role::System, &self.places, &words, options, limit)?;
        self.note(daemon)?;
        self.wait_for_mount(interrupted)?;
        let sizes = system.exports.iter();
        let sizes = sizes.map(|one| Expected { name: &one.name, bytes: one.bytes });
        self.check(&sizes.collect::<Vec<_>>(), options, interrupted)
    }

    fn make_live_files(&self, system: &System<'_>) -> Result<(), Trouble> {
        let mount = self.places.mount();
        let made = DirBuilder::new().mode(PRIVATE).create(&mount);
        made.map_err(|error| Trouble::file("make", &mount, error))?;
        for (medium, path) in &self.places.media {
            let bytes = system.exports[*medium].bytes;
            let file = File::create_new(path).and_then(|file| file.set_len(bytes));
            file.map_err(|error| Trouble::file("make", path, error))?;
        }
        let file = |(number, path): (usize, &PathBuf)| ExportFile {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            medium: self.places.media.get(&number).cloned(),
        };
        let setup = Setup {
            case: system.case.text.clone(),
            scale: system.scale.divisor(),
            stretch: system.scale.stretch(),
            seed: system.seed,
            fails: system.fails.to_vec(),
            fails_when_asked: system.fails_when_asked,
            mount,
            control: self.places.commands_socket(Role::System),
            arrivals: system.arrivals.map(Path::to_owned),
            files: self.places.exports.iter().enumerate().map(file).collect(),
        };
        let path = self.places.setup();
        let text = serde_json::to_string(&setup).map_err(std::io::Error::other);
        text.and_then(|text| fs::write(&path, text))
            .map_err(|error| Trouble::file("write", &path, error))
    }

    fn wait_for_mount(&mut self, interrupted: &AtomicBool) -> Result<(), Trouble> {
        let mount = self.places.mount();
        let found = until(START, || {
            if interrupted.load(Ordering::Relaxed) {
                return Some(Err(Trouble::Interrupted));
            }
            if let Some(trouble) = self.failed() {
                return Some(Err(trouble));
            }
            match mounted() {
                Ok(mounted) => mounted.contains(&mount).then_some(Ok(())),
                Err(trouble) => Some(Err(trouble)),
            }
        });
        found.unwrap_or_else(|| {
            let why = format!("nothing is mounted on {}", mount.display());
            Err(Trouble::Silent { daemon: Role::System, what: "its start".to_owned(), why })
        })
    }
}
