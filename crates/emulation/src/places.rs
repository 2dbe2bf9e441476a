//! Where everything of one emulation is: names under its run directory, chosen before anything is
//! made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::manifest::Role;
use crate::options::{Media, Options};
use crate::rig::Rig;
use crate::trouble::Trouble;
use crate::wiring;

/// A socket's name with its closing zero (`sun_path` in unix(7)).
const SOCKET_NAME: usize = 108;
/// Of a name that somebody gave; chosen, so that sockets below it keep short names.
const LONGEST: usize = 60;

/// Where everything of one emulation is.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The run directory.
    pub(crate) directory: PathBuf,
    /// The directory above it was made for it.
    pub(crate) above_is_ours: bool,
    /// By which the second daemon gets devices from the first.
    pub(crate) devices_socket: PathBuf,
    /// Files of media, where media are files.
    pub(crate) media: BTreeMap<usize, PathBuf>,
    /// A file for each device, which its export is mounted on.
    pub(crate) exports: Vec<PathBuf>,
}

impl Places {
    /// Names what will be in a run directory.
    pub(crate) fn name(
        rig: &Rig,
        options: &Options,
        directory: PathBuf,
        above_is_ours: bool,
    ) -> Self {
        let media = match options.media {
            Media::Null => BTreeMap::new(),
            Media::Files => {
                let file = |medium| (medium, directory.join(format!("medium.{medium}")));
                wiring::media(rig).into_keys().map(file).collect()
            }
        };
        let names: Vec<&str> = rig.devices.iter().map(|device| device.name.as_str()).collect();
        let exports = numbered(&directory, &names);
        let devices_socket = directory.join("devices.nbd");
        Self { directory, above_is_ours, devices_socket, media, exports }
    }

    /// The same of a live system, whose files are in one directory.
    pub(crate) fn name_live(
        names: &[&str],
        options: &Options,
        directory: PathBuf,
        above_is_ours: bool,
    ) -> Self {
        let files = 0..match options.media {
            Media::Null => 0,
            Media::Files => names.len(),
        };
        let media = files.map(|medium| (medium, directory.join(format!("medium.{medium}"))));
        let media = media.collect();
        let devices_socket = directory.join("devices.nbd");
        let exports = numbered(&directory.join(FILES), names);
        Self { directory, above_is_ours, devices_socket, media, exports }
    }

    /// What a live system is mounted on.
    pub(crate) fn mount(&self) -> PathBuf {
        self.directory.join(FILES)
    }

    /// What a live system is told to be.
    pub(crate) fn setup(&self) -> PathBuf {
        self.directory.join("system.json")
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.directory.join(MANIFEST)
    }

    pub(crate) fn commands_socket(&self, role: Role) -> PathBuf {
        self.directory.join(format!("{role}.qmp"))
    }

    pub(crate) fn log(&self, role: Role) -> PathBuf {
        self.directory.join(format!("{role}.log"))
    }

    pub(crate) fn pid_file(&self, role: Role) -> PathBuf {
        self.directory.join(format!("{role}.pid"))
    }
}

/// The directory of a live system's files.
const FILES: &str = "files";

/// Names of files that tell devices apart, whatever those are called.
fn numbered(directory: &Path, names: &[&str]) -> Vec<PathBuf> {
    let width = names.len().saturating_sub(1).to_string().len();
    let file = |(index, name): (usize, &&str)| {
        directory.join(format!("{index:0width$}.{}", plain(name, "device")))
    };
    names.iter().enumerate().map(file).collect()
}

/// The manifest's name in its run directory.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The run directory's name at such an attempt: a kept one is found by it, others have their
/// process in it.
pub(crate) fn run_name(options: &Options, attempt: u32) -> String {
    let label = plain(&options.label, "emulation");
    let own = std::process::id();
    match (options.kept, attempt) {
        (true, _) => label,
        (false, 1) => format!("{label}.{own}"),
        (false, _) => format!("{label}.{own}.{attempt}"),
    }
}

/// Whether sockets in it have names.
pub(crate) fn check_names(directory: &Path) -> Result<(), Trouble> {
    if directory.to_str().is_none() {
        let (name, why) = (directory.display().to_string(), "the path is not UTF-8".to_owned());
        return Err(Trouble::Rig { name, why });
    }
    let longest = directory.join(format!("{}.qmp", Role::Exports));
    let bytes = longest.as_os_str().len();
    if bytes >= SOCKET_NAME {
        return Err(Trouble::LongPath { path: longest, bytes, most: SOCKET_NAME - 1 });
    }
    Ok(())
}

/// A name that needs no quotes in a shell: what is neither letter, digit, dot nor dash becomes one
/// dash.
fn plain(name: &str, otherwise: &str) -> String {
    let mut plain = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '.' {
            plain.push(letter);
        } else if !plain.ends_with('-') {
            plain.push('-');
        }
    }
    plain.truncate(LONGEST);
    let plain = plain.trim_matches(['-', '.']);
    if plain.is_empty() { otherwise.to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_no_quotes_and_do_not_leave_the_directory() {
        for (name, expected) in [
            ("fastt[0].controller[1].lun", "fastt-0-.controller-1-.lun"),
            ("../../etc", "etc"),
            ("a, b\n", "a-b"),
            ("…", "x"),
            ("", "x"),
        ] {
            assert_eq!(plain(name, "x"), expected, "{name}");
        }
        assert_eq!(plain(&"a".repeat(300), "x").len(), LONGEST);
    }

    #[test]
    fn a_path_that_no_socket_can_have_is_refused() {
        assert!(check_names(Path::new("/dev/shm/iopath/study.17")).is_ok());
        let long = PathBuf::from(format!("/{}", "a".repeat(95)));
        let trouble = check_names(&long).unwrap_err().to_string();
        assert!(trouble.contains("108 bytes, at most 107"), "{trouble}");
    }
}
