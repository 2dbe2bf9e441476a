//! `Place`: the folder of a cluster, in memory and seen by its processes only.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::limits::rig::said;

#[derive(Clone, Debug)]
pub(crate) struct Place {
    root: PathBuf,
}

impl Place {
    pub(crate) fn at(root: &str) -> Self {
        Self { root: PathBuf::from(root) }
    }

    /// Mounts the folder, in the namespace of this process.
    pub(crate) fn mount(&self) -> Result<()> {
        said("mount", &["-t", "tmpfs", "iopath-cluster", &self.root.display().to_string()])?;
        for name in ["own", "shared", "tmp"] {
            self.folder(name)?;
        }
        Ok(())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// What each host sees as its own folder; what others have there it does not see.
    pub(crate) fn own(&self) -> PathBuf {
        self.path("own")
    }

    /// Makes a folder.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.path(name);
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
        Ok(path)
    }

    /// A script that can be run.
    pub(crate) fn script(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.write(name, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }
}
