//! The arguments of `iopath layout`.

use std::path::PathBuf;

use clap::Args;
use iopath_layout::{FileSystemKind, Tool};

use super::{DestroyOption, StoreOption};

/// What to build, by which manager.
#[derive(Debug, Args)]
pub(crate) struct Layout {
    /// Study file whose volumes and file systems are to be built
    pub study: PathBuf,
    /// What builds them: lvm, mdadm, zpool, btrfs, vxassist; mkfs: file systems on volumes that are
    /// there; multipath: the policy of several paths
    #[arg(long = "for", value_name = "TOOL", value_parser = tool)]
    pub tool: Tool,
    /// The real devices: NAME=DEVICE of each member, several with commas, or a file with a line
    /// NAME DEVICE for each; repeatable [default: variables at the head of the script]
    #[arg(long, value_name = "NAME=DEVICE|FILE")]
    pub devices: Vec<String>,
    /// What file systems are made: ext4, xfs, btrfs, vxfs [default: what their names say, else xfs,
    /// with vxassist vxfs]
    #[arg(long, value_name = "KIND", value_parser = file_system)]
    pub file_system: Option<FileSystemKind>,
    /// Host or array on which the script will run, where the study has volumes on several
    #[arg(long, value_name = "HOST")]
    pub on: Option<String>,
    /// Select cases by experiment or level: "width=64 KiB"; repeatable, all must match
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Set a property of the study: vol.unit="1 MiB"; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Write the script to a file, and print its steps and remarks
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON on stdout instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub destroy: DestroyOption,
    #[command(flatten)]
    pub store: StoreOption,
}

fn tool(word: &str) -> Result<Tool, String> {
    let known = "lvm, mdadm, zpool, btrfs, mkfs, multipath, vxassist";
    word.parse().map_err(|_| format!("there are {known}"))
}

fn file_system(word: &str) -> Result<FileSystemKind, String> {
    word.parse().map_err(|_| "there are ext4, xfs, btrfs, vxfs".to_owned())
}
