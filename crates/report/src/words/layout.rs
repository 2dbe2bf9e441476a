//! A build in words: what it makes of what, and what to do with its script.

use iopath_layout::{Build, Remark, Step};

use super::counted;
use crate::view::layout::LayoutView;

/// What is made of how many devices.
pub(crate) fn sentence(build: &Build) -> String {
    let tool: &str = build.tool.into();
    let steps = counted(build.steps.len(), "step");
    let devices = counted(build.devices.len(), "device");
    let remarks = match build.remarks().len() {
        0 => "all of it as the study states".to_owned(),
        count => {
            format!("{} on what is not as the study states, or to know", counted(count, "remark"))
        }
    };
    format!("{steps} by {tool} on {devices}; {remarks}")
}

/// What stands for a step in a table.
pub(crate) fn step(step: &Step) -> String {
    match step.part.as_str() {
        "" => step.makes.clone(),
        part => format!("{part}: {}", step.makes),
    }
}

/// A remark with its source.
pub(crate) fn remark(remark: &Remark) -> String {
    format!("{} ({})", remark.text, remark.source)
}

/// How to go on: devices first, where some are not named.
pub(crate) fn next(view: &LayoutView) -> Vec<String> {
    let Some(file) = &view.written else { return Vec::new() };
    let unnamed = view.build.devices.iter().filter(|device| device.device.is_none()).count();
    let edit = (unnamed > 0)
        .then(|| format!("write {} into {file}, at its head", counted(unnamed, "device")));
    let run = ["check", "make", "undo"].map(|word| format!("sh {file} {word}"));
    edit.into_iter().chain(run).collect()
}
