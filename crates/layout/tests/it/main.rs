//! Cases to steps, a file for each volume manager, and what holds for all scripts.

mod files;
mod geometry;
mod hosts;
mod lvm;
mod mdadm;
mod others;
mod script;
mod undo;

use iopath_layout::{Asked, Build, Devices, FileSystemKind, Step, Tool, build};
use iopath_study::{Case, Order, Source, parse};

/// Six LUNs of an array, and a layout over them.
pub(crate) fn study(layout: &str) -> String {
    format!(
        r#"study "six LUNs"
path {{
    host "server" {{ hba {{ port use="fc-8g" }} }}
    array "box" {{
        controller {{
            port use="fc-8g"
            lun count=6 level=5 {{ disk count=4 use="hdd-15k-fc" }}
        }}
    }}
    wire from="server.hba.port" to="box.controller.port"
    multipath policy="round-robin"
}}
layout {{
    {layout}
}}
workload time="1 s" {{ streams "r" over="box.controller.lun" block="1 MiB" }}
"#
    )
}

pub(crate) fn asked(tool: Tool) -> Asked {
    Asked { tool, file_system: None, devices: Devices::default(), on: None }
}

/// The only case of the study with a layout.
#[track_caller]
pub(crate) fn case(layout: &str) -> Case {
    case_of(&study(layout))
}

/// The only case of a study.
#[track_caller]
pub(crate) fn case_of(study: &str) -> Case {
    let source = Source { name: "t.kdl".to_owned(), text: study.to_owned() };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.plan(Order::Listed).unwrap().trials.remove(0).case
}

/// The build of a layout, or what is wrong with it, a line each.
#[track_caller]
pub(crate) fn built_as(layout: &str, asked: &Asked) -> Result<Build, String> {
    build(&case(layout), asked)
        .map_err(|wrong| wrong.iter().map(|one| one.text.clone()).collect::<Vec<_>>().join("\n"))
}

#[track_caller]
pub(crate) fn built(layout: &str, tool: Tool) -> Build {
    built_as(layout, &asked(tool)).unwrap()
}

#[track_caller]
pub(crate) fn refused(layout: &str, tool: Tool) -> String {
    built_as(layout, &asked(tool)).unwrap_err()
}

/// The first command of the last step, its marks left out.
#[track_caller]
pub(crate) fn command(layout: &str, tool: Tool) -> String {
    let build = built(layout, tool);
    unmarked(&build.steps[build.steps.len() - 1].commands[0])
}

/// A command without UUIDs and the names of devices in quotes.
pub(crate) fn unmarked(command: &str) -> String {
    let is_mark = |word: &&str| !word.starts_with("--uuid=") && !word.starts_with("uuid=");
    let words = command.split(' ').filter(is_mark);
    words.collect::<Vec<_>>().join(" ").replace("\"$DEV_LUN_", "").replace('"', "")
}

/// All remarks of a step.
pub(crate) fn remarks(step: &Step) -> String {
    step.remarks.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n")
}

pub(crate) const KINDS: [FileSystemKind; 3] =
    [FileSystemKind::Ext4, FileSystemKind::Xfs, FileSystemKind::Btrfs];
