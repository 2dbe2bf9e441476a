//! What is asked for and what comes out: steps, each with what it needs, its commands, how it is
//! undone and what it does not do.

use iopath_study::source::Span;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::devices::Devices;
use crate::script;

/// What is asked of [`crate::build`].
#[derive(Clone, Debug)]
pub struct Asked {
    /// What builds the volumes.
    pub tool: Tool,
    /// What file systems are made; by their names, or as the manager suggests, where nothing is
    /// said.
    pub file_system: Option<FileSystemKind>,
    /// The real devices of members, as far as they are known.
    pub devices: Devices,
    /// The host on which the script is to run, where the volumes are on several.
    pub on: Option<String>,
}

/// What builds volumes, or what a configuration is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames, Serialize)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Logical volumes of Linux.
    Lvm,
    /// Arrays of md.
    Mdadm,
    /// Pools of ZFS.
    Zpool,
    /// File systems of btrfs over several devices.
    Btrfs,
    /// File systems only: their volumes are there.
    Mkfs,
    /// The policy of several paths only.
    Multipath,
    /// Volumes of VxVM.
    Vxassist,
}

/// What a file system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum FileSystemKind {
    Ext4,
    Xfs,
    Btrfs,
    Vxfs,
}

/// The way from devices to what a case states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Build {
    /// Title of the study.
    pub study: String,
    /// What builds it.
    pub tool: Tool,
    /// What it is built of.
    pub devices: Vec<Device>,
    /// Programs that the commands call.
    pub programs: Vec<&'static str>,
    /// In the order in which they are made.
    pub steps: Vec<Step>,
}

/// A device that must be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Device {
    /// Its variable in the script.
    pub variable: String,
    /// Its name in the study.
    pub name: String,
    /// Its node, where it was named.
    pub device: Option<String>,
}

/// One thing that is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What it is in the study; empty where the study does not know it.
    pub part: String,
    /// What it makes, in words.
    pub makes: String,
    /// What must hold before it.
    pub needs: Vec<Need>,
    /// Lines of sh that make it.
    pub commands: Vec<String>,
    /// Lines of sh that remove it; they do nothing where it is not there.
    pub undo: Vec<String>,
    /// What differs from the study, and what to know.
    pub remarks: Vec<Remark>,
    /// The manual page that describes the command.
    pub source: &'static str,
}

/// A condition of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// In words.
    pub text: String,
    /// As a line of sh, which ends the script where it does not hold.
    pub test: String,
    /// Whether it can be tested before anything is made.
    pub at_first: bool,
}

/// What differs from the study, or what to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// In words.
    pub text: String,
    /// The manual page that says so.
    pub source: &'static str,
}

/// Why something cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbuildable {
    /// Where it is declared; none for what the study does not say.
    pub span: Option<Span>,
    /// What is wrong.
    pub text: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl Build {
    /// The script for sh: `check`, `make` and `undo`.
    #[must_use]
    pub fn script(&self) -> String {
        script::text(self)
    }

    /// The remarks of all steps, each once.
    #[must_use]
    pub fn remarks(&self) -> Vec<&Remark> {
        let mut all: Vec<&Remark> = Vec::new();
        for remark in self.steps.iter().flat_map(|step| &step.remarks) {
            if !all.contains(&remark) {
                all.push(remark);
            }
        }
        all
    }
}

impl Need {
    /// A device that holds nothing and that nobody uses, named by a word of sh.
    pub(crate) fn empty(word: &str, at_first: bool) -> Self {
        let text = format!("{} holds nothing and is not in use", word.replace('"', ""));
        Self { text, test: format!("empty {word}"), at_first }
    }

    /// A path at which nothing is.
    pub(crate) fn absent(path: &str) -> Self {
        let text = format!("there is no {path}");
        Self { text, test: format!("absent {path}"), at_first: true }
    }
}

impl Step {
    pub(crate) fn remark(&mut self, text: impl Into<String>, source: &'static str) {
        self.remarks.push(Remark { text: text.into(), source });
    }
}
