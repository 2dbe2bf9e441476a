//! Where everything of one emulation is: names under its run directory, chosen before anything is
//! made.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::manifest::Role;
use crate::options::{Media, Options};
use crate::rig::Rig;
use crate::trouble::{Trouble, available};
use crate::wiring;

/// A socket's name with its closing zero (`sun_path` in unix(7)).
const SOCKET_NAME: usize = 108;
/// For the manifest and the daemons' logs; chosen, a manifest of 1,000 devices has 300 KiB.
const ROOM: u64 = 1 << 20;
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

/// The manifest's name in its run directory.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Makes the run directory and names what will be in it.
pub(crate) fn choose(rig: &Rig, options: &Options) -> Result<Places, Trouble> {
    let above_is_ours = !options.directory.exists();
    let path = &options.directory;
    fs::create_dir_all(path).map_err(|error| Trouble::file("make", path, error))?;
    let above = path.canonicalize().map_err(|error| Trouble::file("open", path, error))?;
    let directory = match run_directory(&above, options) {
        Ok(directory) => directory,
        Err(trouble) => {
            give_back(&above, above_is_ours);
            return Err(trouble);
        }
    };
    Ok(name(rig, options, directory, above_is_ours))
}

/// Removes the directory above when it was made for this and nobody else uses it.
pub(crate) fn give_back(above: &Path, above_is_ours: bool) {
    if above_is_ours {
        // It is not empty when another emulation has come meanwhile, and then belongs to that one.
        let _ = fs::remove_dir(above);
    }
}

fn run_directory(above: &Path, options: &Options) -> Result<PathBuf, Trouble> {
    let free = available(above);
    if free < ROOM {
        return Err(Trouble::Full { path: above.to_owned(), available: free });
    }
    let label = plain(&options.label, "emulation");
    let own = std::process::id();
    for attempt in 1_u32.. {
        let name = match (options.kept, attempt) {
            (true, _) => label.clone(),
            (false, 1) => format!("{label}.{own}"),
            (false, _) => format!("{label}.{own}.{attempt}"),
        };
        let path = above.join(name);
        check_names(&path)?;
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(Trouble::file("make", &path, error));
            }
            Err(_) if options.kept => return Err(Trouble::Standing { path }),
            Err(_) => {}
        }
    }
    Err(Trouble::Standing { path: above.join(label) })
}

fn check_names(directory: &Path) -> Result<(), Trouble> {
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

fn name(rig: &Rig, options: &Options, directory: PathBuf, above_is_ours: bool) -> Places {
    let media = match options.media {
        Media::Null => BTreeMap::new(),
        Media::Files => {
            let file = |medium| (medium, directory.join(format!("medium.{medium}")));
            wiring::media(rig).into_keys().map(file).collect()
        }
    };
    let width = rig.devices.len().saturating_sub(1).to_string().len();
    let export = |(index, name): (usize, &str)| {
        directory.join(format!("{index:0width$}.{}", plain(name, "device")))
    };
    let names = rig.devices.iter().map(|device| device.name.as_str());
    let exports = names.enumerate().map(export).collect();
    let devices_socket = directory.join("devices.nbd");
    Places { directory, above_is_ours, devices_socket, media, exports }
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
