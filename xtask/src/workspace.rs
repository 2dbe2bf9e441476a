//! The workspace as cargo sees it: where it is, its packages, their edges and build roots.
//!
//! Read from `cargo metadata --no-deps`, so that no Cargo.toml is parsed here. Registry packages
//! are left out: only edges between our own crates are a matter of design.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The part of `cargo metadata` (format 1) that is read here.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    #[serde(rename = "workspace_root")]
    pub root: PathBuf,
    #[serde(rename = "target_directory")]
    pub target: PathBuf,
    pub packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub name: String,
    pub version: String,
    pub manifest_path: PathBuf,
    pub dependencies: Vec<Dependency>,
    pub targets: Vec<Target>,
}

/// One line of a dependency table; `path` is set for crates of this workspace only.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub kind: Option<String>,
    pub path: Option<PathBuf>,
}

/// A file that rustc is started on: `lib.rs`, `main.rs`, one integration test, a build script.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub kind: Vec<String>,
    pub src_path: PathBuf,
}

impl Workspace {
    /// The workspace that this command is run in.
    pub(crate) fn read() -> Result<Self> {
        Self::read_at(Path::new("."))
    }

    /// Asks cargo, offline: our own packages need no registry.
    pub(crate) fn read_at(folder: &Path) -> Result<Self> {
        let output = Command::new(cargo())
            .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
            .current_dir(folder)
            .output()
            .context("cargo metadata does not start")?;
        if !output.status.success() {
            bail!("cargo metadata fails: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        serde_json::from_slice(&output.stdout).context("cargo metadata prints another format")
    }

    /// The crate that a file, as seen from the root, is in.
    pub(crate) fn package_of(&self, file: &str) -> Option<&Package> {
        let is_inside = |package: &&Package| {
            let below = file.strip_prefix(&package.place(self));
            below.is_some_and(|rest| rest.starts_with('/'))
        };
        self.packages.iter().find(is_inside)
    }

    /// `path` as seen from the root, with `/` between its parts.
    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}

impl Package {
    /// The folder, which is also the crate's short name (`units` for iopath-units).
    pub(crate) fn folder(&self) -> String {
        folder_name(self.manifest_path.parent())
    }

    /// The folder as seen from the workspace's root.
    pub(crate) fn place(&self, workspace: &Workspace) -> String {
        self.manifest_path.parent().map(|path| workspace.relative(path)).unwrap_or_default()
    }
}

/// The last part of a crate's folder.
pub(crate) fn folder_name(folder: Option<&Path>) -> String {
    folder.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// Where the crate of a short name lies, seen from the root: only xtask lies outside `crates`.
pub(crate) fn crate_folder(name: &str) -> String {
    if name == "xtask" { name.to_owned() } else { format!("crates/{name}") }
}

/// The cargo that started us, so that the pinned toolchain stays the same one.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
