//! The commands that build a layout, with the script that has them all.

use iopath_layout::Build;
use serde::Serialize;

/// A build and its script.
#[derive(Clone, Debug, Serialize)]
pub struct LayoutView {
    /// Its devices and steps.
    #[serde(flatten)]
    pub build: Build,
    /// All of it for sh.
    pub script: String,
    /// The file that has the script, as a shell takes it.
    pub written: Option<String>,
}

impl LayoutView {
    /// What is shown of a build.
    #[must_use]
    pub fn of(build: Build, written: Option<String>) -> Self {
        let script = build.script();
        Self { build, script, written }
    }
}
